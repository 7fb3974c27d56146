"""Right answers to lesson 04, Masking."""

import math

import torch
import torch.nn.functional as F
from torch import einsum

from course_lib import masks
from right_answers import right

# --- 04.causal_mask ---------------------------------------------------------------------------------------------------


@right("04.causal_mask")
def causal_by_tril(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


@right("04.causal_mask")
def causal_by_comparison(n):
    positions = torch.arange(n)
    return positions[None, :] <= positions[:, None]


@right("04.causal_mask")
def causal_by_loop(n):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        mask[i, : i + 1] = True
    return mask


@right("04.causal_mask")
def causal_by_the_forbidden(n):
    return ~torch.triu(torch.ones(n, n), diagonal=1).bool()


@right("04.causal_mask")
def causal_by_turning(n):
    return torch.full((n, n), True).triu().T


@right("04.causal_mask")
def causal_from_lists(n):
    return torch.tensor([[j <= i for j in range(n)] for i in range(n)])


@right("04.causal_mask")
def causal_by_indices(n):
    mask = torch.zeros(n, n)
    rows, columns = torch.tril_indices(n, n)
    mask[rows, columns] = 1
    return mask == 1


@right("04.causal_mask")
def causal_by_cumsum(n):
    return torch.eye(n).cumsum(0) > 0


# --- 04.masked_attention ----------------------------------------------------------------------------------------------


@right("04.masked_attention")
def filled_twice(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    weights = scores.masked_fill(mask == 0, -math.inf).softmax(-1).masked_fill(mask == 0, 0)
    return weights @ value, weights


@right("04.masked_attention")
def filled_then_no_nan(query, key, value, mask):
    weights = F.softmax((query @ key.mT / query.shape[-1] ** 0.5).masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(
        0.0
    )
    return torch.matmul(weights, value), weights


@right("04.masked_attention")
def by_where(query, key, value, mask):
    scores = einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    weights = torch.where(mask, scores, torch.tensor(float("-inf"), dtype=scores.dtype)).softmax(-1)
    weights = torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights))
    return weights @ value, weights


@right("04.masked_attention")
def smallest_number_and_product(query, key, value, mask):
    """The dtype's lowest number is as good as −∞ when the closed weights are set to zero after it."""
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1) * mask
    return weights @ value, weights


@right("04.masked_attention")
def softmax_by_hand(query, key, value, mask):
    scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(~mask, float("-inf"))
    top = scores.amax(-1, keepdim=True)
    e = torch.exp(scores - top.masked_fill(top == float("-inf"), 0.0))
    total = e.sum(-1, keepdim=True)
    weights = e / total.masked_fill(total == 0, 1.0)
    return weights @ value, weights


@right("04.masked_attention")
def added_with_rows_opened_first(query, key, value, mask):
    """Rows with nothing to see are opened, so that no NaN arises, and set to zero at the end."""
    some = mask.any(-1, keepdim=True)
    addend = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~(mask | ~some), float("-inf"))
    weights = (query @ key.mT / query.shape[-1] ** 0.5 + addend).softmax(-1) * some
    return weights @ value, weights


@right("04.masked_attention")
def assigned_in_place(query, key, value, mask):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    closed = (~mask).expand(scores.shape)
    scores[closed] = float("-inf")
    weights = scores.softmax(-1)
    weights = weights.clone()
    weights[closed] = 0.0
    return weights @ value, weights


# --- 04.decoder_mask --------------------------------------------------------------------------------------------------


@right("04.decoder_mask")
def by_broadcasting(ids, pad_id):
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).tril() & (ids != pad_id)[:, None, None, :]


@right("04.decoder_mask")
def by_a_loop(ids, pad_id):
    batch, n = ids.shape
    mask = torch.zeros(batch, 1, n, n, dtype=torch.bool)
    for b in range(batch):
        for i in range(n):
            for j in range(i + 1):
                mask[b, 0, i, j] = bool(ids[b, j] != pad_id)
    return mask


@right("04.decoder_mask")
def by_tril_of_words(ids, pad_id):
    n = ids.size(1)
    return ids.ne(pad_id).unsqueeze(1).unsqueeze(2).expand(-1, 1, n, n).tril()


@right("04.decoder_mask")
def by_product_and_comparison(ids, pad_id):
    n = ids.shape[1]
    return (torch.tril(torch.ones(n, n)) * (ids != pad_id).float().view(-1, 1, 1, n)) > 0


@right("04.decoder_mask")
def by_what_is_closed(ids, pad_id):
    n = ids.shape[-1]
    later = torch.ones(n, n).triu(1).bool()
    return ~(later[None, None] | (ids == pad_id)[:, None, None])


@right("04.decoder_mask")
def with_the_librarys_padding(ids, pad_id):
    """The lesson has shown it; the exercise is to join the two."""
    return masks.padding_mask(ids, pad_id) & masks.causal_mask(ids.shape[1])


@right("04.decoder_mask")
def sentence_by_sentence(ids, pad_id):
    causal = torch.arange(ids.shape[1]) <= torch.arange(ids.shape[1])[:, None]
    return torch.stack([torch.logical_and(causal, sentence != pad_id) for sentence in ids])[:, None]


# --- 04.repaired ------------------------------------------------------------------------------------------------------


@right("04.repaired")
def repaired_in_place(source_ids, target_ids, pad_id):
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    source_mask = (source_ids != pad_id)[:, None, None, :]
    target_mask = causal & (target_ids != pad_id)[:, None, None, :]
    cross_mask = (source_ids != pad_id)[:, None, None, :]
    return source_mask, target_mask, cross_mask


@right("04.repaired")
def repaired_with_one_mask_for_the_source(source_ids, target_ids, pad_id):
    words = source_ids.ne(pad_id)[:, None, None]
    positions = torch.arange(target_ids.size(1))
    return words, (positions[:, None] >= positions) & target_ids.ne(pad_id)[:, None, None], words


@right("04.repaired")
def repaired_as_a_list(source_ids, target_ids, pad_id):
    def words(ids):
        return (ids != pad_id).view(len(ids), 1, 1, -1)

    n = target_ids.shape[-1]
    return [words(source_ids), words(target_ids).expand(-1, 1, n, n).tril(), words(source_ids).clone()]


@right("04.repaired")
def repaired_by_turning_the_triangle(source_ids, target_ids, pad_id):
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).triu().mT
    padding = ~(target_ids == pad_id).reshape(-1, 1, 1, n)
    source = ~(source_ids == pad_id).reshape(len(source_ids), 1, 1, source_ids.shape[1])
    return source, causal.logical_and(padding), source


@right("04.repaired")
def repaired_expanded(source_ids, target_ids, pad_id):
    """Each mask in its full shape."""
    source = masks.padding_mask(source_ids, pad_id)
    n, n_source = target_ids.shape[1], source_ids.shape[1]
    target = masks.padding_mask(target_ids, pad_id) & masks.causal_mask(n)
    return source.expand(-1, 1, n_source, -1), target, source.expand(-1, 1, n, -1)


@right("04.repaired")
def repaired_by_the_librarys_cross_mask(source_ids, target_ids, pad_id):
    """It closes the rows of the target's padding, too: what they read is thrown away."""
    target = masks.padding_mask(target_ids, pad_id) & masks.causal_mask(target_ids.shape[1])
    return masks.padding_mask(source_ids, pad_id), target, masks.cross_mask(target_ids, source_ids, pad_id)
