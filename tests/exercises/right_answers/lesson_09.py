"""Right answers to lesson 09, Training a translator."""

import torch
import torch.nn.functional as F

from right_answers import right

# --- 09.lrate ---------------------------------------------------------------------------------------------------------


@right("09.lrate")
def lrate_by_min(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@right("09.lrate")
def lrate_by_cases(step, d_model, warmup=4000):
    if step < warmup:
        return step / warmup / (d_model * warmup) ** 0.5
    return 1 / (d_model * step) ** 0.5


@right("09.lrate")
def lrate_as_tensor(step, d_model, warmup=4000):
    step = torch.tensor(float(step), dtype=torch.float64)
    return (d_model**-0.5 * torch.minimum(step.rsqrt(), step * warmup**-1.5)).item()


# --- 09.smoothed_targets ----------------------------------------------------------------------------------------------


@right("09.smoothed_targets")
def smoothed_by_one_hot(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * F.one_hot(targets, vocab_size) + epsilon / vocab_size


@right("09.smoothed_targets")
def smoothed_by_scatter(targets, vocab_size, epsilon=0.1):
    table = torch.full((*targets.shape, vocab_size), epsilon / vocab_size)
    return table.scatter(-1, targets.unsqueeze(-1), 1 - epsilon + epsilon / vocab_size)


@right("09.smoothed_targets")
def smoothed_by_comparison(targets, vocab_size, epsilon=0.1):
    same = targets[..., None] == torch.arange(vocab_size)
    return torch.where(same, 1 - epsilon + epsilon / vocab_size, epsilon / vocab_size)


@right("09.smoothed_targets")
def smoothed_by_eye(targets, vocab_size, epsilon=0.1):
    return torch.lerp(torch.eye(vocab_size), torch.full((vocab_size, vocab_size), 1 / vocab_size), epsilon)[targets]


@right("09.smoothed_targets")
def smoothed_by_loop(targets, vocab_size, epsilon=0.1):
    rows = []
    for token in targets.flatten().tolist():
        row = [epsilon / vocab_size] * vocab_size
        row[token] += 1 - epsilon
        rows.append(row)
    return torch.tensor(rows).reshape(*targets.shape, vocab_size)


# --- 09.beam_step -----------------------------------------------------------------------------------------------------


@right("09.beam_step")
def beam_by_topk(totals, log_p, k):
    best, at = (totals[:, None] + log_p).flatten().topk(k)
    return best, at // log_p.shape[1], at % log_p.shape[1]


@right("09.beam_step")
def beam_by_sorting(totals, log_p, k):
    found = []
    for parent in range(len(totals)):
        for token in range(log_p.shape[1]):
            found.append((totals[parent] + log_p[parent, token], parent, token))
    found = sorted(found, key=lambda one: one[0], reverse=True)[:k]
    values, parents, tokens = zip(*found)
    return torch.stack(values), torch.tensor(parents), torch.tensor(tokens)


@right("09.beam_step")
def beam_by_unravel(totals, log_p, k):
    scores = totals.unsqueeze(1) + log_p
    order = scores.reshape(-1).argsort(descending=True)[:k]
    parents, tokens = torch.unravel_index(order, scores.shape)
    return scores[parents, tokens], parents, tokens


@right("09.beam_step")
def beam_row_by_row_first(totals, log_p, k):
    """The k best of each row hold the k best of all."""
    values, tokens = (totals[:, None] + log_p).topk(min(k, log_p.shape[1]), dim=1)
    best, at = values.flatten().topk(k)
    return best, at.div(values.shape[1], rounding_mode="floor"), tokens.flatten()[at]


# --- 09.translation_loss ----------------------------------------------------------------------------------------------


@right("09.translation_loss")
def loss_by_mask(logits, target, pad_id):
    log_p = logits.log_softmax(dim=-1)
    wanted = target[:, 1:]
    right = log_p.gather(-1, wanted[..., None]).squeeze(-1)
    return -right[wanted != pad_id].mean()


@right("09.translation_loss")
def loss_by_torch(logits, target, pad_id):
    return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=pad_id)


@right("09.translation_loss")
def loss_by_sum(logits, target, pad_id):
    total, count = 0.0, 0
    for row, ids in zip(logits, target):
        for at, token in enumerate(ids[1:].tolist()):
            if token != pad_id:
                total, count = total - row[at].log_softmax(0)[token], count + 1
    return total / count
