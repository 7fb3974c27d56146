"""A fifth set for lesson 11, BERT, eight an exercise, written after the mending. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong
from unlisted_mistakes.fourth_11 import L, M, P, S, W, label, with_draws
from unlisted_mistakes.student_11 import joined


@wrong(S)
def fifth_sum_stacked(a, b, token, segment, position, cls_id, sep_id):
    """torch.stack of pieces of different lengths, in place of cat."""
    cls, sep = torch.tensor([cls_id]), torch.tensor([sep_id])
    ids = torch.stack([cls, a, sep] + ([b, sep] if b is not None else []))
    return token[ids] + position[: len(ids)]


@wrong(S)
def fifth_sum_cat_along_one(a, b, token, segment, position, cls_id, sep_id):
    """torch.cat along axis 1 of vectors."""
    cls, sep = torch.tensor([cls_id]), torch.tensor([sep_id])
    ids = torch.cat([cls, a, sep] + ([b, sep] if b is not None else []), dim=1)
    return token[ids] + position[: len(ids)]


@wrong(S)
def fifth_sum_boolean_segments(a, b, token, segment, position, cls_id, sep_id):
    """The segments are True and False: that is a mask, not an index."""
    ids, _ = joined(a, b, cls_id, sep_id)
    segments = torch.arange(len(ids)) > len(a) + 1
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(S)
def fifth_sum_list_plus_tensor(a, b, token, segment, position, cls_id, sep_id):
    """[cls_id] + a adds a number to a tensor; lists are joined so."""
    ids = [cls_id] + a + [sep_id]
    return token[ids] + segment[0] + position[: len(ids)]


@wrong(S)
def fifth_sum_marks_not_counted_in_b(a, b, token, segment, position, cls_id, sep_id):
    """B's positions go on from n_a: the two marks before it aren't counted."""
    ids, segments = joined(a, b, cls_id, sep_id)
    places = torch.cat([torch.arange(len(a) + 2), len(a) + torch.arange(len(ids) - len(a) - 2)])
    return token[ids] + segment[segments] + position[places]


@wrong(S)
def fifth_sum_marks_without_token(a, b, token, segment, position, cls_id, sep_id):
    """The marks get segment and position, but no vector of their own."""
    ids, segments = joined(a, b, cls_id, sep_id)
    words = (ids != cls_id) & (ids != sep_id)
    return token[ids] * words[:, None] + segment[segments] + position[: len(ids)]


@wrong(S)
def fifth_sum_both_segments(a, b, token, segment, position, cls_id, sep_id):
    """Both segments' vectors are added at every place."""
    ids, _ = joined(a, b, cls_id, sep_id)
    return token[ids] + segment.sum(0) + position[: len(ids)]


@wrong(S)
def fifth_sum_single_without_cls(a, b, token, segment, position, cls_id, sep_id):
    """A single sentence has no [CLS]."""
    ids, segments = joined(a, b, cls_id, sep_id)
    if b is None:
        ids, segments = ids[1:], segments[1:]
    return token[ids] + segment[segments] + position[: len(ids)]


def parts(ids, special, chance, die):
    """chosen, [MASK] where, random where"""
    chosen = (chance < 0.15) & ~special
    return chosen, chosen & (die < 0.8), chosen & (die >= 0.8) & (die < 0.9)


@wrong(M)
def fifth_mask_id_added(ids, special, chance, die, random_ids, mask_id):
    """ids * ~masked + mask_id: the mask's id is added everywhere."""
    chosen, masked, other = parts(ids, special, chance, die)
    inputs = torch.where(other, random_ids, ids * ~masked + mask_id)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def fifth_mask_second_where_of_ids(ids, special, chance, die, random_ids, mask_id):
    """The second torch.where begins with ids again, and [MASK] is lost."""
    chosen, masked, other = parts(ids, special, chance, die)
    inputs = torch.where(masked, mask_id, ids)
    inputs = torch.where(other, random_ids, ids)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def fifth_mask_labels_of_the_chosen(ids, special, chance, die, random_ids, mask_id):
    """labels = ids[chosen]: a list of the chosen tokens alone."""
    chosen, masked, other = parts(ids, special, chance, die)
    return torch.where(other, random_ids, torch.where(masked, mask_id, ids)), ids[chosen]


@wrong(M)
def fifth_mask_hundred_taken_off(ids, special, chance, die, random_ids, mask_id):
    """100 is taken off the ids where nothing is asked: ids - 100, not -100."""
    chosen, masked, other = parts(ids, special, chance, die)
    return torch.where(other, random_ids, torch.where(masked, mask_id, ids)), ids - 100 * (~chosen)


@wrong(M)
def fifth_mask_one_minus_special(ids, special, chance, die, random_ids, mask_id):
    """1 - special: True and False have no minus."""
    chosen = (chance < 0.15) * (1 - special)
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


@wrong(M)
def fifth_mask_where_of_two(ids, special, chance, die, random_ids, mask_id):
    """torch.where without what stands elsewhere."""
    chosen, masked, other = parts(ids, special, chance, die)
    inputs = torch.where(masked, mask_id)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def fifth_mask_three_results(ids, special, chance, die, random_ids, mask_id):
    """The chosen places come back, too."""
    chosen, masked, other = parts(ids, special, chance, die)
    return torch.where(other, random_ids, torch.where(masked, mask_id, ids)), torch.where(chosen, ids, -100), chosen


@wrong(M)
def fifth_mask_no_random_all_labels(ids, special, chance, die, random_ids, mask_id):
    """Two mistakes: no random tokens, and every token is asked for."""
    chosen, masked, other = parts(ids, special, chance, die)
    return torch.where(masked, mask_id, ids), ids.clone()


@wrong(L)
def fifth_loss_softmax_over_the_batch(hidden, labels, embedding, bias):
    """The softmax runs over the texts, dim=0."""
    logs = (hidden @ embedding.mT + bias).log_softmax(0)
    asked = labels != -100
    return -logs[asked].gather(-1, labels[asked][:, None]).mean()


@wrong(L)
def fifth_loss_labels_unmasked(hidden, labels, embedding, bias):
    """The logits are those asked for, the labels all."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels.flatten())


@wrong(L)
def fifth_loss_one_hot_of_minus_hundred(hidden, labels, embedding, bias):
    """one_hot of −100."""
    logs = (hidden @ embedding.mT + bias).log_softmax(-1)
    return -(F.one_hot(labels, len(bias)) * logs).sum() / (labels != -100).sum()


@wrong(L)
def fifth_loss_gather_of_minus_hundred(hidden, labels, embedding, bias):
    """gather at −100."""
    logs = (hidden @ embedding.mT + bias).log_softmax(-1)
    return -logs.gather(-1, labels[..., None]).squeeze(-1)[labels != -100].mean()


@wrong(L)
def fifth_loss_row_of_minus_hundred(hidden, labels, embedding, bias):
    """embedding[labels] with −100 among the labels."""
    right = (hidden * embedding[labels]).sum(-1) + bias[labels]
    return ((hidden @ embedding.mT + bias).logsumexp(-1) - right)[labels != -100].mean()


@wrong(L)
def fifth_loss_sum_without_bias(hidden, labels, embedding, bias):
    """Two mistakes: the sum, and no bias."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT, labels[asked], reduction="sum")


@wrong(L)
def fifth_loss_count_of_the_first(hidden, labels, embedding, bias):
    """Divided by the number of places asked for in the first text."""
    asked = labels != -100
    total = F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked], reduction="sum")
    return total / asked[0].sum()


@wrong(L)
def fifth_loss_with_its_count(hidden, labels, embedding, bias):
    """The loss comes back beside the number of places."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked]), asked.sum()


@wrong(P)
def fifth_pairs_next_document(documents, coins, draws):
    """d + 1 where i + 1 is meant: the next document's sentence of the same number."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = (d + 1, i) if coins[k] else next(p for p in draws[k] if p[0] != d)
            pairs.append((sentences[i], documents[e][j], label(coins[k])))
            k += 1
    return pairs


@wrong(P)
def fifth_pairs_counter_in_the_else(documents, coins, draws):
    """k += 1 stands inside the else: after a True coin it stays."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            if coins[k]:
                pairs.append((sentences[i], sentences[i + 1], "IsNext"))
            else:
                e, j = next((p for p in draws[k] if p[0] != d), draws[k][0])
                pairs.append((sentences[i], documents[e][j], "NotNext"))
                k += 1
    return pairs


@wrong(P)
def fifth_pairs_one_a_document(documents, coins, draws):
    """zip(documents, coins, draws): one pair a document, of its first two sentences."""
    pairs = []
    for d, (sentences, coin, drawn) in enumerate(zip(documents, coins, draws, strict=False)):
        if len(sentences) > 1:
            e, j = (d, 1) if coin else next((p for p in drawn if p[0] != d), drawn[0])
            pairs.append((sentences[0], documents[e][j], label(coin)))
    return pairs


@wrong(P)
def fifth_pairs_flat(documents, coins, draws):
    """B is looked up by j alone, in one list of all sentences."""
    flat = [sentence for sentences in documents for sentence in sentences]
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            b = sentences[i + 1] if coins[k] else flat[next(p for p in draws[k] if p[0] != d)[1]]
            pairs.append((sentences[i], b, label(coins[k])))
            k += 1
    return pairs


@wrong(P)
def fifth_pairs_i_for_j(documents, coins, draws):
    """documents[e][i]: A's own number in the other document."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, _ = (d, i + 1) if coins[k] else next(p for p in draws[k] if p[0] != d)
            pairs.append((sentences[i], sentences[i + 1] if coins[k] else documents[e][i], label(coins[k])))
            k += 1
    return pairs


@wrong(P)
def fifth_pairs_extended(documents, coins, draws):
    """pairs += (a, b, label): the list isn't of pairs, all lies flat."""
    pairs = []
    for made in with_draws(
        documents, coins, draws, lambda d, i, e, j, coin: (documents[d][i], documents[e][j], label(coin))
    ):
        pairs += made
    return pairs


@wrong(P)
def fifth_pairs_dictionary(documents, coins, draws):
    """A dictionary from A to B and label."""
    made = with_draws(documents, coins, draws, lambda d, i, e, j, coin: (documents[d][i], documents[e][j], label(coin)))
    return {a: (b, said) for a, b, said in made}


@wrong(P)
def fifth_pairs_none(documents, coins, draws):
    """Only the first draw is looked at; where it doesn't fit, B is None."""
    return with_draws(
        documents,
        coins,
        draws,
        lambda d, i, e, j, coin: (documents[d][i], None if e is None else documents[e][j], label(coin)),
        lambda d, i, drawn: drawn[0] if drawn[0][0] != d else (None, None),
    )


@wrong(W)
def fifth_previous_mean_of_rows(weights):
    """The mean of all weights: 1 / n, whatever they are."""
    return weights.mean(-1).mean(-1)


@wrong(W)
def fifth_previous_numpy(weights):
    """A NumPy array."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1).numpy()


@wrong(W)
def fifth_previous_trace(weights):
    """The trace, divided by n − 1: the main diagonal."""
    return torch.einsum("...ii->...", weights) / (weights.shape[-1] - 1)


@wrong(W)
def fifth_previous_two_triangles(weights):
    """The difference of two triangles is right, but the mean is taken over its rows alone, zeros counted."""
    return (weights.tril(-1) - weights.tril(-2)).mean(-1)


@wrong(W)
def fifth_previous_mean_of_the_heads(weights):
    """The mean runs over dim=-2, the heads."""
    cells = weights.diagonal(offset=-1, dim1=-2, dim2=-1)
    return cells.mean(-2) if cells.dim() > 1 else cells


@wrong(W)
def fifth_previous_rolled_eye(weights):
    """A rolled identity as mask, and the mean over all n² cells: wraps round, and divides by n²."""
    n = weights.shape[-1]
    return (weights * torch.eye(n, dtype=weights.dtype).roll(1, 0)).mean((-2, -1))


@wrong(W)
def fifth_previous_rounded(weights):
    """Rounded to two digits."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1).round(decimals=2)


@wrong(W)
def fifth_previous_equals_not_plus(weights):
    """= in place of +=, then divided by n − 1: the last token's weight alone."""
    n = weights.shape[-1]
    for i in range(1, n):
        total = weights[..., i, i - 1]
    return total / (n - 1)
