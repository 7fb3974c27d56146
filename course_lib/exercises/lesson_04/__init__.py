"""Lesson 04, Masking: who may look at whom, and how to find out who does."""

import torch

from course_lib import attention, masks
from course_lib.checking.kinds import Case, Choice, Code, Number, Prediction
from course_lib.exercises.inputs import integer, non_contiguous, qkv, randn
from course_lib.exercises.lesson_02 import FINISHED

NAME = "04_masking"
TITLE = "Masking"

# --- predictions ----------------------------------------------------------------------------------------------------

after_softmax = Prediction(
    title="Zero after the softmax",
    question="You compute all weights without a mask, then set those of later words to zero. Now you replace the last word by another. What happens to the output at the first word?",
    options=["nothing: the last word's weight is zero", "it changes", "it becomes NaN"],
    answer="it changes",
    why="The softmax has divided by a sum in which the last word stood. Its weight is gone, its share of the sum isn't.",
)
empty_row = Prediction(
    title="Nothing to look at",
    question="A query may look at no key at all: each of its scores is −∞. What does softmax make of this row?",
    options=["zeros", "equal weights", "NaN (not a number)", "an error message"],
    answer="NaN (not a number)",
    why="Each weight is e^−∞ divided by a sum of them: 0 divided by 0. No error is raised; the NaN goes on into all that is computed from it.",
)
longer_padding = Prediction(
    title="More padding",
    question="A sentence of 3 words is padded to 4, and once more to 12 places. There is no mask. What happens to the output at its words?",
    options=[
        "nothing: padding carries no meaning",
        "they change a little, then no more",
        "the more padding, the more they change",
    ],
    answer="the more padding, the more they change",
    why="Each padding place takes its share of the weight, like a word. Whoever trains with it learns from the batch's longest sentence.",
)
transposed = Prediction(
    title="Turned over",
    question="Somebody writes the causal mask with triu in place of tril: upper triangle, with its diagonal. What does the first word's output depend on then?",
    options=["on itself alone", "on all words", "on nothing: NaN"],
    answer="on all words",
    why="Its row is the longest of the upper triangle. And the last word, which may see everything, sees itself alone.",
)
one_word_more = Prediction(
    title="One word more",
    question="A model learns to guess the next word. By mistake its mask lets each position see one word more than it should, and only one. How good will its training loss be, compared with a right mask?",
    options=[
        "hardly better: one word is little",
        "about half as large",
        "close to zero",
        "worse: the extra word confuses it",
    ],
    answer="close to zero",
    why="The one word more is the answer. Copying it is all that there is to learn.",
)

# --- 1. causal mask -------------------------------------------------------------------------------------------------

causal_mask = Code(
    title="The causal mask",
    points=2,
    minutes=5,
    difficulty=1,
    reference=masks.causal_mask,
    axes=["query key"],
    forbidden=("causal_mask",),
    cases=[
        Case("a sentence", lambda g: (integer(g, 5, 30),)),
        Case("one word", lambda g: (1,)),
        Case("two words", lambda g: (2,)),
        Case("three words", lambda g: (3,)),
        Case("a longer text", lambda g: (integer(g, 100, 160),)),
    ],
    hints=[
        "Row i belongs to word i. Which columns should be True in row 0, and which in the last row?",
        "A lower triangle with its diagonal: .tril() keeps it. Start from torch.ones(n, n, dtype=torch.bool).",
    ],
)


def _everywhere(n):
    return torch.ones(n, n, dtype=torch.bool)


@causal_mask.mistake(
    "Turned over: your words see themselves and what comes after them. Row i should be True in columns 0 … i: the lower triangle."
)
def upper_triangle(n):
    return _everywhere(n).triu()


@causal_mask.mistake("A word can't see itself in your mask, so the first one sees nothing at all. Keep the diagonal.")
def without_the_diagonal(n):
    return _everywhere(n).tril(-1)


@causal_mask.mistake(
    "Each word sees one word too many: the one that comes next. The diagonal is the last that it may see."
)
def one_too_many(n):
    return _everywhere(n).tril(1)


@causal_mask.mistake(
    "You marked what is forbidden. In this course, as in torch's scaled_dot_product_attention, True means “may attend”."
)
def marks_the_forbidden(n):
    return _everywhere(n).triu(1)


@causal_mask.mistake(
    "The triangle is right, but it holds floats, 1.0 and 0.0. A mask is boolean: dtype=torch.bool, or a comparison."
)
def floats(n):
    return torch.ones(n, n).tril()


@causal_mask.mistake(
    "The triangle is right, but it holds whole numbers. A mask is boolean: dtype=torch.bool, or a comparison."
)
def whole_numbers(n):
    return torch.ones(n, n, dtype=torch.long).tril()


@causal_mask.mistake(
    "That is the mask for adding: 0 where one may look, −∞ elsewhere. Here it should be boolean: True where one may look."
)
def for_adding(n):
    return torch.zeros(n, n).masked_fill(_everywhere(n).triu(1), float("-inf"))


@causal_mask.mistake("Everybody sees everything. Close what comes later: row i is True in columns 0 … i only.")
def everything(n):
    return _everywhere(n)


@causal_mask.mistake("Each word sees itself alone. It may also see all that came before it.")
def itself_alone(n):
    return torch.eye(n, dtype=torch.bool)


@causal_mask.mistake("Each word sees itself and the one before it. It may see all that came before.")
def one_word_back(n):
    return _everywhere(n).tril() & _everywhere(n).triu(-1)


@causal_mask.mistake(
    "The axes of batch and head are too much here: the mask should be (n, n). It broadcasts to them by itself."
)
def with_batch_and_head(n):
    return _everywhere(n).tril()[None, None]


@causal_mask.mistake(
    "The triangle hangs on the wrong side: your first word sees everything, and the last one only the first. Don't flip it."
)
def flipped(n):
    return _everywhere(n).tril().flip(0)


@causal_mask.mistake("That is a list of lists with the right values. Make a tensor of it: torch.tensor(...).")
def lists(n):
    return [[j <= i for j in range(n)] for i in range(n)]


@causal_mask.mistake(
    "You return one row. Each of the n queries needs its own: (n, n). Compare a column of positions with a row of them: positions <= positions[:, None]."
)
def one_row(n):
    return torch.arange(n) <= torch.arange(n)


@causal_mask.mistake("Your mask has n + 1 rows and columns. There are n words, and each can see itself.")
def one_larger(n):
    return _everywhere(n + 1).tril()


@causal_mask.symptom("Some word sees what comes after it. In row i nothing right of column i may be True.")
def sees_the_future(inputs, answer):
    return bool(answer.triu(1).any())


@causal_mask.symptom("Some word doesn't see all that came before it. In row i all columns 0 … i are True.")
def misses_the_past(inputs, answer):
    return not bool((answer | ~masks.causal_mask(len(answer))).all())


# --- 2. masked attention --------------------------------------------------------------------------------------------


def _with_mask(inputs, mask):
    return (*inputs, mask)


def _empty_row(g):
    mask = torch.rand(5, 6, generator=g) < 0.5
    mask[:, integer(g, 0, 5)] = True
    mask[integer(g, 1, 3)] = False
    return _with_mask(qkv(g, 5, 4, keys=6, d_v=3), mask)


def _padded(g, batch, heads, n, d_k, **kwargs):
    lengths = torch.tensor([n] + [integer(g, 1, n - 1) for _ in range(batch - 1)])
    return _with_mask(qkv(g, n, d_k, leading=(batch, heads), **kwargs), masks.length_mask(lengths, n))


def _padded_and_causal(g):
    *inputs, mask = _padded(g, 2, 2, 5, 4)
    return _with_mask(inputs, mask & masks.causal_mask(5))


def _low_scores(g):
    """All scores near −19 200, exactly representable: a masked score of −10 000 would win."""
    query = torch.tensor([64.0, 64.0, 64.0, 1 / 16]).repeat(3, 1)
    key = torch.full((5, 4), -200.0)
    key[:, 3] = torch.randint(-64, 64, (5,), generator=g).float()
    return query, key, randn(g, 5, 2), masks.causal_mask(3, past=2)


def _tempting_key(g):
    """The key that nobody may look at has by far the highest score."""
    query = torch.tensor([64.0, 64.0, 64.0, 1 / 16]).repeat(3, 1)
    key = torch.full((4, 4), 1.0)
    key[:, 3] = torch.randint(-64, 64, (4,), generator=g).float()
    key[3, :3] = 200.0
    return query, key, randn(g, 4, 3), torch.tensor([True, True, True, False])


def _cross(g):
    mask = torch.rand(2, 1, 3, 6, generator=g) < 0.6
    mask[..., 0] = True
    mask[1, 0, 2] = False
    return _with_mask(qkv(g, 3, 4, keys=6, d_v=5, leading=(2, 2)), mask)


def _one_mask_a_head(g):
    mask = torch.rand(3, 4, 4, generator=g) < 0.5
    mask[..., 0] = True
    return _with_mask(qkv(g, 4, 4, leading=(2, 3)), mask)


def _turned_memory(g):
    query, key, value = map(non_contiguous, qkv(g, 4, 4, d_v=3, leading=(2,)))
    return query, key, value, masks.causal_mask(4).mT.contiguous().mT


masked_attention = Code(
    title="Attention under a mask",
    points=5,
    minutes=12,
    difficulty=2,
    reference=attention.scaled_dot_product_attention,
    axes=["... query d_v", "... query key"],
    forbidden=FINISHED,
    cases=[
        Case("a query with nothing to look at", _empty_row),
        Case("causal", lambda g: _with_mask(qkv(g, 5, 4), masks.causal_mask(5))),
        Case("all may be seen", lambda g: _with_mask(qkv(g, 3, 4, keys=4), torch.ones(3, 4, dtype=torch.bool))),
        Case("a padded batch", lambda g: _padded(g, 3, 2, integer(g, 4, 7), 4, d_v=3)),
        Case("padded and causal", _padded_and_causal),
        Case("from one text to another", _cross),
        Case("another mask for each head", _one_mask_a_head),
        Case(
            "nothing may be seen",
            lambda g: _with_mask(qkv(g, 2, 4, keys=3, leading=(2,)), torch.zeros(2, 3, dtype=torch.bool)),
        ),
        Case("one query, one key", lambda g: _with_mask(qkv(g, 1, 4, d_v=2), torch.ones(1, 1, dtype=torch.bool))),
        Case("very low scores", _low_scores),
        Case("a masked key that would win", _tempting_key),
        Case(
            "double precision",
            lambda g: _with_mask(qkv(g, 4, 4, keys=5, dtype=torch.float64), masks.causal_mask(4, past=1)),
        ),
        Case("not contiguous in memory", _turned_memory),
    ],
    differentiable=True,
    hints=[
        "Scores, mask, softmax, values: the mask comes before the softmax. scores.masked_fill(where, value) puts a value where `where` is True.",
        '`~mask` is True where one may not look. There the score becomes float("-inf"), and its weight e^−∞ = 0.',
        "A row of −∞ alone becomes NaN. Put zeros where one may not look once more, after the softmax: weights.masked_fill(~mask, 0.0).",
    ],
)


def _scores(query, key):
    return query @ key.mT / query.shape[-1] ** 0.5


def _low(query, key, mask, fill=float("-inf")):
    return _scores(query, key).masked_fill(~mask, fill)


def _closing(sentence, name, weights):
    """A version whose weights are computed by `weights(query, key, mask)`."""

    def attention_with_a_mistake(query, key, value, mask):
        w = weights(query, key, mask)
        return w @ value, w

    attention_with_a_mistake.__name__ = name
    masked_attention.mistake(sentence)(attention_with_a_mistake)


_closing(
    "A query with nothing to look at gives NaN: 0 divided by 0 in the softmax. Its weights should be zero: put zeros where one may not look, after the softmax.",
    "nan_row",
    lambda q, k, m: _low(q, k, m).softmax(-1),
)
_closing(
    "You put zeros after the softmax, so the rows no longer sum to 1, and what was closed has still taken part in the sum. Put −∞ before it.",
    "zero_afterwards",
    lambda q, k, m: _scores(q, k).softmax(-1) * m,
)
_closing(
    "Zero after the softmax and divided anew: right as long as something is left to divide by. Where it isn't, 0 / 0 is NaN. Put −∞ before the softmax.",
    "divided_anew",
    lambda q, k, m: (_scores(q, k).softmax(-1) * m) / (_scores(q, k).softmax(-1) * m).sum(-1, keepdim=True),
)
_closing(
    "You close what is open: True means “may look”. Fill where ~mask is True.",
    "turned_sense",
    lambda q, k, m: _scores(q, k).masked_fill(m, float("-inf")).softmax(-1).masked_fill(m, 0.0),
)
_closing(
    "You close what is open: True means “may look”, so −∞ goes where ~mask is True. And a row that is closed throughout becomes NaN.",
    "turned_sense_with_nan",
    lambda q, k, m: _scores(q, k).masked_fill(m, float("-inf")).softmax(-1),
)
_closing(
    "You set closed scores to 0, but 0 is a score like any other: e^0 = 1. Only −∞ becomes a weight of 0.",
    "score_zero",
    lambda q, k, m: (_scores(q, k) * m).softmax(-1),
)
_closing(
    'A large negative number isn\'t −∞: a query that sees nothing gets equal weights, padding among them, instead of none. Use float("-inf"), and zeros afterwards.',
    "large_negative_number",
    lambda q, k, m: _low(q, k, m, -1e9).softmax(-1),
)
_closing(
    '−10 000 isn\'t low enough: scores may be lower than that, and then what is closed wins. Use float("-inf"), and zeros afterwards.',
    "not_low_enough",
    lambda q, k, m: _low(q, k, m, -1e4).softmax(-1),
)
_closing(
    'The row that sees nothing is zero now. But −10 000 isn\'t low enough: scores may be lower than that, and then what is closed wins. Use float("-inf").',
    "not_low_enough_but_zeros",
    lambda q, k, m: _low(q, k, m, -1e4).softmax(-1).masked_fill(~m, 0.0),
)
_closing(
    "The smallest positive number stands where −∞ should: closed scores become about 0, a score like any other.",
    "smallest_positive",
    lambda q, k, m: _low(q, k, m, torch.finfo(torch.float32).tiny).softmax(-1).masked_fill(~m, 0.0),
)
_closing("The mask has no effect: every query sees every key.", "no_mask", lambda q, k, m: _scores(q, k).softmax(-1))
_closing(
    "You add the mask to the scores. True counts as 1, so what may be seen gets a point more; what may not stays open.",
    "mask_added",
    lambda q, k, m: (_scores(q, k) + m).softmax(-1),
)
_closing(
    "Right but for the scale: divide the scores by √d_k.",
    "no_scale",
    lambda q, k, m: (q @ k.mT).masked_fill(~m, float("-inf")).softmax(-1).masked_fill(~m, 0.0),
)
_closing(
    "You divide the scores by d_k. Divide by its root.",
    "no_root",
    lambda q, k, m: (q @ k.mT / q.shape[-1]).masked_fill(~m, float("-inf")).softmax(-1).masked_fill(~m, 0.0),
)
_closing(
    "Your softmax runs over the queries. It belongs over the keys, dim=-1.",
    "over_queries",
    lambda q, k, m: _low(q, k, m).softmax(-2).masked_fill(~m, 0.0),
)
_closing(
    "Your softmax runs over the queries, and where nobody may look at a key it gives NaN. It belongs over the keys, dim=-1; a row without keys is zero.",
    "over_queries_nan",
    lambda q, k, m: _low(q, k, m).softmax(-2),
)
_closing(
    "There is no softmax: your weights are the raw scores.",
    "no_softmax",
    lambda q, k, m: _scores(q, k).masked_fill(~m, 0.0),
)
_closing(
    "A query that sees nothing sees everything in your version. It should get weights of zero.",
    "empty_row_opened",
    lambda q, k, m: _low(q, k, m | ~m.any(-1, keepdim=True)).softmax(-1),
)


@masked_attention.mistake("The mask is turned over: rows are queries, columns are keys. Use it as it is, without .mT.")
def turned_over(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask.mT if mask.dim() > 1 else mask)


@masked_attention.mistake(
    "The weights that you return are right, but the output is mixed with weights from before the mask. Use the same for both."
)
def output_without_mask(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value)[0], attention.attention_weights(query, key, mask)


@masked_attention.mistake(
    "The output is right; the weights that you return are those from before the mask. Return the ones that you mix with."
)
def weights_without_mask(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[0], attention.attention_weights(query, key)


@masked_attention.mistake("The output is free of NaN, the weights aren't. Repair the weights, and the output follows.")
def weights_still_nan(query, key, value, mask):
    weights = _low(query, key, mask).softmax(-1)
    return (weights @ value).nan_to_num(), weights


@masked_attention.mistake(
    "The weights are repaired too late: the output was mixed with NaN before. Repair them first, then mix."
)
def output_still_nan(query, key, value, mask):
    weights = _low(query, key, mask).softmax(-1)
    return weights @ value, weights.masked_fill(~mask, 0.0)


@masked_attention.mistake("Only the output comes back. The weights are asked for too: return output, weights.")
def output_only(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[0]


@masked_attention.mistake("The two results are in the wrong order: the output first, then the weights.")
def order_of_results(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[::-1]


@masked_attention.mistake(
    "As the second result you return the scores with their −∞. The weights are asked for, after the softmax."
)
def returns_scores(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[0], _low(query, key, mask)


@masked_attention.symptom(
    "Something that may not be seen has weight. Where the mask is False, the weight should be exactly 0."
)
def closed_but_seen(inputs, answer):
    return bool((answer[1] * ~inputs[3]).abs().max() > 1e-4)


@masked_attention.symptom(
    "Nothing closed has weight, but the rows don't sum to 1. −∞ before the softmax lets the open ones share all of it."
)
def rows_do_not_sum_to_one(inputs, answer):
    some = inputs[3].expand(answer[1].shape).any(-1)
    return not torch.allclose(answer[1].sum(-1)[some], torch.ones(1, dtype=answer[1].dtype), atol=1e-3)


@masked_attention.symptom("Your weights are right, but the output isn't: it should be weights @ value.")
def output_does_not_follow(inputs, answer):
    return torch.allclose(attention.attention_weights(inputs[0], inputs[1], inputs[3]), answer[1], atol=1e-4)


# --- 3. padding and causal together ---------------------------------------------------------------------------------


def _decoder_mask(ids, pad_id):
    return masks.causal_mask(ids.shape[1]) & masks.padding_mask(ids, pad_id)


def _ids(g, batch, n, pad_id=0, lengths=None):
    """Words 1 … 8 (or 0 … 8 without pad_id), padded at the end; the first text is full unless lengths are given."""
    words = torch.tensor([i for i in range(9) if i != pad_id])
    ids = words[torch.randint(0, len(words), (batch, n), generator=g)]
    lengths = lengths or [n, *(integer(g, 1, max(1, n - 1)) for _ in range(batch - 1))]
    return ids.masked_fill(torch.arange(n) >= torch.tensor(lengths)[:, None], pad_id)


def _with_word_zero(g):
    ids = _ids(g, 3, 5, pad_id=7, lengths=[5, 3, 2])
    ids[:, 1] = 0
    ids[0, 3] = 0
    return ids, 7


decoder_mask = Code(
    title="Padding and causal together",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_decoder_mask,
    axes=["batch head query key"],
    forbidden=("padding_mask", "length_mask", "cross_mask", "combine"),
    cases=[
        Case("three sentences", lambda g: (_ids(g, 3, 5), 0)),
        Case("as many sentences as words", lambda g: (_ids(g, 4, 4, lengths=[4, 2, 3, 1]), 0)),
        Case("one sentence", lambda g: (_ids(g, 1, 6, lengths=[integer(g, 2, 5)]), 0)),
        Case("one word", lambda g: (_ids(g, 2, 1), 0)),
        Case("another padding id, and a word with id 0", _with_word_zero),
        Case("padding in front", lambda g: (_ids(g, 2, 5, lengths=[integer(g, 2, 4), 3]).flip(1), 0)),
        Case("a sentence of padding only", lambda g: (_ids(g, 2, 4, lengths=[0, 3]), 0)),
        Case("any sizes", lambda g: (_ids(g, integer(g, 2, 5), integer(g, 6, 12)), 0)),
        Case("not contiguous in memory", lambda g: (_ids(g, 3, 4, lengths=[4, 2, 1]).mT.contiguous().mT, 0)),
    ],
    hints=[
        "Two questions for every pair: does the key come no later than the query? Is the key a word? Both must be true.",
        "ids != pad_id is (batch, n): one answer for each key. [:, None, None, :] makes it (batch, 1, 1, n), which broadcasts over heads and queries.",
        "The triangle (n, n) broadcasts from the right. (n, n) & (batch, 1, 1, n) is (batch, 1, n, n).",
    ],
)


def _joined(sentence, name, make):
    def wrong(ids, pad_id):
        n = ids.shape[1]
        return make(torch.ones(n, n, dtype=torch.bool).tril(), ids != pad_id)

    wrong.__name__ = name
    decoder_mask.mistake(sentence)(wrong)


_joined(
    "Your mask is causal, but padding stays visible: the words' answer ids != pad_id is missing.",
    "only_causal",
    lambda causal, words: causal.expand(len(words), 1, -1, -1).clone(),
)
_joined(
    "Padding is closed, but words see what comes later: the triangle is missing.",
    "only_padding",
    lambda causal, words: words[:, None, None, :].expand(-1, 1, len(causal), -1).clone(),
)
_joined(
    "Padding is closed, but words see what comes later; and the axis of queries has length 1. Join it with the triangle, (n, n).",
    "only_padding_small",
    lambda causal, words: words[:, None, None, :],
)
_joined(
    "`|` opens what either of the two allows. A key must be allowed by both: &.",
    "either",
    lambda causal, words: causal | words[:, None, None, :],
)
_joined(
    "You close the words and open the padding. True means “may look”: ids != pad_id.",
    "padding_turned",
    lambda causal, words: causal & ~words[:, None, None, :],
)
_joined(
    "You close the rows of padding, not its columns. Nobody may look *at* padding, so ids != pad_id belongs on the axis of keys, the last.",
    "rows",
    lambda causal, words: causal & words[:, None, :, None],
)
_joined(
    "You close the rows of padding as well. That changes nothing for the words, but here only keys are asked about: [:, None, None, :].",
    "rows_and_columns",
    lambda causal, words: causal & words[:, None, None, :] & words[:, None, :, None],
)
_joined(
    "The axis of heads is missing: (batch, 1, n, n) broadcasts over any number of heads.",
    "no_head_axis",
    lambda causal, words: causal & words[:, None, :],
)
_joined(
    "Batch and head have changed places: the sentences stand on the first axis.",
    "head_first",
    lambda causal, words: (causal & words[:, None, :])[None],
)
_joined(
    "Turned over: your words see themselves and what comes later. Keep the lower triangle.",
    "upper",
    lambda causal, words: causal.mT & words[:, None, None, :],
)
_joined(
    "A word can't see itself in your mask. Keep the diagonal of the triangle.",
    "no_diagonal",
    lambda causal, words: causal.tril(-1) & words[:, None, None, :],
)
_joined(
    "Each word sees one word too many: the one that comes next.",
    "one_ahead",
    lambda causal, words: torch.ones_like(causal).tril(1) & words[:, None, None, :],
)
_joined(
    "All is turned round: True stands where one may not look. True means “may look”.",
    "all_turned",
    lambda causal, words: ~(causal & words[:, None, None, :]),
)
_joined(
    "The values are right, but they are floats. A mask is boolean: join with & instead of a product, or compare.",
    "floats",
    lambda causal, words: causal.float() * words[:, None, None, :].float(),
)
_joined(
    "The values are right, but they are whole numbers. A mask is boolean: join with & instead of a product, or compare.",
    "whole_numbers",
    lambda causal, words: causal.long() * words[:, None, None, :].long(),
)
_joined(
    "All sentences get the mask of the first one. Each has its own padding.",
    "first_sentence",
    lambda causal, words: (causal & words[:1, None, None, :]).expand(len(words), 1, -1, -1).clone(),
)
_joined(
    "A place is closed in your mask when any sentence has padding there. Each sentence has its own.",
    "shared",
    lambda causal, words: (causal & words.all(0)).expand(len(words), 1, -1, -1).clone(),
)


@decoder_mask.mistake("You compare with 0. Here padding may have another id, and 0 may be a word: compare with pad_id.")
def always_zero(ids, pad_id):
    return _decoder_mask(ids, 0)


@decoder_mask.mistake(
    "You take an id above 0 for a word. Padding may have another id, and 0 may be a word: compare with pad_id."
)
def above_zero(ids, pad_id):
    return (ids > 0)[:, None, None, :] & (ids != pad_id)[:, None, None, :] & masks.causal_mask(ids.shape[1])


@decoder_mask.mistake(
    "Your mask is made for padding at the end, by counting. It may stand in front as well: ask each place for itself, ids != pad_id."
)
def counted_at_the_end(ids, pad_id):
    return masks.length_mask((ids != pad_id).sum(1), ids.shape[1]) & masks.causal_mask(ids.shape[1])


@decoder_mask.symptom("A key that comes later than its query is open. The triangle closes it.")
def opens_the_future(inputs, answer):
    return bool(answer.triu(1).any())


@decoder_mask.symptom("Somewhere padding can be looked at. Close its columns.")
def sees_padding(inputs, answer):
    return bool((answer & ~masks.padding_mask(*inputs)).any())


@decoder_mask.symptom("Something is closed that may be seen: a word that comes no later than the query.")
def too_much_closed(inputs, answer):
    return bool((_decoder_mask(*inputs) & ~answer).any())


# --- 4. one new word ------------------------------------------------------------------------------------------------

new_word = Choice(
    title="One new word",
    points=1,
    minutes=3,
    difficulty=2,
    answer="c",
    options={
        "a": "That is causal_mask(1): the new word would see the first key alone. The triangle must hang on the end of the text, not on its beginning.",
        "b": "Its own key is among the eight, and a word may see itself.",
        "c": "The new word is the last: all eight keys stand before it or are its own. It is the last row of the (8, 8) triangle, causal_mask(1, past=7).",
        "d": "There is only one query, so there is one row. The other seven were computed in earlier steps.",
    },
    hints=[
        "Which row of the mask of all eight words belongs to the new word?",
        "The last. Which of its columns are True?",
    ],
)

# --- 5. planted leaks -----------------------------------------------------------------------------------------------

planted_leaks = Number(
    title="Which of these layers leak?",
    points=5,
    minutes=12,
    difficulty=2,
    answer={"A": 0, "B": 15, "C": 9, "D": 5, "E, sentences": 12},
    rtol=1e-9,
    wrong={
        "A": {
            15: "that is another layer. A looks suspicious, but measure it: what does the detector say?",
            21: "these are the pairs that may be seen, on and below the diagonal. Count what lies above it.",
            36: "that is every pair. Count those above the diagonal that are True.",
        },
        "B": {
            0: "its weights form a clean triangle, but you should measure its output.",
            36: "that is every pair. Those on and below the diagonal are allowed: count what lies above it.",
            21: "these are the pairs that may be seen, on and below the diagonal. Count what lies above it.",
        },
        "C": {
            0: "its weights form a clean triangle, but something happens after the attention. Measure its output.",
            5: "there is more than the next word. Draw it.",
            15: "not everything that comes later is seen. Draw it.",
            30: "these are all pairs that are seen. Those on and below the diagonal are allowed: count what lies above it.",
        },
        "D": {
            0: 'the gradient finds nothing here. What kind of influence has no gradient? Look again with by="change".',
            15: "not everything that comes later is seen. Draw it.",
            26: "these are all pairs that are seen. Those on and below the diagonal are allowed: count what lies above it.",
        },
        "E, sentences": {
            0: "between words there is no leak. Ask about the sentences of the batch: axis=0.",
            16: "a sentence may see itself: leave the diagonal out.",
            4: "that is the diagonal: a sentence may see itself. Count the others.",
            6: "you counted one side of the diagonal. No sentence may see another, before it or after it.",
        },
    },
    hints=[
        'seen = leaks(layers["B"], (4, 6, 8)) is (output, input). What lies above its diagonal is a leak: (seen & ~causal).sum().',
        'The gradient can\'t see a step. Run all layers again with by="change".',
        'For E: leaks(layers["E"], (4, 6, 8), axis=0) is (4, 4), sentence by sentence. Only its diagonal should be True.',
    ],
)

# --- 6. find the bugs -----------------------------------------------------------------------------------------------


def _translator_masks(source_ids, target_ids, pad_id):
    source = masks.padding_mask(source_ids, pad_id)
    return source, _decoder_mask(target_ids, pad_id), source


def _pair(g, batch, n_source, n_target, pad_id=0, **lengths):
    return (
        _ids(g, batch, n_source, pad_id, lengths.get("source")),
        _ids(g, batch, n_target, pad_id, lengths.get("target")),
        pad_id,
    )


repaired = Code(
    title="Three masks, three bugs",
    points=3,
    minutes=10,
    difficulty=3,
    reference=_translator_masks,
    axes=["batch head query key"] * 3,
    forbidden=("padding_mask", "length_mask", "cross_mask", "combine"),
    cases=[
        Case("two pairs of sentences", lambda g: _pair(g, 2, 6, 4, source=[6, integer(g, 2, 5)], target=[2, 4])),
        Case("source and target of the same length", lambda g: _pair(g, 3, 5, 5, source=[5, 2, 4], target=[2, 5, 3])),
        Case("as many pairs as words", lambda g: _pair(g, 4, 4, 4, source=[1, 4, 2, 3], target=[4, 3, 1, 2])),
        Case("one pair", lambda g: _pair(g, 1, 3, 7, source=[2], target=[5])),
        Case("one word each", lambda g: _pair(g, 2, 1, 1)),
        Case("another padding id", lambda g: _pair(g, 2, 5, 6, pad_id=8, source=[3, 5], target=[6, 4])),
        Case("any sizes", lambda g: _pair(g, integer(g, 2, 4), integer(g, 5, 9), integer(g, 5, 9))),
    ],
    hints=[
        "Draw all three with viz.mask_map. Which words may the first target word see?",
        "Three lines to look at: the triangle; how it is joined with the padding; and whose keys the target looks at when it looks at the source.",
        "The triangle is the lower one, .tril(); both conditions must hold, &; and in cross-attention the keys are the source's.",
    ],
)


@repaired.starts_from
def repaired_start(source_ids, target_ids, pad_id):
    """The masks of a translator: (source, target, cross), each broadcastable to (batch, head, query, key)."""
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).triu()
    source_mask = (source_ids != pad_id)[:, None, None, :]
    target_mask = causal | (target_ids != pad_id)[:, None, None, :]
    cross_mask = (target_ids != pad_id)[:, None, None, :]
    return source_mask, target_mask, cross_mask


def _half(
    sentence,
    name,
    triangle=torch.tril,
    join=torch.logical_and,
    cross=lambda source, target: source,
    source_of=lambda source: source,
):
    def wrong(source_ids, target_ids, pad_id):
        n = target_ids.shape[1]
        causal = triangle(torch.ones(n, n, dtype=torch.bool))
        source, target = ((ids != pad_id)[:, None, None, :] for ids in (source_ids, target_ids))
        return source_of(source), join(causal, target), cross(source, target)

    wrong.__name__ = name
    repaired.mistake(sentence)(wrong)


def _targets_own(source, target):
    return target


_half(
    "All three bugs are still there. Draw the three masks: which words may the first target word see?",
    "unchanged",
    torch.triu,
    torch.logical_or,
    _targets_own,
)
_half(
    "One found: the triangle is the lower one now. How is it joined with the padding, and whose keys are those of the cross-attention?",
    "triangle_found",
    join=torch.logical_or,
    cross=_targets_own,
)
_half(
    "One found: triangle and padding are joined by & now. But the triangle is the upper one; and whose keys are those of the cross-attention?",
    "join_found",
    torch.triu,
    cross=_targets_own,
)
_half(
    "One found: the cross-attention closes the source's padding now. But look at the triangle, and how it is joined with the padding.",
    "cross_found",
    torch.triu,
    torch.logical_or,
)
_half(
    "The target's mask is right. One bug is left: in cross-attention the keys are the source's, so its padding must be closed.",
    "cross_left",
    cross=_targets_own,
)
_half(
    "Two found. One is left: | opens what either of the two allows. A key must be allowed by both: &.",
    "join_left",
    join=torch.logical_or,
)
_half(
    "Two found. One is left: the target's words see what comes later, not what came before.",
    "triangle_left",
    torch.triu,
)
_half(
    "The other masks are right, but the diagonal of the triangle has gone: a word may see itself.",
    "diagonal_gone",
    lambda x: x.tril(-1),
)
_half(
    "The other masks are right, but the target sees one word too many, the one that comes next.",
    "one_ahead",
    lambda x: x.tril(1),
)
_half("The triangle has gone altogether: the target's words see what comes later.", "triangle_gone", lambda x: x)
_half(
    "The target's padding is open now: only the triangle is left.",
    "padding_gone",
    join=lambda causal, target: torch.logical_and(causal, torch.ones_like(target)),
)
_half(
    "The cross-attention is causal now. When the target is written, the whole source is known: only its padding is closed.",
    "cross_causal",
    cross=lambda source, target: source & torch.ones(target.shape[-1], source.shape[-1], dtype=torch.bool).tril(),
)
_half(
    "The target's mask is right. In the cross-attention everything is open, the source's padding too.",
    "cross_open",
    cross=lambda source, target: torch.ones_like(source),
)
_half(
    "The rows of the target's padding are closed in the cross-attention. That does no harm, but the mask asked for is about keys only: the source's padding, (batch, 1, 1, n_source).",
    "cross_rows",
    cross=lambda source, target: source & target.mT,
)
_half(
    "The source's mask has become turned round. It was right: True where there is a word.",
    "source_turned",
    source_of=lambda source: ~source,
)
_half(
    "Source and cross mask are turned round: True means “may look”.",
    "both_turned",
    source_of=lambda source: ~source,
    cross=lambda source, target: ~source,
)


@repaired.symptom("The target's mask isn't right yet: a key must come no later than its query, and be a word.")
def target_is_wrong(inputs, answer):
    return not torch.equal(answer[1], _translator_masks(*inputs)[1])


@repaired.symptom("The cross-attention's mask isn't right yet: who asks there, and whose words are looked at?")
def cross_is_wrong(inputs, answer):
    return not torch.equal(answer[2], _translator_masks(*inputs)[2])
