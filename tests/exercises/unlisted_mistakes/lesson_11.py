"""Unlisted wrong answers to lesson 11, BERT."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 11.input_sum -----------------------------------------------------------------------------------------------------

K = "11.input_sum"


def pieces(a, b, cls_id, sep_id):
    first = torch.cat([torch.tensor([cls_id]), a, torch.tensor([sep_id])])
    second = a[:0] if b is None else torch.cat([b, torch.tensor([sep_id])])
    return torch.cat([first, second]), torch.cat([torch.zeros_like(first), torch.ones_like(second)])


@wrong(K)
def input_position_times_segment(a, b, token, segment, position, cls_id, sep_id):
    ids, segments = pieces(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] * position[: len(ids)]


@wrong(K)
def input_segment_twice(a, b, token, segment, position, cls_id, sep_id):
    ids, segments = pieces(a, b, cls_id, sep_id)
    return token[ids] + 2 * segment[segments] + position[: len(ids)]


@wrong(K)
def input_marks_are_b(a, b, token, segment, position, cls_id, sep_id):
    ids, segments = pieces(a, b, cls_id, sep_id)
    segments = torch.where((ids == cls_id) | (ids == sep_id), 1, segments)
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def input_last_positions(a, b, token, segment, position, cls_id, sep_id):
    ids, segments = pieces(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[-len(ids) :]


@wrong(K)
def input_alternating_segments(a, b, token, segment, position, cls_id, sep_id):
    ids, _ = pieces(a, b, cls_id, sep_id)
    return token[ids] + segment[torch.arange(len(ids)) % 2] + position[: len(ids)]


@wrong(K, "stopped with")
def input_forgets_single(a, b, token, segment, position, cls_id, sep_id):
    ids = torch.tensor([cls_id, *a.tolist(), sep_id, *b.tolist(), sep_id])
    segments = torch.tensor([0] * (len(a) + 2) + [1] * (len(b) + 1))
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def input_sentences_reversed(a, b, token, segment, position, cls_id, sep_id):
    ids, segments = pieces(a.flip(0), None if b is None else b.flip(0), cls_id, sep_id)
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def input_scaled_by_three_roots(a, b, token, segment, position, cls_id, sep_id):
    ids, segments = pieces(a, b, cls_id, sep_id)
    return (token[ids] + segment[segments] + position[: len(ids)]) / 3**0.5


# --- 11.mask_tokens ---------------------------------------------------------------------------------------------------

K = "11.mask_tokens"


@wrong(K)
def mask_random_is_a_shuffle(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids.flip(-1), inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(K)
def mask_only_first_text(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ~special
    chosen[1:] = False
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(K)
def mask_exactly_fifteen(ids, special, chance, die, random_ids, mask_id):
    count = max(1, round(0.15 * ids.shape[1]))
    places = chance.masked_fill(special, 2.0).argsort(-1)[:, :count]
    chosen = torch.zeros_like(special).scatter(1, places, True)
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(K, "dtype")
def mask_labels_as_floats(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids.float(), -100.0)


@wrong(K)
def mask_padding_asked(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ((ids == 0) | ~special)
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(K)
def mask_labels_random(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, random_ids, -100)


# --- 11.mlm_loss ------------------------------------------------------------------------------------------------------

K = "11.mlm_loss"


@wrong(K)
def mlm_squared(hidden, labels, embedding, bias):
    asked = labels != -100
    p = (hidden[asked] @ embedding.mT + bias).softmax(-1)
    return (p - F.one_hot(labels[asked], len(embedding))).square().mean()


@wrong(K)
def mlm_by_cosine(hidden, labels, embedding, bias):
    asked = labels != -100
    return F.cross_entropy(F.normalize(hidden[asked], dim=-1) @ F.normalize(embedding, dim=-1).mT + bias, labels[asked])


@wrong(K)
def mlm_bias_twice(hidden, labels, embedding, bias):
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + 2 * bias, labels[asked])


@wrong(K)
def mlm_median(hidden, labels, embedding, bias):
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked], reduction="none").median()


@wrong(K)
def mlm_last_text(hidden, labels, embedding, bias):
    asked = labels[-1] != -100
    return F.cross_entropy(hidden[-1][asked] @ embedding.mT + bias, labels[-1][asked])


@wrong(K, "gradient")
def mlm_detached(hidden, labels, embedding, bias):
    asked = labels != -100
    return F.cross_entropy(hidden[asked].detach() @ embedding.mT + bias, labels[asked])


# --- 11.next_sentence_pairs -------------------------------------------------------------------------------------------

K = "11.next_sentence_pairs"


def of(
    documents,
    coins,
    draws,
    true=lambda d, i: (d, i + 1),
    other=None,
    label=lambda coin: "IsNext" if coin else "NotNext",
):
    pairs = []
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            coin, drawn = coins[len(pairs)], draws[len(pairs)]
            e, j = (
                true(d, i)
                if coin
                else (other or (lambda d, i, drawn: next(p for p in drawn if p[0] != d)))(d, i, drawn)
            )
            pairs.append((sentences[i], documents[e][j], label(coin)))
    return pairs


@wrong(K)
def pairs_last_sentence(documents, coins, draws):
    return of(documents, coins, draws, true=lambda d, i: (d, -1))


@wrong(K)
def pairs_first_of_the_other(documents, coins, draws):
    return of(documents, coins, draws, other=lambda d, i, drawn: (next(p for p in drawn if p[0] != d)[0], 0))


@wrong(K)
def pairs_backwards(documents, coins, draws):
    return of(documents, coins, draws)[::-1]


@wrong(K)
def pairs_later_documents_only(documents, coins, draws):
    return of(documents, coins, draws, other=lambda d, i, drawn: next((p for p in drawn if p[0] > d), drawn[-1]))


@wrong(K)
def pairs_sorted(documents, coins, draws):
    return sorted(of(documents, coins, draws))


@wrong(K)
def pairs_in_three_lists(documents, coins, draws):
    pairs = of(documents, coins, draws)
    return [list(column) for column in zip(*pairs)]


@wrong(K)
def pairs_once(documents, coins, draws):
    return of(documents, coins, draws)[:1]


# --- 11.previous_token ------------------------------------------------------------------------------------------------

K = "11.previous_token"


@wrong(K)
def previous_squared(weights):
    return weights.diagonal(-1, -2, -1).square().mean(-1)


@wrong(K)
def previous_or_itself(weights):
    return (weights.diagonal(-1, -2, -1) + weights.diagonal(0, -2, -1)[..., 1:]).mean(-1)


@wrong(K)
def previous_median(weights):
    return weights.diagonal(-1, -2, -1).median(-1).values


@wrong(K)
def previous_of_the_last(weights):
    return weights[..., -1, -2]


@wrong(K)
def previous_less_uniform(weights):
    return weights.diagonal(-1, -2, -1).mean(-1) - 1 / weights.shape[-1]


@wrong(K)
def previous_turned(weights):
    return weights.mT.diagonal(-1, -2, -1).mean(-1)


@wrong(K)
def previous_from_the_third_on(weights):
    n = weights.shape[-1]
    return weights.diagonal(-1, -2, -1)[..., 1:].mean(-1) if n > 2 else weights.diagonal(-1, -2, -1).mean(-1)


@wrong(K)
def previous_first_or_last(weights):
    return weights[..., 1:, :].amax(-1).mean(-1)


# --- families: the right answer with another number in it ---------------------------------------------------------------


def weighed(t, s, p):
    def input_weighed(a, b, token, segment, position, cls_id, sep_id):
        ids, segments = pieces(a, b, cls_id, sep_id)
        return t * token[ids] + s * segment[segments] + p * position[: len(ids)]

    return input_weighed


for weights in ((1, 1, 2), (2, 1, 1), (1, -1, 1), (1, 1, -1), (-1, 1, 1), (1, 0.5, 1), (0.5, 0.5, 0.5), (1, 3, 1)):
    wrong("11.input_sum")(weighed(*weights))


def thrown(share, mask, other):
    def mask_thrown(ids, special, chance, die, random_ids, mask_id):
        chosen = (chance < share) & ~special
        inputs = torch.where(chosen & (die < mask), mask_id, ids)
        inputs = torch.where(chosen & (die >= mask) & (die < other), random_ids, inputs)
        return inputs, torch.where(chosen, ids, -100)

    return mask_thrown


for shares in (
    (0.2, 0.8, 0.9), (0.05, 0.8, 0.9), (0.15, 0.9, 0.95), (0.15, 0.5, 0.9), (0.15, 0.8, 0.84), (0.15, 0.85, 0.9), (0.15, 0.1, 0.2),
    (0.3, 0.8, 0.9), (0.15, 0.2, 0.9), (0.15, 0.6, 0.7),
):  # fmt: skip
    wrong("11.mask_tokens")(thrown(*shares))


def altered(logits=lambda x: x, loss=lambda x: x):
    def mlm_altered(hidden, labels, embedding, bias):
        asked = labels != -100
        return loss(
            F.cross_entropy(logits(hidden[asked] @ embedding.mT + bias), labels[asked], reduction="none")
        ).mean()

    return mlm_altered


for change in (
    {"logits": lambda x: x / 2}, {"logits": lambda x: 2 * x}, {"logits": torch.relu}, {"logits": torch.tanh}, {"logits": lambda x: -x},
    {"loss": torch.square}, {"loss": torch.sqrt}, {"loss": lambda x: x + 1}, {"loss": lambda x: x.clamp(max=1)}, {"loss": lambda x: x.amax()},
    {"loss": lambda x: x[:1]},
):  # fmt: skip
    wrong("11.mlm_loss")(altered(**change))


def other_pairs(**changes):
    def pairs_other(documents, coins, draws):
        return of(documents, coins, draws, **changes)

    return pairs_other


def spoiled(change):
    def pairs_spoiled(documents, coins, draws):
        return change(of(documents, coins, draws))

    return pairs_spoiled


for changes in (
    {"true": lambda d, i: (d, 0)}, {"true": lambda d, i: (d, max(i - 1, 0))}, {"other": lambda d, i, drawn: drawn[-1]},
    {"other": lambda d, i, drawn: (d, 0)}, {"label": lambda coin: "next" if coin else "not next"}, {"label": str}, {"label": lambda coin: None},
):  # fmt: skip
    wrong("11.next_sentence_pairs")(other_pairs(**changes))
for change in (
    lambda pairs: pairs[1:], lambda pairs: pairs[:-1], lambda pairs: pairs + pairs[:1], lambda pairs: [pair[:1] for pair in pairs],
):  # fmt: skip
    wrong("11.next_sentence_pairs")(spoiled(change))


def of_cells(offset, change):
    def previous_of_cells(weights):
        return change(weights.diagonal(offset, -2, -1)) if weights.shape[-1] > abs(offset) else weights[..., 0, 0]

    return previous_of_cells


for offset, change in (
    (-1, lambda x: 2 * x.mean(-1)), (-1, lambda x: 1 - x.mean(-1)), (-1, lambda x: x.amin(-1)), (-1, lambda x: x[..., 0]), (-2, lambda x: x.sum(-1)),
    (2, lambda x: x.mean(-1)), (-1, lambda x: x.std(-1, correction=0)), (1, lambda x: x.sum(-1)), (-1, lambda x: x.log().mean(-1)),
):  # fmt: skip
    wrong("11.previous_token")(of_cells(offset, change))
