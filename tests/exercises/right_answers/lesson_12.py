"""Right answers to lesson 12, fine-tuning BERT."""

import itertools

import torch
import torch.nn.functional as F

from course_lib.training import fit
from right_answers import right

# --- 12.classify ------------------------------------------------------------------------------------------------------


@right("12.classify")
def by_cross_entropy(states, W, labels):
    logits = states[:, 0] @ W.T
    return logits, F.cross_entropy(logits, labels)


@right("12.classify")
def by_a_linear_layer_and_nll(states, W, labels):
    logits = F.linear(states[:, 0, :], W)
    return logits, F.nll_loss(F.log_softmax(logits, dim=1), labels)


@right("12.classify")
def class_by_class(states, W, labels):
    C = states.select(1, 0)
    logits = torch.stack([(C * row).sum(-1) for row in W], dim=1)
    losses = [torch.logsumexp(logits[i], 0) - logits[i, labels[i]] for i in range(len(labels))]
    return logits, sum(losses) / len(losses)


@right("12.classify")
def all_places_scored_and_one_read(states, W, labels):
    logits = torch.einsum("bnh,kh->bnk", states, W)[:, 0]
    log_p = logits.log_softmax(-1)
    return logits, -(log_p * F.one_hot(labels, len(W))).sum() / len(labels)


# --- 12.pair_input ----------------------------------------------------------------------------------------------------


@right("12.pair_input")
def on_copies(first, second, cls, sep, max_len):
    first, second = list(first), list(second)
    marks = 3 if len(second) > 0 else 2
    while len(first) + len(second) + marks > max_len:
        if len(first) > len(second):
            first.pop()
        else:
            second.pop()
    ids = [cls] + first + [sep]
    segments = [0] * len(ids)
    if second:
        ids += second + [sep]
        segments += [1] * (len(second) + 1)
    return ids, segments


@right("12.pair_input")
def by_counting(first, second, cls, sep, max_len):
    """How many tokens stay is known without taking one after the other."""
    a, b = len(first), len(second)
    if b == 0:
        kept = first[: max_len - 2]
        return [cls, *kept, sep], [0] * (len(kept) + 2)
    room = max_len - 3
    if a + b > room:
        small = room // 2
        if a <= room - small and a <= b:
            b = room - a
        elif b <= small:
            a = room - b
        else:
            a, b = room - small, small
    return [cls, *first[:a], sep, *second[:b], sep], [0] * (a + 2) + [1] * (b + 1)


@right("12.pair_input")
def in_tuples(first, second, cls, sep, max_len):
    n, m = len(first), len(second)
    while n + m + 2 + (m > 0) > max_len:
        n, m = (n - 1, m) if n > m else (n, m - 1)
    parts = [((cls,), 0), (first[:n], 0), ((sep,), 0)] + ([(second[:m], 1), ((sep,), 1)] if second else [])
    both = [(id, segment) for ids, segment in parts for id in ids]
    ids, segments = zip(*both)
    return list(ids), list(segments)


# --- 12.tags_on_pieces ------------------------------------------------------------------------------------------------


@right("12.tags_on_pieces")
def with_an_iterator(pieces, tags):
    tag = iter(tags)
    return [-100 if piece in ("[CLS]", "[SEP]", "[PAD]") or piece.startswith("##") else next(tag) for piece in pieces]


@right("12.tags_on_pieces")
def with_a_counter(pieces, tags):
    labels = [-100] * len(pieces)
    word = 0
    for place in range(len(pieces)):
        if pieces[place][:2] == "##" or pieces[place] in {"[CLS]", "[SEP]", "[PAD]"}:
            continue
        labels[place] = tags[word]
        word += 1
    return labels


@right("12.tags_on_pieces")
def places_first(pieces, tags):
    def begins(piece):
        return not piece.startswith("##") and piece not in {"[CLS]", "[SEP]", "[PAD]"}

    tag_at = dict(zip([i for i, piece in enumerate(pieces) if begins(piece)], tags))
    return [tag_at.get(i, -100) for i in range(len(pieces))]


@right("12.tags_on_pieces")
def by_popping_a_copy(pieces, tags):
    left, labels = tags[::-1], []
    for piece in pieces:
        labels.append(-100 if "##" in piece or piece in ["[CLS]", "[PAD]", "[SEP]"] else left.pop())
    return labels


# --- 12.best_span -----------------------------------------------------------------------------------------------------


@right("12.best_span")
def two_loops(start, end, allowed, max_len):
    best, answer = float("-inf"), None
    for i in range(len(start)):
        for j in range(i, min(i + max_len, len(end))):
            if allowed[i] and allowed[j] and start[i] + end[j] > best:
                best, answer = start[i] + end[j], (i, j)
    return answer


@right("12.best_span")
def a_table(start, end, allowed, max_len):
    n = len(start)
    table = start.unsqueeze(1) + end.unsqueeze(0)
    table = table.masked_fill(~(allowed.unsqueeze(1) & allowed.unsqueeze(0)), float("-inf"))
    keep = torch.ones(n, n).triu() - torch.ones(n, n).triu(max_len)
    table[keep == 0] = float("-inf")
    index = table.argmax().item()
    return index // n, index % n


@right("12.best_span")
def of_a_list(start, end, allowed, max_len):
    places = allowed.nonzero().flatten().tolist()
    pairs = [(i, j) for i, j in itertools.product(places, places) if 0 <= j - i < max_len]
    return max(pairs, key=lambda pair: start[pair[0]].item() + end[pair[1]].item())


@right("12.best_span")
def by_log_probabilities(start, end, allowed, max_len):
    """The product of both probabilities has its largest value at the same pair."""
    start, end = start.log_softmax(0), end.log_softmax(0)
    ends = torch.stack([
        torch.where(allowed & (torch.arange(len(end)) >= i) & (torch.arange(len(end)) <= i + max_len - 1), end, -torch.inf)
        for i in range(len(start))
    ])  # fmt: skip
    best, last = ends.max(1)
    first = torch.where(allowed, start + best, -torch.inf).argmax()
    return [int(first), int(last[first])]


# --- 12.frozen_tuned_scratch ------------------------------------------------------------------------------------------


@right("12.frozen_tuned_scratch")
def paired(accuracy):
    frozen, tuned, scratch = accuracy
    differences = torch.stack([tuned - frozen, tuned - scratch])
    return differences.mean(2), differences.std(2) / accuracy.shape[2] ** 0.5


@right("12.frozen_tuned_scratch")
def difference_of_means(accuracy):
    """The mean of the differences is the difference of the means; the error isn't."""
    means = accuracy.mean(-1)
    gain = means[1] - means[[0, 2]]
    each = accuracy[1] - accuracy[[0, 2]]
    seeds = each.shape[-1]
    error = ((each - gain[..., None]).square().sum(-1) / (seeds - 1) / seeds).sqrt()
    return gain, error


@right("12.frozen_tuned_scratch")
def by_covariance(accuracy):
    gain, error = [], []
    for other in (0, 2):
        gain.append(accuracy[1].mean(-1) - accuracy[other].mean(-1))
        each = [torch.var(row) for row in accuracy[1] - accuracy[other]]
        error.append((torch.stack(each) / accuracy.size(-1)).sqrt())
    return torch.stack(gain), torch.stack(error)


# --- 12.fine_tune -----------------------------------------------------------------------------------------------------


@right("12.fine_tune")
def three_lines_mended(model, ids, labels, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses = []
    for batch, wanted in zip(ids, labels):
        states, _ = model.bert.encode(batch)
        C = model.bert.pooled(states[:, 0])
        loss = torch.nn.functional.cross_entropy(model.head(C), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@right("12.fine_tune")
def cleared_after_the_step(model, ids, labels, lr):
    optimizer = torch.optim.SGD([*model.bert.parameters(), *model.head.parameters()], lr=lr)
    losses = torch.zeros(len(ids))
    for step in range(len(ids)):
        loss = F.cross_entropy(model(ids[step]), labels[step])
        losses[step] = loss.item()
        loss.backward()
        optimizer.step()
        model.zero_grad()
    return losses


@right("12.fine_tune")
def by_hand(model, ids, labels, lr):
    losses = []
    for batch, wanted in zip(ids, labels):
        loss = F.cross_entropy(model(batch), wanted)
        used = [parameter for parameter in model.parameters()]
        gradients = torch.autograd.grad(loss, used, allow_unused=True)
        with torch.no_grad():
            for parameter, gradient in zip(used, gradients):
                if gradient is not None:
                    parameter -= lr * gradient
        losses.append(loss.detach())
    return torch.stack(losses)


@right("12.fine_tune")
def by_the_courses_loop(model, ids, labels, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses = fit(
        model, zip(ids, labels), lambda pair: F.cross_entropy(model(pair[0]), pair[1]), len(ids), optimizer, progress=False
    )  # fmt: skip
    return torch.tensor(losses)
