"""A first fresh try at lesson 09, written before the judge had seen it: 24 of 40 were told their real error. Each docstring says what is really wrong."""

import math

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

K = "09.lrate"


@wrong(K)
def first_lrate_minus_for_a_power(step, d_model, warmup=4000):
    """warmup - 1.5 where warmup ** -1.5 is meant: never the smaller one."""
    return d_model**-0.5 * min(step**-0.5, step * (warmup - 1.5))


@wrong(K)
def first_lrate_divided_by_warmup_too(step, d_model, warmup=4000):
    """The whole is divided by warmup once more."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5) / warmup


@wrong(K)
def first_lrate_share_times_fall(step, d_model, warmup=4000):
    """step / warmup multiplies the falling part: the rise is a root, not a line."""
    return min(1, step / warmup) * (d_model * step) ** -0.5


@wrong(K, "The root of d_model is cut")
def first_lrate_whole_root(step, d_model, warmup=4000):
    """The root of d_model is cut to a whole number."""
    return min(step**-0.5, step * warmup**-1.5) / int(d_model**0.5)


@wrong(K)
def first_lrate_both_parts(step, d_model, warmup=4000):
    """Both parts come back, the smaller isn't chosen."""
    return d_model**-0.5 * step**-0.5, d_model**-0.5 * step * warmup**-1.5


@wrong(K)
def first_lrate_cases_exchanged(step, d_model, warmup=4000):
    """The two cases are exchanged: falls first, then rises."""
    if step < warmup:
        return (d_model * step) ** -0.5
    return step / (d_model * warmup**3) ** 0.5


@wrong(K)
def first_lrate_flat_then_falls(step, d_model, warmup=4000):
    """No rise: at its highest until the warm-up is over."""
    return (d_model * max(step, warmup)) ** -0.5


@wrong(K)  # not told yet
def first_lrate_cosine(step, d_model, warmup=4000):
    """Falls as a cosine, not as a root."""
    highest = (d_model * warmup) ** -0.5
    if step <= warmup:
        return highest * step / warmup
    return highest * 0.5 * (1 + math.cos(math.pi * min(1, (step - warmup) / (9 * warmup))))


@wrong(K)
def first_lrate_root_of_the_sum(step, d_model, warmup=4000):
    """1 / √(d_model + step) in place of 1 / √(d_model · step)."""
    return min((d_model + step) ** -0.5, step * d_model**-0.5 * warmup**-1.5)


@wrong(K)
def first_lrate_minus_forgotten_in_the_fall_and_width(step, d_model, warmup=4000):
    """The minus is forgotten at d_model and at the falling step."""
    return d_model**0.5 * min(step**0.5, step * warmup**-1.5)


K = "09.translation_loss"


def log_p_of(logits, ids):
    return logits.log_softmax(-1).gather(-1, ids[..., None]).squeeze(-1)


@wrong(K)
def first_loss_same_word(logits, target, pad_id):
    """Padding is left out, but the token that was just read is asked for."""
    return F.cross_entropy(logits.flatten(0, 1), target[:, :-1].flatten(), ignore_index=pad_id)


@wrong(K)
def first_loss_both_shifted(logits, target, pad_id):
    """Logits and target have both been moved by one, so the word is the same; padding is counted, too."""
    return F.cross_entropy(logits[:, 1:].transpose(1, 2), target[:, 1:-1])


@wrong(K, "*guesses* padding")
def first_loss_mask_of_what_is_guessed(logits, target, pad_id):
    """Left out is where the model guesses padding, not where padding is wanted."""
    return -log_p_of(logits, target[:, 1:])[logits.argmax(-1) != pad_id].mean()


@wrong(K)
def first_loss_divided_by_texts_too(logits, target, pad_id):
    """The right mean, divided by the number of texts once more."""
    wanted = target[:, 1:]
    return F.cross_entropy(logits.transpose(1, 2), wanted, ignore_index=pad_id) / len(wanted)


@wrong(K)
def first_loss_whole_target(logits, target, pad_id):
    """The whole target is asked for, START too: one place more than there are logits."""
    right = logits.log_softmax(-1).gather(-1, target[..., None]).squeeze(-1)
    return -right[target != pad_id].mean()


@wrong(K)
def first_loss_padding_made_zero(logits, target, pad_id):
    """Padding's id is replaced by 0 and counted all the same."""
    wanted = target[:, 1:].clone()
    wanted[wanted == pad_id] = 0
    return -log_p_of(logits, wanted).mean()


@wrong(K, "the error rate")
def first_loss_error_rate(logits, target, pad_id):
    """The share of wrong guesses, not the loss."""
    wanted = target[:, 1:]
    return (logits.argmax(-1) != wanted)[wanted != pad_id].to(logits.dtype).mean()


@wrong(K)
def first_loss_gather_along_places(logits, target, pad_id):
    """gather runs along the places, not the vocabulary."""
    wanted = target[:, 1:]
    right = logits.log_softmax(-1).gather(1, wanted[..., None]).squeeze(-1)
    return -right[wanted != pad_id].mean()


@wrong(K)
def first_loss_squeezes_everything(logits, target, pad_id):
    """squeeze() drops the batch's axis, too, where there is one text."""
    wanted = target[:, 1:]
    right = logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze()
    return -right[wanted != pad_id].mean()


@wrong(K)
def first_loss_start_left_out_in_the_mask(logits, target, pad_id):
    """The mask is made of the whole target without its last column: shifted by one against the wanted tokens."""
    right = log_p_of(logits, target[:, 1:])
    kept = (target != pad_id)[:, :-1].to(right.dtype)
    return -(right * kept).sum() / kept.sum()


K = "09.smoothed_targets"


@wrong(K)
def first_smoothed_ids_from_one(targets, vocab_size, epsilon=0.1):
    """The columns are counted from 1: every high number stands one too far to the left, that of token 0 nowhere."""
    hot = (targets[..., None] == torch.arange(1, vocab_size + 1)).float()
    return (1 - epsilon) * hot + epsilon / vocab_size


@wrong(K)
def first_smoothed_list_of_rows(targets, vocab_size, epsilon=0.1):
    """Works for one axis of targets only."""
    rows = [[epsilon / vocab_size + (1 - epsilon) * (v == int(t)) for v in range(vocab_size)] for t in targets]
    return torch.tensor(rows)


@wrong(K)
def first_smoothed_share_at_the_right_one_alone(targets, vocab_size, epsilon=0.1):
    """The others get nothing: ε/V is added at the right token alone."""
    return F.one_hot(targets, vocab_size) * (1 - epsilon + epsilon / vocab_size)


@wrong(K)
def first_smoothed_compared_without_an_axis(targets, vocab_size, epsilon=0.1):
    """targets == arange(V) needs an axis more: targets[..., None]."""
    return (1 - epsilon) * (targets == torch.arange(vocab_size)).float() + epsilon / vocab_size


@wrong(K)
def first_smoothed_width_of_the_largest(targets, vocab_size, epsilon=0.1):
    """The width of the table is the largest id's."""
    hot = F.one_hot(targets).float()
    return (1 - epsilon) * hot + epsilon / hot.shape[-1]


@wrong(K)
def first_smoothed_lerp_turned(targets, vocab_size, epsilon=0.1):
    """ε and 1 − ε are exchanged."""
    even = torch.full((*targets.shape, vocab_size), 1 / vocab_size)
    return torch.lerp(even, F.one_hot(targets, vocab_size).float(), epsilon)


@wrong(K, "how often each token")
def first_smoothed_by_frequency(targets, vocab_size, epsilon=0.1):
    """ε is shared by how often a token is among the targets, not evenly."""
    often = torch.bincount(targets.flatten(), minlength=vocab_size).float()
    return (1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon * often / often.sum()


@wrong(K)
def first_smoothed_batch_turned(targets, vocab_size, epsilon=0.1):
    """The axes of a batch have changed places."""
    return (1 - epsilon) * F.one_hot(targets.t(), vocab_size) + epsilon / vocab_size


@wrong(K)
def first_smoothed_what_is_left_shared_by_all(targets, vocab_size, epsilon=0.1):
    """The others share what the right one leaves, but it is divided by V, not by V − 1."""
    right = 1 - epsilon + epsilon / vocab_size
    hot = F.one_hot(targets, vocab_size).bool()
    return torch.where(hot, torch.tensor(right), torch.tensor((1 - right) / vocab_size))


@wrong(K)
def first_smoothed_share_of_the_others_for_all(targets, vocab_size, epsilon=0.1):
    """1 − ε at the right one and ε/(V − 1) at all, the right one too: sums to more than 1."""
    table = torch.full((*targets.shape, vocab_size), epsilon / (vocab_size - 1))
    return table.scatter_add(-1, targets[..., None], torch.full((*targets.shape, 1), 1 - epsilon))


K = "09.beam_step"


@wrong(K)
def first_beam_vocab_forgotten_in_the_rest(totals, log_p, k):
    """tokens = place − parent, where parent · vocab is to be taken off."""
    best, at = (totals[:, None] + log_p).flatten().topk(k)
    parents = at // log_p.shape[1]
    return best, parents, at - parents


@wrong(K)
def first_beam_tokens_by_k(totals, log_p, k):
    """Tokens are at % k, where % vocab is meant."""
    best, at = (totals[:, None] + log_p).flatten().topk(k)
    return best, at // log_p.shape[1], at % k


@wrong(K, "its parent's likeliest")
def first_beam_likeliest_token_of_each_parent(totals, log_p, k):
    """Totals and parents are right; the token is always the parent's likeliest."""
    best, at = (totals[:, None] + log_p).flatten().topk(k)
    parents = at // log_p.shape[1]
    return best, parents, log_p[parents].argmax(-1)


@wrong(K)
def first_beam_sorted_the_wrong_way(totals, log_p, k):
    """sorted() goes up: the k worst."""
    live, vocab = log_p.shape
    all_of_them = sorted((float(totals[i] + log_p[i, j]), i, j) for i in range(live) for j in range(vocab))[:k]
    values, parents, tokens = zip(*all_of_them)
    return torch.tensor(values, dtype=totals.dtype), torch.tensor(parents), torch.tensor(tokens)


@wrong(K, "no more than there are live")
def first_beam_no_more_than_live(totals, log_p, k):
    """No more are kept than there are live hypotheses."""
    best, at = (totals[:, None] + log_p).flatten().topk(min(k, len(totals)))
    return best, at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def first_beam_first_hypothesis_alone(totals, log_p, k):
    """topk of each row, and then the first k of the flat list: all from hypothesis 0."""
    values, tokens = (totals[:, None] + log_p).topk(min(k, log_p.shape[1]), dim=1)
    return values.flatten()[:k], torch.zeros(k, dtype=torch.long), tokens.flatten()[:k]


@wrong(K)
def first_beam_normalised_by_two(totals, log_p, k):
    """Divided by the root of the length, which isn't asked for."""
    best, at = ((totals[:, None] + log_p) / math.sqrt(2)).flatten().topk(k)
    return best, at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def first_beam_parent_of_the_best_for_all(totals, log_p, k):
    """Totals and tokens are right; every parent is the best one's."""
    best, at = (totals[:, None] + log_p).flatten().topk(k)
    return best, torch.full_like(at, int(at[0]) // log_p.shape[1]), at % log_p.shape[1]


@wrong(K)  # not told yet
def first_beam_products_of_probabilities_chosen(totals, log_p, k):
    """The sum is taken of log p and a probability."""
    best, at = (totals.exp().log1p()[:, None] + log_p).flatten().topk(k)
    return best, at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def first_beam_one_of_each_row_then_the_rest(totals, log_p, k):
    """Every hypothesis keeps one continuation first; only what is left of k is filled with the best others."""
    scores = totals[:, None] + log_p
    tokens = scores.argmax(1)
    at = torch.cat([torch.arange(len(totals)) * log_p.shape[1] + tokens, scores.flatten().topk(k).indices])
    at = torch.tensor(list(dict.fromkeys(at.tolist()))[:k])
    order = scores.flatten()[at].argsort(descending=True)
    at = at[order]
    return scores.flatten()[at], at // log_p.shape[1], at % log_p.shape[1]
