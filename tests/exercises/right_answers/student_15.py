"""What a fresh student answered rightly in lesson 15, in other styles."""

import math

import torch

from right_answers import right


def parts(states, words, labels):
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)
    y = (2 * labels - 1).to(x.dtype)
    new = ~torch.isin(words[half:], words[:half])
    return half, x, y, new


def solved(a, y):
    return torch.linalg.solve(a.T @ a + torch.eye(a.shape[1], dtype=a.dtype), a.T @ y)


@right("15.span_corruption")
def student_15_sr1(tokens, spans, marks):
    source, target = [], []
    starts = dict(spans)
    i, k = 0, 0
    while i < len(tokens):
        if i in starts:
            source.append(marks[k])
            target.append(marks[k])
            target.extend(tokens[i : starts[i]])
            i = starts[i]
            k += 1
        else:
            source.append(tokens[i])
            i += 1
    target.append(marks[k])
    return source, target


@right("15.span_corruption")
def student_15_sr2(tokens, spans, marks):
    source = list(tokens)
    for (a, b), mark in list(zip(spans, marks))[::-1]:
        source[a:b] = [mark]
    target = [each for m, (a, b) in zip(marks, spans) for each in (m, *tokens[a:b])]
    return source, [*target, marks[len(spans)]]


@right("15.span_corruption")
def student_15_sr3(tokens, spans, marks):
    edges = [0] + [x for span in spans for x in span] + [len(tokens)]
    source = list(tokens[edges[0] : edges[1]])
    target = []
    for k in range(len(spans)):
        source += [marks[k]] + list(tokens[edges[2 * k + 2] : edges[2 * k + 3]])
        target += [marks[k]] + list(tokens[edges[2 * k + 1] : edges[2 * k + 2]])
    target += marks[len(spans) : len(spans) + 1]
    return source, target


@right("15.loss_on_the_line")
def student_15_lr1(loss, start, end, ts, train, held_out):
    return torch.stack([loss({k: torch.lerp(start[k], end[k], float(t)) for k in start}, held_out) for t in ts])


@right("15.loss_on_the_line")
def student_15_lr2(loss, start, end, ts, train, held_out):
    losses = torch.zeros(len(ts))
    for i, t in enumerate(ts.tolist()):
        w = {}
        for name, s in start.items():
            w[name] = (1 - t) * s + t * end[name]
        losses[i] = loss(w, held_out)
    return losses


@right("15.loss_on_the_line")
def student_15_lr3(loss, start, end, ts, train, held_out):
    from copy import deepcopy

    out = []
    for t in ts:
        w = deepcopy(start)
        for name in w:
            w[name] += t * (end[name] - start[name])
        out.append(loss(w, held_out).item())
    return torch.tensor(out)


@right("15.distance_from_start")
def student_15_dr1(runs):
    out = {}
    for name, (start, end) in runs.items():
        s = torch.cat([start[k].reshape(-1) for k in start])
        e = torch.cat([end[k].reshape(-1) for k in start])
        out[name] = float(torch.norm(e - s) / torch.norm(s))
    return out


@right("15.distance_from_start")
def student_15_dr2(runs):
    return {
        name: math.sqrt(sum(((e[k] - s[k]) ** 2).sum().item() for k in s) / sum((s[k] ** 2).sum().item() for k in s))
        for name, (s, e) in runs.items()
    }


@right("15.distance_from_start")
def student_15_dr3(runs):
    def length(tensors):
        return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(t) for t in tensors]))

    return {
        name: (length([end[k] - start[k] for k in end]) / length(start.values())).item()
        for name, (start, end) in runs.items()
    }


@right("15.probe_leak")
def student_15_pr1(states, words, labels):
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)  # centred by what the probe learns from
    y = 2 * labels - 1
    squares = x[:half].T @ x[:half] + torch.eye(x.shape[1])
    w = torch.linalg.solve(squares.to(x.dtype), x[:half].T @ y[:half].to(x.dtype))
    new = ~torch.isin(words[half:], words[:half])
    said = (x[half:][new] @ w > 0).long()
    right = said == labels[half:][new]
    return w, right.float().mean(), len(right)


@right("15.probe_leak")
def student_15_pr2(states, words, labels):
    half = len(words) // 2
    seen = set(words[:half].tolist())
    test = [i for i in range(half, len(words)) if words[i].item() not in seen]
    mean = states[:half].mean(0)
    a = states[:half] - mean
    y = (2 * labels[:half] - 1).to(a.dtype)
    w = torch.linalg.inv(a.T @ a + torch.eye(a.shape[1], dtype=a.dtype)) @ (a.T @ y)
    said = ((states[test] - mean) @ w > 0).long()
    return w, (said == labels[test]).double().mean().item(), len(test)


@right("15.probe_leak")
def student_15_pr3(states, words, labels):
    half = len(words) // 2
    mu = states[:half].mean(dim=0, keepdim=True)
    a, y = states[:half] - mu, 2.0 * labels[:half] - 1
    d = a.shape[1]
    w = torch.linalg.solve(a.mT @ a + torch.eye(d).to(a), (a.mT @ y.to(a)[:, None])).squeeze(1)
    unseen = (words[half:, None] != words[None, :half]).all(dim=1)
    right = ((states[half:] - mu) @ w > 0) == labels[half:].bool()
    return w, right[unseen].float().mean(), int(unseen.sum())


@right("15.probe_leak")
def student_15_qr1(states, words, labels):
    """float64 accuracy and a tensor count: right"""
    half, x, y, new = parts(states, words, labels)
    w = solved(x[:half], y[:half])
    right = (x[half:] @ w > 0) == labels[half:].bool()
    return w, right[new].to(x.dtype).mean(), new.sum()


@right("15.probe_leak")
def student_15_qr2(states, words, labels):
    half, x, y, new = parts(states, words, labels)
    w = solved(x[:half], y[:half])
    right = ((x[half:] @ w > 0) == labels[half:].bool())[new].tolist()
    return w, sum(right) / len(right), len(right)
