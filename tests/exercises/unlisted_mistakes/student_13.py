"""What a fresh student tried in lesson 13, GPT. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 13.next_word_logits ----------------------------------------------------------------------------------------------


@wrong("13.next_word_logits")
def student_13_only_the_mask(ids, W_e, W_p, W_Q, W_K, W_V):
    """The normalisation still runs over the places."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=1, keepdim=True)) / h.std(dim=1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_only_the_norm(ids, W_e, W_p, W_Q, W_K, W_V):
    """The mask still shows the next word."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril(diagonal=1)
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_only_the_mean(ids, W_e, W_p, W_Q, W_K, W_V):
    """The standard deviation still runs over the places; the mean doesn't."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_only_the_deviation(ids, W_e, W_p, W_Q, W_K, W_V):
    """The mean still runs over the places; the standard deviation doesn't."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_diagonal_minus_one(ids, W_e, W_p, W_Q, W_K, W_V):
    """A word may not attend to itself: the first row has nothing to attend to, all NaN."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril(diagonal=-1)
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_triu(ids, W_e, W_p, W_Q, W_K, W_V):
    """The mask lets each word see itself and the later words."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).triu()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_norm_without_axis(ids, W_e, W_p, W_Q, W_K, W_V):
    """One mean and one deviation of the whole batch: all words and texts are mixed."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean()) / h.std(correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_norm_over_the_batch(ids, W_e, W_p, W_Q, W_K, W_V):
    """Normalised over the batch (dim=0): no leak from the future, but another text's words are mixed in."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=0, keepdim=True)) / h.std(dim=0, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_norm_taken_out(ids, W_e, W_p, W_Q, W_K, W_V):
    """The leaking normalisation was thrown out instead of mended."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    scores = (h @ W_Q) @ (h @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (h @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_correction_lost(ids, W_e, W_p, W_Q, W_K, W_V):
    """The deviation divides by d - 1 (torch's default); layer normalisation divides by d."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_running_norm(ids, W_e, W_p, W_Q, W_K, W_V):
    """Normalised over the words so far (cumulative): causal, but no layer normalisation; each word has its own numbers."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    count = torch.arange(1, n + 1)[:, None]
    mean = h.cumsum(1) / count
    x = (h - mean) / ((h**2).cumsum(1) / count - mean**2 + 1e-5).sqrt()
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (x @ W_V)
    return h @ W_e.mT


@wrong("13.next_word_logits")
def student_13_normed_at_the_end_too(ids, W_e, W_p, W_Q, W_K, W_V):
    """Both leaks closed, but GPT-2's last norm added, which the friend's model doesn't have."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (d,), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = F.layer_norm(h + weights @ (x @ W_V), (d,), eps=0)
    return h @ W_e.mT


# --- 13.lm_loss -------------------------------------------------------------------------------------------------------


@wrong("13.lm_loss")
def student_13_not_shifted(logits, ids, pad_id):
    """Not shifted: each row is asked for the word it has just read."""
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten(), ignore_index=pad_id)


@wrong("13.lm_loss")
def student_13_shifted_the_wrong_way(logits, ids, pad_id):
    """Each row is asked for the word before it."""
    return F.cross_entropy(logits[:, 1:].flatten(0, 1), ids[:, :-1].flatten(), ignore_index=pad_id)


@wrong("13.lm_loss")
def student_13_pads_counted(logits, ids, pad_id):
    """The padding counts as words to predict."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


@wrong("13.lm_loss")
def student_13_divided_by_all(logits, ids, pad_id):
    """The sum leaves the padding out, the number it is divided by doesn't."""
    losses = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    return (losses * (ids[:, 1:] != pad_id)).mean()


@wrong("13.lm_loss")
def student_13_the_sum(logits, ids, pad_id):
    """The sum, no mean."""
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="sum")


@wrong("13.lm_loss")
def student_13_mean_of_means(logits, ids, pad_id):
    """The mean of each text's mean: short texts weigh as much as long ones."""
    losses = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="none")
    return (losses.sum(1) / (ids[:, 1:] != pad_id).sum(1)).mean()


@wrong("13.lm_loss")
def student_13_rolled(logits, ids, pad_id):
    """roll: the last place of each full text is asked for the first word of its text."""
    return F.cross_entropy(logits.mT, ids.roll(-1, dims=1), ignore_index=pad_id)


@wrong("13.lm_loss")
def student_13_mask_of_the_read_word(logits, ids, pad_id):
    """The mask is that of the words read, not of those to say: the first padding after each text counts."""
    losses = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    real = ids[:, :-1] != pad_id
    return losses[real].mean()


@wrong("13.lm_loss")
def student_13_no_softmax(logits, ids, pad_id):
    """The logits are averaged as they are: no log-softmax."""
    said = logits[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
    return -said[ids[:, 1:] != pad_id].mean()


@wrong("13.lm_loss")
def student_13_softmax_twice(logits, ids, pad_id):
    """softmax before cross_entropy, which takes it again."""
    return F.cross_entropy(logits.softmax(-1)[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)


@wrong("13.lm_loss")
def student_13_sign(logits, ids, pad_id):
    """The minus is missing."""
    said = logits.log_softmax(-1)[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
    return said[ids[:, 1:] != pad_id].mean()


@wrong("13.lm_loss")
def student_13_log_of_the_mean(logits, ids, pad_id):
    """The log of the mean probability, not the mean of the logs."""
    said = logits.softmax(-1)[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
    return -said[ids[:, 1:] != pad_id].mean().log()


@wrong("13.lm_loss")
def student_13_bits(logits, ids, pad_id):
    """In bits, not nats."""
    said = logits.log_softmax(-1)[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
    return -said[ids[:, 1:] != pad_id].mean() / torch.tensor(2.0).log()


@wrong("13.lm_loss")
def student_13_softmax_over_places(logits, ids, pad_id):
    """log_softmax over the places (dim=1), not over the vocabulary."""
    said = logits.log_softmax(1)[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
    return -said[ids[:, 1:] != pad_id].mean()


@wrong("13.lm_loss")
def student_13_view_without_transposing(logits, ids, pad_id):
    """cross_entropy gets (batch, n, vocab) and takes n for the classes: the call fails."""
    return F.cross_entropy(logits[:, :-1], ids[:, 1:], ignore_index=pad_id)


@wrong("13.lm_loss")
def student_13_pad_is_zero(logits, ids, pad_id):
    """0 instead of pad_id."""
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=0)


@wrong("13.lm_loss")
def student_13_unshifted_and_pads(logits, ids, pad_id):
    """Two: not shifted, and the padding counts."""
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten())


@wrong("13.lm_loss")
def student_13_cuts_the_pads_first(logits, ids, pad_id):
    """All texts in one row, then shifted: the last word of a text is asked for the first of the next."""
    real = ids != pad_id
    return F.cross_entropy(logits[real][:-1], ids[real][1:])


@wrong("13.lm_loss")
def student_13_each_word(logits, ids, pad_id):
    """A loss for each word, no mean."""
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="none")


# --- 13.bits_per_byte -------------------------------------------------------------------------------------------------

for numbers, _real in (
    ({"perplexity": 7.39, "bits a token": 1.386, "bits a byte": 0.333}, "times ln 2 instead of divided"),
    ({"perplexity": 7.39, "bits a token": 2.885, "bits a byte": 12.0}, "times bytes by tokens, upside down"),
    ({"perplexity": 7.39, "bits a token": 2.885, "bits a byte": 0.00231}, "one token's bits by all the bytes"),
    ({"perplexity": 4.0, "bits a token": 2.885, "bits a byte": 0.692}, "perplexity as 2 to the loss"),
    ({"perplexity": 7.39, "bits a token": 2.885, "bits a byte": 0.48}, "nats a byte: the units forgotten"),
    ({"perplexity": 7.39, "bits a token": 2.0, "bits a byte": 0.48}, "nats taken for bits"),
    ({"perplexity": 7.39, "bits a token": 865.6, "bits a byte": 0.692}, "bits of the whole text"),
    ({"perplexity": 7.39, "bits a token": 2.885, "bits a byte": 0.361}, "bits a token by 8 bits of a byte"),
    ({"perplexity": 7.39, "bits a token": 2.885, "bits a byte": 5.54}, "eight times: letters' bits mixed in"),
    ({"perplexity": 0.135, "bits a token": 2.885, "bits a byte": 0.692}, "e to the minus loss: the probability"),
    ({"perplexity": 4.0, "bits a token": 1.386, "bits a byte": 0.333}, "two at once: base 2 and times ln 2"),
):
    wrong("13.bits_per_byte")(numbers)

# --- 13.top_p_filter --------------------------------------------------------------------------------------------------


@wrong("13.top_p_filter")
def student_13_below_p(probabilities, p):
    """The word that passes p is left out."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = values.cumsum(-1) <= p
    out = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_below_p_but_one(probabilities, p):
    """The word that passes p is left out, except that the likeliest always stays."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = values.cumsum(-1) <= p
    keep[..., 0] = True
    out = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_not_renormalised(probabilities, p):
    """What is left isn't made to sum to 1."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = values.cumsum(-1) - values < p
    return torch.zeros_like(probabilities).scatter(-1, order, values * keep)


@wrong("13.top_p_filter")
def student_13_left_sorted(probabilities, p):
    """In the sorted order, not the vocabulary's."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    return values / values.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_threshold(probabilities, p):
    """Words whose own probability is at least p."""
    out = probabilities * (probabilities >= p)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_min_p(probabilities, p):
    """Words with at least p times the likeliest one's probability: min-p, not top-p."""
    out = probabilities * (probabilities >= p * probabilities.amax(-1, keepdim=True))
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_ascending(probabilities, p):
    """Sorted upwards: keeps the least likely ones."""
    values, order = probabilities.sort(dim=-1)
    keep = values.cumsum(-1) - values < p
    out = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_unsorted(probabilities, p):
    """Not sorted: sums up in the vocabulary's order."""
    keep = probabilities.cumsum(-1) - probabilities < p
    out = probabilities * keep
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_order_not_inverted(probabilities, p):
    """Sorted back with the same permutation again, instead of its inverse."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    return values.gather(-1, order) / values.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_mask_in_sorted_order(probabilities, p):
    """The mask is in sorted order, but laid over the unsorted probabilities."""
    values = probabilities.sort(dim=-1, descending=True).values
    out = probabilities * (values.cumsum(-1) - values < p)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_one_too_many(probabilities, p):
    """One word too many when the sum meets p: asks for more than p, and shifts once more."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = torch.cat([torch.ones_like(values[..., :2]), (values.cumsum(-1) < p)[..., :-2].to(values.dtype)], -1)
    out = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_softmax_again(probabilities, p):
    """What is left goes through softmax again: the ratios change."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values.masked_fill(values.cumsum(-1) - values >= p, float("-inf"))
    return torch.zeros_like(probabilities).scatter(-1, order, values.softmax(-1))


@wrong("13.top_p_filter")
def student_13_flat_sum(probabilities, p):
    """Divided by the sum of all rows together: right for one row only."""
    values, order = probabilities.sort(dim=-1, descending=True)
    out = torch.zeros_like(probabilities).scatter(-1, order, values * (values.cumsum(-1) - values < p))
    return out / out.sum()


@wrong("13.top_p_filter")
def student_13_one_count_for_all(probabilities, p):
    """The first row's number of words is kept in every row."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    values = rows.sort(dim=-1, descending=True).values
    count = int((values[0].cumsum(-1) - values[0] < p).sum())
    out = torch.zeros_like(rows)
    top = rows.topk(count)
    out.scatter_(-1, top.indices, top.values)
    return (out / out.sum(-1, keepdim=True)).reshape(probabilities.shape)


@wrong("13.top_p_filter")
def student_13_top_k(probabilities, p):
    """top-k: the share p of the words, not of the probability."""
    count = max(1, int(p * probabilities.shape[-1]))
    top = probabilities.topk(count, dim=-1)
    out = torch.zeros_like(probabilities).scatter(-1, top.indices, top.values)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_two_at_once(probabilities, p):
    """Two: the word that passes p is left out, and no renormalising."""
    values, order = probabilities.sort(dim=-1, descending=True)
    return torch.zeros_like(probabilities).scatter(-1, order, values * (values.cumsum(-1) <= p))


@wrong("13.top_p_filter")
def student_13_in_place(probabilities, p):
    """Right, but writes into the argument."""
    values, order = probabilities.sort(dim=-1, descending=True)
    probabilities.scatter_(-1, order, values * (values.cumsum(-1) - values < p))
    return probabilities / probabilities.sum(-1, keepdim=True)


# --- 13.greedy_loops --------------------------------------------------------------------------------------------------

for letter in ("a", "c", "d", "B is what they say", None):
    if letter is not None:
        wrong("13.greedy_loops")(letter)

# --- 13.cache_step ----------------------------------------------------------------------------------------------------


@wrong("13.cache_step")
def student_13_position_0(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The new word has position 0."""
    x = W_e[new_id] + W_p[:1]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_position_past_plus_1(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The position is counted after the new key is there: one too far."""
    k = W_e[new_id]
    x = k + W_p[keys.shape[1] + 1]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_position_past_minus_1(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The position of the last word before, one too early (and -1, the table's end, with an empty cache)."""
    x = W_e[new_id] + W_p[keys.shape[1] - 1]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_no_position(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """No position vector at all."""
    x = W_e[new_id]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_not_itself(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The new word attends to the words before it, not to itself."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    output = ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values
    return output, torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)


@wrong("13.cache_step")
def student_13_put_in_front(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The new key and value are put in front; the output is right, the caches are in the wrong order."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([x @ W_K, keys], 1), torch.cat([x @ W_V, values], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_root_of_d(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Divided by the root of d, not of d_k."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / W_e.shape[1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_unscaled(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Not scaled."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_old_caches_given_back(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The output is right, but the old keys and values are given back, without the new word's."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    k, v = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ k.mT / k.shape[-1] ** 0.5).softmax(-1) @ v, keys, values


@wrong("13.cache_step")
def student_13_only_the_new_ones(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Gives back the new key and value alone, not the grown caches."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    k, v = x @ W_K, x @ W_V
    all_k, all_v = torch.cat([keys, k], 1), torch.cat([values, v], 1)
    return ((x @ W_Q) @ all_k.mT / k.shape[-1] ** 0.5).softmax(-1) @ all_v, k, v


@wrong("13.cache_step")
def student_13_wrong_axis(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """cat along the batch."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K]), torch.cat([values, x @ W_V])
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_softmax_over_queries(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """softmax along the one query: every weight is 1."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(1) @ values, keys, values


@wrong("13.cache_step")
def student_13_values_from_keys(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The two matrices are mixed up: the key is made with W_V and the value with W_K."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_V], 1), torch.cat([values, x @ W_K], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_skip_added(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """A skip connection: d and d_v aren't the same, and none is asked for."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return x + ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_no_transposing(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The keys aren't transposed: the product fails."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_one_text_only(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Takes the first text's word for the whole batch: right for one text only."""
    x = W_e[new_id[0]][None].expand(len(new_id), -1, -1) + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_key_without_position(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The query has its position, the new key and value don't."""
    e = W_e[new_id]
    x = e + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, e @ W_K], 1), torch.cat([values, e @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_position_0_and_not_itself(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Two: position 0, and the word doesn't attend to itself."""
    x = W_e[new_id] + W_p[0]
    output = ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values
    return output, torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)


@wrong("13.cache_step")
def student_13_output_squeezed(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The output has lost its middle axis: (batch, d_v)."""
    x = W_e[new_id[:, 0]] + W_p[keys.shape[1]]
    keys = torch.cat([keys, (x @ W_K)[:, None]], 1)
    values = torch.cat([values, (x @ W_V)[:, None]], 1)
    weights = (torch.einsum("bd,bkd->bk", x @ W_Q, keys) / keys.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("bk,bkd->bd", weights, values), keys, values
