"""Right answers to lesson 15, what does pretraining teach?"""

import math

import torch

from right_answers import right

# --- 15.span_corruption -----------------------------------------------------------------------------------------------


@right("15.span_corruption")
def spans_by_place(tokens, spans, marks):
    source, target, place = [], [], 0
    for i, (start, end) in enumerate(spans):
        source.extend(tokens[place:start])
        source.append(marks[i])
        target.append(marks[i])
        target.extend(tokens[start:end])
        place = end
    source.extend(tokens[place:])
    target.append(marks[len(spans)])
    return source, target


@right("15.span_corruption")
def spans_from_the_back(tokens, spans, marks):
    source, target = list(tokens), [marks[len(spans)]]
    for i in reversed(range(len(spans))):
        start, end = spans[i]
        target = [marks[i]] + tokens[start:end] + target
        source[start:end] = [marks[i]]
    return source, target


@right("15.span_corruption")
def spans_token_by_token(tokens, spans, marks):
    gap = {place: i for i, (start, end) in enumerate(spans) for place in range(start, end)}
    source, target, last = [], [], None
    for place, token in enumerate(tokens):
        i = gap.get(place)
        if i is None:
            source.append(token)
            continue
        if i != last:
            source.append(marks[i])
            target.append(marks[i])
            last = i
        target.append(token)
    return source, target + [marks[len(spans)]]


@right("15.span_corruption")
def spans_by_bounds(tokens, spans, marks):
    edges = [0] + [edge for span in spans for edge in span] + [len(tokens)]
    pieces = [tokens[a:b] for a, b in zip(edges, edges[1:])]
    source, target = [], []
    for i, piece in enumerate(pieces):
        (target if i % 2 else source).extend(piece)
        if i < len(pieces) - 1 and i % 2 == 0:
            source.append(marks[i // 2])
            target.append(marks[i // 2])
    target.append(marks[len(pieces) // 2])
    return [source, target]


@right("15.span_corruption")
def spans_by_iterator(tokens, spans, marks):
    next_mark = iter(marks)
    source, target, place = [], [], 0
    for start, end in spans:
        mark = next(next_mark)
        source += [*tokens[place:start], mark]
        target += [mark, *tokens[start:end]]
        place = end
    return tuple(source + tokens[place:]), tuple(target + [next(next_mark)])


# --- 15.loss_on_the_line ----------------------------------------------------------------------------------------------


@right("15.loss_on_the_line")
def line_by_lerp(loss, start, end, ts, train, held_out):
    losses = []
    for t in ts:
        weights = {name: torch.lerp(start[name], end[name], t) for name in start}
        losses.append(loss(weights, held_out))
    return torch.stack(losses)


@right("15.loss_on_the_line")
def line_by_floats(loss, start, end, ts, train, held_out):
    return torch.tensor(
        [loss({n: (1 - t) * a + t * end[n] for n, a in start.items()}, held_out).item() for t in ts.tolist()]
    )


@right("15.loss_on_the_line")
def line_into_zeros(loss, start, end, ts, train, held_out):
    out = torch.zeros(len(ts))
    way = {name: end[name] - start[name] for name in end}
    with torch.no_grad():
        for i, t in enumerate(ts):
            here = dict(start)
            for name in here:
                here[name] = here[name] + t * way[name]
            out[i] = loss(here, held_out)
    return out


@right("15.loss_on_the_line")
def line_by_clones(loss, start, end, ts, train, held_out):
    losses = []
    for t in ts:
        here = {name: x.clone() for name, x in start.items()}
        for name in here:
            here[name] *= 1 - t
            here[name] += t * end[name]
        losses.append(loss(here, held_out))
    return torch.stack(losses, dim=0)


@right("15.loss_on_the_line")
def line_from_the_end(loss, start, end, ts, train, held_out):
    def at(t):
        return {name: end[name] - (1 - t) * (end[name] - start[name]) for name in end}

    return torch.stack([loss(at(t), held_out) for t in ts])


# --- 15.distance_from_start -------------------------------------------------------------------------------------------


@right("15.distance_from_start")
def distance_by_flat_vectors(runs):
    found = {}
    for run, (start, end) in runs.items():
        a = torch.cat([x.flatten() for x in start.values()])
        b = torch.cat([end[name].flatten() for name in start])
        found[run] = ((b - a).norm() / a.norm()).item()
    return found


@right("15.distance_from_start")
def distance_by_sums(runs):
    found = {}
    for run in runs:
        start, end = runs[run]
        moved = length = 0.0
        for name in start:
            moved += float(((start[name] - end[name]) ** 2).sum())
            length += float((start[name] ** 2).sum())
        found[run] = math.sqrt(moved / length)
    return found


@right("15.distance_from_start")
def distance_by_lengths_of_parts(runs):
    def length(parts):
        return torch.stack([part.norm() for part in parts]).norm()

    return {
        run: float(length([end[n] - start[n] for n in start]) / length(start.values()))
        for run, (start, end) in runs.items()
    }


@right("15.distance_from_start")
def distance_by_vector_norm(runs):
    answer = dict()
    for run, pair in runs.items():
        start, end = (torch.hstack([w[name].reshape(-1) for name in sorted(w)]) for w in pair)
        answer[run] = torch.linalg.vector_norm(end - start).item() / torch.linalg.vector_norm(start).item()
    return answer


# --- 15.probe_leak ----------------------------------------------------------------------------------------------------


@right("15.probe_leak")
def probe_by_isin(states, words, labels):
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)
    y = 2 * labels[:half] - 1
    squares = x[:half].T @ x[:half] + torch.eye(x.shape[1])
    w = torch.linalg.solve(squares, x[:half].T @ y.to(x.dtype))
    new = ~torch.isin(words[half:], words[:half])
    said = (x[half:][new] @ w > 0).long()
    right = said == labels[half:][new]
    return w, right.float().mean(), len(right)


@right("15.probe_leak")
def probe_by_sets(states, words, labels):
    half = len(words) // 2
    known = set(words[:half].tolist())
    places = [i for i in range(half, len(words)) if int(words[i]) not in known]
    x = states - states[:half].mean(dim=0)
    y = 2 * labels - 1
    squares = x[:half].T @ x[:half] + torch.eye(x.shape[1])
    w = torch.linalg.solve(squares, x[:half].T @ y[:half].to(x.dtype))
    said = (x[places] @ w > 0).long()
    right = said == labels[places]
    return w, right.float().mean(), len(right)


@right("15.probe_leak")
def probe_by_two_tensors(states, words, labels):
    half = len(words) // 2
    learn, test = states[:half], states[half:]
    centre = learn.mean(0)
    learn, test = learn - centre, test - centre
    y = (2 * labels[:half] - 1).to(states.dtype)
    w = torch.linalg.inv(learn.T @ learn + torch.eye(states.shape[1], dtype=states.dtype)) @ (learn.T @ y)
    right = (test @ w > 0).long() == labels[half:]
    new = (words[half:, None] != words[None, :half]).all(1)
    return w, right[new].float().mean(), int(new.sum())


@right("15.probe_leak")
def probe_by_lists(states, words, labels):
    """All in one go: the ridge as d more rows, each of one number."""
    half, d = len(words) // 2, states.shape[1]
    known = words[:half].tolist()
    centre = sum(states[:half]) / half
    rows = torch.cat([states[:half] - centre, torch.eye(d, dtype=states.dtype)])
    wanted = torch.cat([torch.where(labels[:half] == 1, 1, -1).to(states.dtype), torch.zeros(d, dtype=states.dtype)])
    w = torch.linalg.lstsq(rows, wanted[:, None]).solution[:, 0]
    hits = [
        float(((states[i] - centre) @ w > 0) == (labels[i] == 1))
        for i in range(half, len(words))
        if words[i].item() not in known
    ]
    return [w, torch.tensor(sum(hits) / len(hits)), len(hits)]
