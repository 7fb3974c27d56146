"""Right answers to lesson 10, from word vectors to context."""

import torch
import torch.nn.functional as F

from right_answers import right

# --- 10.window_pairs --------------------------------------------------------------------------------------------------


@right("10.window_pairs")
def three_loops(sentences, window):
    pairs = []
    for words in sentences:
        for i in range(len(words)):
            for j in range(max(0, i - window), min(len(words), i + window + 1)):
                if i != j:
                    pairs.append((words[i], words[j]))
    return pairs


@right("10.window_pairs")
def by_distance(sentences, window):
    return [
        (word, other)
        for words in sentences
        for i, word in enumerate(words)
        for j, other in enumerate(words)
        if 0 < abs(i - j) <= window
    ]


@right("10.window_pairs")
def two_slices(sentences, window):
    pairs = []
    for words in sentences:
        for i, word in enumerate(words):
            before = words[max(0, i - window) : i]
            after = words[i + 1 : i + 1 + window]
            pairs.extend((word, other) for other in before + after)
    return pairs


@right("10.window_pairs")
def with_gaps(sentences, window):
    pairs = []
    for words in sentences:
        for i, word in enumerate(words):
            for gap in range(-window, window + 1):
                if gap == 0 or i + gap < 0 or i + gap >= len(words):
                    continue
                pairs += [(word, words[i + gap])]
    return pairs


# --- 10.negative_sampling_loss ----------------------------------------------------------------------------------------


@right("10.negative_sampling_loss")
def by_logsigmoid(words, company, strangers):
    yes = F.logsigmoid((words * company).sum(-1))
    no = F.logsigmoid(-(words[:, None] * strangers).sum(-1)).sum(-1)
    return -(yes + no).mean()


@right("10.negative_sampling_loss")
def by_loops(words, company, strangers):
    total = 0
    for w, c, others in zip(words, company, strangers):
        total = total - F.logsigmoid(w @ c)
        for s in others:
            total = total - F.logsigmoid(-w @ s)
    return total / len(words)


@right("10.negative_sampling_loss")
def by_binary_cross_entropy(words, company, strangers):
    asked = torch.cat([company[:, None], strangers], dim=1)
    logits = (asked @ words[..., None]).squeeze(-1)
    target = torch.zeros_like(logits)
    target[:, 0] = 1
    return F.binary_cross_entropy_with_logits(logits, target, reduction="sum") / len(words)


@right("10.negative_sampling_loss")
def by_softplus(words, company, strangers):
    scores = torch.einsum("pd,pkd->pk", words, strangers)
    return F.softplus(-(words * company).sum(1)).mean() + F.softplus(scores).sum(1).mean()


# --- 10.nearest_words -------------------------------------------------------------------------------------------------


@right("10.nearest_words")
def by_topk(vectors, word, k):
    unit = vectors / vectors.norm(dim=-1, keepdim=True)
    cosine = unit @ unit[word]
    cosine[word] = -float("inf")
    return cosine.topk(k).indices


@right("10.nearest_words")
def first_one_dropped(vectors, word, k):
    return F.cosine_similarity(vectors, vectors[word][None]).argsort(descending=True)[1 : k + 1]


@right("10.nearest_words")
def by_a_sorted_list(vectors, word, k):
    def cosine(other):
        a, b = vectors[word], vectors[other]
        return float(a @ b) / float(a.norm() * b.norm())

    others = [i for i in range(len(vectors)) if i != word]
    return torch.tensor(sorted(others, key=cosine, reverse=True)[:k])


@right("10.nearest_words")
def by_distance_of_unit_vectors(vectors, word, k):
    """Of vectors of length 1, |a − b|² = 2 − 2 cos: the order is the same."""
    unit = F.normalize(vectors, dim=1)
    distance = (unit - unit[word]).norm(dim=1)
    distance[word] = float("inf")
    return distance.topk(k, largest=False).indices


@right("10.nearest_words")
def own_length_left_out(vectors, word, k):
    """The word's own length is the same for all, and changes no order."""
    near = vectors @ vectors[word] / vectors.norm(dim=1)
    near[word] = -torch.inf
    return near.sort(descending=True).indices[:k]


# --- 10.both_directions -----------------------------------------------------------------------------------------------


@right("10.both_directions")
def by_flip_and_cat(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    nothing = torch.zeros_like(f[:, :1])
    return torch.cat([torch.cat([nothing, f[:, :-1]], 1), torch.cat([b[:, 1:], nothing], 1)], -1)


@right("10.both_directions")
def place_by_place(x, forward, backward):
    """Each place by itself: what stands before it is read, and what stands after it."""
    batch, n, _ = x.shape
    d = forward(x).shape[-1]
    rows = []
    for i in range(n):
        before = forward(x[:, :i])[:, -1] if i > 0 else x.new_zeros(batch, d)
        after = backward(x[:, i + 1 :].flip(1))[:, -1] if i < n - 1 else x.new_zeros(batch, d)
        rows.append(torch.cat([before, after], dim=-1))
    return torch.stack(rows, dim=1)


@right("10.both_directions")
def moved_before_it_is_turned_back(x, forward, backward):
    pad = lambda states: F.pad(states[:, :-1], (0, 0, 1, 0))  # noqa: E731
    return torch.cat((pad(forward(x)), pad(backward(torch.flip(x, [1]))).flip(1)), dim=2)


@right("10.both_directions")
def into_an_empty_table(x, forward, backward):
    f, b = forward(x), backward(x[:, torch.arange(x.shape[1] - 1, -1, -1)])
    out = x.new_zeros(*f.shape[:2], 2 * f.shape[2])
    out[:, 1:, : f.shape[2]] = f[:, :-1]
    out[:, :-1, f.shape[2] :] = b.flip(1)[:, 1:]
    return out


# --- 10.mixture -------------------------------------------------------------------------------------------------------


@right("10.mixture")
def by_einsum(states, s, gamma):
    return gamma * torch.einsum("l,l...->...", torch.softmax(s, 0), states)


@right("10.mixture")
def layer_by_layer(states, s, gamma):
    shares, mixed = s.softmax(-1), torch.zeros_like(states[0])
    for j in range(len(states)):
        mixed = mixed + shares[j] * states[j]
    return gamma * mixed


@right("10.mixture")
def by_tensordot(states, s, gamma):
    return torch.tensordot(gamma * s.softmax(0), states, dims=1)


@right("10.mixture")
def by_hand(states, s, gamma):
    e = (s - s.max()).exp()
    return (states.movedim(0, -1) @ (e / e.sum())) * gamma


@right("10.both_directions")
def each_place_by_itself(x, forward, backward):
    n, nothing = x.shape[1], torch.zeros_like(forward(x)[:, 0])
    before = [forward(x[:, :i])[:, -1] if i else nothing for i in range(n)]
    after = [backward(x[:, i + 1 :].flip(1))[:, -1] if i < n - 1 else nothing for i in range(n)]
    return torch.cat([torch.stack(before, 1), torch.stack(after, 1)], dim=-1)


@right("10.nearest_words")
def sorted_in_python(vectors, word, k):
    cosines = F.cosine_similarity(vectors, vectors[word][None], dim=-1).tolist()
    others = [i for i in range(len(vectors)) if i != word]
    return torch.tensor(sorted(others, key=lambda i: cosines[i], reverse=True)[:k])
