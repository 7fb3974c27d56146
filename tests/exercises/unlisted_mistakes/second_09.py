"""A second fresh try at lesson 09: first drafts, written before the judge had seen them: 34 of 40 were told
their real error. Each docstring says what is really wrong.
"""

import math

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

K = "09.lrate"


@wrong(K)
def second_lrate_minimum_of_the_powers(step, d_model, warmup=4000):
    """min is taken of step and step · warmup^−1 before the root."""
    return d_model**-0.5 * min(step, step / warmup) ** -0.5


@wrong(K, "d_model stands where warmup should")
def second_lrate_rises_by_d_model(step, d_model, warmup=4000):
    """In the rise d_model stands where warmup should."""
    return d_model**-0.5 * min(step**-0.5, step * d_model**-1.5)


@wrong(K)
def second_lrate_minus_in_front(step, d_model, warmup=4000):
    """The minus stands in front of the numbers, not in their powers: d_model ** 0.5 divides, warmup ** 1.5 multiplies."""
    return 1 / d_model**0.5 * min(1 / step**0.5, step * warmup**1.5)


@wrong(K)
def second_lrate_three_cases(step, d_model, warmup=4000):
    """In the first warmup steps the rate is divided by warmup alone, not by warmup ** 1.5; afterwards it is right."""
    factor = step / warmup if step < warmup else step**-0.5
    return factor / math.sqrt(d_model)


@wrong(K)
def second_lrate_half_and_min(step, d_model, warmup=4000):
    """min and max are confused, and the lesson's half is in it."""
    return 0.5 * d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


@wrong(K)
def second_lrate_from_zero(step, d_model, warmup=4000):
    """Counts from 0, adds 1 in the falling part only."""
    return d_model**-0.5 * min((step + 1) ** -0.5, step * warmup**-1.5)


@wrong(K)
def second_lrate_squares_for_roots(step, d_model, warmup=4000):
    """Squares stand where roots are meant: ** -2."""
    return d_model**-2 * min(step**-2, step * warmup**-1.5)


@wrong(K)
def second_lrate_continues_linearly(step, d_model, warmup=4000):
    """After the warm-up it falls with step / warmup, not with its root."""
    highest = d_model**-0.5 * warmup**-0.5
    return highest * step / warmup if step < warmup else highest / (step / warmup)


@wrong(K)
def second_lrate_forgets_the_width_and_the_power(step, d_model, warmup=4000):
    """d_model is missing, and warmup has the power −½."""
    return min(step**-0.5, step * warmup**-0.5)


@wrong(K)
def second_lrate_in_tensors(step, d_model, warmup=4000):
    """torch.min of a tensor of both, but of whole numbers' tensors: a tensor comes back."""
    return d_model**-0.5 * torch.min(torch.tensor([step**-0.5, step * warmup**-1.5]))


K = "09.translation_loss"


@wrong(K)
def second_loss_last_row_for_end(logits, target, pad_id):
    """Padding's places are found in target[:, :-1], and the tokens of it are asked for."""
    wanted = target[:, :-1]
    right = logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    return -right[wanted != pad_id].mean()


@wrong(K)
def second_loss_two_off(logits, target, pad_id):
    """target[:, 2:] and logits without their last place."""
    wanted = target[:, 2:]
    right = logits[:, :-1].log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    return -right[wanted != pad_id].mean()


@wrong(K)
def second_loss_means_of_rows(logits, target, pad_id):
    """A mean of the texts' means."""
    wanted = target[:, 1:]
    right = logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    kept = (wanted != pad_id).to(right.dtype)
    return -((right * kept).sum(1) / kept.sum(1)).mean()


@wrong(K)
def second_loss_lengths_too_long(logits, target, pad_id):
    """The lengths are counted in the whole target, so one place of padding is in each short text."""
    wanted = target[:, 1:]
    right = logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    lengths = (target != pad_id).sum(1)
    kept = torch.arange(wanted.shape[1]) < lengths[:, None]
    return -right[kept].mean()


@wrong(K)
def second_loss_lengths_too_short(logits, target, pad_id):
    """The lengths are one too short: END isn't asked for."""
    wanted = target[:, 1:]
    right = logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    lengths = (wanted != pad_id).sum(1) - 1
    kept = torch.arange(wanted.shape[1]) < lengths[:, None]
    return -(right * kept).sum() / kept.sum()


@wrong(K)
def second_loss_sum_and_all_places(logits, target, pad_id):
    """The padding's losses are left out of the sum, and all places are counted."""
    return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=pad_id, reduction="sum") / (
        target.shape[0] * target.shape[1]
    )


@wrong(K)
def second_loss_log_of_probability_twice(logits, target, pad_id):
    """log is taken of log_softmax's exp plus a small number, and the sign is forgotten."""
    wanted = target[:, 1:]
    p = logits.softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    return p[wanted != pad_id].log().mean()


@wrong(K, "counted, though padding: text 0 place 2")
def second_loss_of_the_padding_alone(logits, target, pad_id):
    """== where != is meant, and the same word."""
    wanted = target[:, :-1]
    right = logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    return -right[target[:, 1:] == pad_id].mean()


@wrong(K)
def second_loss_zeros_and_mean(logits, target, pad_id):
    """Padding's losses are set to 0 and stay in the mean."""
    loss = F.cross_entropy(logits.transpose(1, 2), target[:, 1:], reduction="none")
    loss[target[:, 1:] == pad_id] = 0
    return loss.mean()


@wrong(K)
def second_loss_start_and_padding_left_out(logits, target, pad_id):
    """The first token after START is dropped with START, and the logits' last place to fit."""
    wanted, said = target[:, 1:-1], logits[:, :-1]
    right = said.log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
    return -right[wanted != pad_id].mean()


K = "09.smoothed_targets"


@wrong(K)
def second_smoothed_scatter_without_its_share(targets, vocab_size, epsilon=0.1):
    """The right token gets 1 − ε, without its share ε/V."""
    table = torch.full((*targets.shape, vocab_size), epsilon / vocab_size)
    return table.scatter(-1, targets[..., None], 1 - epsilon)


@wrong(K)
def second_smoothed_epsilon_added(targets, vocab_size, epsilon=0.1):
    """ε/V is added and nothing taken from the right token."""
    return F.one_hot(targets, vocab_size).float() + epsilon / vocab_size


@wrong(K)
def second_smoothed_others_alone(targets, vocab_size, epsilon=0.1):
    """The other convention: ε/(V − 1)."""
    table = torch.full((*targets.shape, vocab_size), epsilon / (vocab_size - 1))
    return table.scatter(-1, targets[..., None], 1 - epsilon)


@wrong(K)
def second_smoothed_double_table(targets, vocab_size, epsilon=0.1):
    """torch.zeros(...) of float64."""
    table = torch.full((*targets.shape, vocab_size), epsilon / vocab_size, dtype=torch.float64)
    return table.scatter(-1, targets[..., None], 1 - epsilon + epsilon / vocab_size)


@wrong(K)
def second_smoothed_row_loop(targets, vocab_size, epsilon=0.1):
    """A loop over the targets that uses enumerate: one axis only, and the right token without its share."""
    table = torch.full((len(targets), vocab_size), epsilon / vocab_size)
    for row, token in enumerate(targets):
        table[row, token] = 1 - epsilon
    return table


@wrong(K)
def second_smoothed_zeros_of_ids(targets, vocab_size, epsilon=0.1):
    """torch.zeros_like(targets) is of whole numbers and without the vocabulary's axis."""
    table = torch.zeros_like(targets)
    table = table + epsilon / vocab_size
    table[targets] = 1 - epsilon
    return table


@wrong(K)
def second_smoothed_minus_share(targets, vocab_size, epsilon=0.1):
    """The right token gets 1 − ε/V, the others ε/V."""
    hot = F.one_hot(targets, vocab_size)
    return hot * (1 - epsilon / vocab_size) + (1 - hot) * epsilon / vocab_size


@wrong(K, "ε/5 (the number of targets)")
def second_smoothed_epsilon_over_the_texts(targets, vocab_size, epsilon=0.1):
    """ε is divided by the number of axes' length, targets.shape[0]."""
    return (1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / targets.shape[0]


@wrong(K)
def second_smoothed_where_without_a_share(targets, vocab_size, epsilon=0.1):
    """The right one is 1 − ε, each other one ε."""
    return torch.where(F.one_hot(targets, vocab_size) == 1, 1 - epsilon, epsilon)


@wrong(K, "smoothed twice")
def second_smoothed_twice(targets, vocab_size, epsilon=0.1):
    """Smoothed twice: the smoothed table is smoothed again."""
    once = (1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / vocab_size
    return (1 - epsilon) * once + epsilon / vocab_size


K = "09.beam_step"


@wrong(K, "topk looks at each row by itself")
def second_beam_topk_of_the_table(totals, log_p, k):
    """topk without flatten."""
    best, tokens = (totals[:, None] + log_p).topk(k)
    return best, torch.arange(len(totals)), tokens


@wrong(K)
def second_beam_of_log_p_alone(totals, log_p, k):
    """The totals aren't added before topk, and not after."""
    best, at = log_p.flatten().topk(k)
    return best, at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def second_beam_rows_and_columns(totals, log_p, k):
    """shape[0] where shape[1] is meant."""
    best, at = (totals[:, None] + log_p).flatten().topk(k)
    return best, at // log_p.shape[0], at % log_p.shape[0]


@wrong(K)
def second_beam_row_added(totals, log_p, k):
    """totals[None] + log_p: the totals lie along the tokens."""
    best, at = (totals[None, :] + log_p).flatten().topk(k)
    return best, at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def second_beam_divmod_turned(totals, log_p, k):
    """divmod's results are exchanged."""
    best, at = (totals.unsqueeze(1) + log_p).flatten().topk(k)
    tokens, parents = at // log_p.shape[1], at % log_p.shape[1]
    return best, parents, tokens


@wrong(K)
def second_beam_greedy_each(totals, log_p, k):
    """The likeliest token of each hypothesis, k of them by their totals."""
    values, tokens = log_p.max(dim=1)
    best, parents = (totals + values).topk(min(k, len(totals)))
    return best, parents, tokens[parents]


@wrong(K)
def second_beam_log_p_returned(totals, log_p, k):
    """log_p of the chosen tokens comes back, not the new totals."""
    _, at = (totals[:, None] + log_p).flatten().topk(k)
    return log_p.flatten()[at], at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def second_beam_argsort_up(totals, log_p, k):
    """argsort goes up, the last k are taken: right ones, the best last."""
    scores = (totals[:, None] + log_p).flatten()
    at = scores.argsort()[-k:]
    return scores[at], at // log_p.shape[1], at % log_p.shape[1]


@wrong(K)
def second_beam_multiplied_probabilities(totals, log_p, k):
    """exp of both, multiplied, and chosen; the product comes back without a log, the places aren't cut."""
    best, at = (totals.exp()[:, None] * log_p.exp()).flatten().topk(k)
    return best, at, at % log_p.shape[1]


@wrong(K)
def second_beam_updates_the_totals_first(totals, log_p, k):
    """The k best hypotheses of before are kept first, then the best of their continuations."""
    kept = totals.topk(min(k, len(totals))).indices[:1]
    best, at = (totals[kept, None] + log_p[kept]).flatten().topk(min(k, log_p.shape[1]))
    return best, kept[at // log_p.shape[1]], at % log_p.shape[1]
