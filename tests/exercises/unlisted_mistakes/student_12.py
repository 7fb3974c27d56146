"""What a fresh student tried in lesson 12, fine-tuning BERT. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

MARKS = ("[CLS]", "[SEP]", "[PAD]")


def fin(a, b, cls, sep, second):
    segments = [0] * (len(a) + 2) + [1] * (len(b) + 1 if second else 0)
    return [cls] + a + [sep] + (b + [sep] if second else []), segments


def logits(model, batch):
    return model.head(model.bert.pooled(model.bert.encode(batch)[0][:, 0]))


def _cut(a, b, room):
    while len(a) + len(b) > room:
        if len(a) > len(b):
            a.pop()
        else:
            b.pop()


# --- 12.classify


@wrong("12.classify", "all* texts")
def student_classify_a15(states, W, labels):
    """[:, labels] instead of [arange, labels]: averages over all pairs of texts"""
    logits = states[:, 0] @ W.T
    return logits, -logits.log_softmax(-1)[:, labels].mean()


@wrong("12.classify", "the place after [CLS]")
def student_classify_a21(states, W, labels):
    """place 1, the first word, instead of [CLS] at 0"""
    logits = states[:, 1] @ W.T
    return logits, F.cross_entropy(logits, labels)


@wrong("12.classify", "over all numbers of the batch")
def student_classify_a3(states, W, labels):
    """softmax over all numbers of the batch together"""
    value = states[:, 0] @ W.T
    lp = value.flatten().log_softmax(0).view_as(value)
    return value, -lp[torch.arange(len(value)), labels].mean()


@wrong("12.classify", "taken, or added")
def student_classify_a4(states, W, labels):
    """a bias of the mean: logits centred per text"""
    value = states[:, 0] @ W.T
    value = value - value.mean(-1, keepdim=True)
    return value, F.cross_entropy(value, labels)


@wrong("12.classify", "log(1 − p)")
def student_classify_a8(states, W, labels):
    """log1p / 1 - p instead of p: -log(1 - p)"""
    value = states[:, 0] @ W.T
    p = value.softmax(-1).gather(1, labels[:, None])[:, 0]
    return value, -(1 - p).log().mean()


@wrong("12.classify", "0.5 × place 4")
def student_classify_a1(states, W, labels):
    """places 0 and 1 swapped in idea: C is the mean of the first and last place"""
    C = (states[:, 0] + states[:, -1]) / 2
    return C @ W.T, F.cross_entropy(C @ W.T, labels)


@wrong("12.classify", "divided by 6")
def student_classify_a2(states, W, labels):
    """mean over all logits of -log softmax times one-hot: divided by batch · classes"""
    value = states[:, 0] @ W.T
    y = F.one_hot(labels, len(W))
    return value, -(y * value.log_softmax(-1)).mean()


# --- 12.pair_input


@wrong("12.pair_input", "of B go before A loses")
def student_pair_input_b09(first, second, cls, sep, max_len):
    """always taken off the second (the passage), never off the first"""
    a, b = list(first), list(second)
    room = max_len - (3 if b else 2)
    if b:
        while len(a) + len(b) > room and b:
            b.pop()
    a = a[:room]
    return [cls] + a + [sep] + (b + [sep] if second else []), [0] * (len(a) + 2) + [1] * (len(b) + 1 if second else 0)


@wrong("12.pair_input", "half of the room")
def student_pair_input_b10(first, second, cls, sep, max_len):
    """each text gets half of the room, used or not"""
    room = max_len - (3 if second else 2)
    h = room // 2
    a, b = (
        (list(first[: room - h]), list(second[:h]))
        if second and len(first) + len(second) > room
        else (list(first[:room]), list(second))
    )
    return [cls] + a + [sep] + (b + [sep] if b else []), [0] * (len(a) + 2) + [1] * (len(b) + 1 if b else 0)


@wrong("12.pair_input", "[CLS] stands 2 times")
def student_pair_input_b15(first, second, cls, sep, max_len):
    """a second [CLS] before B"""
    a, b = list(first), list(second)
    _cut(a, b, max_len - (4 if b else 2))
    return [cls] + a + [sep] + ([cls] + b + [sep] if b else []), [0] * (len(a) + 2) + [1] * (len(b) + 2 if b else 0)


@wrong("12.pair_input", "*shorter* text")
def student_pair_input_b18(first, second, cls, sep, max_len):
    """taken off the shorter one (< instead of >)"""
    a, b = list(first), list(second)
    room = max_len - (3 if b else 2)
    while len(a) + len(b) > room:
        if b and len(a) > 0 and len(a) < len(b):
            a.pop()
        elif b:
            b.pop()
        else:
            a.pop()
    return [cls] + a + [sep] + (b + [sep] if second else []), [0] * (len(a) + 2) + [1] * (len(b) + 1 if second else 0)


@wrong("12.pair_input", "Two things at once")
def student_pair_input_b19(first, second, cls, sep, max_len):
    """two: ties off the first, and A's [SEP] in segment 1"""
    a, b = list(first), list(second)
    room = max_len - (3 if b else 2)
    while len(a) + len(b) > room:
        if len(a) >= len(b):
            a.pop()
        else:
            b.pop()
    return [cls] + a + [sep] + (b + [sep] if b else []), [0] * (len(a) + 1) + [1] * (len(b) + 2 if b else 1)


@wrong("12.pair_input", "in proportion")
def student_pair_input_b3(first, second, cls, sep, max_len):
    """cut in proportion to the lengths"""
    room = max_len - (3 if second else 2)
    a, b = list(first), list(second)
    n = len(a) + len(b)
    if n > room:
        k = round(room * len(a) / n)
        a, b = a[:k], b[: room - k]
    return fin(a, b, cls, sep, second)


@wrong("12.pair_input", "longer at the beginning")
def student_pair_input_b5(first, second, cls, sep, max_len):
    """the longer one is decided once, before the loop"""
    room = max_len - (3 if second else 2)
    a, b = list(first), list(second)
    longer = a if len(a) > len(b) else b
    while len(a) + len(b) > room and longer:
        longer.pop()
    return fin(a, b, cls, sep, second)


# --- 12.tags_on_pieces


@wrong("12.tags_on_pieces", "You count pieces")
def student_tags_on_pieces_c06(pieces, tags):
    """tags[k - 1]: the piece's place instead of the word's number (right where no word is cut)"""
    return [-100 if p in MARKS or p.startswith("##") else tags[min(k - 1, len(tags) - 1)] for k, p in enumerate(pieces)]


@wrong("12.tags_on_pieces", "It takes two")
def student_tags_on_pieces_c09(pieces, tags):
    """startswith('#'): a word that begins with one # is taken for a continuation"""
    it = iter(tags)
    return [-100 if p in MARKS or p.startswith("#") else next(it) for p in pieces]


@wrong("12.tags_on_pieces", "A bracket is a word")
def student_tags_on_pieces_c10(pieces, tags):
    """startswith('['): a word that begins with a bracket is taken for a mark"""
    it = iter(tags)
    return [-100 if p.startswith(("[", "##")) else next(it) for p in pieces]


@wrong("12.tags_on_pieces", "You count pieces")
def student_tags_on_pieces_c17(pieces, tags):
    """also moves on at ##: every piece uses up a tag, continuing ones show -100"""
    out, i = [], 0
    for p in pieces:
        if p in MARKS:
            out.append(-100)
        else:
            out.append(-100 if p.startswith("##") else tags[i % len(tags)])
            i += 1
    return out


@wrong("12.tags_on_pieces", "one ahead")
def student_tags_on_pieces_c18(pieces, tags):
    """the counter starts at 1: the tag of the next word"""
    out, i = [], 0
    for p in pieces:
        if p in MARKS or p.startswith("##"):
            out.append(-100)
        else:
            i += 1
            out.append(tags[i] if i < len(tags) else -100)
    return out


@wrong("12.tags_on_pieces", "doesn't move at a word that is cut")
def student_tags_on_pieces_c3(pieces, tags):
    """tags of words that are cut are skipped: the counter doesn't move at a cut word"""
    out, i = [], 0
    for k, p in enumerate(pieces):
        if p in MARKS or p.startswith("##"):
            out.append(-100)
            continue
        cut = k + 1 < len(pieces) and pieces[k + 1].startswith("##")
        out.append(tags[min(i, len(tags) - 1)])
        if not cut:
            i += 1
    return out


@wrong("12.tags_on_pieces", "more than once")
def student_tags_on_pieces_c4(pieces, tags):
    """by words.index: a word that comes twice gets the first one's tag"""
    words = [p for p in pieces if p not in MARKS and not p.startswith("##")]
    return [-100 if p in MARKS or p.startswith("##") else tags[words.index(p)] for p in pieces]


@wrong("12.tags_on_pieces", "[UNK] is a word")
def student_tags_on_pieces_c8(pieces, tags):
    """[UNK] is taken for a mark (a list of all special tokens)"""
    it = iter(tags)
    return [-100 if p in MARKS + ("[UNK]", "[MASK]") or p.startswith("##") else next(it) for p in pieces]


# --- 12.best_span


@wrong("12.best_span", "max_len − 1 tokens at most")
def student_best_span_d03(start, end, allowed, max_len):
    """last < first + max_len - 1: one token too short"""
    n = len(start)
    best, arg = -float("inf"), None
    for i in range(n):
        for j in range(i, min(n, i + max(max_len - 1, 1))):
            if allowed[i] and allowed[j] and start[i] + end[j] > best:
                best, arg = start[i] + end[j], (i, j)
    return arg


@wrong("12.best_span", "triu")
def student_best_span_d11(start, end, allowed, max_len):
    """tril instead of triu: spans that end before they begin"""
    n = len(start)
    s = start[:, None] + end[None]
    ok = torch.ones(n, n, dtype=torch.bool).tril() & allowed[:, None] & allowed
    k = s.masked_fill(~ok, -torch.inf).argmax().item()
    return k // n, k % n


@wrong("12.best_span", "stop one early")
def student_best_span_d22(start, end, allowed, max_len):
    """the last place can't be the end (range(n - 1))"""
    n = len(start)
    best, arg = -float("inf"), (0, 0)
    for i in range(n):
        for j in range(i, min(n - 1, i + max_len)):
            if allowed[i] and allowed[j] and start[i] + end[j] > best:
                best, arg = start[i] + end[j], (i, j)
    return arg


@wrong("12.best_span", "j < max_len")
def student_best_span_d1(start, end, allowed, max_len):
    """all places between must be... max_len counts from the first allowed place: j < max_len"""
    n = len(start)
    b, arg = -float("inf"), (0, 0)
    for i in range(n):
        for j in range(i, min(n, max_len)):
            if allowed[i] and allowed[j] and start[i] + end[j] > b:
                b, arg = (start[i] + end[j]).item(), (i, j)
    return arg


@wrong("12.best_span", "no pair was found")
def student_best_span_d4(start, end, allowed, max_len):
    """start and last among the five best of each only (n-best lists of 3)"""
    s = start.masked_fill(~allowed, -torch.inf)
    e = end.masked_fill(~allowed, -torch.inf)
    k = min(2, len(s))
    pairs = [
        (i, j)
        for i in s.topk(k).indices.tolist()
        for j in e.topk(k).indices.tolist()
        if i <= j < i + max_len and allowed[i] and allowed[j]
    ]
    return max(pairs, key=lambda p: (start[p[0]] + end[p[1]]).item()) if pairs else (0, 0)


@wrong("12.best_span", "break")
def student_best_span_d7(start, end, allowed, max_len):
    """stops at the first place that isn't allowed, from the beginning: break instead of continue"""
    n = len(start)
    b, arg = -float("inf"), (0, 0)
    for i in range(n):
        if not allowed[i]:
            break
        for j in range(i, min(n, i + max_len)):
            if allowed[j] and start[i] + end[j] > b:
                b, arg = (start[i] + end[j]).item(), (i, j)
    return arg


# --- 12.frozen_tuned_scratch


@wrong("12.frozen_tuned_scratch", "√5")
def student_gain_e09(accuracy):
    """√5 fixed: right for five seeds only"""
    d = accuracy[1] - accuracy[[0, 2]]
    return d.mean(-1), d.std(-1) / 5**0.5


@wrong("12.frozen_tuned_scratch", "signs of the differences")
def student_gain_e18(accuracy):
    """absolute difference"""
    d = (accuracy[1] - accuracy[[0, 2]]).abs()
    return d.mean(-1), d.std(-1) / d.shape[-1] ** 0.5


@wrong("12.frozen_tuned_scratch", "divided by seeds − 1")
def student_gain_e1(accuracy):
    """the sum over seeds / (seeds - 1) as the mean"""
    d = accuracy[1] - accuracy[[0, 2]]
    n = d.shape[-1]
    return d.sum(-1) / (n - 1), d.std(-1) / n**0.5


@wrong("12.frozen_tuned_scratch", "without their mean")
def student_gain_e3(accuracy):
    """deviations from 0 instead of from the mean"""
    d = accuracy[1] - accuracy[[0, 2]]
    n = d.shape[-1]
    return d.mean(-1), ((d**2).sum(-1) / (n - 1)).sqrt() / n**0.5


@wrong("12.frozen_tuned_scratch", "of all label counts")
def student_gain_e4(accuracy):
    """deviations from the mean over all counts"""
    d = accuracy[1] - accuracy[[0, 2]]
    n = d.shape[-1]
    m = d.mean((1, 2), keepdim=True)
    return d.mean(-1), (((d - m) ** 2).sum(-1) / (n - 1)).sqrt() / n**0.5


@wrong("12.frozen_tuned_scratch", "sorted")
def student_gain_e8(accuracy):
    """seeds sorted before the difference: not paired"""
    a = accuracy.sort(-1).values
    d = a[1] - a[[0, 2]]
    return d.mean(-1), d.std(-1) / d.shape[-1] ** 0.5


# --- 12.fine_tune


@wrong("12.fine_tune", ".detach()")
def student_fine_tune_f10(model, ids, labels, lr):
    """states.detach() in place of no_grad: BERT's layers still don't learn (the pooler does)"""
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses = []
    for batch, right in zip(ids, labels):
        optimizer.zero_grad()
        states, _ = model.bert.encode(batch)
        C = model.bert.pooled(states[:, 0].detach())
        loss = F.cross_entropy(model.head(C), right)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@wrong("12.fine_tune", "Adam")
def student_fine_tune_f17(model, ids, labels, lr):
    """two: Adam, and gradients add up"""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for batch, right in zip(ids, labels):
        states, _ = model.bert.encode(batch)
        loss = F.cross_entropy(model.head(model.bert.pooled(states[:, 0])), right)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@wrong("12.fine_tune", "the token table")
def student_fine_tune_f22(model, ids, labels, lr):
    """the token table is left out: only blocks, pooler and head are given to the optimizer"""
    optimizer = torch.optim.SGD([p for n, p in model.named_parameters() if "token" not in n], lr=lr)
    losses = []
    for batch, right in zip(ids, labels):
        optimizer.zero_grad()
        states, _ = model.bert.encode(batch)
        loss = F.cross_entropy(model.head(model.bert.pooled(states[:, 0])), right)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@wrong("12.fine_tune", "of the pooler")
def student_fine_tune_f2(model, ids, labels, lr):
    """zero_grad clears the head alone (model.head.zero_grad())"""
    o = torch.optim.SGD(model.parameters(), lr=lr)
    out = []
    for b, y in zip(ids, labels):
        model.head.zero_grad()
        value = F.cross_entropy(logits(model, b), y)
        value.backward()
        o.step()
        out.append(value.detach())
    return torch.stack(out)


@wrong("12.fine_tune", "weight decay")
def student_fine_tune_f4(model, ids, labels, lr):
    """weight decay 0.01 (AdamW's habit) in SGD"""
    o = torch.optim.SGD(model.parameters(), lr=lr, weight_decay=0.01)
    out = []
    for b, y in zip(ids, labels):
        o.zero_grad()
        value = F.cross_entropy(logits(model, b), y)
        value.backward()
        o.step()
        out.append(value.detach())
    return torch.stack(out)


@wrong("12.fine_tune", "loss.backward()")
def student_fine_tune_f5(model, ids, labels, lr):
    """backward is missing"""
    o = torch.optim.SGD(model.parameters(), lr=lr)
    out = []
    for b, y in zip(ids, labels):
        o.zero_grad()
        value = F.cross_entropy(logits(model, b), y)
        o.step()
        out.append(value.detach())
    return torch.stack(out)


@wrong("12.fine_tune", "trained as it should be")
def student_fine_tune_f6(model, ids, labels, lr):
    """the losses averaged: cumulative mean so far"""
    o = torch.optim.SGD(model.parameters(), lr=lr)
    out = []
    for b, y in zip(ids, labels):
        o.zero_grad()
        value = F.cross_entropy(logits(model, b), y)
        value.backward()
        o.step()
        out.append(value.detach())
    t = torch.stack(out)
    return t.cumsum(0) / torch.arange(1, len(t) + 1)


@wrong("12.fine_tune", "0.5 times as far")
def student_fine_tune_f7(model, ids, labels, lr):
    """rate halved at each step (decay, as a schedule)"""
    o = torch.optim.SGD(model.parameters(), lr=lr)
    out = []
    for k, (b, y) in enumerate(zip(ids, labels)):
        for g in o.param_groups:
            g["lr"] = lr * (1 - k / len(ids))
        o.zero_grad()
        value = F.cross_entropy(logits(model, b), y)
        value.backward()
        o.step()
        out.append(value.detach())
    return torch.stack(out)


@wrong("12.fine_tune", "of all parts")
def student_fine_tune_f8(model, ids, labels, lr):
    """zero_grad after the loop's body once every two steps (gradient accumulation)"""
    o = torch.optim.SGD(model.parameters(), lr=lr)
    out = []
    for k, (b, y) in enumerate(zip(ids, labels)):
        value = F.cross_entropy(logits(model, b), y)
        value.backward()
        o.step()
        if k % 2:
            o.zero_grad()
        out.append(value.detach())
    return torch.stack(out)
