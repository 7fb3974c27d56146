"""A second fresh set of wrong answers to lesson 11, BERT. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong
from unlisted_mistakes.student_11 import joined

K = "11.input_sum"


@wrong(K)
def second_sum_segments_by_place(a, b, token, segment, position, cls_id, sep_id):
    """Segment 1 begins at len(a), as if there were no marks."""
    ids, _ = joined(a, b, cls_id, sep_id)
    segments = (torch.arange(len(ids)) >= len(a)).long()
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def second_sum_segments_too_late(a, b, token, segment, position, cls_id, sep_id):
    """B's first word is still segment 0."""
    ids, _ = joined(a, b, cls_id, sep_id)
    segments = (torch.arange(len(ids)) > len(a) + 2).long()
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def second_sum_marks_without_segment(a, b, token, segment, position, cls_id, sep_id):
    """The marks get no segment vector."""
    ids, segments = joined(a, b, cls_id, sep_id)
    s = segment[segments]
    s[(ids == cls_id) | (ids == sep_id)] = 0
    return token[ids] + s + position[: len(ids)]


@wrong(K)
def second_sum_words_alone_get_positions(a, b, token, segment, position, cls_id, sep_id):
    """Marks get no position vector, but words keep their places."""
    ids, segments = joined(a, b, cls_id, sep_id)
    p = position[: len(ids)].clone()
    p[(ids == cls_id) | (ids == sep_id)] = 0
    return token[ids] + segment[segments] + p


@wrong(K)
def second_sum_restart_at_one(a, b, token, segment, position, cls_id, sep_id):
    """B's positions begin again at 1."""
    ids, segments = joined(a, b, cls_id, sep_id)
    first = len(a) + 2
    places = torch.cat([torch.arange(first), 1 + torch.arange(len(ids) - first)])
    return token[ids] + segment[segments] + position[places]


@wrong(K)
def second_sum_cls_at_the_end(a, b, token, segment, position, cls_id, sep_id):
    """[CLS] stands at the end."""
    ids, segments = joined(a, b, cls_id, sep_id)
    ids = ids.roll(-1)
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def second_sum_empty_b(a, b, token, segment, position, cls_id, sep_id):
    """A single sentence gets two [SEP]."""
    b = a[:0] if b is None else b
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def second_sum_segment_half(a, b, token, segment, position, cls_id, sep_id):
    """The text is cut in the middle: right only for equal lengths."""
    ids, _ = joined(a, b, cls_id, sep_id)
    segments = (torch.arange(len(ids)) > len(ids) // 2).long() if b is not None else torch.zeros(len(ids)).long()
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def second_sum_b_length(a, b, token, segment, position, cls_id, sep_id):
    """len(b) on None."""
    one, two = torch.tensor([cls_id]), torch.tensor([sep_id])
    ids = torch.cat([one, a, two, b, two]) if len(b) else torch.cat([one, a, two])
    segments = (torch.arange(len(ids)) > len(a) + 1).long()
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def second_sum_no_cls_and_restart(a, b, token, segment, position, cls_id, sep_id):
    """No [CLS], and every place has segment 0: two mistakes."""
    ids, _ = joined(a, b, cls_id, sep_id)
    ids = ids[1:]
    return token[ids] + segment[0] + position[: len(ids)]


M = "11.mask_tokens"


@wrong(M)
def second_mask_lower_bound_only(ids, special, chance, die, random_ids, mask_id):
    """The random share is put in by die > 0.8 and < 1.0, the unchanged left out, at chosen places."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen, mask_id, ids)
    inputs = torch.where(chosen & (die > 0.8), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def second_mask_ninety(ids, special, chance, die, random_ids, mask_id):
    """Everything chosen that isn't random reads [MASK]: nothing stays."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen, mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def second_mask_labels_minus_one(ids, special, chance, die, random_ids, mask_id):
    """-1 in place of -100."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -1)


@wrong(M)
def second_mask_labels_mask_id(ids, special, chance, die, random_ids, mask_id):
    """The labels say mask_id at chosen places."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, mask_id, -100)


@wrong(M)
def second_mask_boundary(ids, special, chance, die, random_ids, mask_id):
    """Random from 0.9 to 1, and [MASK] up to 0.9."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.9), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def second_mask_die_for_choice(ids, special, chance, die, random_ids, mask_id):
    """die chooses, chance decides: exchanged."""
    chosen = (die < 0.15) & ~special
    inputs = torch.where(chosen & (chance < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (chance >= 0.8) & (chance < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def second_mask_labels_random_excluded(ids, special, chance, die, random_ids, mask_id):
    """Random places aren't asked for."""
    chosen = (chance < 0.15) & ~special
    random = chosen & (die >= 0.8) & (die < 0.9)
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(random, random_ids, inputs)
    return inputs, torch.where(chosen & ~random, ids, -100)


@wrong(M)
def second_mask_random_shuffled(ids, special, chance, die, random_ids, mask_id):
    """random_ids[:n]: taken from the front, not at their places."""
    chosen = (chance < 0.15) & ~special
    random = chosen & (die >= 0.8) & (die < 0.9)
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs[random] = random_ids.flatten()[: random.sum()]
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def second_mask_specials_masked(ids, special, chance, die, random_ids, mask_id):
    """Marks are [MASK]ed, too, in the inputs alone."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where((chosen | special) & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def second_mask_floats(ids, special, chance, die, random_ids, mask_id):
    """Multiplied with masks: the random share is added to the token."""
    chosen = (chance < 0.15) & ~special
    random = chosen & (die >= 0.8) & (die < 0.9)
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids) + random * random_ids
    return inputs, torch.where(chosen, ids, -100)


L = "11.mlm_loss"


@wrong(L)
def second_loss_count_texts(hidden, labels, embedding, bias):
    """Divided by n, the length of a text."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked], reduction="sum") / labels.shape[1]


@wrong(L)
def second_loss_vocab(hidden, labels, embedding, bias):
    """Divided by the size of the vocabulary."""
    asked = labels != -100
    logp = (hidden[asked] @ embedding.mT + bias).log_softmax(-1)
    return -(logp * F.one_hot(labels[asked], len(bias))).mean()


@wrong(L)
def second_loss_bias_twice(hidden, labels, embedding, bias):
    """The bias is added to the log-probabilities, not to the logits."""
    asked = labels != -100
    logp = (hidden[asked] @ embedding.mT).log_softmax(-1) + bias
    return F.nll_loss(logp, labels[asked])


@wrong(L)
def second_loss_nll_of_logits(hidden, labels, embedding, bias):
    """nll_loss of logits: no log_softmax."""
    asked = labels != -100
    return F.nll_loss(hidden[asked] @ embedding.mT + bias, labels[asked])


@wrong(L)
def second_loss_nll_of_softmax(hidden, labels, embedding, bias):
    """nll_loss of probabilities: no log."""
    asked = labels != -100
    return F.nll_loss((hidden[asked] @ embedding.mT + bias).softmax(-1), labels[asked])


@wrong(L)
def second_loss_zeroed(hidden, labels, embedding, bias):
    """Hidden vectors of places not asked for set to 0, but still counted as token 0."""
    asked = labels != -100
    logits = (hidden * asked[..., None]) @ embedding.mT + bias
    return F.cross_entropy(logits.flatten(0, 1), labels.clamp(min=0).flatten())


@wrong(L)
def second_loss_detached(hidden, labels, embedding, bias):
    """The table is detached."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.detach().mT + bias, labels[asked])


@wrong(L)
def second_loss_last_text(hidden, labels, embedding, bias):
    """Only the first text."""
    asked = labels[0] != -100
    return F.cross_entropy(hidden[0][asked] @ embedding.mT + bias, labels[0][asked])


@wrong(L)
def second_loss_bad_shape(hidden, labels, embedding, bias):
    """hidden isn't indexed by asked, but labels are."""
    asked = labels != -100
    return F.cross_entropy((hidden @ embedding.mT + bias).flatten(0, 1), labels[asked])


@wrong(L)
def second_loss_scaled_and_sum(hidden, labels, embedding, bias):
    """Scaled by sqrt(d), and a sum: two mistakes."""
    asked = labels != -100
    return F.cross_entropy(
        hidden[asked] @ embedding.mT / hidden.shape[-1] ** 0.5 + bias, labels[asked], reduction="sum"
    )


N = "11.next_sentence_pairs"


def paired(documents, coins, draws, other, following=lambda d, i: (d, i + 1), labels=("IsNext", "NotNext")):
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = following(d, i) if coins[k] else other(d, i, draws[k])
            pairs.append((sentences[i], documents[e][j], labels[0] if coins[k] else labels[1]))
            k += 1
    return pairs


@wrong(N)
def second_pairs_only_not_a(documents, coins, draws):
    """Only A's own place is avoided."""
    return paired(documents, coins, draws, lambda d, i, drawn: next(p for p in drawn if p != (d, i)))


@wrong(N)
def second_pairs_second_draw(documents, coins, draws):
    """If the first draw is in A's document, the second is taken without looking."""
    return paired(documents, coins, draws, lambda d, i, drawn: drawn[0] if drawn[0][0] != d else drawn[1])


@wrong(N)
def second_pairs_previous(documents, coins, draws):
    """B is the sentence before A."""
    return paired(
        documents,
        coins,
        draws,
        lambda d, i, drawn: next(p for p in drawn if p[0] != d),
        following=lambda d, i: (d, max(i - 1, 0)),
    )


@wrong(N)
def second_pairs_labels_lists(documents, coins, draws):
    """Labels "Next" and "NotNext"."""
    return paired(
        documents, coins, draws, lambda d, i, drawn: next(p for p in drawn if p[0] != d), labels=("Next", "NotNext")
    )


@wrong(N)
def second_pairs_document_coins(documents, coins, draws):
    """One coin for each document."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = (d, i + 1) if coins[d] else next(p for p in draws[k] if p[0] != d)
            pairs.append((sentences[i], documents[e][j], "IsNext" if coins[d] else "NotNext"))
            k += 1
    return pairs


@wrong(N)
def second_pairs_first_of_the_document(documents, coins, draws):
    """B is the first sentence of the drawn document."""
    return paired(documents, coins, draws, lambda d, i, drawn: (next(p for p in drawn if p[0] != d)[0], 0))


@wrong(N)
def second_pairs_both(documents, coins, draws):
    """Both a true and a false pair for each sentence."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = next(p for p in draws[k] if p[0] != d)
            pairs += [(sentences[i], sentences[i + 1], "IsNext"), (sentences[i], documents[e][j], "NotNext")]
            k += 1
    return pairs


@wrong(N)
def second_pairs_range_off(documents, coins, draws):
    """range(len - 2): the last pair of each document is missing."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 2):
            e, j = (d, i + 1) if coins[k] else next(p for p in draws[k] if p[0] != d)
            pairs.append((sentences[i], documents[e][j], "IsNext" if coins[k] else "NotNext"))
            k += 1
    return pairs


@wrong(N)
def second_pairs_too_far(documents, coins, draws):
    """range(len): doc[i + 1] doesn't exist."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences)):
            e, j = (d, i + 1) if coins[k] else next(p for p in draws[k] if p[0] != d)
            pairs.append((sentences[i], documents[e][j], "IsNext" if coins[k] else "NotNext"))
            k += 1
    return pairs


@wrong(N)
def second_pairs_int_draws(documents, coins, draws):
    """The counter isn't moved on for IsNext pairs (continue before k += 1)."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            if coins[k]:
                pairs.append((sentences[i], sentences[i + 1], "IsNext"))
                continue
            e, j = next(p for p in draws[k] if p[0] != d)
            pairs.append((sentences[i], documents[e][j], "NotNext"))
            k += 1
    return pairs


P = "11.previous_token"


@wrong(P)
def second_previous_first_row_zero(weights):
    """Padded with 0 for the first token, which is counted."""
    cells = weights.diagonal(offset=-1, dim1=-2, dim2=-1)
    return F.pad(cells, (1, 0)).mean(-1)


@wrong(P)
def second_previous_first_row_self(weights):
    """The first token counts with its weight on itself."""
    cells = weights.diagonal(offset=-1, dim1=-2, dim2=-1)
    return torch.cat([weights[..., :1, 0], cells], -1).mean(-1)


@wrong(P)
def second_previous_column_mean(weights):
    """weights[..., 1:, :-1] whole: mean over the square."""
    return weights[..., 1:, :-1].mean((-2, -1))


@wrong(P)
def second_previous_renormalised(weights):
    """Mean over the columns as well: weights[..., 1:, :-1].mean(-1) gives one number for each row."""
    return weights[..., 1:, :-1].diagonal(dim1=-2, dim2=-1).mean(-1, keepdim=True)


@wrong(P)
def second_previous_heads_mean(weights):
    """The mean over the heads, not the places."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(0)


@wrong(P)
def second_previous_both_sides(weights):
    """Before and after, halved."""
    before, after = (weights.diagonal(offset=o, dim1=-2, dim2=-1).mean(-1) for o in (-1, 1))
    return (before + after) / 2


@wrong(P)
def second_previous_last_only(weights):
    """The last token's weight on the one before it alone."""
    return weights[..., -1, -2]


@wrong(P)
def second_previous_first_only(weights):
    """The second token's weight on the first alone."""
    return weights[..., 1, 0]


@wrong(P)
def second_previous_from_two(weights):
    """The loop begins at 2."""
    n = weights.shape[-1]
    return sum((weights[..., i, i - 1] for i in range(2, n)), torch.zeros(weights.shape[:-2], dtype=weights.dtype)) / (
        n - 1
    )


@wrong(P)
def second_previous_median(weights):
    """The median, not the mean."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).median(-1).values
