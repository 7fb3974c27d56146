"""What a fresh student tried in lesson 15, in two sets. Each docstring says what is really wrong."""

import math

import torch

from unlisted_mistakes import wrong


def at(start, end, t):
    return {k: start[k] + t * (end[k] - start[k]) for k in start}


def norm(ts):
    return math.sqrt(sum((t**2).sum().item() for t in ts))


def diff(a, b):
    return [b[k] - a[k] for k in a]


def probe(states, words, labels, centre=True, learn=True, test=True):
    """mended or not, bug by bug"""
    half = len(words) // 2
    x = states - (states[:half] if centre else states).mean(dim=0)
    y = 2 * labels - 1
    a, b = (x[:half], y[:half]) if learn else (x, y)
    w = torch.linalg.solve(a.T @ a + torch.eye(x.shape[1], dtype=x.dtype), a.T @ b.to(x.dtype))
    new = ~torch.isin(words[half:], words[:half])
    if not test:
        new[:] = True
    right = ((x[half:] @ w > 0).long() == labels[half:])[new]
    return w, right.float().mean(), len(right)


def flat(w):
    return torch.cat([v.flatten() for v in w.values()])


def parts(states, words, labels):
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)
    y = (2 * labels - 1).to(x.dtype)
    new = ~torch.isin(words[half:], words[:half])
    return half, x, y, new


def solved(a, y):
    return torch.linalg.solve(a.T @ a + torch.eye(a.shape[1], dtype=a.dtype), a.T @ y)


@wrong("15.span_corruption")
def student_15_s01(tokens, spans, marks):
    """one mark for each hidden WORD in the source, as with [MASK]"""
    source, target, at = [], [], 0
    for i, (a, b) in enumerate(spans):
        source += tokens[at:a] + [marks[i]] * (b - a)
        target += [marks[i]] + tokens[a:b]
        at = b
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s02(tokens, spans, marks):
    """the last mark of the target is left out"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return source + tokens[at:], target


@wrong("15.span_corruption")
def student_15_s03(tokens, spans, marks):
    """the target has the words but no marks between them (only the last one)"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += tokens[a:b]
        at = b
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption", "Every mark is the same")
def student_15_s04(tokens, spans, marks):
    """the same mark for every gap"""
    source, target, at = [], [], 0
    for a, b in spans:
        source += tokens[at:a] + [marks[0]]
        target += [marks[0]] + tokens[a:b]
        at = b
    return source + tokens[at:], target + [marks[0]]


@wrong("15.span_corruption")
def student_15_s05(tokens, spans, marks):
    """marks stand behind the words in the target, not before them"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += tokens[a:b] + [mark]
        at = b
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s06(tokens, spans, marks):
    """the end is taken as included: tokens[start:end+1]"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a : b + 1]
        at = b + 1
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s07(tokens, spans, marks):
    """replaces from the left in a list that gets shorter: later indices are off"""
    source, target = list(tokens), []
    for i, (a, b) in enumerate(spans):
        target += [marks[i]] + tokens[a:b]
        source[a:b] = [marks[i]]
    return source, target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s08(tokens, spans, marks):
    """what follows the last gap is missing from the source"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return source, target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s09(tokens, spans, marks):
    """the target ends with the LAST of all marks, marks[-1]"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return source + tokens[at:], target + [marks[-1]]


@wrong("15.span_corruption")
def student_15_s10(tokens, spans, marks):
    """(target, source): the two in the wrong order"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return target + [marks[len(spans)]], source + tokens[at:]


@wrong("15.span_corruption")
def student_15_s11(tokens, spans, marks):
    """changes the caller's own tokens (in place, from the right)"""
    target = []
    for i, (a, b) in enumerate(spans):
        target += [marks[i]] + tokens[a:b]
    for i in reversed(range(len(spans))):
        a, b = spans[i]
        tokens[a:b] = [marks[i]]
    return tokens, target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s12(tokens, spans, marks):
    """gaps that touch are joined into one"""
    joined = []
    for a, b in spans:
        if joined and joined[-1][1] == a:
            joined[-1] = (joined[-1][0], b)
        else:
            joined.append((a, b))
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, joined):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return source + tokens[at:], target + [marks[len(joined)]]


@wrong("15.span_corruption")
def student_15_s13(tokens, spans, marks):
    """append instead of extend: each gap is a list within the list"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source.extend(tokens[at:a])
        source.append(mark)
        target.append(mark)
        target.append(tokens[a:b])
        at = b
    source.extend(tokens[at:])
    target.append(marks[len(spans)])
    return source, target


@wrong("15.span_corruption")
def student_15_s14(tokens, spans, marks):
    """two: the end included, and no last mark"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a : b + 1]
        at = b + 1
    return source + tokens[at:], target


@wrong("15.span_corruption", "wherever they stand")
def student_15_s15(tokens, spans, marks):
    """hides by value: every place of a hidden word is hidden (membership in a set of words)"""
    starts = {a: i for i, (a, b) in enumerate(spans)}
    hidden = {w for a, b in spans for w in tokens[a:b]}
    source, target = [], []
    for j, w in enumerate(tokens):
        if j in starts:
            source.append(marks[starts[j]])
        if w not in hidden:
            source.append(w)
    for i, (a, b) in enumerate(spans):
        target += [marks[i]] + tokens[a:b]
    return source, target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s16(tokens, spans, marks):
    """the spans are read as (start, length)"""
    source, target, at = [], [], 0
    for mark, (a, n) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a : a + n]
        at = a + n
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_s17(tokens, spans, marks):
    """the target is the whole text (BART's way: decode everything)"""
    source, at = [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        at = b
    return source + tokens[at:], list(tokens)


@wrong("15.span_corruption")
def student_15_s18(tokens, spans, marks):
    """two: what follows the last gap is missing, and marks stand behind the words"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += tokens[a:b] + [mark]
        at = b
    return source, target + [marks[len(spans)]]


@wrong("15.loss_on_the_line")
def student_15_l01(loss, start, end, ts, train, held_out):
    """asks the training texts"""
    return torch.stack([loss(at(start, end, t), train) for t in ts])


@wrong("15.loss_on_the_line")
def student_15_l02(loss, start, end, ts, train, held_out):
    """walks the wrong way: from end to start"""
    return torch.stack([loss({k: t * start[k] + (1 - t) * end[k] for k in start}, held_out) for t in ts])


@wrong("15.loss_on_the_line")
def student_15_l03(loss, start, end, ts, train, held_out):
    """the straight line between the two LOSSES, not between the weights"""
    a, b = loss(start, held_out), loss(end, held_out)
    return a + ts * (b - a)


@wrong("15.loss_on_the_line")
def student_15_l04(loss, start, end, ts, train, held_out):
    """start + t·end: − start forgotten"""
    return torch.stack([loss({k: start[k] + t * end[k] for k in start}, held_out) for t in ts])


@wrong("15.loss_on_the_line")
def student_15_l05(loss, start, end, ts, train, held_out):
    """returns a list of floats, no tensor"""
    return [loss(at(start, end, t), held_out).item() for t in ts]


@wrong("15.loss_on_the_line")
def student_15_l06(loss, start, end, ts, train, held_out):
    """in place: start itself is moved at each t"""
    out = []
    for t in ts:
        for k in start:
            start[k] += t * (end[k] - start[k])
        out.append(loss(start, held_out))
    return torch.stack(out)


@wrong("15.loss_on_the_line")
def student_15_l07(loss, start, end, ts, train, held_out):
    """w = start is the same dict: the second t begins where the first ended"""
    out = []
    w = start
    for t in ts:
        for k in w:
            w[k] = start[k] + t * (end[k] - start[k])
        out.append(loss(w, held_out))
    return torch.stack(out)


@wrong("15.loss_on_the_line")
def student_15_l08(loss, start, end, ts, train, held_out):
    """t is clamped to 0 … 1"""
    return torch.stack([loss(at(start, end, t), held_out) for t in ts.clamp(0, 1)])


@wrong("15.loss_on_the_line")
def student_15_l09(loss, start, end, ts, train, held_out):
    """asks both sets together"""
    return torch.stack([loss(at(start, end, t), train + held_out) for t in ts])


@wrong("15.loss_on_the_line")
def student_15_l10(loss, start, end, ts, train, held_out):
    """the given ts are ignored: own linspace of as many"""
    return torch.stack([loss(at(start, end, t), held_out) for t in torch.linspace(0, 1, len(ts))])


@wrong("15.loss_on_the_line")
def student_15_l11(loss, start, end, ts, train, held_out):
    """biases stay: only matrices are walked"""
    return torch.stack(
        [loss({k: at(start, end, t)[k] if start[k].dim() > 1 else start[k] for k in start}, held_out) for t in ts]
    )


@wrong("15.loss_on_the_line")
def student_15_l12(loss, start, end, ts, train, held_out):
    """the head stays that of the end (only the body is walked)"""
    return torch.stack(
        [loss({k: end[k] if "head" in k else start[k] + t * (end[k] - start[k]) for k in start}, held_out) for t in ts]
    )


@wrong("15.loss_on_the_line")
def student_15_l13(loss, start, end, ts, train, held_out):
    """the mean over the places: one number"""
    return torch.stack([loss(at(start, end, t), held_out) for t in ts]).mean()


@wrong("15.loss_on_the_line")
def student_15_l14(loss, start, end, ts, train, held_out):
    """sum over the texts of each text's loss instead of the mean"""
    return torch.stack([sum(loss(at(start, end, t), [x]) for x in held_out) for t in ts])


@wrong("15.loss_on_the_line")
def student_15_l15(loss, start, end, ts, train, held_out):
    """two: the training texts, and the wrong way round"""
    return torch.stack([loss({k: end[k] + t * (start[k] - end[k]) for k in start}, train) for t in ts])


@wrong("15.loss_on_the_line")
def student_15_l16(loss, start, end, ts, train, held_out):
    """two: − start forgotten and the training texts"""
    return torch.stack([loss({k: start[k] + t * end[k] for k in start}, train) for t in ts])


@wrong("15.loss_on_the_line", "number of the place")
def student_15_l17(loss, start, end, ts, train, held_out):
    """the index of t in place of t (enumerate)"""
    return torch.stack([loss(at(start, end, i), held_out) for i, t in enumerate(ts)])


@wrong("15.loss_on_the_line", "inside the loop")
def student_15_l18(loss, start, end, ts, train, held_out):
    """the whole loop only for the last t: return a loss in the loop (indentation)"""
    out = []
    for t in ts:
        out.append(loss(at(start, end, t), held_out))
        return torch.stack(out)


@wrong("15.loss_on_the_line", "gap between them")
def student_15_l19(loss, start, end, ts, train, held_out):
    """the gap: held-out loss minus training loss"""
    return torch.stack([loss(at(start, end, t), held_out) - loss(at(start, end, t), train) for t in ts])


@wrong("15.distance_from_start")
def student_15_d01(runs):
    """not divided: the length of the change alone"""
    return {n: norm(diff(a, b)) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_d02(runs):
    """divided by the length of the END"""
    return {n: norm(diff(a, b)) / norm(b.values()) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_d03(runs):
    """the mean of each tensor's own ratio"""
    return {n: sum(((b[k] - a[k]).norm() / a[k].norm()).item() for k in a) / len(a) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_d04(runs):
    """no root: the ratio of the squares"""
    return {n: norm(diff(a, b)) ** 2 / norm(a.values()) ** 2 for n, (a, b) in runs.items()}


@wrong("15.distance_from_start", "length of one start")
def student_15_d05(runs):
    """all are divided by the pretrained start's length"""
    base = norm(next(iter(runs.values()))[0].values())
    return {n: norm(diff(a, b)) / base for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_d06(runs):
    """tensors instead of Python floats"""
    out = {}
    for n, (a, b) in runs.items():
        x, y = torch.cat([v.flatten() for v in a.values()]), torch.cat([b[k].flatten() for k in a])
        out[n] = (y - x).norm() / x.norm()
    return out


@wrong("15.distance_from_start")
def student_15_d07(runs):
    """the tensors' norms are added, not their squares"""
    return {
        n: (sum((b[k] - a[k]).norm() for k in a) / sum(a[k].norm() for k in a)).item() for n, (a, b) in runs.items()
    }


@wrong("15.distance_from_start")
def student_15_d08(runs):
    """absolute values: the L1 norm"""
    return {
        n: (sum((b[k] - a[k]).abs().sum() for k in a) / sum(a[k].abs().sum() for k in a)).item()
        for n, (a, b) in runs.items()
    }


@wrong("15.distance_from_start")
def student_15_d09(runs):
    """how much the length changed: ‖end‖ − ‖start‖"""
    return {n: abs(norm(b.values()) - norm(a.values())) / norm(a.values()) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_d10(runs):
    """matrices only, biases left out"""
    return {
        n: norm([b[k] - a[k] for k in a if a[k].dim() > 1]) / max(norm([a[k] for k in a if a[k].dim() > 1]), 1e-9)
        for n, (a, b) in runs.items()
    }


@wrong("15.distance_from_start")
def student_15_d11(runs):
    """in place: the start is overwritten by the change before its length is taken"""
    out = {}
    for n, (a, b) in runs.items():
        for k in a:
            a[k].sub_(b[k])
        out[n] = norm(a.values()) / norm(a.values())
    return out


@wrong("15.distance_from_start")
def student_15_d12(runs):
    """the last tensor only (overwritten in the loop)"""
    out = {}
    for n, (a, b) in runs.items():
        for k in a:
            out[n] = ((b[k] - a[k]).norm() / a[k].norm()).item()
    return out


@wrong("15.distance_from_start", "inside the loop")
def student_15_d13(runs):
    """one number: return inside the loop"""
    for a, b in runs.values():
        return norm(diff(a, b)) / norm(a.values())


@wrong("15.distance_from_start")
def student_15_d14(runs):
    """cosine distance"""
    out = {}
    for n, (a, b) in runs.items():
        x, y = torch.cat([v.flatten() for v in a.values()]), torch.cat([b[k].flatten() for k in a])
        out[n] = (1 - torch.cosine_similarity(x, y, dim=0)).item()
    return out


@wrong("15.distance_from_start")
def student_15_d15(runs):
    """the root is missing above only: squared change by length"""
    return {n: norm(diff(a, b)) ** 2 / norm(a.values()) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start", "singular value")
def student_15_d16(runs):
    """torch.linalg.norm(..., 2) of a matrix is its largest singular value"""

    def size(ts):
        return math.sqrt(sum(torch.linalg.norm(t, 2).item() ** 2 if t.dim() == 2 else t.norm().item() ** 2 for t in ts))

    return {n: size(diff(a, b)) / size(a.values()) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_d17(runs):
    """two: not divided, and norms added"""
    return {n: sum((b[k] - a[k]).norm().item() for k in a) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start", "mean squares")
def student_15_d18(runs):
    """root of the MEAN above, root of the sum below"""
    return {
        n: math.sqrt(sum(((b[k] - a[k]) ** 2).mean().item() for k in a)) / norm(a.values())
        for n, (a, b) in runs.items()
    }


@wrong("15.distance_from_start", "cancel")
def student_15_d19(runs):
    """the sum of the differences (no squares): they cancel"""
    return {n: abs(sum((b[k] - a[k]).sum().item() for k in a)) / norm(a.values()) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_d20(runs):
    """only the first run is returned, the controls not"""
    return {n: norm(diff(a, b)) / norm(a.values()) for n, (a, b) in runs.items() if n == "pretrained"}


@wrong("15.distance_from_start", "number by number")
def student_15_d21(runs):
    """elementwise ratios: the length of (end − start)/start"""
    return {n: norm([(b[k] - a[k]) / (a[k] + 1e-12) for k in a]) for n, (a, b) in runs.items()}


@wrong("15.probe_leak")
def student_15_p01(states, words, labels):
    """nothing mended: the code as it stands"""
    half = len(words) // 2
    x = states - states.mean(dim=0)
    y = 2 * labels - 1
    squares = x.T @ x + torch.eye(x.shape[1])
    w = torch.linalg.solve(squares, x.T @ y.to(x.dtype))
    said = (x[half:] @ w > 0).long()
    right = said == labels[half:]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_p02(states, words, labels):
    """only the centring is mended: still learns from all places, tests all of the second half"""
    return probe(states, words, labels, learn=False, test=False)


@wrong("15.probe_leak")
def student_15_p03(states, words, labels):
    """only the learning is mended: centred by all, tests seen words, too"""
    return probe(states, words, labels, centre=False, test=False)


@wrong("15.probe_leak")
def student_15_p04(states, words, labels):
    """only the test is mended: centred by all, learns from all"""
    return probe(states, words, labels, centre=False, learn=False)


@wrong("15.probe_leak")
def student_15_p05(states, words, labels):
    """the centring is left: mean of all places"""
    return probe(states, words, labels, centre=False)


@wrong("15.probe_leak")
def student_15_p06(states, words, labels):
    """the test is left: the whole second half, seen words, too"""
    return probe(states, words, labels, test=False)


@wrong("15.probe_leak")
def student_15_p07(states, words, labels):
    """the learning is left: w from all places"""
    return probe(states, words, labels, learn=False)


@wrong("15.probe_leak")
def student_15_p08(states, words, labels):
    """the ~ is forgotten: tests at the words that the first half HAS"""
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)
    y = 2 * labels - 1
    w = torch.linalg.solve(
        x[:half].T @ x[:half] + torch.eye(x.shape[1], dtype=x.dtype), x[:half].T @ y[:half].to(x.dtype)
    )
    seen = torch.isin(words[half:], words[:half])
    right = ((x[half:] @ w > 0).long() == labels[half:])[seen]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_p09(states, words, labels):
    """the test half is centred by its own mean"""
    half = len(words) // 2
    x, z = states[:half] - states[:half].mean(dim=0), states[half:] - states[half:].mean(dim=0)
    y = 2 * labels - 1
    w = torch.linalg.solve(x.T @ x + torch.eye(x.shape[1], dtype=x.dtype), x.T @ y[:half].to(x.dtype))
    new = ~torch.isin(words[half:], words[:half])
    right = ((z @ w > 0).long() == labels[half:])[new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_p10(states, words, labels):
    """the words that both halves have are taken out of the LEARNING; the test is the whole second half"""
    half = len(words) // 2
    only = ~torch.isin(words[:half], words[half:])
    x = states - states[:half].mean(dim=0)
    y = 2 * labels - 1
    a = x[:half][only]
    w = torch.linalg.solve(a.T @ a + torch.eye(x.shape[1], dtype=x.dtype), a.T @ y[:half][only].to(x.dtype))
    right = (x[half:] @ w > 0).long() == labels[half:]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_p11(states, words, labels):
    """not centred at all"""
    half = len(words) // 2
    x = states
    y = 2 * labels - 1
    w = torch.linalg.solve(
        x[:half].T @ x[:half] + torch.eye(x.shape[1], dtype=x.dtype), x[:half].T @ y[:half].to(x.dtype)
    )
    new = ~torch.isin(words[half:], words[:half])
    right = ((x[half:] @ w > 0).long() == labels[half:])[new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_p12(states, words, labels):
    """all mended, but the count is still that of the whole second half"""
    w, acc, _ = probe(states, words, labels)
    return w, acc, len(words) - len(words) // 2


@wrong("15.probe_leak")
def student_15_p13(states, words, labels):
    """seen words count as wrong: (right & new).mean() over the whole second half"""
    half = len(words) // 2
    w, _, n = probe(states, words, labels)
    x = states - states[:half].mean(dim=0)
    new = ~torch.isin(words[half:], words[:half])
    right = ((x[half:] @ w > 0).long() == labels[half:]) & new
    return w, right.float().mean(), n


@wrong("15.probe_leak")
def student_15_p14(states, words, labels):
    """squares of all places, products of the first half only"""
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)
    y = 2 * labels - 1
    w = torch.linalg.solve(x.T @ x + torch.eye(x.shape[1], dtype=x.dtype), x[:half].T @ y[:half].to(x.dtype))
    new = ~torch.isin(words[half:], words[:half])
    right = ((x[half:] @ w > 0).long() == labels[half:])[new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak", "ridge is gone")
def student_15_p15(states, words, labels):
    """the ridge (torch.eye) is taken out as if it were a bug"""
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)
    y = 2 * labels - 1
    w = torch.linalg.lstsq(x[:half], y[:half].to(x.dtype)[:, None]).solution[:, 0]
    new = ~torch.isin(words[half:], words[:half])
    right = ((x[half:] @ w > 0).long() == labels[half:])[new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_p16(states, words, labels):
    """counts the unseen WORDS, not their places"""
    half = len(words) // 2
    w, acc, _ = probe(states, words, labels)
    new = ~torch.isin(words[half:], words[:half])
    return w, acc, len(words[half:][new].unique())


@wrong("15.probe_leak")
def student_15_p17(states, words, labels):
    """y becomes 0/1 in place of −1/1"""
    half = len(words) // 2
    x = states - states[:half].mean(dim=0)
    w = torch.linalg.solve(
        x[:half].T @ x[:half] + torch.eye(x.shape[1], dtype=x.dtype), x[:half].T @ labels[:half].to(x.dtype)
    )
    new = ~torch.isin(words[half:], words[:half])
    right = ((x[half:] @ w > 0).long() == labels[half:])[new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak", "aren't tested")
def student_15_p18(states, words, labels):
    """learns from the second half's seen words, too (all that isn't tested)"""
    half = len(words) // 2
    new = ~torch.isin(words, words[:half])
    x = states - states[~new].mean(dim=0)
    y = 2 * labels - 1
    a = x[~new]
    w = torch.linalg.solve(a.T @ a + torch.eye(x.shape[1], dtype=x.dtype), a.T @ y[~new].to(x.dtype))
    right = ((x @ w > 0).long() == labels)[new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak", "centre is the mean of all")
def student_15_p19(states, words, labels):
    """two: centred by all, and the ~ forgotten"""
    half = len(words) // 2
    x = states - states.mean(dim=0)
    y = 2 * labels - 1
    w = torch.linalg.solve(
        x[:half].T @ x[:half] + torch.eye(x.shape[1], dtype=x.dtype), x[:half].T @ y[:half].to(x.dtype)
    )
    seen = torch.isin(words[half:], words[:half])
    right = ((x[half:] @ w > 0).long() == labels[half:])[seen]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_p20(states, words, labels):
    """tests each unseen word once (its first place only)"""
    half = len(words) // 2
    w, _, _ = probe(states, words, labels)
    x = states - states[:half].mean(dim=0)
    seen, right = set(words[:half].tolist()), []
    for i in range(half, len(words)):
        if words[i].item() not in seen:
            seen.add(words[i].item())
            right.append(float((x[i] @ w > 0).long() == labels[i]))
    return w, torch.tensor(right).mean(), len(right)


@wrong("15.span_corruption")
def student_15_f01(tokens, spans, marks):
    """off by one: the first hidden word stays in the source as well (tokens[place:start+1])"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at : a + 1] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption", "two marks for each gap")
def student_15_f02(tokens, spans, marks):
    """two marks a gap, one opens and one closes it: <0> words <1>, then <2> words <3>"""
    source, target, at, marks = [], [], 0, list(marks) * 3
    for i, (a, b) in enumerate(spans):
        source += tokens[at:a] + [marks[2 * i]]
        target += [marks[2 * i]] + tokens[a:b] + [marks[2 * i + 1]]
        at = b
    return source + tokens[at:], target


@wrong("15.span_corruption", "all marks come first")
def student_15_f03(tokens, spans, marks):
    """all marks first, then all words"""
    source, words, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        words += tokens[a:b]
        at = b
    return source + tokens[at:], list(marks[: len(spans) + 1]) + words


@wrong("15.span_corruption")
def student_15_f04(tokens, spans, marks):
    """the mark is put in, but the hidden words stay in the source"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = a
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_f05(tokens, spans, marks):
    """the gap's number i in place of marks[i]"""
    source, target, at = [], [], 0
    for i, (a, b) in enumerate(spans):
        source += tokens[at:a] + [i]
        target += [i] + tokens[a:b]
        at = b
    return source + tokens[at:], target + [len(spans)]


@wrong("15.span_corruption")
def student_15_f06(tokens, spans, marks):
    """the target ends with the last gap's own mark once more"""
    source, target, at, mark = [], [], 0, marks[0]
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return source + tokens[at:], target + [mark]


@wrong("15.span_corruption")
def student_15_f07(tokens, spans, marks):
    """a gap's words joined to one token"""
    source, target, at = [], [], 0
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark, " ".join(map(str, tokens[a:b]))]
        at = b
    return source + tokens[at:], target + [marks[len(spans)]]


@wrong("15.span_corruption")
def student_15_f08(tokens, spans, marks):
    """two: marks start at marks[1], and no last mark"""
    source, target, at = [], [], 0
    marks = (list(marks) * 2)[1:]
    for mark, (a, b) in zip(marks, spans):
        source += tokens[at:a] + [mark]
        target += [mark] + tokens[a:b]
        at = b
    return source + tokens[at:], target


@wrong("15.loss_on_the_line", "sphere")
def student_15_g01(loss, start, end, ts, train, held_out):
    """on a sphere: each tensor is scaled back to the start's length"""
    out = []
    for t in ts:
        w = at(start, end, t)
        out.append(loss({k: w[k] / w[k].norm() * start[k].norm() for k in w}, held_out))
    return torch.stack(out)


@wrong("15.loss_on_the_line", "int(t)")
def student_15_g02(loss, start, end, ts, train, held_out):
    """int(t): the start for all t below 1"""
    return torch.stack([loss(at(start, end, int(t)), held_out) for t in ts])


@wrong("15.loss_on_the_line", "logarithm")
def student_15_g03(loss, start, end, ts, train, held_out):
    """the logarithm of the loss"""
    return torch.stack([loss(at(start, end, t), held_out) for t in ts]).log()


@wrong("15.loss_on_the_line")
def student_15_g04(loss, start, end, ts, train, held_out):
    """losses in reverse order (insert at the front)"""
    out = []
    for t in ts:
        out.insert(0, loss(at(start, end, t), held_out))
    return torch.stack(out)


@wrong("15.loss_on_the_line")
def student_15_g05(loss, start, end, ts, train, held_out):
    """only as many held-out texts as there are training texts"""
    return torch.stack([loss(at(start, end, t), held_out[: max(1, len(train))]) for t in ts])


@wrong("15.loss_on_the_line")
def student_15_g06(loss, start, end, ts, train, held_out):
    """double precision: torch.tensor of Python floats with dtype float64"""
    return torch.tensor([loss(at(start, end, t), held_out).item() for t in ts], dtype=torch.float64)


@wrong("15.loss_on_the_line", "so far")
def student_15_g07(loss, start, end, ts, train, held_out):
    """the running mean of the losses"""
    out = torch.stack([loss(at(start, end, t), held_out) for t in ts])
    return out.cumsum(0) / torch.arange(1, len(ts) + 1)


@wrong("15.loss_on_the_line")
def student_15_g08(loss, start, end, ts, train, held_out):
    """two: head left at the start, and the difference turned round"""
    return torch.stack(
        [
            loss({k: start[k] if "head" in k else start[k] + t * (start[k] - end[k]) for k in start}, held_out)
            for t in ts
        ]
    )


@wrong("15.distance_from_start")
def student_15_h01(runs):
    """mean size of the change over mean size of the start"""
    return {n: ((flat(b) - flat(a)).abs().mean() / flat(a).abs().mean()).item() for n, (a, b) in runs.items()}


@wrong("15.distance_from_start", "standard deviation")
def student_15_h02(runs):
    """standard deviations in place of lengths"""
    return {n: ((flat(b) - flat(a)).std() / flat(a).std()).item() for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_h03(runs):
    """texts come back: f'{x:.2f}'"""
    return {n: f"{norm([b[k] - a[k] for k in a]) / norm(a.values()):.2f}" for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_h04(runs):
    """keys and values exchanged: {distance: run}"""
    return {norm([b[k] - a[k] for k in a]) / norm(a.values()): n for n, (a, b) in runs.items()}


@wrong("15.distance_from_start", "logarithm")
def student_15_h05(runs):
    """the logarithm of the ratio of the two lengths"""
    return {n: math.log(norm(b.values()) / norm(a.values())) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start", "rows' lengths")
def student_15_h06(runs):
    """lengths of rows added up: norm(dim=-1).sum()"""

    def size(ts):
        return sum(t.norm(dim=-1).sum().item() for t in ts)

    return {n: size([b[k] - a[k] for k in a]) / size(a.values()) for n, (a, b) in runs.items()}


@wrong("15.distance_from_start")
def student_15_h07(runs):
    """start and end taken the wrong way round: (end, start) in the unpacking"""
    return {n: norm([b[k] - a[k] for k in a]) / norm(a.values()) for n, (b, a) in runs.items()}


@wrong("15.distance_from_start")
def student_15_h08(runs):
    """two: matrices only, and squares without the root"""
    return {
        n: sum(((b[k] - a[k]) ** 2).sum().item() for k in a if a[k].dim() > 1)
        / sum((a[k] ** 2).sum().item() for k in a if a[k].dim() > 1)
        for n, (a, b) in runs.items()
    }


@wrong("15.distance_from_start")
def student_15_h09(runs):
    """the denominator is started at 0 but never squared: sum of the signed numbers"""
    return {n: norm([b[k] - a[k] for k in a]) / abs(sum(a[k].sum().item() for k in a)) for n, (a, b) in runs.items()}


@wrong("15.probe_leak", "Compare with labels")
def student_15_q01(states, words, labels):
    """compares with y (−1/1) in place of the labels: class 0 is never right"""
    half, x, y, new = parts(states, words, labels)
    w = solved(x[:half], y[:half])
    right = (x[half:][new] @ w > 0).long() == y[half:][new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak", "second one has as well")
def student_15_q02(states, words, labels):
    """learns only at places whose word the second half has as well"""
    half, x, y, new = parts(states, words, labels)
    both = torch.isin(words[:half], words[half:])
    w = solved(x[:half][both], y[:half][both])
    right = (x[half:][new] @ w > 0).long() == labels[half:][new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak", "times as long")
def student_15_q03(states, words, labels):
    """w is scaled to length 1"""
    half, x, y, new = parts(states, words, labels)
    w = solved(x[:half], y[:half])
    w = w / w.norm()
    right = (x[half:][new] @ w > 0).long() == labels[half:][new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_q04(states, words, labels):
    """w is learned with the centre of all places, tested with the first half's"""
    half, x, y, new = parts(states, words, labels)
    z = states - states.mean(0)
    w = solved(z[:half], y[:half])
    right = (x[half:][new] @ w > 0).long() == labels[half:][new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_q05(states, words, labels):
    """the places are shuffled before they are halved"""
    order = torch.randperm(len(words), generator=torch.Generator().manual_seed(0))
    states, words, labels = states[order], words[order], labels[order]
    half, x, y, new = parts(states, words, labels)
    w = solved(x[:half], y[:half])
    right = (x[half:][new] @ w > 0).long() == labels[half:][new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak", "spread")
def student_15_q06(states, words, labels):
    """the states are divided by the first half's spread"""
    half, x, y, new = parts(states, words, labels)
    x = x / x[:half].std(0)
    w = solved(x[:half], y[:half])
    right = (x[half:][new] @ w > 0).long() == labels[half:][new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak", "You test")
def student_15_q07(states, words, labels):
    """new = words that stand once only in the whole text"""
    half, x, y, new = parts(states, words, labels)
    w = solved(x[:half], y[:half])
    counts = torch.bincount(words)
    once = counts[words[half:]] <= counts.float().mean()
    right = (x[half:][once] @ w > 0).long() == labels[half:][once]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_q08(states, words, labels):
    """each word counts once in learning: its mean state"""
    half, x, y, new = parts(states, words, labels)
    ids = words[:half].unique()
    a = torch.stack([x[:half][words[:half] == i].mean(0) for i in ids])
    b = torch.stack([y[:half][words[:half] == i][0] for i in ids])
    w = solved(a, b)
    right = (x[half:][new] @ w > 0).long() == labels[half:][new]
    return w, right.float().mean(), len(right)


@wrong("15.probe_leak")
def student_15_q09(states, words, labels):
    """two: fit at all places, and each half centred by its own mean"""
    half, _, y, new = parts(states, words, labels)
    x = torch.cat([states[:half] - states[:half].mean(0), states[half:] - states[half:].mean(0)])
    w = solved(x, y)
    right = (x[half:][new] @ w > 0).long() == labels[half:][new]
    return w, right.float().mean(), len(right)
