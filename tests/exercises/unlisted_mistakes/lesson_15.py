"""Unlisted wrong answers to lesson 15, what does pretraining teach?"""

import torch

from unlisted_mistakes import wrong

# --- 15.span_corruption -----------------------------------------------------------------------------------------------

K = "15.span_corruption"


@wrong(K, "place")
def spans_changes_its_input(tokens, spans, marks):
    target = []
    for i in reversed(range(len(spans))):
        start, end = spans[i]
        target = [marks[i], *tokens[start:end], *target]
        tokens[start:end] = [marks[i]]
    return tokens, [*target, marks[len(spans)]]


@wrong(K, "place")
def spans_pops_marks(tokens, spans, marks):
    source, target, place = [], [], 0
    for start, end in spans:
        mark = marks.pop(0)
        source += [*tokens[place:start], mark]
        target += [mark, *tokens[start:end]]
        place = end
    return source + tokens[place:], [*target, marks.pop(0)]


@wrong(K, "marks")
def spans_mark_by_place(tokens, spans, marks):
    source, target, place = [], [], 0
    for start, end in spans:
        mark = marks[start % len(marks)]
        source += [*tokens[place:start], mark]
        target += [mark, *tokens[start:end]]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K)
def spans_place_by_length(tokens, spans, marks):
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        target += [mark, *tokens[start:end]]
        place += end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K)
def spans_joins_words(tokens, spans, marks):
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        target += [mark, " ".join(map(str, tokens[start:end]))]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K)
def spans_reversed_words(tokens, spans, marks):
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        target += [mark, *tokens[start:end][::-1]]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K)
def spans_as_a_dictionary(tokens, spans, marks):
    source, gaps, place = [], {}, 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        gaps[mark] = tokens[start:end]
        place = end
    return source + tokens[place:], gaps


@wrong(K)
def spans_skip_without_tail(tokens, spans, marks):
    """Stops with an IndexError where there are no spans."""
    source, target = [*tokens[: spans[0][0]]], []
    for i, (start, end) in enumerate(spans):
        following = spans[i + 1][0] if i + 1 < len(spans) else len(tokens)
        source += [marks[i], *tokens[end:following]]
        target += [marks[i], *tokens[start:end]]
    return source, [*target, marks[len(spans)]]


@wrong(K)
def spans_only_strings(tokens, spans, marks):
    source, target, _ = " ".join(map(str, tokens)), "", 0
    for mark, (start, end) in zip(marks, spans):
        gap = " ".join(map(str, tokens[start:end]))
        source = source.replace(gap, str(mark), 1)
        target += f"{mark} {gap} "
    return source.split(), [*target.split(), marks[len(spans)]]


@wrong(K)
def spans_asks_last_gap_only(tokens, spans, marks):
    source, place, target = [], 0, []
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        target = [mark, *tokens[start:end]]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K)
def spans_hides_all_between(tokens, spans, marks):
    """From the first span's start to the last one's end."""
    if not spans:
        return list(tokens), [marks[0]]
    start, end = spans[0][0], spans[-1][1]
    return tokens[:start] + [marks[0]] + tokens[end:], [marks[0], *tokens[start:end], marks[1]]


@wrong(K, "not their order")
def spans_sorted_words(tokens, spans, marks):
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        target += [mark, *sorted(tokens[start:end])]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K, "no token")
def spans_counts_in_the_source(tokens, spans, marks):
    """BART's other way: a gap says how many words are missing."""
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark, end - start]
        target += [mark, *tokens[start:end]]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K, "no token")
def spans_pairs_of_mark_and_word(tokens, spans, marks):
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], f"{mark}{tokens[start]}"]
        target += [mark, *tokens[start:end]]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


@wrong(K)
def spans_zip_is_short(tokens, spans, marks):
    """The words between the gaps by zip, which stops one too soon."""
    source, target = [], []
    ends = [0, *(end for _, end in spans)]
    starts = [start for start, _ in spans]
    for mark, start, end, before in zip(marks, starts, ends[1:], ends):
        source += [*tokens[before:start], mark]
        target += [mark, *tokens[start:end]]
    return source, [*target, marks[len(spans)]]


@wrong(K, "marks in your source")
def spans_mark_for_each_in_target(tokens, spans, marks):
    """A mark for each hidden word, all different."""
    source, target, place, count = [], [], 0, 0
    for start, end in spans:
        source += [*tokens[place:start], marks[min(count, len(marks) - 1)]]
        for token in tokens[start:end]:
            target += [marks[min(count, len(marks) - 1)], token]
            count += 1
        place = end
    return source + tokens[place:], [*target, marks[-1]]


@wrong(K, "None")
def spans_forgets_to_return(tokens, spans, marks):
    source = list(tokens)
    for mark, (start, end) in zip(marks, spans):
        source[start:end] = [mark]


@wrong(K)
def spans_tuple_in_target(tokens, spans, marks):
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        target.append((mark, *tokens[start:end]))
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


# --- 15.loss_on_the_line ----------------------------------------------------------------------------------------------

K = "15.loss_on_the_line"


def at(start, end, t):
    return {name: start[name] + t * (end[name] - start[name]) for name in start}


@wrong(K, "place")
def line_moves_the_start(loss, start, end, ts, train, held_out):
    losses = []
    for t in ts:
        for name in start:
            start[name] += t * (end[name] - start[name])
        losses.append(loss(start, held_out))
    return torch.stack(losses)


@wrong(K, "copy the names, not the tensors")
def line_of_a_shallow_copy(loss, start, end, ts, train, held_out):
    losses = []
    for t in ts:
        model = dict(start)
        for name in model:
            model[name] += t * (end[name] - model[name])
        losses.append(loss(model, held_out))
    return torch.stack(losses)


@wrong(K)
def line_overwrites_end(loss, start, end, ts, train, held_out):
    losses = []
    for t in ts:
        for name in end:
            end[name] = start[name] + t * (end[name] - start[name])
        losses.append(loss(end, held_out))
    return torch.stack(losses)


@wrong(K)
def line_squared_t(loss, start, end, ts, train, held_out):
    return torch.stack([loss(at(start, end, t**2), held_out) for t in ts])


@wrong(K)
def line_on_a_circle(loss, start, end, ts, train, held_out):
    def arc(t):
        a, b = torch.cos(t * torch.pi / 2), torch.sin(t * torch.pi / 2)
        return {name: a * start[name] + b * end[name] for name in start}

    return torch.stack([loss(arc(t), held_out) for t in ts])


@wrong(K)
def line_one_text(loss, start, end, ts, train, held_out):
    return torch.stack([loss(at(start, end, t), held_out[:1]) for t in ts])


@wrong(K)
def line_half_of_the_texts(loss, start, end, ts, train, held_out):
    return torch.stack([loss(at(start, end, t), held_out[: (len(held_out) + 1) // 2]) for t in ts])


@wrong(K)
def line_no_bias(loss, start, end, ts, train, held_out):
    def model(t):
        return {**at(start, end, t), "head.bias": start["head.bias"]}

    return torch.stack([loss(model(t), held_out) for t in ts])


@wrong(K)
def line_mean_of_each(loss, start, end, ts, train, held_out):
    """Rounded t."""
    return torch.stack([loss(at(start, end, t.round()), held_out) for t in ts])


@wrong(K)
def line_as_column(loss, start, end, ts, train, held_out):
    return torch.stack([loss(at(start, end, t), held_out) for t in ts])[:, None]


@wrong(K)
def line_as_dictionary(loss, start, end, ts, train, held_out):
    return {float(t): float(loss(at(start, end, t), held_out)) for t in ts}


@wrong(K)
def line_reversed(loss, start, end, ts, train, held_out):
    return torch.stack([loss(at(start, end, t), held_out) for t in reversed(ts)])


@wrong(K)
def line_averages_texts(loss, start, end, ts, train, held_out):
    each = [torch.stack([loss(at(start, end, t), [text]) for t in ts]) for text in held_out]
    return torch.stack(each).median(0).values


@wrong(K)
def line_scaled_difference(loss, start, end, ts, train, held_out):
    def model(t):
        return {name: start[name] + t * (end[name] - start[name]) / 2 for name in start}

    return torch.stack([loss(model(t), held_out) for t in ts])


@wrong(K, "stopped with")
def line_adds_dictionaries(loss, start, end, ts, train, held_out):
    return torch.stack([loss(start + t * (end - start), held_out) for t in ts])


@wrong(K, "`W` is the start's")
def line_without_the_matrix(loss, start, end, ts, train, held_out):
    return torch.stack([loss({**at(start, end, t), "W": start["W"]}, held_out) for t in ts])


@wrong(K, "first")
def line_as_many_as_train(loss, start, end, ts, train, held_out):
    return torch.stack([loss(at(start, end, t), held_out[: len(train) or None]) for t in ts])


# --- 15.distance_from_start -------------------------------------------------------------------------------------------

K = "15.distance_from_start"


def lengths(start, end):
    moved = sum((end[n] - start[n]).square().sum() for n in start).sqrt()
    return float(moved), float(sum(x.square().sum() for x in start.values()).sqrt())


@wrong(K)
def distance_over_both(runs):
    found = {}
    for run, (start, end) in runs.items():
        moved, length = lengths(start, end)
        found[run] = moved / (length + lengths(end, start)[1])
    return found


@wrong(K)
def distance_over_the_mean(runs):
    found = {}
    for run, (start, end) in runs.items():
        moved, length = lengths(start, end)
        found[run] = 2 * moved / (length + lengths(end, start)[1])
    return found


@wrong(K)
def distance_halved(runs):
    return {run: lengths(*pair)[0] / lengths(*pair)[1] / 2 for run, pair in runs.items()}


@wrong(K)
def distance_without_token_bias(runs):
    found = {}
    for run, (start, end) in runs.items():
        names = [n for n in start if n != "b"]
        found[run] = lengths({n: start[n] for n in names}, {n: end[n] for n in names})
        found[run] = found[run][0] / found[run][1]
    return found


@wrong(K)
def distance_all_over_the_embeddings(runs):
    return {run: lengths(a, b)[0] / float(a["token"].norm()) for run, (a, b) in runs.items()}


@wrong(K)
def distance_both_lengths(runs):
    return {run: lengths(*pair) for run, pair in runs.items()}


@wrong(K)
def distance_of_the_mean_change(runs):
    return {run: lengths(a, b)[0] / lengths(a, b)[1] / len(a) for run, (a, b) in runs.items()}


@wrong(K)
def distance_over_numbers(runs):
    return {run: lengths(a, b)[0] / sum(x.numel() for x in a.values()) for run, (a, b) in runs.items()}


@wrong(K)
def distance_relative_to_control(runs):
    found = {run: lengths(a, b)[0] / lengths(a, b)[1] for run, (a, b) in runs.items()}
    last = list(found.values())[-1] if found else 1
    return {run: x / last for run, x in found.items()}


@wrong(K, "place")
def distance_changes_the_end(runs):
    found = {}
    for run, (a, b) in runs.items():
        for n in a:
            b[n] -= a[n]
        found[run] = float(sum(b[n].square().sum() for n in a).sqrt()) / lengths(a, a)[1]
    return found


@wrong(K, "the length of `token` alone")
def distance_over_token_by_norm(runs):
    return {
        run: float(torch.cat([(b[n] - a[n]).flatten() for n in a]).norm() / a["token"].norm())
        for run, (a, b) in runs.items()
    }


@wrong(K)
def distance_keys_by_number(runs):
    return {i: lengths(a, b)[0] / lengths(a, b)[1] for i, (a, b) in enumerate(runs.values())}


@wrong(K)
def distance_as_text(runs):
    return {run: f"{lengths(a, b)[0] / lengths(a, b)[1]:.3f}" for run, (a, b) in runs.items()}


@wrong(K)
def distance_of_normed_models(runs):
    """Both brought to length 1 first: the angle's chord."""
    found = {}
    for run, (a, b) in runs.items():
        one = torch.cat([x.flatten() for x in a.values()])
        other = torch.cat([x.flatten() for x in b.values()])
        found[run] = float((one / one.norm() - other / other.norm()).norm())
    return found


@wrong(K)
def distance_spectral(runs):
    return {
        run: sum(float(torch.linalg.matrix_norm(b[n] - a[n], 2)) for n in a if a[n].dim() == 2)
        / sum(float(torch.linalg.matrix_norm(a[n], 2)) for n in a if a[n].dim() == 2)
        for run, (a, b) in runs.items()
    }


@wrong(K, "stopped with")
def distance_subtracts_dictionaries(runs):
    return {run: (b - a).norm() / a.norm() for run, (a, b) in runs.items()}


@wrong(K)
def distance_three_digits(runs):
    return {run: round(lengths(a, b)[0] / lengths(a, b)[1], 3) for run, (a, b) in runs.items()}


# --- 15.probe_leak ----------------------------------------------------------------------------------------------------

K = "15.probe_leak"


def probed(states, words, labels, x=None, learns=None, tested=None, ridge=1.0, says=lambda s: s > 0):
    half = len(words) // 2
    x = states - states[:half].mean(0) if x is None else x
    learns = torch.arange(len(words)) < half if learns is None else learns
    y = (2 * labels[learns] - 1).to(x.dtype)
    w = torch.linalg.solve(x[learns].mT @ x[learns] + ridge * torch.eye(x.shape[1]), x[learns].mT @ y)
    if tested is None:
        tested = (torch.arange(len(words)) >= half) & ~torch.isin(words, words[:half])
    right = says(x[tested] @ w) == labels[tested]
    return w, right.float().mean(), len(right)


@wrong(K)
def probe_shuffles(states, words, labels):
    order = torch.randperm(len(words))
    return probed(states[order], words[order], labels[order])


@wrong(K)
def probe_every_second(states, words, labels):
    order = torch.cat([torch.arange(0, len(words), 2), torch.arange(1, len(words), 2)])
    return probed(states[order], words[order], labels[order])


@wrong(K)
def probe_last_quarter(states, words, labels):
    late = torch.arange(len(words)) >= 3 * len(words) // 4
    return probed(states, words, labels, tested=late & ~torch.isin(words, words[: len(words) // 2]))


@wrong(K)
def probe_scaled(states, words, labels):
    half = len(words) // 2
    x = (states - states[:half].mean(0)) / states.std(0)
    return probed(states, words, labels, x=x)


@wrong(K)
def probe_large_ridge(states, words, labels):
    return probed(states, words, labels, ridge=100.0)


@wrong(K)
def probe_by_class(states, words, labels):
    half = len(words) // 2
    late = torch.arange(len(words)) >= half
    return probed(states, words, labels, tested=late & (labels == 1))


@wrong(K)
def probe_not_the_last_word(states, words, labels):
    late = torch.arange(len(words)) >= len(words) // 2
    return probed(states, words, labels, tested=late & (words != words[len(words) // 2 - 1]))


@wrong(K)
def probe_seen_by_neighbour(states, words, labels):
    half = len(words) // 2
    late = torch.arange(len(words)) >= half
    return probed(states, words, labels, tested=late & ~torch.isin(words, words[: half // 2]))


@wrong(K)
def probe_learns_two_thirds(states, words, labels):
    return probed(states, words, labels, learns=torch.arange(len(words)) < 2 * len(words) // 3)


@wrong(K)
def probe_rounds_up(states, words, labels):
    half = (len(words) + 1) // 2
    early = torch.arange(len(words)) < half
    x = states - states[:half].mean(0)
    return probed(states, words, labels, x=x, learns=early, tested=~early & ~torch.isin(words, words[:half]))


@wrong(K)
def probe_list_of_hits(states, words, labels):
    half = len(words) // 2
    tested = (torch.arange(len(words)) >= half) & ~torch.isin(words, words[:half])
    return *probed(states, words, labels)[:2], int(tested.sum() - 1)


@wrong(K)
def probe_per_cent(states, words, labels):
    w, accuracy, count = probed(states, words, labels)
    return w, 100 * accuracy, count


@wrong(K)
def probe_majority(states, words, labels):
    half = len(words) // 2
    tested = (torch.arange(len(words)) >= half) & ~torch.isin(words, words[:half])
    right = labels[tested] == labels[:half].mode().values
    return probed(states, words, labels)[0], right.float().mean(), int(tested.sum())


@wrong(K)
def probe_median_centre(states, words, labels):
    return probed(states, words, labels, x=states - states[: len(words) // 2].median(0).values)


@wrong(K)
def probe_first_state_centre(states, words, labels):
    return probed(states, words, labels, x=states - states[0])


@wrong(K)
def probe_turned(states, words, labels):
    w, accuracy, count = probed(states, words, labels)
    return -w, accuracy, count


@wrong(K)
def probe_of_length_one(states, words, labels):
    w, accuracy, count = probed(states, words, labels)
    return w / w.norm(), accuracy, count


@wrong(K, "tested states aren't centred")
def probe_test_not_centred(states, words, labels):
    half = len(words) // 2
    tested = (torch.arange(len(words)) >= half) & ~torch.isin(words, words[:half])
    w, _, count = probed(states, words, labels)
    return w, ((states[tested] @ w > 0) == labels[tested]).float().mean(), count


@wrong(K)
def probe_learns_from_x_but_not_y(states, words, labels):
    """Shapes that don't fit."""
    half = len(words) // 2
    x = states - states[:half].mean(0)
    y = (2 * labels - 1).to(x.dtype)
    w = torch.linalg.solve(x[:half].T @ x[:half] + torch.eye(x.shape[1]), x[:half].T @ y)
    tested = (torch.arange(len(words)) >= half) & ~torch.isin(words, words[:half])
    right = (x[tested] @ w > 0) == labels[tested]
    return w, right.float().mean(), len(right)
