"""What a fresh student tried in lesson 04, Masking. Each docstring says what is really wrong."""

import torch

from unlisted_mistakes import wrong

# --- 04.causal_mask ---------------------------------------------------------------------------------------------------

K = "04.causal_mask"


def lower(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


@wrong(K, "You marked what is forbidden.")
def fresh_causal_less_than(n):
    """Rows and columns are exchanged, and a word doesn't see itself."""
    i = torch.arange(n)
    return i[:, None] < i


@wrong(K, "A word can't see itself in your mask, so the first one sees")
def fresh_causal_loop_without_itself(n):
    """A word doesn't see itself."""
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        mask[i, :i] = True
    return mask


@wrong(K, "Turned over:")
def fresh_causal_loop_by_column(n):
    """Rows and columns are exchanged."""
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        mask[: i + 1, i] = True
    return mask


@wrong(K, "The result: only the first query is wrong, all oth")
def fresh_causal_loop_from_one(n):
    """The first row is left out: the first word sees nothing."""
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(1, n):
        mask[i, : i + 1] = True
    return mask


@wrong(K, "The result: only the last query is wrong, all othe")
def fresh_causal_loop_stops_early(n):
    """The last row is left out: the last word sees nothing."""
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n - 1):
        mask[i, : i + 1] = True
    return mask


@wrong(K, "That is the mask for adding:")
def fresh_causal_additive(n):
    """Zeros and −∞, to be added to the scores, in place of True and False."""
    return torch.zeros(n, n).masked_fill(~lower(n), float("-inf"))


@wrong(K, "The mask needs no axes for batch and head:")
def fresh_causal_four_axes(n):
    """Two axes too many: (1, 1, n, n)."""
    return lower(n)[None, None]


@wrong(K, "The triangle is mirrored:")
def fresh_causal_columns_reversed(n):
    """The columns stand in reversed order."""
    return lower(n).flip(1)


@wrong(K, "The triangle hangs on the wrong side:")
def fresh_causal_rows_reversed(n):
    """The rows stand in reversed order: the first word sees everything."""
    return lower(n).flip(0)


@wrong(K, "Some words see the one right after them, others don't.")
def fresh_causal_in_pairs(n):
    """Words are let in two by two: every first of a pair sees the next word."""
    i = torch.arange(n) // 2
    return i[:, None] >= i


@wrong(K, "Each word sees itself alone.")
def fresh_causal_diagonal_only(n):
    """Each word sees itself alone."""
    return torch.eye(n, dtype=torch.bool)


@wrong(K, "Each word sees itself and the one before it.")
def fresh_causal_one_back(n):
    """Each word sees itself and the one before only."""
    i = torch.arange(n)
    return (i[:, None] - i == 0) | (i[:, None] - i == 1)


@wrong(K, "Your triangle is moved:")
def fresh_causal_half_ahead(n):
    """The triangle is shifted by an amount that grows with n: later words are seen."""
    return torch.ones(n, n, dtype=torch.bool).tril(n // 2)


@wrong(K, "The result has the wrong dtype:")
def fresh_causal_mask_of_numbers(n):
    """Numbers where it should be True and False, and rows and columns exchanged."""
    return torch.ones(n, n).triu()


# --- 04.masked_attention ----------------------------------------------------------------------------------------------

K = "04.masked_attention"


def scores_of(query, key):
    return query @ key.mT / query.shape[-1] ** 0.5


def closed(scores, mask):
    return scores.masked_fill(~mask, float("-inf"))


@wrong(K, "A query with nothing to look at gives NaN:")
def fresh_masked_as_in_the_text(query, key, value, mask):
    """A query with nothing to look at gives NaN."""
    weights = closed(scores_of(query, key), mask).softmax(-1)
    return weights @ value, weights


@wrong(K, "The scale is missing:")
def fresh_masked_unscaled(query, key, value, mask):
    """Without division by √d_k."""
    weights = (query @ key.mT).masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value, weights


@wrong(K, "You divide the scores by the root of d_v, the length of a va")
def fresh_masked_by_d_v(query, key, value, mask):
    """Divided by the root of d_v, the width of the values, not of d_k."""
    weights = (query @ key.mT / value.shape[-1] ** 0.5).masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value, weights


@wrong(K, "You set closed scores to 0, but 0 is a score like any other:")
def fresh_masked_times_mask(query, key, value, mask):
    """The scores are multiplied by the mask: a closed score is 0, not −∞."""
    weights = (scores_of(query, key) * mask).softmax(-1) * mask.any(-1, keepdim=True)
    return weights @ value, weights


@wrong(K, "You close what is open:")
def fresh_masked_inverted(query, key, value, mask):
    """True is read as "hidden"."""
    weights = scores_of(query, key).masked_fill(mask, -1e9).softmax(-1) * ~mask
    return weights @ value, weights


@wrong(K, "A query that sees nothing gets equal weights, padding among")
def fresh_masked_1e9(query, key, value, mask):
    """−1e9 without zeros after it: a query with nothing to look at spreads its weight evenly."""
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1)
    return weights @ value, weights


@wrong(K, "The output is right, the weights that you return aren't:")
def fresh_masked_output_only(query, key, value, mask):
    """The outputs are set to zero, the weights of such a query stay as they are."""
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1)
    return (weights * mask) @ value, weights


@wrong(K, "Your softmax runs over the queries.")
def fresh_masked_over_queries(query, key, value, mask):
    """The softmax runs over the queries, not the keys."""
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-2) * mask
    return weights @ value, weights


@wrong(K, "You put zeros after the softmax, so the rows no longer sum t")
def fresh_masked_afterwards_renormalised_by_n(query, key, value, mask):
    """Zeros after the softmax, so that rows don't sum to 1."""
    weights = scores_of(query, key).softmax(-1) * mask
    return weights @ value, weights


@wrong(K, "You divide by √d_k twice, the second time after")
def fresh_masked_mean(query, key, value, mask):
    """Scaled a second time, after the softmax."""
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1) * mask / query.shape[-1] ** 0.5
    return weights @ value, weights


@wrong(K, "Only the output comes back.")
def fresh_masked_no_weights(query, key, value, mask):
    """The weights are not returned."""
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value


@wrong(K, "The two results are in the wrong order:")
def fresh_masked_swapped_results(query, key, value, mask):
    """The weights come first, the output second."""
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights, weights @ value


@wrong(K, "The given mask isn't used:")
def fresh_masked_causal_always(query, key, value, mask):
    """The given mask isn't used; a causal one is."""
    n, m = query.shape[-2], key.shape[-2]
    causal = torch.ones(n, m, dtype=torch.bool).tril()
    weights = scores_of(query, key).masked_fill(~causal, -1e9).softmax(-1) * causal
    return weights @ value, weights


@wrong(K, "A query that sees nothing gets equal weights, padding among")
def fresh_masked_value_masked(query, key, value, mask):
    """The scores are masked in place of the inputs … and where the row is empty the output is the mean of the values."""
    scores = closed(scores_of(query, key), mask)
    scores = torch.where(mask.any(-1, keepdim=True), scores, torch.zeros_like(scores))
    weights = scores.softmax(-1)
    return weights @ value, weights


# --- 04.decoder_mask --------------------------------------------------------------------------------------------------

K = "04.decoder_mask"


def padding(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


@wrong(K, "`|` opens what either of the two allows.")
def fresh_decoder_or(ids, pad_id):
    """Joined by "or": a key is open if either mask allows it."""
    return lower(ids.shape[1]) | padding(ids, pad_id)


@wrong(K, "You compare with 0.")
def fresh_decoder_zero_is_padding(ids, pad_id):
    """Padding is taken to be 0, whatever pad_id says."""
    return lower(ids.shape[1]) & padding(ids, 0)


@wrong(K, "You close the rows of padding, not its columns.")
def fresh_decoder_closes_rows(ids, pad_id):
    """The padding mask closes the rows (queries), not the columns (keys)."""
    return lower(ids.shape[1]) & (ids != pad_id)[:, None, :, None]


@wrong(K, "You close the rows of padding as well.")
def fresh_decoder_closes_both(ids, pad_id):
    """The rows of padding are closed as well as its columns."""
    real = ids != pad_id
    return lower(ids.shape[1]) & real[:, None, :, None] & real[:, None, None, :]


@wrong(K, "The axis of heads is missing:")
def fresh_decoder_three_axes(ids, pad_id):
    """The axis of the heads is missing: (batch, n, n)."""
    return lower(ids.shape[1]) & (ids != pad_id)[:, None, :]


@wrong(K, "ids != pad_id is")
def fresh_decoder_two_axes(ids, pad_id):
    """(n, n) & (batch, n): the batch is lined up with the queries."""
    return lower(ids.shape[1]) & (ids != pad_id)


@wrong(K, "You close the words and open the padding.")
def fresh_decoder_equal(ids, pad_id):
    """== in place of !=: only padding is seen."""
    return lower(ids.shape[1]) & (ids == pad_id)[:, None, None, :]


@wrong(K, "Turned over:")
def fresh_decoder_triu(ids, pad_id):
    """The triangle is the upper one."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).triu() & padding(ids, pad_id)


@wrong(K, "Your triangle has the size of the batch, len")
def fresh_decoder_batch_size(ids, pad_id):
    """The triangle is made for the batch's size, not for n."""
    return lower(ids.shape[0]) & padding(ids, pad_id)


@wrong(K, "The values are right, but they are floats.")
def fresh_decoder_numbers(ids, pad_id):
    """A product of numbers: not boolean."""
    n = ids.shape[1]
    return torch.tril(torch.ones(n, n)) * padding(ids, pad_id)


@wrong(K, "Your mask is made for padding at the end, by counting.")
def fresh_decoder_padding_at_the_end(ids, pad_id):
    """Padding is taken to stand at the end: only as many places as there are words stay open."""
    lengths = (ids != pad_id).sum(1)
    return lower(ids.shape[1]) & (torch.arange(ids.shape[1]) < lengths[:, None])[:, None, None, :]


@wrong(K, "Padding sees itself:")
def fresh_decoder_self_always(ids, pad_id):
    """Padding sees itself: the diagonal is opened again."""
    n = ids.shape[1]
    return (lower(n) & padding(ids, pad_id)) | torch.eye(n, dtype=torch.bool)


@wrong(K, "Two things at once. First: You close the rows of padding, not its colu")
def fresh_decoder_strict_triu(ids, pad_id):
    """A word doesn't see itself, and the rows of padding are closed, too."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).tril(-1) & (ids != pad_id)[:, None, :, None]


# --- 04.new_word, 04.planted_leaks: choices and numbers ---------------------------------------------------------------

for letter in "abd":
    wrong("04.new_word")(letter)
wrong("04.new_word")("e")

K = "04.planted_leaks"
LEAKS = ["A", "B", "C", "D", "E, sentences"]
for numbers in (
    (0, 0, 0, 0, 0),  # the weights are believed
    (True, True, False, True, True),  # yes and no in place of counts
    (15, 15, 15, 15, 12),  # everything leaks
    (1, 1, 0, 1, 1),  # leaky layers are marked, pairs aren't counted
    ("0", "15", "0", "5", "12"),  # texts
):
    wrong(K)(dict(zip(LEAKS, numbers)))

# --- 04.repaired ------------------------------------------------------------------------------------------------------

K = "04.repaired"


def three(source_ids, target_ids, pad_id, causal=None, target=None, cross=None, source=None):
    causal = lower(target_ids.shape[1]) if causal is None else causal
    source = padding(source_ids, pad_id) if source is None else source
    target = causal & padding(target_ids, pad_id) if target is None else target
    return source, target, padding(source_ids, pad_id) if cross is None else cross


@wrong(K, "All three bugs are still there.")
def fresh_repaired_nothing(source_ids, target_ids, pad_id):
    """Nothing is repaired."""
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).triu()
    target = causal | padding(target_ids, pad_id)
    return padding(source_ids, pad_id), target, padding(target_ids, pad_id)


@wrong(K, "In cross-attention the keys are the source's, so it's the so")
def fresh_repaired_two_of_three(source_ids, target_ids, pad_id):
    """The cross mask still takes the target's padding."""
    return three(source_ids, target_ids, pad_id, cross=padding(target_ids, pad_id))


@wrong(K, "`|` opens what either of the two allows, the triangle or the")
def fresh_repaired_still_or(source_ids, target_ids, pad_id):
    """Still "or" in the target's mask."""
    n = target_ids.shape[1]
    return three(source_ids, target_ids, pad_id, target=lower(n) | padding(target_ids, pad_id))


@wrong(K, "The target's words see what comes later, not what came befor")
def fresh_repaired_still_triu(source_ids, target_ids, pad_id):
    """Still the upper triangle."""
    return three(source_ids, target_ids, pad_id, causal=lower(target_ids.shape[1]).T)


@wrong(K, "The diagonal of the triangle has gone:")
def fresh_repaired_strict(source_ids, target_ids, pad_id):
    """A target word doesn't see itself."""
    n = target_ids.shape[1]
    return three(source_ids, target_ids, pad_id, causal=torch.ones(n, n, dtype=torch.bool).tril(-1))


@wrong(K, "The source's mask is causal now.")
def fresh_repaired_source_causal(source_ids, target_ids, pad_id):
    """The source is made causal, too."""
    source = lower(source_ids.shape[1]) & padding(source_ids, pad_id)
    return three(source_ids, target_ids, pad_id, source=source)


@wrong(K, "The cross-attention is causal now.")
def fresh_repaired_cross_causal(source_ids, target_ids, pad_id):
    """The cross mask is causal."""
    n, m = target_ids.shape[1], source_ids.shape[1]
    cross = torch.ones(n, m, dtype=torch.bool).tril() & padding(source_ids, pad_id)
    return three(source_ids, target_ids, pad_id, cross=cross)


@wrong(K, "In the cross-attention you close rows for the source's paddi")
def fresh_repaired_cross_transposed(source_ids, target_ids, pad_id):
    """The cross mask has a row for each source word: rows and columns are exchanged."""
    return three(source_ids, target_ids, pad_id, cross=(source_ids != pad_id)[:, None, :, None])


@wrong(K, "The last two masks are in the wrong order:")
def fresh_repaired_order(source_ids, target_ids, pad_id):
    """The masks come in another order: source, cross, target."""
    source, target, cross = three(source_ids, target_ids, pad_id)
    return source, cross, target


@wrong(K, "Source and target are taken for each other in all three mask")
def fresh_repaired_source_and_target_swapped(source_ids, target_ids, pad_id):
    """Source and target are taken for each other, throughout."""
    return three(target_ids, source_ids, pad_id)


@wrong(K, "In the cross-attention everything is open, the source's padd")
def fresh_repaired_cross_open(source_ids, target_ids, pad_id):
    """The cross mask lets the source's padding be seen."""
    n, m = target_ids.shape[1], source_ids.shape[1]
    return three(source_ids, target_ids, pad_id, cross=torch.ones(1, 1, n, m, dtype=torch.bool))
