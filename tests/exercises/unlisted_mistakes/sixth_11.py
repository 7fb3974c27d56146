"""A sixth set for lesson 11, BERT, four an exercise, told by a judge that had never seen them. What each has wrong stands in its docstring."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong
from unlisted_mistakes.fifth_11 import parts
from unlisted_mistakes.fourth_11 import L, M, P, S, W, label, with_draws
from unlisted_mistakes.student_11 import joined


@wrong(S)
def sixth_sum_called(a, b, token, segment, position, cls_id, sep_id):
    """The tables are called like layers: token(ids)."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token(ids) + segment(segments) + position(torch.arange(len(ids)))


@wrong(S)
def sixth_sum_positions_from_the_length(a, b, token, segment, position, cls_id, sep_id):
    """position[len(ids):]: the rows behind the text's."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[len(ids) :][: len(ids)]


@wrong(S)
def sixth_sum_float_segments(a, b, token, segment, position, cls_id, sep_id):
    """torch.zeros and torch.ones are of floats: no index."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments.float()] + position[: len(ids)]


@wrong(S)
def sixth_sum_three_results(a, b, token, segment, position, cls_id, sep_id):
    """The three looked-up vectors come back side by side, not added."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids], segment[segments], position[: len(ids)]


@wrong(M)
def sixth_mask_item(ids, special, chance, die, random_ids, mask_id):
    """.item() of a whole tensor."""
    chosen = chance.item() < 0.15
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


@wrong(M)
def sixth_mask_percent(ids, special, chance, die, random_ids, mask_id):
    """The shares are read as percents: chance < 15 and die < 80 are always true."""
    chosen = (chance < 15) & ~special
    return torch.where(chosen & (die < 80), mask_id, ids), torch.where(chosen, ids, -100)


@wrong(M)
def sixth_mask_marks_masked(ids, special, chance, die, random_ids, mask_id):
    """[MASK] stands at all marks and padding; the words are right."""
    chosen, masked, other = parts(ids, special, chance, die)
    inputs = torch.where(other, random_ids, torch.where(masked, mask_id, ids))
    return torch.where(special, mask_id, inputs), torch.where(chosen, ids, -100)


@wrong(M)
def sixth_mask_or_between(ids, special, chance, die, random_ids, mask_id):
    """(die >= 0.8) | (die < 0.9) is always true: every chosen place reads a random token."""
    chosen, masked, _ = parts(ids, special, chance, die)
    inputs = torch.where(masked, mask_id, ids)
    inputs = torch.where(chosen & ((die >= 0.8) | (die < 0.9)), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(L)
def sixth_loss_arguments_exchanged(hidden, labels, embedding, bias):
    """cross_entropy(labels, logits)."""
    asked = labels != -100
    return F.cross_entropy(labels[asked], hidden[asked] @ embedding.mT + bias)


@wrong(L)
def sixth_loss_of_each_text(hidden, labels, embedding, bias):
    """The sum of all is divided by each text's number: one result for each text."""
    asked = labels != -100
    total = F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked], reduction="sum")
    return total / asked.sum(1)


@wrong(L)
def sixth_loss_normalised(hidden, labels, embedding, bias):
    """The vectors are made of length 1 first."""
    asked = labels != -100
    return F.cross_entropy(F.normalize(hidden[asked], dim=-1) @ embedding.mT + bias, labels[asked])


@wrong(L)
def sixth_loss_softmax_of_hidden(hidden, labels, embedding, bias):
    """A softmax of the vectors, before the product."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked].softmax(-1) @ embedding.mT + bias, labels[asked])


def triple(documents):
    return lambda d, i, e, j, coin: (documents[d][i], documents[e][j], label(coin))


@wrong(P)
def sixth_pairs_one_label(documents, coins, draws):
    """Every label is IsNext; the pairs are right."""
    return [(a, b, "IsNext") for a, b, _ in with_draws(documents, coins, draws, triple(documents))]


@wrong(P)
def sixth_pairs_coins_of_the_document(documents, coins, draws):
    """The coins are read by the sentence's number, the draws are counted through."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = (d, i + 1) if coins[i] else next(p for p in draws[k] if p[0] != d)
            pairs.append((sentences[i], documents[e][j], label(coins[i])))
            k += 1
    return pairs


@wrong(P)
def sixth_pairs_from_one(documents, coins, draws):
    """The loop begins at 1: each document's first pair is missing, and coins and draws are then another pair's."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(1, len(sentences) - 1):
            e, j = (d, i + 1) if coins[k] else next((p for p in draws[k] if p[0] != d), draws[k][0])
            pairs.append((sentences[i], documents[e][j], label(coins[k])))
            k += 1
    return pairs


@wrong(P)
def sixth_pairs_next_where_it_does_not_fit(documents, coins, draws):
    """Where the first draw doesn't fit, B is the true next sentence, though the label says NotNext."""
    return with_draws(
        documents, coins, draws, triple(documents), lambda d, i, drawn: drawn[0] if drawn[0][0] != d else (d, i + 1)
    )


@wrong(W)
def sixth_previous_both_less_one(weights):
    """weights[..., i - 1, i - 1]: the main diagonal, without its last cell."""
    n = weights.shape[-1]
    return sum(weights[..., i - 1, i - 1] for i in range(1, n)) / (n - 1)


@wrong(W)
def sixth_previous_and_itself(weights):
    """The weight on the token before and on itself, added."""
    return weights.diagonal(-1, -2, -1).mean(-1) + weights.diagonal(0, -2, -1).mean(-1)


@wrong(W)
def sixth_previous_layers_too(weights):
    """The mean over the first axis, too."""
    cells = weights.diagonal(-1, -2, -1).mean(-1)
    return cells.mean(0) if cells.dim() else cells * 0


@wrong(W)
def sixth_previous_minus_one_last(weights):
    """sum / n - 1: the brackets round n - 1 are missing."""
    return weights.diagonal(-1, -2, -1).sum(-1) / weights.shape[-1] - 1
