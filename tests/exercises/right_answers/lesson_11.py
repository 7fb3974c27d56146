"""Right answers to lesson 11, BERT."""

import torch
import torch.nn.functional as F

from right_answers import right

# --- 11.input_sum -----------------------------------------------------------------------------------------------------


@right("11.input_sum")
def input_by_lists(a, b, token, segment, position, cls_id, sep_id):
    ids = [cls_id, *a.tolist(), sep_id]
    segments = [0] * len(ids)
    if b is not None:
        ids += [*b.tolist(), sep_id]
        segments += [1] * (len(b) + 1)
    return token[ids] + segment[segments] + position[: len(ids)]


@right("11.input_sum")
def input_by_loop(a, b, token, segment, position, cls_id, sep_id):
    rows, place = [], 0
    for s, text in enumerate([a] if b is None else [a, b]):
        marked = ([cls_id] if s == 0 else []) + [int(i) for i in text] + [sep_id]
        for i in marked:
            rows.append(token[i] + segment[s] + position[place])
            place += 1
    return torch.stack(rows)


@right("11.input_sum")
def input_by_embedding(a, b, token, segment, position, cls_id, sep_id):
    first = F.pad(F.pad(a, (1, 0), value=cls_id), (0, 1), value=sep_id)
    second = a.new_zeros(0) if b is None else F.pad(b, (0, 1), value=sep_id)
    ids = torch.hstack([first, second])
    segments = (torch.arange(len(ids)) >= len(first)).long()
    places = torch.arange(len(ids))
    return F.embedding(ids, token) + F.embedding(segments, segment) + F.embedding(places, position)


@right("11.input_sum")
def input_by_one_hot(a, b, token, segment, position, cls_id, sep_id):
    ids = torch.cat([torch.tensor([cls_id]), a, torch.tensor([sep_id])])
    segments = torch.zeros_like(ids)
    if b is not None:
        ids = torch.cat([ids, b, torch.tensor([sep_id])])
        segments = torch.cat([segments, torch.ones(len(b) + 1, dtype=torch.long)])
    n = ids.shape[0]
    hot = F.one_hot(ids, token.shape[0]).to(token.dtype)
    return hot @ token + segment.index_select(0, segments) + position.narrow(0, 0, n)


# --- 11.mask_tokens ---------------------------------------------------------------------------------------------------


@right("11.mask_tokens")
def mask_by_clone(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ~special
    inputs, labels = ids.clone(), ids.clone()
    labels[~chosen] = -100
    masked = chosen & (die < 0.8)
    inputs[masked] = mask_id
    replaced = chosen & ~masked & (die < 0.9)
    inputs[replaced] = random_ids[replaced]
    return inputs, labels


@right("11.mask_tokens")
def mask_by_loop(ids, special, chance, die, random_ids, mask_id):
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    for row in range(ids.shape[0]):
        for place in range(ids.shape[1]):
            if special[row, place] or not chance[row, place] < 0.15:
                continue
            labels[row, place] = ids[row, place]
            if die[row, place] < 0.8:
                inputs[row, place] = mask_id
            elif die[row, place] < 0.9:
                inputs[row, place] = random_ids[row, place]
    return inputs, labels


@right("11.mask_tokens")
def mask_by_masked_fill(ids, special, chance, die, random_ids, mask_id):
    chosen = torch.logical_and(chance < 0.15, torch.logical_not(special))
    labels = ids.masked_fill(~chosen, -100)
    what = torch.where(die < 0.8, torch.full_like(ids, mask_id), torch.where(die < 0.9, random_ids, ids))
    return torch.where(chosen, what, ids), labels


@right("11.mask_tokens")
def mask_special_first(ids, special, chance, die, random_ids, mask_id):
    chance = chance.masked_fill(special, 1.0)
    chosen = chance < 0.15
    labels = torch.where(chosen, ids, -100)
    return [torch.where(chosen & (die < 0.8), mask_id, torch.where(chosen & (die < 0.9), random_ids, ids)), labels]


# --- 11.mlm_loss ------------------------------------------------------------------------------------------------------


@right("11.mlm_loss")
def mlm_by_mask(hidden, labels, embedding, bias):
    asked = labels != -100
    logits = hidden[asked] @ embedding.T + bias
    return F.cross_entropy(logits, labels[asked])


@right("11.mlm_loss")
def mlm_by_ignore_index(hidden, labels, embedding, bias):
    logits = F.linear(hidden, embedding, bias)
    return F.cross_entropy(logits.transpose(1, 2), labels)


@right("11.mlm_loss")
def mlm_by_gather(hidden, labels, embedding, bias):
    log_p = (torch.einsum("bnd,vd->bnv", hidden, embedding) + bias).log_softmax(-1)
    asked = (labels >= 0).to(hidden.dtype)
    right_ones = log_p.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return -(right_ones * asked).sum() / asked.sum()


@right("11.mlm_loss")
def mlm_by_loop(hidden, labels, embedding, bias):
    total, count = 0.0, 0
    for vectors, wanted in zip(hidden, labels):
        for vector, i in zip(vectors, wanted.tolist()):
            if i != -100:
                logits = embedding @ vector + bias
                total = total + logits.logsumexp(0) - logits[i]
                count += 1
    return total / count


# --- 11.next_sentence_pairs -------------------------------------------------------------------------------------------


@right("11.next_sentence_pairs")
def pairs_by_counter(documents, coins, draws):
    pairs, count = [], 0
    for d, document in enumerate(documents):
        for i in range(len(document) - 1):
            if coins[count]:
                pairs.append((document[i], document[i + 1], "IsNext"))
            else:
                for other, j in draws[count]:
                    if other != d:
                        pairs.append((document[i], documents[other][j], "NotNext"))
                        break
            count += 1
    return pairs


@right("11.next_sentence_pairs")
def pairs_by_iterators(documents, coins, draws):
    coin, drawn = iter(coins), iter(draws)
    pairs = []
    for d, sentences in enumerate(documents):
        for a, following in zip(sentences, sentences[1:]):
            places = next(drawn)
            if next(coin):
                pairs.append((a, following, "IsNext"))
            else:
                e, j = list(filter(lambda place: place[0] != d, places))[0]  # noqa: RUF015
                pairs.append((a, documents[e][j], "NotNext"))
    return pairs


@right("11.next_sentence_pairs")
def pairs_by_comprehension(documents, coins, draws):
    firsts = [(d, i) for d in range(len(documents)) for i in range(len(documents[d]) - 1)]

    def second(d, i, coin, places):
        e, j = (d, i + 1) if coin else next((e, j) for e, j in places if e != d)
        return documents[e][j]

    return [
        (documents[d][i], second(d, i, coin, places), "IsNext" if coin else "NotNext")
        for (d, i), coin, places in zip(firsts, coins, draws)
    ]


# --- 11.previous_token ------------------------------------------------------------------------------------------------


@right("11.previous_token")
def previous_by_diagonal(weights):
    return torch.diagonal(weights, -1, -2, -1).mean(dim=-1)


@right("11.previous_token")
def previous_by_index(weights):
    i = torch.arange(1, weights.shape[-1])
    return weights[..., i, i - 1].mean(-1)


@right("11.previous_token")
def previous_by_loop(weights):
    n = weights.shape[-1]
    total = 0
    for i in range(1, n):
        total = total + weights[..., i, i - 1]
    return total / (n - 1)


@right("11.previous_token")
def previous_by_mask(weights):
    n = weights.shape[-1]
    below = torch.ones(n, n, dtype=weights.dtype).tril(-1) - torch.ones(n, n, dtype=weights.dtype).tril(-2)
    return (weights * below).sum((-2, -1)) / (n - 1)
