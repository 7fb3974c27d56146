"""Unlisted wrong answers to lesson 09, Training a translator."""

import math

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 09.lrate ---------------------------------------------------------------------------------------------------------

K = "09.lrate"


def paper(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@wrong(K)
def lrate_cosine(step, d_model, warmup=4000):
    return d_model**-0.5 * math.cos(step / warmup)


@wrong(K)
def lrate_exponential_fall(step, d_model, warmup=4000):
    return (
        paper(step, d_model, warmup) if step < warmup else paper(warmup, d_model, warmup) * math.exp(1 - step / warmup)
    )


@wrong(K)
def lrate_whole_division(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step // warmup * warmup**-0.5)


@wrong(K)
def lrate_linear_fall(step, d_model, warmup=4000):
    return paper(warmup, d_model, warmup) * min(step / warmup, max(0, 2 - step / warmup))


@wrong(K)
def lrate_log(step, d_model, warmup=4000):
    return math.log(paper(step, d_model, warmup))


@wrong(K)
def lrate_twice(step, d_model, warmup=4000):
    return 2 * paper(step, d_model, warmup)


@wrong(K)
def lrate_power_of_two_thirds(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step * warmup ** (-2 / 3))


@wrong(K)
def lrate_warmup_doubled(step, d_model, warmup=4000):
    return paper(step, d_model, 2 * warmup)


@wrong(K)
def lrate_rounded(step, d_model, warmup=4000):
    return round(paper(step, d_model, warmup), 4)


@wrong(K)
def lrate_negative(step, d_model, warmup=4000):
    return -paper(step, d_model, warmup)


@wrong(K)
def lrate_quarter_root(step, d_model, warmup=4000):
    return d_model**-0.25 * min(step**-0.5, step * warmup**-1.5)


@wrong(K)
def lrate_width_and_warmup_joined(step, d_model, warmup=4000):
    return min(step**-0.5, step * (d_model * warmup) ** -1.5)


@wrong(K)
def lrate_rise_squared(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step**2 * warmup**-2.5)


@wrong(K)
def lrate_constant(step, d_model, warmup=4000):
    return 0.0007


@wrong(K)
def lrate_two_mistakes(step, d_model, warmup=4000):
    return d_model**0.5 * max(step**-0.5, step * warmup**-1.5)


# --- 09.smoothed_targets ----------------------------------------------------------------------------------------------

K = "09.smoothed_targets"


@wrong(K)
def smoothed_softmaxed_one_hot(targets, vocab_size, epsilon=0.1):
    return F.one_hot(targets, vocab_size).float().softmax(-1)


@wrong(K)
def smoothed_random_shares(targets, vocab_size, epsilon=0.1):
    table = torch.rand(*targets.shape, vocab_size)
    return epsilon * table / table.sum(-1, keepdim=True) + (1 - epsilon) * F.one_hot(targets, vocab_size)


@wrong(K)
def smoothed_to_neighbours(targets, vocab_size, epsilon=0.1):
    hot = F.one_hot(targets, vocab_size).float()
    return (1 - epsilon) * hot + epsilon / 2 * (hot.roll(1, -1) + hot.roll(-1, -1))


@wrong(K)
def smoothed_integers(targets, vocab_size, epsilon=0.1):
    return F.one_hot(targets, vocab_size)


@wrong(K)
def smoothed_by_batch(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / len(targets)


@wrong(K)
def smoothed_epsilon_squared(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon**2) * F.one_hot(targets, vocab_size) + epsilon**2 / vocab_size


@wrong(K)
def smoothed_last_token_left_out(targets, vocab_size, epsilon=0.1):
    table = (1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / vocab_size
    table[..., -1] = 0
    return table


@wrong(K)
def smoothed_normalised_after_all(targets, vocab_size, epsilon=0.1):
    table = F.one_hot(targets, vocab_size) + epsilon
    return table / table.sum(-1, keepdim=True)


@wrong(K)
def smoothed_clamped(targets, vocab_size, epsilon=0.1):
    return F.one_hot(targets, vocab_size).float().clamp(epsilon / vocab_size, 1 - epsilon)


@wrong(K)
def smoothed_doubled(targets, vocab_size, epsilon=0.1):
    return 2 * ((1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / vocab_size)


@wrong(K)
def smoothed_reversed(targets, vocab_size, epsilon=0.1):
    return ((1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / vocab_size).flip(-1)


@wrong(K)
def smoothed_first_row_only(targets, vocab_size, epsilon=0.1):
    return ((1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / vocab_size)[:1]


@wrong(K)
def smoothed_right_is_gone(targets, vocab_size, epsilon=0.1):
    return (1 - F.one_hot(targets, vocab_size)) * epsilon / (vocab_size - 1)


@wrong(K)
def smoothed_log_smoothed(targets, vocab_size, epsilon=0.1):
    return ((1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / vocab_size).log_softmax(-1)


@wrong(K)
def smoothed_epsilon_upside_down(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * F.one_hot(targets, vocab_size) + vocab_size * epsilon


# --- 09.beam_step -----------------------------------------------------------------------------------------------------

K = "09.beam_step"


def best_of(scores, k, vocab):
    best, at = scores.flatten().topk(min(k, scores.numel()))
    return best, at // vocab, at % vocab


@wrong(K)
def beam_first_k(totals, log_p, k):
    scores = (totals[:, None] + log_p).flatten()[:k]
    at = torch.arange(len(scores))
    return scores, at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def beam_sampled(totals, log_p, k):
    scores = (totals[:, None] + log_p).flatten()
    at = torch.multinomial(scores.exp(), min(k, len(scores)))
    return scores[at], at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def beam_maximum_of_both(totals, log_p, k):
    return best_of(torch.maximum(totals[:, None].expand_as(log_p), log_p), k, log_p.shape[1])


@wrong(K)
def beam_half_the_totals(totals, log_p, k):
    return best_of(totals[:, None] / 2 + log_p, k, log_p.shape[1])


@wrong(K)
def beam_totals_twice(totals, log_p, k):
    return best_of(2 * totals[:, None] + log_p, k, log_p.shape[1])


@wrong(K)
def beam_transposed(totals, log_p, k):
    best, at = (totals[:, None] + log_p).T.flatten().topk(k)
    return best, at // len(totals), at % len(totals)


@wrong(K)
def beam_transposed_cut_by_the_vocabulary(totals, log_p, k):
    return best_of((totals[:, None] + log_p).T, k, log_p.shape[1])


@wrong(K)
def beam_only_the_best(totals, log_p, k):
    return best_of(totals[:, None] + log_p, 1, log_p.shape[1])


@wrong(K)
def beam_mean_total(totals, log_p, k):
    return best_of(totals.mean() + log_p, k, log_p.shape[1])


@wrong(K)
def beam_no_repeated_parent(totals, log_p, k):
    scores, tokens = (totals[:, None] + log_p).max(1)
    order = scores.argsort(descending=True)
    return scores[order], order, tokens[order]


@wrong(K)
def beam_no_repeated_token(totals, log_p, k):
    scores, parents = (totals[:, None] + log_p).max(0)
    best, tokens = scores.topk(min(k, len(scores)))
    return best, parents[tokens], tokens


@wrong(K)
def beam_floats_for_places(totals, log_p, k):
    best, parents, tokens = best_of(totals[:, None] + log_p, k, log_p.shape[1])
    return best, parents + 0.5, tokens


@wrong(K)
def beam_parents_reversed(totals, log_p, k):
    best, parents, tokens = best_of(totals[:, None] + log_p, k, log_p.shape[1])
    return best, len(totals) - 1 - parents, tokens


@wrong(K)
def beam_normalised_totals(totals, log_p, k):
    return best_of(totals.log_softmax(0)[:, None] + log_p, k, log_p.shape[1])


@wrong(K)
def beam_square_root_of_length(totals, log_p, k):
    best, parents, tokens = best_of(totals[:, None] + log_p, k, log_p.shape[1])
    return best / 1.5, parents, tokens


# --- 09.translation_loss ----------------------------------------------------------------------------------------------

K = "09.translation_loss"


def pieces(logits, target, pad_id):
    wanted = target[:, 1:]
    return -logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1), wanted != pad_id


@wrong(K)
def loss_first_text_alone(logits, target, pad_id):
    loss, kept = pieces(logits[:1], target[:1], pad_id)
    return loss[kept].mean()


@wrong(K)
def loss_of_the_largest(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return loss[kept].max()


@wrong(K)
def loss_of_the_first_token(logits, target, pad_id):
    return pieces(logits, target, pad_id)[0][:, 0].mean()


@wrong(K)
def loss_squared(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return (loss[kept] ** 2).mean()


@wrong(K)
def loss_accuracy(logits, target, pad_id):
    wanted = target[:, 1:]
    return (logits.argmax(-1) == wanted)[wanted != pad_id].float().mean()


@wrong(K)
def loss_smoothed(logits, target, pad_id):
    return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=pad_id, label_smoothing=0.1)


@wrong(K)
def loss_reversed_targets(logits, target, pad_id):
    loss, kept = pieces(logits, torch.cat([target[:, :1], target[:, 1:].flip(1)], 1), pad_id)
    return loss[kept].mean()


@wrong(K)
def loss_twice_the_softmax(logits, target, pad_id):
    loss, kept = pieces(logits.softmax(-1), target, pad_id)
    return loss[kept].mean()


@wrong(K)
def loss_padding_as_zero_logit(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return (loss * kept).mean(1).mean()


@wrong(K)
def loss_divided_by_the_longest(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return (loss * kept).sum() / kept.sum(1).max()


@wrong(K)
def loss_half(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return loss[kept].mean() / 2


@wrong(K)
def loss_detached(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return loss[kept].mean().detach()


@wrong(K)
def loss_perplexity_of_two(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return 2 ** loss[kept].mean()


@wrong(K)
def loss_last_place_dropped(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return loss[:, :-1][kept[:, :-1]].mean()


@wrong(K)
def loss_start_and_shift_mixed(logits, target, pad_id):
    loss, kept = pieces(logits, target, pad_id)
    return (loss * kept).sum() / (target != pad_id).sum()
