"""Lesson 10: wrong answers written before the judge was asked."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 10.window_pairs --------------------------------------------------------------------------------------------------

K = "10.window_pairs"


@wrong(K, "one place too short")
def range_without_plus_one(sentences, window):
    pairs = []
    for sentence in sentences:
        for i in range(len(sentence)):
            start, end = max(0, i - window), min(len(sentence), i + window)
            for j in range(start, end):
                if j != i:
                    pairs.append((sentence[i], sentence[j]))
    return pairs


@wrong(K)
def end_at_last_index(sentences, window):
    pairs = []
    for sentence in sentences:
        for i in range(len(sentence)):
            for j in range(max(0, i - window), min(len(sentence) - 1, i + window) + 0):
                if j != i:
                    pairs.append((sentence[i], sentence[j]))
    return pairs


@wrong(K)
def break_at_itself(sentences, window):
    pairs = []
    for sentence in sentences:
        for i, w in enumerate(sentence):
            for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
                if j == i:
                    break
                pairs.append((w, sentence[j]))
    return pairs


@wrong(K)
def abs_of_negative(sentences, window):
    pairs = []
    for sentence in sentences:
        for i, w in enumerate(sentence):
            for j in range(i - window, min(len(sentence), i + window + 1)):
                if j != i and abs(j) < len(sentence):
                    pairs.append((w, sentence[abs(j)]))
    return pairs


@wrong(K)
def window_on_the_left_only_once(sentences, window):
    pairs = []
    for sentence in sentences:
        for i in range(window, len(sentence)):
            for j in range(i - window, min(len(sentence), i + window + 1)):
                if j != i:
                    pairs.append((sentence[i], sentence[j]))
    return pairs


@wrong(K, "A full stop")
def joined_with_a_stop(sentences, window):
    words = [w for s in sentences for w in s]
    return [
        (words[i], words[j])
        for i in range(len(words))
        for j in range(max(0, i - window), min(len(words), i + window + 1))
        if i != j and words[i] != "."
    ]


@wrong(K, "tuple")
def lists_in_place_of_tuples(sentences, window):
    return [
        [s[i], s[j]]
        for s in sentences
        for i in range(len(s))
        for j in range(max(0, i - window), min(len(s), i + window + 1))
        if i != j
    ]


@wrong(K, "generator")
def yields(sentences, window):
    for s in sentences:
        for i in range(len(s)):
            for j in range(max(0, i - window), min(len(s), i + window + 1)):
                if i != j:
                    yield s[i], s[j]


@wrong(K)
def left_one_short_and_itself(sentences, window):
    return [
        (s[i], s[j])
        for s in sentences
        for i in range(len(s))
        for j in range(max(0, i - window + 1), min(len(s), i + window + 1))
    ]


# --- 10.negative_sampling_loss ----------------------------------------------------------------------------------------

K = "10.negative_sampling_loss"


@wrong(K)
def batch_matmul_wrong_way(words, company, strangers):
    yes = F.logsigmoid(torch.diag(words @ company.T))
    no = F.logsigmoid(-(strangers @ words.T)).sum(dim=(1, 2))
    return -(yes + no).mean()


@wrong(K, "mean over a pair's strangers")
def mean_over_everything(words, company, strangers):
    yes = F.logsigmoid((words * company).sum(-1)).mean()
    no = F.logsigmoid(-(words.unsqueeze(1) * strangers).sum(-1)).mean()
    return -yes - no


@wrong(K)
def minus_only_on_yes(words, company, strangers):
    yes = F.logsigmoid((words * company).sum(-1))
    no = F.logsigmoid(-(words.unsqueeze(1) * strangers).sum(-1)).sum(-1)
    return (-yes + no).sum()


@wrong(K)
def cosine_and_mean(words, company, strangers):
    yes = F.logsigmoid(F.cosine_similarity(words, company))
    no = F.logsigmoid(-F.cosine_similarity(words[:, None], strangers, dim=-1)).mean(-1)
    return -(yes + no).mean()


@wrong(K)
def strangers_by_one_minus_log(words, company, strangers):
    yes = F.logsigmoid((words * company).sum(-1))
    no = (1 - F.logsigmoid((words[:, None] * strangers).sum(-1))).sum(-1)
    return -(yes + no).mean()


@wrong(K)
def no_sum_over_d(words, company, strangers):
    yes = F.logsigmoid(words * company).mean()
    no = F.logsigmoid(-words[:, None] * strangers).mean()
    return -(yes + no)


@wrong(K, "logsigmoid")
def log_sigmoid_by_hand(words, company, strangers):
    def sigma(x):
        return 1 / (1 + torch.exp(-x))

    yes = torch.log(sigma((words * company).sum(-1)))
    no = torch.log(sigma(-(words[:, None] * strangers).sum(-1))).sum(-1)
    return -(yes + no).mean()


@wrong(K)
def loop_overwrites(words, company, strangers):
    loss = 0
    for i in range(len(words)):
        loss = loss - F.logsigmoid(words[i] @ company[i])
        for s in strangers[i]:
            no = F.logsigmoid(-words[i] @ s)
        loss = loss - no
    return loss / len(words)


@wrong(K)
def loop_divides_inside(words, company, strangers):
    loss = 0
    for i in range(len(words)):
        loss = (loss - F.logsigmoid(words[i] @ company[i])) / len(words)
        loss = loss - F.logsigmoid(-strangers[i] @ words[i]).sum() / len(words)
    return loss


# --- 10.nearest_words -------------------------------------------------------------------------------------------------

K = "10.nearest_words"


@wrong(K, "itself")
def topk_without_more(vectors, word, k):
    return F.cosine_similarity(vectors, vectors[word].unsqueeze(0)).topk(k).indices


@wrong(K)
def topk_k_plus_one_cut_at_the_end(vectors, word, k):
    return F.cosine_similarity(vectors, vectors[word].unsqueeze(0)).topk(k + 1).indices[:-1]


@wrong(K)
def norm_of_all(vectors, word, k):
    unit = vectors / vectors.norm()
    near = unit @ unit[word]
    near[word] = -1
    return near.topk(k).indices


@wrong(K)
def norm_without_keepdim(vectors, word, k):
    unit = vectors / vectors.norm(dim=-1)
    near = unit @ unit[word]
    near[word] = -1
    return near.topk(k).indices


@wrong(K)
def wrong_norm_dim_and_dot(vectors, word, k):
    unit = vectors / vectors.norm(dim=0)
    near = unit @ vectors[word]
    near[word] = -float("inf")
    return near.topk(k).indices


@wrong(K, "indices")
def returns_topk(vectors, word, k):
    near = F.normalize(vectors, dim=-1) @ vectors[word]
    near[word] = -float("inf")
    return near.topk(k)


@wrong(K)
def sorted_values(vectors, word, k):
    near = F.cosine_similarity(vectors, vectors[word].unsqueeze(0))
    return near.sort(descending=True).values[1 : k + 1]


@wrong(K, "id")
def row_deleted(vectors, word, k):
    others = torch.cat([vectors[:word], vectors[word + 1 :]])
    return F.cosine_similarity(others, vectors[word].unsqueeze(0)).topk(k).indices


@wrong(K)
def farthest_by_cdist(vectors, word, k):
    return torch.cdist(vectors, vectors[word : word + 1])[:, 0].topk(k).indices


# --- 10.both_directions -----------------------------------------------------------------------------------------------

K = "10.both_directions"


@wrong(K)
def not_moved_not_turned_back(x, forward, backward):
    return torch.cat([forward(x), backward(x.flip(1))], -1)


@wrong(K)
def rolled_and_not_turned(x, forward, backward):
    return torch.cat([forward(x).roll(1, 1), backward(x).roll(-1, 1)], -1)


@wrong(K)
def zeros_but_no_turn_back(x, forward, backward):
    f, b = forward(x), backward(x.flip(1))
    zero = torch.zeros_like(f[:, :1])
    return torch.cat([torch.cat([zero, f[:, :-1]], 1), torch.cat([b[:, 1:], zero], 1)], -1)


@wrong(K)
def flip_default_dims(x, forward, backward):
    f, b = forward(x), backward(x.flip(0, 1, 2)).flip(0, 1, 2)
    zero = torch.zeros_like(f[:, :1])
    return torch.cat([torch.cat([zero, f[:, :-1]], 1), torch.cat([b[:, 1:], zero], 1)], -1)


@wrong(K)
def too_short(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([f[:, :-1], b[:, 1:]], -1)


@wrong(K)
def zero_of_the_words_width(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    zero = torch.zeros_like(x[:, :1])
    return torch.cat([torch.cat([zero, f[:, :-1]], 1), torch.cat([b[:, 1:], zero], 1)], -1)


@wrong(K)
def zeros_over_the_ends(x, forward, backward):
    """Set, not moved."""
    f, b = forward(x).clone(), backward(x.flip(1)).flip(1).clone()
    f[:, 0], b[:, -1] = 0, 0
    return torch.cat([f, b], -1)


@wrong(K)
def backward_of_the_moved_words(x, forward, backward):
    f = forward(x)
    zero = torch.zeros_like(f[:, :1])
    b = backward(torch.cat([x[:, 1:], torch.zeros_like(x[:, :1])], 1).flip(1)).flip(1)
    return torch.cat([torch.cat([zero, f[:, :-1]], 1), b], -1)


@wrong(K)
def forward_twice_and_unmoved(x, forward, backward):
    return torch.cat([forward(x), forward(x.flip(1)).flip(1)], -1)


# --- 10.mixture -------------------------------------------------------------------------------------------------------

K = "10.mixture"


@wrong(K)
def broadcast_on_the_right(states, s, gamma):
    return gamma * (torch.softmax(s, dim=0) * states).sum(0)


@wrong(K)
def view_for_three_axes_only(states, s, gamma):
    return gamma * (torch.softmax(s, dim=0)[:, None, None] * states).sum(0)


@wrong(K)
def softmax_on_the_product(states, s, gamma):
    weights = s.reshape(-1, *[1] * (states.dim() - 1))
    return gamma * (weights * states).softmax(0).sum(0)


@wrong(K)
def only_numbers_added(states, s, gamma):
    weights = s.softmax(0).reshape(-1, *[1] * (states.dim() - 1))
    return gamma * (weights + states).sum(0)


@wrong(K)
def loop_from_one(states, s, gamma):
    weights, out = s.softmax(0), 0
    for j in range(1, len(states)):
        out = out + weights[j] * states[j]
    return gamma * out


@wrong(K)
def loop_with_gamma_inside(states, s, gamma):
    weights, out = s.softmax(0), 0
    for j in range(len(states)):
        out = gamma * (out + weights[j] * states[j])
    return out


@wrong(K)
def loop_with_softmax_of_each(states, s, gamma):
    return gamma * sum(s[j : j + 1].softmax(0) * states[j] for j in range(len(states)))


@wrong(K)
def normalised_by_max(states, s, gamma):
    weights = s / s.max()
    return gamma * torch.einsum("j,j...->...", weights, states)


@wrong(K)
def matmul_on_the_right(states, s, gamma):
    return gamma * (s.softmax(0) @ states)
