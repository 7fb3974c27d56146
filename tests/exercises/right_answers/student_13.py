"""What a fresh student answered rightly in lesson 13, GPT, in other styles."""

import math

import torch
import torch.nn.functional as F

from right_answers import right


@right("13.next_word_logits")
def student_13_triu_filled(ids, W_e, W_p, W_Q, W_K, W_V):
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[torch.arange(n)]
    x = h - h.mean(-1, keepdim=True)
    x = x / x.pow(2).mean(-1, keepdim=True).sqrt()
    scores = torch.einsum("bqd,bkd->bqk", x @ W_Q, x @ W_K) / math.sqrt(d)
    scores = scores + torch.full((n, n), float("-inf")).triu(1)
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.T


@right("13.next_word_logits")
def student_13_with_torchs_epsilon(ids, W_e, W_p, W_Q, W_K, W_V):
    n, d = ids.shape[1], W_e.shape[1]
    h = F.embedding(ids, W_e) + W_p[:n]
    x = F.layer_norm(h, (d,))
    q, k, v = x @ W_Q, x @ W_K, x @ W_V
    place = torch.arange(n)
    scores = (q @ k.transpose(1, 2)) / d**0.5
    scores = torch.where(place[:, None] >= place, scores, -1e9)
    return (h + F.softmax(scores, dim=-1) @ v) @ W_e.T


@right("13.lm_loss")
def student_13_a_loop(logits, ids, pad_id):
    total, count = 0.0, 0
    for text, rows in zip(ids, logits.log_softmax(-1), strict=True):
        for i in range(1, len(text)):
            if text[i] != pad_id:
                total, count = total - rows[i - 1, text[i]], count + 1
    return total / count


@right("13.lm_loss")
def student_13_selected(logits, ids, pad_id):
    after = ids[:, 1:]
    return F.cross_entropy(logits[:, :-1][after != pad_id], after[after != pad_id])


@right("13.lm_loss")
def student_13_logsumexp(logits, ids, pad_id):
    ahead, after = logits[:, :-1], ids[:, 1:]
    nll = ahead.logsumexp(-1) - ahead.gather(2, after.unsqueeze(2)).squeeze(2)
    real = (after != pad_id).float()
    return (nll * real).sum() / real.sum()


right("13.bits_per_byte")(
    {"perplexity": math.e**2, "bits a token": 2 / math.log(2), "bits a byte": 300 * 2 / math.log(2) / 1250}
)
right("13.bits_per_byte")({"perplexity": 7.39, "bits a token": 2.89, "bits a byte": 0.692})


@right("13.top_p_filter")
def student_13_a_loop_over_rows(probabilities, p):
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    out = torch.zeros_like(rows)
    for row, new in zip(rows, out, strict=True):
        held = 0.0
        for i in row.argsort(descending=True).tolist():
            if held >= p:
                break
            new[i] = row[i]
            held += row[i].item()
    return (out / out.sum(-1, keepdim=True)).reshape(probabilities.shape)


@right("13.top_p_filter")
def student_13_searchsorted(probabilities, p):
    values, order = probabilities.sort(-1, descending=True)
    count = (values.cumsum(-1) < p).sum(-1, keepdim=True) + 1
    keep = (torch.arange(values.shape[-1]) < count).gather(-1, order.argsort(-1))
    return F.normalize(probabilities * keep, p=1, dim=-1)


@right("13.top_p_filter")
def student_13_shifted_mask(probabilities, p):
    """As Hugging Face's filter: the removed ones are shifted one to the right."""
    values, order = torch.sort(probabilities, descending=True)
    remove = torch.cumsum(values, -1) >= p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    out = probabilities.masked_fill(remove.scatter(-1, order, remove), 0.0)
    return out / out.sum(-1, keepdim=True)


@right("13.cache_step")
def student_13_torchs_own(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    past = keys.size(1)
    x = W_e[new_id] + W_p[past : past + 1]
    keys, values = torch.cat((keys, x @ W_K), dim=1), torch.cat((values, x @ W_V), dim=1)
    return F.scaled_dot_product_attention(x @ W_Q, keys, values), keys, values


@right("13.cache_step")
def student_13_einsum(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    x = W_e[new_id[:, 0]] + W_p[keys.shape[1]]
    keys = torch.cat([keys, (x @ W_K).unsqueeze(1)], 1)
    values = torch.cat([values, (x @ W_V).unsqueeze(1)], 1)
    scores = torch.einsum("bd,bnd->bn", x @ W_Q, keys) / math.sqrt(W_K.shape[1])
    return torch.einsum("bn,bnd->bd", scores.softmax(-1), values)[:, None], keys, values


@right("13.cache_step")
def student_13_new_tensors(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    batch, past, d_k = keys.shape
    x = W_e[new_id] + W_p[past]
    all_keys, all_values = keys.new_empty(batch, past + 1, d_k), values.new_empty(batch, past + 1, values.shape[-1])
    all_keys[:, :past], all_keys[:, past:] = keys, x @ W_K
    all_values[:, :past], all_values[:, past:] = values, x @ W_V
    return torch.softmax(x @ W_Q @ all_keys.mT * d_k**-0.5, -1) @ all_values, all_keys, all_values
