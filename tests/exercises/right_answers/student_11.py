"""Right answers of a fresh student in lesson 11, BERT, in other styles."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from right_answers import right


@right("11.input_sum")
def student_input_by_lists(a, b, token, segment, position, cls_id, sep_id):
    ids = [cls_id, *a.tolist(), sep_id]
    segments = [0] * len(ids)
    if b is not None:
        ids += b.tolist() + [sep_id]
        segments += [1] * (len(b) + 1)
    return torch.stack(
        [token[i] + segment[s] + position[p] for p, (i, s) in enumerate(zip(ids, segments, strict=True))]
    )


@right("11.input_sum")
def student_input_by_parts(a, b, token, segment, position, cls_id, sep_id):
    first = torch.cat([token[[cls_id]], token[a], token[[sep_id]]]) + segment[0]
    x = first if b is None else torch.cat([first, torch.cat([token[b], token[[sep_id]]]) + segment[1]])
    return x + position[: x.shape[0]]


@right("11.input_sum")
def student_input_by_embedding(a, b, token, segment, position, cls_id, sep_id):
    b = torch.tensor([], dtype=torch.long) if b is None else torch.cat((b, torch.tensor([sep_id])))
    ids = torch.cat((torch.tensor([cls_id]), a, torch.tensor([sep_id]), b))
    places = torch.arange(ids.numel())
    return F.embedding(ids, token) + F.embedding((places >= len(a) + 2).long(), segment) + F.embedding(places, position)


@right("11.input_sum")
def student_input_by_padding(a, b, token, segment, position, cls_id, sep_id):
    pad = F.pad(a, (1, 0), value=cls_id)
    ids = F.pad(pad, (0, 1), value=sep_id)
    if b is not None:
        ids = torch.hstack((ids, F.pad(b, (0, 1), value=sep_id)))
    which = torch.zeros(len(ids), dtype=torch.long)
    which[len(a) + 2 :] = 1
    return token.index_select(0, ids) + segment[which] + position.narrow(0, 0, len(ids))


@right("11.mask_tokens")
def student_mask_by_masked_fill(ids, special, chance, die, random_ids, mask_id):
    chosen = torch.logical_and(chance < 0.15, torch.logical_not(special))
    labels = ids.masked_fill(~chosen, -100)
    inputs = ids.clone()
    m = chosen & (die < 0.8)
    r = chosen & (die >= 0.8) & (die < 0.9)
    inputs[m] = mask_id
    inputs[r] = random_ids[r]
    return inputs, labels


@right("11.mask_tokens")
def student_mask_by_loop(ids, special, chance, die, random_ids, mask_id):
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    for i in range(ids.shape[0]):
        for j in range(ids.shape[1]):
            if special[i, j] or chance[i, j] >= 0.15:
                continue
            labels[i, j] = ids[i, j]
            if die[i, j] < 0.8:
                inputs[i, j] = mask_id
            elif die[i, j] < 0.9:
                inputs[i, j] = random_ids[i, j]
    return inputs, labels


@right("11.mask_tokens")
def student_mask_by_nested_where(ids, special, chance, die, random_ids, mask_id):
    read = torch.where(die < 0.8, torch.tensor(mask_id), torch.where(die < 0.9, random_ids, ids))
    asked = (chance < 0.15) * ~special
    return torch.where(asked, read, ids), torch.where(asked, ids, torch.tensor(-100))


@right("11.mlm_loss")
def student_loss_flat(hidden, labels, embedding, bias):
    h, t = hidden.reshape(-1, hidden.shape[-1]), labels.reshape(-1)
    keep = (t >= 0).nonzero().squeeze(-1)
    return nn.CrossEntropyLoss()(F.linear(h[keep], embedding, bias), t[keep])


@right("11.mlm_loss")
def student_loss_by_logsumexp(hidden, labels, embedding, bias):
    asked = labels != -100
    h, t = hidden[asked], labels[asked]
    logits = torch.einsum("md,vd->mv", h, embedding) + bias
    return (torch.logsumexp(logits, -1) - logits[torch.arange(len(t)), t]).mean()


@right("11.mlm_loss")
def student_loss_nll(hidden, labels, embedding, bias):
    asked = labels.ne(-100)
    logp = F.log_softmax(hidden[asked] @ embedding.T + bias, dim=1)
    return F.nll_loss(logp, labels[asked])


@right("11.next_sentence_pairs")
def student_pairs_by_iterators(documents, coins, draws):
    result = []
    rolls = iter(zip(coins, draws, strict=False))
    for number, document in enumerate(documents):
        for first, second in zip(document, document[1:], strict=False):
            coin, places = next(rolls)
            if coin:
                result.append((first, second, "IsNext"))
                continue
            for d, s in places:
                if d != number:
                    result.append((first, documents[d][s], "NotNext"))
                    break
    return result


@right("11.next_sentence_pairs")
def student_pairs_flattened(documents, coins, draws):
    where = [(d, s) for d in range(len(documents)) for s in range(len(documents[d]) - 1)]
    out = []
    for k in range(len(where)):
        d, s = where[k]
        b = documents[d][s + 1]
        label = "IsNext" if coins[k] else "NotNext"
        if not coins[k]:
            other = next(p for p in draws[k] if p[0] != d)
            b = documents[other[0]][other[1]]
        out.append((documents[d][s], b, label))
    return out


@right("11.next_sentence_pairs")
def student_pairs_popping(documents, coins, draws):
    coins, draws = list(coins)[::-1], list(draws)[::-1]
    pairs = []
    for k, doc in enumerate(documents):
        for a, b in zip(doc[:-1], doc[1:], strict=True):
            coin, places = coins.pop(), list(draws.pop())
            if not coin:
                while places[0][0] == k:
                    places.pop(0)
                b = documents[places[0][0]][places[0][1]]
            pairs.append((a, b, ["NotNext", "IsNext"][bool(coin)]))
    return pairs


@right("11.previous_token")
def student_previous_by_slices(weights):
    return weights[..., 1:, :-1].diagonal(dim1=-2, dim2=-1).mean(dim=-1)


@right("11.previous_token")
def student_previous_by_index(weights):
    i = torch.arange(1, weights.size(-1))
    return weights[..., i, i - 1].mean(-1)


@right("11.previous_token")
def student_previous_by_mask(weights):
    n = weights.shape[-1]
    shifted = torch.eye(n - 1, n, dtype=weights.dtype)
    return (weights[..., 1:, :] * shifted).sum((-2, -1)) / (n - 1)


@right("11.previous_token")
def student_previous_by_loop(weights):
    n = weights.shape[-1]
    total = 0
    for i in range(1, n):
        total = total + weights[..., i, i - 1]
    return total / (n - 1)


@right("11.mlm_loss")
def student_loss_at_all_places(hidden, labels, embedding, bias):
    return F.cross_entropy((hidden @ embedding.mT + bias).mT, labels)
