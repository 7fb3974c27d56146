"""A third fresh set for lesson 11, BERT, written after the mending. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong
from unlisted_mistakes.second_11 import paired
from unlisted_mistakes.student_11 import joined


@wrong("11.input_sum")
def third_sum_position_of_a_token(a, b, token, segment, position, cls_id, sep_id):
    """Only one position, the last, is added everywhere."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[len(ids) - 1]


@wrong("11.input_sum")
def third_sum_three_segments(a, b, token, segment, position, cls_id, sep_id):
    """[CLS] gets segment 1."""
    ids, segments = joined(a, b, cls_id, sep_id)
    segments[0] = 1
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong("11.input_sum")
def third_sum_no_sep_between(a, b, token, segment, position, cls_id, sep_id):
    """No [SEP] between A and B."""
    ids, segments = joined(a, b, cls_id, sep_id)
    if b is not None:
        keep = torch.arange(len(ids)) != len(a) + 1
        ids, segments = ids[keep], segments[keep]
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong("11.input_sum")
def third_sum_summed(a, b, token, segment, position, cls_id, sep_id):
    """Summed over the places, too."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return (token[ids] + segment[segments] + position[: len(ids)]).sum(0)


@wrong("11.input_sum")
def third_sum_whole_positions(a, b, token, segment, position, cls_id, sep_id):
    """The whole table of positions: not cut to n."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position


@wrong("11.mask_tokens")
def third_mask_joint(ids, special, chance, die, random_ids, mask_id):
    """`and`/or: special or'ed in place of left out."""
    chosen = (chance < 0.15) | special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong("11.mask_tokens")
def third_mask_labels_random(ids, special, chance, die, random_ids, mask_id):
    """The labels are random_ids."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, random_ids, -100)


@wrong("11.mask_tokens")
def third_mask_minus_hundred_in_inputs(ids, special, chance, die, random_ids, mask_id):
    """-100 in the inputs where nothing is chosen."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return torch.where(chosen, inputs, -100), torch.where(chosen, ids, -100)


@wrong("11.mask_tokens")
def third_mask_ninety(ids, special, chance, die, random_ids, mask_id):
    """85 % threshold: die < 0.85 and 0.95."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.85), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.85) & (die < 0.95), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong("11.mask_tokens")
def third_mask_unmasked_at_random(ids, special, chance, die, random_ids, mask_id):
    """Random places read the token of the place before."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), ids.roll(1, -1), inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong("11.mlm_loss")
def third_loss_all_but_asked(hidden, labels, embedding, bias):
    """The last text alone."""
    asked = labels[-1] != -100
    return F.cross_entropy(hidden[-1][asked] @ embedding.mT + bias, labels[-1][asked])


@wrong("11.mlm_loss")
def third_loss_abs(hidden, labels, embedding, bias):
    """log10, not the natural logarithm."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked]) / torch.tensor(10.0).log()


@wrong("11.mlm_loss")
def third_loss_tanh(hidden, labels, embedding, bias):
    """A tanh in front, as in the pooler."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked].tanh() @ embedding.mT + bias, labels[asked])


@wrong("11.mlm_loss")
def third_loss_vector(hidden, labels, embedding, bias):
    """A result of shape (1,)."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked])[None]


@wrong("11.mlm_loss")
def third_loss_mse(hidden, labels, embedding, bias):
    """The square distance of the probabilities to one-hot."""
    asked = labels != -100
    p = (hidden[asked] @ embedding.mT + bias).softmax(-1)
    return ((p - F.one_hot(labels[asked], len(bias))) ** 2).sum(-1).mean()


@wrong("11.next_sentence_pairs")
def third_pairs_last_sentence(documents, coins, draws):
    """B for True is the document's last sentence."""
    other = lambda d, i, drawn: next(p for p in drawn if p[0] != d)  # noqa: E731
    return paired(documents, coins, draws, other, following=lambda d, i: (d, -1))


@wrong("11.next_sentence_pairs")
def third_pairs_none(documents, coins, draws):
    """Where the first draw is in A's document, the pair becomes an IsNext."""
    pairs = []
    right = paired(documents, coins, draws, lambda d, i, drawn: next(p for p in drawn if p[0] != d))
    k = 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            own = not coins[k] and draws[k][0][0] == d
            pairs.append((sentences[i], sentences[i + 1], "IsNext") if own else right[k])
            k += 1
    return pairs


@wrong("11.next_sentence_pairs")
def third_pairs_next_document(documents, coins, draws):
    """NotNext takes the first sentence of the next document; the draws aren't used."""
    return paired(documents, coins, draws, lambda d, i, drawn: ((d + 1) % len(documents), 0))


@wrong("11.next_sentence_pairs")
def third_pairs_lists(documents, coins, draws):
    """Sorted: all IsNext first."""
    pairs = paired(documents, coins, draws, lambda d, i, drawn: next(p for p in drawn if p[0] != d))
    return sorted(pairs, key=lambda pair: pair[2])


@wrong("11.next_sentence_pairs")
def third_pairs_tuple(documents, coins, draws):
    """Places, not sentences, come out."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            place = (d, i + 1) if coins[k] else next(p for p in draws[k] if p[0] != d)
            pairs.append(((d, i), place, "IsNext" if coins[k] else "NotNext"))
            k += 1
    return pairs


@wrong("11.previous_token")
def third_previous_column(weights):
    """The mean weight that each token receives."""
    return weights.mean(-2)


@wrong("11.previous_token")
def third_previous_upper(weights):
    """The triangle above the diagonal."""
    return weights.triu(1).sum(-1)[..., :-1].mean(-1)


@wrong("11.previous_token")
def third_previous_min(weights):
    """The minimum."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).amin(-1)


@wrong("11.previous_token")
def third_previous_over_all(weights):
    """Divided by n squared minus n."""
    n = weights.shape[-1]
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).sum(-1) / (n * n - n)


@wrong("11.previous_token")
def third_previous_item(weights):
    """One head's number as a Python float."""
    return float(weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean())
