"""The mask of a padded decoder: a key comes no later than the query, and it is a word."""

import torch

from course_lib import masks
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous


def causal_and_padding(ids, pad_id):
    return masks.causal_mask(ids.shape[1]) & masks.padding_mask(ids, pad_id)


def padded_ids(g, batch, n, pad_id=0, lengths=None):
    """Words 1 … 8 (or 0 … 8 without pad_id), padded at the end; the first text is full unless lengths are given."""
    words = torch.tensor([i for i in range(9) if i != pad_id])
    ids = words[torch.randint(0, len(words), (batch, n), generator=g)]
    lengths = lengths or [n, *(integer(g, 1, max(1, n - 1)) for _ in range(batch - 1))]
    return ids.masked_fill(torch.arange(n) >= torch.tensor(lengths)[:, None], pad_id)


def _with_word_zero(g):
    ids = padded_ids(g, 3, 5, pad_id=7, lengths=[5, 3, 2])
    ids[:, 1] = 0
    ids[0, 3] = 0
    return ids, 7


decoder_mask = Code(
    "04.decoder_mask",
    title="Padding and causal together",
    points=3,
    minutes=10,
    difficulty=2,
    reference=causal_and_padding,
    axes=["batch head query key"],
    forbidden=("combine",),
    cases=[
        Case("three sentences", lambda g: (padded_ids(g, 3, 5), 0)),
        Case("as many sentences as words", lambda g: (padded_ids(g, 4, 4, lengths=[4, 2, 3, 1]), 0)),
        Case("one sentence", lambda g: (padded_ids(g, 1, 6, lengths=[integer(g, 2, 5)]), 0)),
        Case("one word", lambda g: (padded_ids(g, 2, 1), 0)),
        Case("another padding id, and a word with id 0", _with_word_zero),
        Case("padding in front", lambda g: (padded_ids(g, 2, 5, lengths=[integer(g, 2, 4), 3]).flip(1), 0)),
        Case("a sentence of padding only", lambda g: (padded_ids(g, 2, 4, lengths=[0, 3]), 0)),
        Case("any sizes", lambda g: (padded_ids(g, integer(g, 2, 5), integer(g, 6, 12)), 0)),
        Case("not contiguous in memory", lambda g: (non_contiguous(padded_ids(g, 3, 4, lengths=[4, 2, 1])), 0)),
    ],
    hints=[
        "Two questions for every pair: does the key come no later than the query? Is the key a word? Both must be true.",
        "ids != pad_id is (batch, n): one answer for each key. [:, None, None, :] makes it (batch, 1, 1, n), which broadcasts over heads and queries.",
        "The triangle (n, n) broadcasts from the right. (n, n) & (batch, 1, 1, n) is (batch, 1, n, n).",
    ],
)


def _words(ids, pad_id):
    """Which keys are words: (batch, 1, 1, key)."""
    return (ids != pad_id)[:, None, None, :]


@decoder_mask.variants
def steps(ids, pad_id, *, triangle=torch.tril, words=_words, joined=torch.logical_and):
    n = ids.shape[1]
    return joined(triangle(torch.ones(n, n, dtype=torch.bool)), words(ids, pad_id))


steps.mistake(
    "Your mask is causal, but padding stays visible: the words' answer ids != pad_id is missing.",
    words=lambda ids, pad_id: torch.ones_like(_words(ids, pad_id)),
)
steps.mistake(
    "You close the words and open the padding. True means “may look”: ids != pad_id.",
    words=lambda ids, pad_id: ~_words(ids, pad_id),
)
steps.mistake(
    "You close the rows of padding, not its columns. Nobody may look *at* padding, so ids != pad_id belongs on the axis of keys, the last.",
    words=lambda ids, pad_id: _words(ids, pad_id).mT,
)
steps.mistake(
    "You close the rows of padding as well. That changes nothing for the words, but here only keys are asked about: [:, None, None, :].",
    words=lambda ids, pad_id: _words(ids, pad_id) & _words(ids, pad_id).mT,
)
steps.mistake(
    "All sentences get the mask of the first one. Each has its own padding.",
    words=lambda ids, pad_id: _words(ids[:1].expand_as(ids), pad_id),
)
steps.mistake(
    "Only the first sentence is looked at, so the axis of sentences has length 1. Each has its own padding.",
    words=lambda ids, pad_id: _words(ids[:1], pad_id),
)
steps.mistake(
    "The last word of each sentence is closed as well. ids != pad_id asks each place for itself; where you count instead, you count one too few.",
    words=lambda ids, pad_id: masks.length_mask(((ids != pad_id).sum(1) - 1).clamp(min=0), ids.shape[1]),
)
steps.mistake(
    "The first word of each sentence is closed.",
    words=lambda ids, pad_id: _words(ids, pad_id) & (torch.arange(ids.shape[1]) > 0),
)
steps.mistake(
    "A place is closed in your mask when any sentence has padding there. Each sentence has its own.",
    words=lambda ids, pad_id: _words(ids, pad_id).all(0).expand(len(ids), 1, 1, -1),
)
steps.mistake(
    "You compare with 0. Here padding may have another id, and 0 may be a word: compare with pad_id.",
    words=lambda ids, pad_id: _words(ids, 0),
)
steps.mistake(
    "You take an id above 0 for a word. Padding may have another id, and 0 may be a word: compare with pad_id.",
    words=lambda ids, pad_id: (ids > 0)[:, None, None, :] & _words(ids, pad_id),
)
steps.mistake(
    "Your mask is made for padding at the end, by counting. It may stand in front as well: ask each place for itself, ids != pad_id.",
    words=lambda ids, pad_id: masks.length_mask((ids != pad_id).sum(1), ids.shape[1]),
)
steps.mistake(
    "Padding is closed, but words see what comes later: the triangle is missing.", triangle=lambda square: square
)
steps.mistake(
    "Turned over: your words see themselves and what comes later. Keep the lower triangle.", triangle=torch.triu
)
steps.mistake(
    "A word can't see itself in your mask. Keep the diagonal of the triangle.", triangle=lambda square: square.tril(-1)
)
steps.mistake(
    "The triangle is turned round: ~ opens what comes later and closes what came before.",
    triangle=lambda square: ~square.tril(),
)
steps.mistake(
    "You take an id above pad_id for a word. Any other id is one: ids != pad_id.",
    words=lambda ids, pad_id: (ids > pad_id)[:, None, None, :],
)
steps.mistake("Each word sees one word too many: the one that comes next.", triangle=lambda square: square.tril(1))
steps.mistake(
    "Padding is closed, but words see what comes later; and the axis of queries has length 1. Join it with the triangle, (n, n).",
    joined=lambda causal, words: words,
)
steps.mistake(
    "`|` opens what either of the two allows. A key must be allowed by both: &. (`+` of booleans is `|`, too.)",
    joined=torch.logical_or,
)
steps.mistake(
    "The axis of heads is missing: (batch, 1, n, n) broadcasts over any number of heads.",
    joined=lambda causal, words: (causal & words)[:, 0],
)
steps.mistake(
    "The axis of heads has as many places as there are words. Its length should be 1: it broadcasts over any number of heads.",
    joined=lambda causal, words: (causal & words).repeat(1, len(causal), 1, 1),
)
steps.mistake(
    "Only what padding sees of padding is closed. Nobody may look at padding, words neither: ids != pad_id, on the axis of keys alone.",
    words=lambda ids, pad_id: _words(ids, pad_id) | _words(ids, pad_id).mT,
)
steps.mistake(
    "You open the padding, to everybody: beside what the triangle allows. A key comes no later, *and* is a word: & (ids != pad_id).",
    joined=lambda causal, words: causal | ~words,
)
steps.mistake(
    "Two things at once. First: the padding stands on the axis of queries; it belongs on that of keys, the last. And then: the words are closed, != became ==.",
    words=lambda ids, pad_id: ~_words(ids, pad_id).mT,
)
steps.mistake(
    "Batch and head have changed places: the sentences stand on the first axis.",
    joined=lambda causal, words: (causal & words).transpose(0, 1),
)
steps.mistake(
    "All is turned round: True stands where one may not look. True means “may look”.",
    joined=lambda causal, words: ~(causal & words),
)
steps.mistake(
    "That is the mask for adding: 0 where one may look, −∞ elsewhere. Here it should be boolean: True where one may look.",
    joined=lambda causal, words: torch.zeros((causal & words).shape).masked_fill(~(causal & words), float("-inf")),
)
steps.mistake("`^` is True where exactly one of the two allows a key. Both must: &.", joined=torch.logical_xor)
steps.mistake(
    "The last two axes have changed places: the queries come before the keys.",
    joined=lambda causal, words: (causal & words).mT,
)
steps.mistake(
    "The values are right, but they are floats. A mask is boolean: join with & instead of a product, or compare.",
    joined=lambda causal, words: causal.float() * words.float(),
)
steps.mistake(
    "The values are right, but they are whole numbers. A mask is boolean: join with & instead of a product, or compare.",
    joined=lambda causal, words: causal.long() * words.long(),
)


@decoder_mask.symptom(
    "The rows of words are right, those of padding aren't. Padding asks like any other place: only keys are closed."
)
def rows_of_padding(inputs, answer):
    ids, pad_id = inputs
    words = ids != pad_id
    return torch.equal(answer[:, 0][words], causal_and_padding(ids, pad_id)[:, 0][words])


@decoder_mask.symptom("A key that comes later than its query is open. The triangle closes it.")
def opens_the_future(inputs, answer):
    return bool(answer.triu(1).any())


@decoder_mask.symptom("Somewhere padding can be looked at. Close its columns.")
def sees_padding(inputs, answer):
    return bool((answer & ~masks.padding_mask(*inputs)).any())


@decoder_mask.symptom("Something is closed that may be seen: a word that comes no later than the query.")
def too_much_closed(inputs, answer):
    return bool((causal_and_padding(*inputs) & ~answer).any())


@decoder_mask.mistake(
    "ids != pad_id is (batch, n). Beside the triangle, (n, n), its first axis is taken for the queries. Give it two axes more, [:, None, None, :], so that the sentences stay apart."
)
def words_as_they_are(ids, pad_id):
    return torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril() & (ids != pad_id)


@decoder_mask.mistake(
    "Your triangle has the size of the batch, len(ids) or ids.shape[0]. It is one row and column for each word: n = ids.shape[1]."
)
def triangle_of_the_batch(ids, pad_id):
    n = ids.shape[0]
    return torch.ones(n, n, dtype=torch.bool).tril() & _words(ids, pad_id)


@decoder_mask.mistake(
    "Padding sees itself: you open the diagonal again. Nobody may look at padding, not even padding. Its rows may be empty."
)
def padding_sees_itself(ids, pad_id):
    return causal_and_padding(ids, pad_id) | torch.eye(ids.shape[1], dtype=torch.bool)


@decoder_mask.mistake("You return both masks, one beside the other. One mask is asked for: join them by &.")
def both_apart(ids, pad_id):
    return masks.causal_mask(ids.shape[1]), _words(ids, pad_id)


@decoder_mask.mistake(
    "You compare the numbers of the words, ids, to find out which comes first. Compare their places, 0 … n − 1: that is the triangle."
)
def numbers_for_places(ids, pad_id):
    return (ids[:, None, None, :] <= ids[:, None, :, None]) & _words(ids, pad_id)


@decoder_mask.mistake(
    "The sentences stand on the axis of queries: [None, None] puts the new axes in front. The batch comes first: [:, None, None, :]."
)
def batch_as_queries(ids, pad_id):
    return torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril() & (ids != pad_id)[None, None]


steps.mistake(
    "From the first padding on you close all that follows. Padding may stand in front: ask each place for itself, ids != pad_id.",
    words=lambda ids, pad_id: _words(ids, pad_id).cumprod(-1).bool(),
)
steps.mistake(
    "A sentence that holds padding is closed as a whole. Close only the places where padding stands.",
    words=lambda ids, pad_id: _words(ids, pad_id).all(-1, keepdim=True).expand(-1, -1, -1, ids.shape[1]),
)


@decoder_mask.mistake(
    "Rows that would be empty are opened again. They stay empty: attention gives a query with nothing to look at zeros."
)
def opens_empty_rows(ids, pad_id):
    mask = causal_and_padding(ids, pad_id)
    return mask | ~mask.any(-1, keepdim=True)


steps.mistake(
    "Only the last column is closed for padding. Every place of padding is: ids != pad_id asks each.",
    words=lambda ids, pad_id: _words(ids, pad_id) | (torch.arange(ids.shape[1]) < ids.shape[1] - 1),
)


@decoder_mask.mistake(
    "Two things at once. First: you count the words and take the places from the front; padding may stand in front. And then: the rows of padding are closed, too, where only keys are asked about."
)
def counted_in_rows_and_columns(ids, pad_id):
    words = masks.length_mask((ids != pad_id).sum(1), ids.shape[1])
    return steps(ids, pad_id, words=lambda ids, pad_id: words & words.mT)


steps.mistake(
    "A place is open in your mask when any sentence has a word there. Each sentence has its own padding.",
    words=lambda ids, pad_id: _words(ids, pad_id).any(0).expand(len(ids), 1, 1, -1),
)
steps.mistake(
    "The padding is one place off: the place behind decides. ids != pad_id asks each place for itself.",
    words=lambda ids, pad_id: _words(ids, pad_id).roll(-1, -1),
)
steps.mistake(
    "The padding is one place off: the place before decides. ids != pad_id asks each place for itself.",
    words=lambda ids, pad_id: _words(ids, pad_id).roll(1, -1),
)
steps.mistake(
    "Each word sees itself and the one before it only. It may see all that came before, but for padding.",
    triangle=lambda square: square.tril().triu(-1),
)
steps.mistake(
    "That is the mask for adding, 0 where one may look and a large negative number elsewhere. Here it should be boolean: True where one may look.",
    joined=lambda causal, words: (~(causal & words)).float() * -1e9,
)
