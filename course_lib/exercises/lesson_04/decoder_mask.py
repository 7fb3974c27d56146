"""decoder_mask, lesson 04."""

import torch

from course_lib import masks
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


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
    "04.decoder_mask",
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
