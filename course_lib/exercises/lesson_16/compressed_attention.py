"""Memory-compressed attention: a strided convolution makes one key and one value of each group of neighbours."""

import torch
import torch.nn.functional as nn_functional

from course_lib.attention import attention_weights
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, non_contiguous, qkv, randn
from course_lib.short_keys import compress


def _compressed_attention(query, key, value, W_key, W_value):
    weights = attention_weights(query, compress(key, W_key))
    return weights @ compress(value, W_value), weights


def _text(g, n, d, stride, leading=(), **kwargs):
    W_key, W_value = (randn(g, stride, d, d, size=(stride * d) ** -0.5, **kwargs) for _ in range(2))
    return *qkv(g, n, d, leading=leading, **kwargs), W_key, W_value


compressed_attention = Code(
    "16.compressed_attention",
    title="Groups of words",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_compressed_attention,
    axes=["... query d", "... query groups"],
    results=("output", "weights"),
    forbidden=("compress",),
    cases=[
        Case("seven words in groups of three", lambda g: _text(g, 7, 4, 3)),
        Case("a longer text, one word left over", lambda g: _text(g, 4 * integer(g, 2, 4) + 1, 5, 4)),
        Case("nothing left over", lambda g: _text(g, 2 * integer(g, 3, 6), 3, 2)),
        Case("as many words as numbers", lambda g: _text(g, 4, 4, 3)),
        Case("as many groups as words in a group", lambda g: _text(g, 9, 4, 3)),
        Case("groups of one", lambda g: _text(g, 5, 3, 1)),
        Case("as many words in a group as numbers", lambda g: _text(g, 7, 3, 3)),
        Case("one group, not full", lambda g: _text(g, 2, 4, 3)),
        Case("one word", lambda g: _text(g, 1, 4, 2)),
        Case("a batch of two texts", lambda g: _text(g, 5, 3, 2, leading=(2,))),
        Case("batch and heads", lambda g: _text(g, integer(g, 7, 11), 4, 3, leading=(2, 3))),
        Case("double precision", lambda g: _text(g, 8, 4, 3, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: tuple(map(non_contiguous, _text(g, 7, 4, 3, leading=(2,))))),
    ],
    differentiable=True,
    hints=[
        "How many words are missing until the last group is full? That is −n % stride; torch.nn.functional.pad(x, (0, 0, 0, missing)) puts so many rows of zeros behind the text.",
        "Cut the axis of words in two, with .unflatten(-2, (-1, stride)): (…, groups, stride, d). Word s of each group goes through W[s], and the stride results are added up.",
        'y = torch.einsum("...msd,sed->...me", groups, W) is W[s] @ x for all groups at once. Do it for keys and values; then attention as always.',
    ],
)


def zeros_behind(x, stride):
    return nn_functional.pad(x, (0, 0, 0, -x.shape[-2] % stride))


def whole(x, stride):
    """How many words fill groups."""
    return x.shape[-2] // stride * stride


def only_last_words(x, stride):
    """Zeros in place of all words but the last of each group."""
    place = torch.arange(x.shape[-2])
    last = (place % stride == stride - 1) | (place == x.shape[-2] - 1)
    return x * last[:, None]


def missing(x, stride):
    """Rows of zeros for the last group."""
    return x.new_zeros(*x.shape[:-2], -x.shape[-2] % stride, x.shape[-1])


def cut(x, stride):
    """(…, n, d) → (…, groups, stride, d)"""
    return x.unflatten(-2, (-1, stride))


def through_the_kernel(groups, W):
    return torch.einsum("...msd,sed->...me", groups, W)


def scaled(q, k):
    return q @ k.mT / q.shape[-1] ** 0.5


@compressed_attention.variants
def steps(
    query,
    key,
    value,
    W_key,
    W_value,
    *,
    filled=zeros_behind,
    grouped=cut,
    mixed=through_the_kernel,
    keys=lambda shorten, key, W_key, W_value: shorten(key, W_key),
    values=lambda shorten, value, W_key, W_value: shorten(value, W_value),
    asked=lambda shorten, query, W_key, W_value: query,
    scores=scaled,
    weights=lambda s: s.softmax(-1),
    results=lambda output, weights: (output, weights),
):
    def shorten(x, W):
        return mixed(grouped(filled(x, len(W)), len(W)), W)

    q, k = asked(shorten, query, W_key, W_value), keys(shorten, key, W_key, W_value)
    w = weights(scores(q, k))
    return results(w @ values(shorten, value, W_key, W_value), w)


steps.mistake(
    "The last words have vanished: a rest that doesn't fill a group is dropped. Put zeros behind the text, −n % stride rows, so that the last group is full.",
    filled=lambda x, stride: x[..., : x.shape[-2] // stride * stride, :],
)
steps.mistake(
    "The text can't be cut into whole groups as it is. Put zeros behind it first, −n % stride rows; pad counts from the last axis, so rows are the second pair: (0, 0, 0, missing).",
    filled=lambda x, stride: x,
)
steps.mistake(
    "The zeros stand in front of the text, so that all groups begin elsewhere. Put them behind it.",
    filled=lambda x, stride: nn_functional.pad(x, (0, 0, -x.shape[-2] % stride, 0)),
)
steps.mistake(
    "You fill the last group with copies of the last word, so that it counts several times. Fill it with zeros.",
    filled=lambda x, stride: torch.cat([x, x[..., -1:, :].expand(*x.shape[:-2], -x.shape[-2] % stride, -1)], -2),
)
steps.mistake(
    "You fill the last group with the text's first words. Fill it with zeros.",
    filled=lambda x, stride: torch.cat([x] * (stride + 1), -2)[..., : -(-x.shape[-2] // stride) * stride, :],
)
steps.mistake(
    "Your zeros stand *in front of* the words that are left over, in the last group. They stand behind them: the first of these words goes through W[0].",
    filled=lambda x, stride: torch.cat(
        [x[..., : whole(x, stride), :], missing(x, stride), x[..., whole(x, stride) :, :]], -2
    ),
)
steps.mistake(
    "The last word never comes in: does your loop end at n − 1? The last group has it, and zeros behind it.",
    filled=lambda x, stride: zeros_behind(torch.cat([x[..., :-1, :], torch.zeros_like(x[..., -1:, :])], -2), stride),
)
steps.mistake(
    "Where nothing is left over, you put a whole group of zeros behind the text: n % stride is 0 then, and stride − 0 is a group. −n % stride is right always.",
    filled=lambda x, stride: nn_functional.pad(x, (0, 0, 0, stride - x.shape[-2] % stride)),
)
steps.mistake(
    "You put n % stride zeros behind the text: so many words are *left over*. Missing are −n % stride.",
    filled=lambda x, stride: nn_functional.pad(x, (0, 0, 0, x.shape[-2] % stride)),
)
steps.mistake(
    "You put stride − 1 zeros behind the text, whatever is left over. Missing are −n % stride.",
    filled=lambda x, stride: nn_functional.pad(x, (0, 0, 0, stride - 1)),
)
steps.mistake(
    "Only the keys are shortened. Each group has one value as well: W_value on the values.",
    values=lambda shorten, value, W_key, W_value: value,
)
steps.mistake(
    "Only the values are shortened. The scores are taken with the groups' keys.",
    keys=lambda shorten, key, W_key, W_value: key,
)
steps.mistake(
    "The queries are shortened, too, so that only one output a group is left. Every word asks: n outputs are wanted.",
    asked=lambda shorten, query, W_key, W_value: shorten(query, W_key),
)
steps.mistake(
    "W_key is for the keys, W_value for the values: yours uses W_key for both.",
    values=lambda shorten, value, W_key, W_value: shorten(value, W_key),
)
steps.mistake(
    "W_key is for the keys, W_value for the values: yours uses W_value for both.",
    keys=lambda shorten, key, W_key, W_value: shorten(key, W_value),
)
steps.mistake(
    "W_key and W_value have changed places.",
    keys=lambda shorten, key, W_key, W_value: shorten(key, W_value),
    values=lambda shorten, value, W_key, W_value: shorten(value, W_key),
)
steps.mistake(
    "The kernel is turned round: word s of a group goes through W[s], the first one through W[0]. (What torch calls a convolution doesn't turn it round either.)",
    mixed=lambda groups, W: through_the_kernel(groups, W.flip(0)),
)
steps.mistake(
    "You have x @ W[s]. It is W[s] @ x, which for rows is x @ W[s].mT.",
    mixed=lambda groups, W: torch.einsum("...msd,sde->...me", groups, W),
)
steps.mistake(
    "Of each group you use the first word alone, through W[0]: the others are dropped. Add up W[s] @ x over all words of the group.",
    mixed=lambda groups, W: groups[..., 0, :] @ W[0].mT,
)
steps.mistake(
    "Of each group you use the last word alone. Add up W[s] @ x over all words of the group.",
    mixed=lambda groups, W: groups[..., -1, :] @ W[-1].mT,
)
steps.mistake(
    "Each word overwrites what was there of its group, so that only the last one counts, through W[s]. Add them up: +=, not =.",
    filled=lambda x, stride: nn_functional.pad(only_last_words(x, stride), (0, 0, 0, -x.shape[-2] % stride)),
)
steps.mistake(
    "Each group's first word is its key and value, as it is. Add up W[s] @ x over all words of the group.",
    mixed=lambda groups, W: groups[..., 0, :],
)
steps.mistake(
    "You take the mean of each group. Each of its words goes through its own matrix, W[s], before they are added up.",
    mixed=lambda groups, W: groups.mean(-2),
)
steps.mistake(
    "You add up the words of each group as they are. Each goes through its own matrix, W[s], before.",
    mixed=lambda groups, W: groups.sum(-2),
)
steps.mistake(
    "You take the largest of each group, number by number. Each word goes through its own matrix, W[s], and the results are added up.",
    mixed=lambda groups, W: groups.amax(-2),
)
steps.mistake(
    "W.reshape(d, stride · d) cuts the kernel anew, and the numbers of several matrices get mixed. W[0].mT, W[1].mT, … stand one below the other: W.mT.flatten(0, 1).",
    mixed=lambda groups, W: groups.flatten(-2) @ W.reshape(W.shape[1], -1).mT,
)
steps.mistake(
    "The keys of a group are added up as they are. Each goes through its own matrix before, W_key[s].",
    keys=lambda shorten, key, W_key, W_value: shorten(key, torch.eye(key.shape[-1]).to(key).expand_as(W_key)),
)
steps.mistake(
    "You divide by stride: that is the mean of W[s] @ x. The sum is asked for.",
    mixed=lambda groups, W: through_the_kernel(groups, W) / len(W),
)
steps.mistake(
    "All words of a group go through W[0]. Word s goes through W[s].", mixed=lambda groups, W: groups.sum(-2) @ W[0].mT
)
steps.mistake(
    "All words go through the sum of the matrices. Word s goes through W[s] alone.",
    mixed=lambda groups, W: groups.sum(-2) @ W.sum(0).mT,
)
steps.mistake(
    "All words go through the mean of the matrices. Word s goes through W[s] alone.",
    mixed=lambda groups, W: groups.sum(-2) @ W.mean(0).mT,
)
steps.mistake(
    "Your groups are of words that stand far apart: unflatten to (groups, stride), not (stride, groups). Neighbours form a group.",
    grouped=lambda x, stride: x.unflatten(-2, (stride, -1)).transpose(-3, -2),
)
steps.mistake(
    "reshape has cut the numbers anew, across words: your groups hold pieces of vectors. Cut the axis of words alone, .unflatten(-2, (-1, stride)).",
    grouped=lambda x, stride: x.mT.unflatten(-1, (-1, stride)).transpose(-3, -2).reshape(*cut(x, stride).shape),
)
steps.mistake(
    "Your groups overlap: a new one begins at every word. They begin at every stride-th word: m · stride.",
    grouped=lambda x, stride: x.unfold(-2, stride, 1).mT,
)
steps.mistake(
    "Your groups overlap: with stride − 1 zeros behind the text, one begins at every word. They begin at every stride-th word: m · stride.",
    filled=lambda x, stride: nn_functional.pad(x, (0, 0, 0, stride - 1)),
    grouped=lambda x, stride: x.unfold(-2, stride, 1).mT,
)
steps.mistake(
    "Your groups begin at words 0, 1, 2, …: of m you make the beginning of group m. It begins at m · stride.",
    grouped=lambda x, stride: x.unfold(-2, stride, 1).mT[..., : x.shape[-2] // stride, :, :],
)
steps.mistake(
    "There is a ReLU behind your convolution. Here it is the sum alone: Σ W[s] @ x.",
    mixed=lambda groups, W: through_the_kernel(groups, W).relu(),
)
steps.mistake("Your scores grow with d. Divide them by √d before the softmax.", scores=lambda q, k: q @ k.mT)
steps.mistake("You divide by d. Divide by its root: √d.", scores=lambda q, k: q @ k.mT / q.shape[-1])
steps.mistake(
    "You divide by the root of the number of groups. What makes scores grow is the length of the vectors: √d.",
    scores=lambda q, k: q @ k.mT / k.shape[-2] ** 0.5,
)
steps.mistake(
    "You divide by √n. What makes scores grow is the length of the vectors: √d.",
    scores=lambda q, k: q @ k.mT / q.shape[-2] ** 0.5,
)
steps.mistake("You multiply by √d. Divide by it.", scores=lambda q, k: q @ k.mT * q.shape[-1] ** 0.5)
steps.mistake(
    "The groups' keys still lie the wrong way: their d numbers should meet those of the queries, query @ keys.mT.",
    scores=lambda q, k: q @ k / q.shape[-1] ** 0.5,
)
steps.mistake(
    "Your weights sum to 1 over the queries. Each query shares out a weight of 1 among the groups: dim=-1.",
    weights=lambda s: s.softmax(-2),
)
steps.mistake(
    "softmax(dim=1) is the groups' axis for a single text only. Count from the end: dim=-1.",
    weights=lambda s: s.softmax(1),
)
steps.mistake("No softmax: your weights are the raw scores.", weights=common.unchanged)
common.other_weights(steps, "twice logarithm sigmoid all")
steps.mistake(common.ONLY_THE_OUTPUT, results=lambda output, weights: output)
steps.mistake(common.RESULTS_SWAPPED, results=lambda output, weights: (weights, output))


@compressed_attention.mistake(
    "The group that isn't full is hidden. It holds words, so it is a group like the others, zeros and all."
)
def rest_hidden(query, key, value, W_key, W_value):
    keys = compress(key, W_key)
    full = torch.arange(keys.shape[-2]) < max(key.shape[-2] // len(W_key), 1)
    weights = attention_weights(query, keys, full)
    return weights @ compress(value, W_value), weights


@compressed_attention.mistake(
    "You hide the group that isn't full, even where it is the only one. It holds words, so it is a group like the others, zeros and all."
)
def rest_hidden_even_if_alone(query, key, value, W_key, W_value):
    scores = scaled(query, compress(key, W_key))
    full = torch.arange(scores.shape[-1]) < key.shape[-2] // len(W_key)
    weights = scores.masked_fill(~full, float("-inf")).softmax(-1)
    return weights @ compress(value, W_value), weights


@compressed_attention.mistake(
    "You compute the weights of all n keys first, and add up those of each group. The groups' keys come first: then there are n · groups scores, not n²."
)
def weights_added_up(query, key, value, W_key, W_value):
    stride = len(W_key)
    all_of_them = scaled(query, key).softmax(-1)
    weights = cut(zeros_behind(all_of_them.mT, stride), stride).sum(-2).mT
    return weights @ compress(value, W_value), weights


@compressed_attention.mistake("Your groups' values are made of keys: shorten `value` with W_value, not `key`.")
def values_of_keys(query, key, value, W_key, W_value):
    weights = attention_weights(query, compress(key, W_key))
    return weights @ compress(key, W_value), weights


@compressed_attention.mistake(
    "The words that are left over stay as they are, each a key and a value by itself. They form a group like the others, filled with zeros."
)
def rest_as_it_is(query, key, value, W_key, W_value):
    def shorten(x, W):
        full = whole(x, len(W))
        return torch.cat([compress(x[..., :full, :], W), x[..., full:, :]], -2)

    weights = attention_weights(query, shorten(key, W_key))
    return weights @ shorten(value, W_value), weights


@compressed_attention.mistake(
    "Your convolution has padding on both sides: groups begin in front of the text, and the rest is lost. Only behind it zeros are missing, −n % stride."
)
def padding_on_both_sides(query, key, value, W_key, W_value):
    def shorten(x, W):
        stride = len(W)
        flat = x.reshape(-1, *x.shape[-2:]).mT
        y = nn_functional.conv1d(flat, W.permute(1, 2, 0), stride=stride, padding=stride // 2).mT
        return y.reshape(*x.shape[:-2], -1, x.shape[-1])

    weights = attention_weights(query, shorten(key, W_key))
    return weights @ shorten(value, W_value), weights


def convolved(x, W, order, stride):
    padded = zeros_behind(x, stride)
    y = nn_functional.conv1d(padded.reshape(-1, *padded.shape[-2:]).mT, W.permute(order), stride=stride).mT
    return y.reshape(*x.shape[:-2], *y.shape[-2:])


def with_the_axes(order):
    def attention(query, key, value, W_key, W_value):
        weights = scaled(query, convolved(key, W_key, order, len(W_key))).softmax(-1)
        return weights @ convolved(value, W_value, order, len(W_key)), weights

    return attention


for _order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 0, 1)):
    compressed_attention.mistake(
        "torch's convolution wants its weight as (out, in, place), and W is (place, out, in): "
        f"W.permute(1, 2, 0), where yours has the axes {_order}."
    )(with_the_axes(_order))


@compressed_attention.mistake(
    "The output is right. As the second result you return the scores, before the softmax; the weights are asked for."
)
def returns_scores(query, key, value, W_key, W_value):
    return _compressed_attention(query, key, value, W_key, W_value)[0], scaled(query, compress(key, W_key))


@compressed_attention.symptom("The size of your scores is wrong: they are divided by √d, the root of query.shape[-1].")
def wrong_scale(inputs, answer):
    return common.only_the_scale_differs(answer[1], _compressed_attention(*inputs)[1])


@compressed_attention.symptom("")
def which_group_is_wrong(inputs, answer):
    """Scores differ from weights by a number for each query: compared without the last group, the rest may be right."""
    weights, right = answer[1], _compressed_attention(*inputs)[1]
    n, stride, groups = inputs[0].shape[-2], len(inputs[3]), right.shape[-1]
    if groups < 3 or n % stride == 0 or not (weights > 0).all():
        return False
    own, wanted = (w[..., :-1].log() - w[..., :1].log() for w in (weights, right))
    if not torch.allclose(own, wanted, atol=1e-3) or common.same(weights, right):
        return False
    return f"All groups' keys are right but the last: {n} words in groups of {stride} leave {n % stride} over. They go through W[0], … from the front, and zeros fill the group."


@compressed_attention.symptom(
    "The number of groups is wrong: stride words each, and the last one filled with zeros.", any_shape=True
)
def number_of_groups(inputs, answer):
    n, stride = inputs[0].shape[-2], len(inputs[3])
    groups = -(-n // stride)
    if not (isinstance(answer, (tuple, list)) and len(answer) == 2 and isinstance(answer[1], torch.Tensor)):
        return False
    own = answer[1].shape[-1] if answer[1].dim() else 0
    if answer[1].shape[:-1] != inputs[0].shape[:-1] or own in (groups, n):
        return False
    told = f"{n} words in groups of {stride} are {groups} groups, the last one filled with zeros; your weights have {own} column{'s' * (own != 1)}"
    if stride != 3 and own == -(-n // 3):
        return told + ", as many as groups of three. The stride isn't 3 always: it is len(W_key)."
    if stride != (d := inputs[0].shape[-1]) and own == -(-n // d):
        return told + f", as many as groups of {d}, the length of a vector. The stride is W_key's *first* axis."
    return told + "."


common.rows_do_not_sum_to_one(
    compressed_attention,
    "Your weights don't sum to 1 for each query. A softmax over the groups makes them do so, as the last step before the values.",
)
common.output_does_not_follow(
    compressed_attention,
    "Your weights are right, but the output isn't: it should be weights @ the groups' values, made with W_value.",
)
