"""Unlisted wrong answers to lesson 12, fine-tuning BERT."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 12.classify ------------------------------------------------------------------------------------------------------

K = "12.classify"
CE = F.cross_entropy


def of_C(states, W):
    return states[:, 0] @ W.mT


@wrong(K, "the loss takes the softmax twice")
def mean_and_softmax_twice(states, W, labels):
    logits = states.mean(1) @ W.mT
    return logits, CE(logits.softmax(-1), labels)


@wrong(K, "You read the last place")
def last_place_and_sum(states, W, labels):
    logits = states[:, -1] @ W.mT
    return logits, CE(logits, labels, reduction="sum")


@wrong(K, "no gradient flows")
def detached_logits(states, W, labels):
    logits = of_C(states, W).detach()
    return logits, CE(logits, labels)


@wrong(K, "float32 tensor")
def loss_as_a_number(states, W, labels):
    logits = of_C(states, W)
    return logits, CE(logits, labels).item()


@wrong(K, "`labels` is read backwards")
def labels_wrong_way_round(states, W, labels):
    logits = of_C(states, W)
    return logits, CE(logits, labels.flip(0))


@wrong(K, "divided by 4")
def halved_loss(states, W, labels):
    logits = of_C(states, W)
    return logits, CE(logits, labels) / 2


@wrong(K, "divided by 3")
def divided_by_classes(states, W, labels):
    logits = of_C(states, W)
    return logits, CE(logits, labels, reduction="sum") / len(W)


@wrong(K, "each 1 too large")
def a_bias_of_one(states, W, labels):
    logits = of_C(states, W) + 1
    return logits, CE(logits, labels)


@wrong(K, "1 × place 4")
def first_and_last(states, W, labels):
    logits = (states[:, 0] + states[:, -1]) @ W.mT
    return logits, CE(logits, labels)


@wrong(K, "an axis too many")
def keeps_an_axis(states, W, labels):
    logits = states[:, :1] @ W.mT
    return logits, CE(logits[:, 0], labels)


@wrong(K, "transposed")
def logits_turned(states, W, labels):
    return W @ states[:, 0].mT, CE(of_C(states, W), labels)


@wrong(K, "divided by 2")
def a_temperature(states, W, labels):
    logits = of_C(states, W) / 2
    return logits, CE(logits, labels)


@wrong(K, "smallest of the texts' losses")
def minimum_of_the_losses(states, W, labels):
    logits = of_C(states, W)
    return logits, CE(logits, labels, reduction="none").min()


@wrong(K, "median")
def median_of_the_losses(states, W, labels):
    logits = of_C(states, W)
    return logits, CE(logits, labels, reduction="none").median()


@wrong(K, "Your logits are right")
def entropy(states, W, labels):
    logits = of_C(states, W)
    p = logits.softmax(-1)
    return logits, -(p * p.clamp(min=1e-30).log()).sum(-1).mean()


@wrong(K, "sigmoid")
def sigmoid_logits(states, W, labels):
    logits = of_C(states, W).sigmoid()
    return logits, CE(logits, labels)


@wrong(K, "place 0 alone")
def no_cls_at_all(states, W, labels):
    logits = states[:, 1:].sum(1) @ W.mT
    return logits, CE(logits, labels)


# --- 12.pair_input ----------------------------------------------------------------------------------------------------

K = "12.pair_input"


def cut(first, second, most, tie=False):
    first, second = list(first), list(second)
    while len(first) + len(second) > most:
        (first if len(first) > len(second) - tie else second).pop()
    return first, second


def laid(a, b, cls, sep):
    return [cls, *a, sep] + ([*b, sep] if b else []), [0] * (len(a) + 2) + ([1] * (len(b) + 1) if b else [])


@wrong(K, "in place")
def changes_its_lists(first, second, cls, sep, max_len):
    while len(first) + len(second) + (3 if second else 2) > max_len:
        (first if len(first) > len(second) else second).pop()
    return laid(first, second, cls, sep)


@wrong(K, "9 ids, but 6 segments")
def segments_without_marks(first, second, cls, sep, max_len):
    a, b = cut(first, second, max_len - (3 if second else 2))
    return laid(a, b, cls, sep)[0], [0] * len(a) + [1] * len(b)


@wrong(K, "At place 0")
def segment_of_cls_is_one(first, second, cls, sep, max_len):
    ids, segments = laid(*cut(first, second, max_len - (3 if second else 2)), cls, sep)
    return ids, [1, *segments[1:]]


@wrong(K, "At place 1")
def segments_alternate(first, second, cls, sep, max_len):
    ids, _ = laid(*cut(first, second, max_len - (3 if second else 2)), cls, sep)
    return ids, [i % 2 for i in range(len(ids))]


@wrong(K)
def segments_are_places(first, second, cls, sep, max_len):
    ids, _ = laid(*cut(first, second, max_len - (3 if second else 2)), cls, sep)
    return ids, list(range(len(ids)))


@wrong(K, "You cut too much")
def halves_of_max_len(first, second, cls, sep, max_len):
    half = max_len // 2
    return laid(first[: half - 2], second[: half - 1], cls, sep)


@wrong(K, "in proportion")
def in_proportion(first, second, cls, sep, max_len):
    room, n = max_len - (3 if second else 2), len(first) + len(second)
    if n > room:
        keep = round(room * len(first) / n)
        first, second = first[:keep], second[: room - keep]
    return laid(first, second, cls, sep)


@wrong(K, "You keep 7")
def first_as_long_as_it_fits(first, second, cls, sep, max_len):
    room = max_len - (3 if second else 2)
    first = first[: room - 1] if second else first[:room]
    return laid(first, second[: room - len(first)], cls, sep)


@wrong(K, "Cut the texts first")
def cut_then_sep_forced(first, second, cls, sep, max_len):
    ids, segments = laid(first, second, cls, sep)
    ids, segments = ids[:max_len], segments[:max_len]
    ids[-1] = sep
    return ids, segments


@wrong(K, "A loses a token")
def tie_goes_to_the_first_and_no_segments(first, second, cls, sep, max_len):
    ids, segments = laid(*cut(first, second, max_len - (3 if second else 2), tie=True), cls, sep)
    return ids, [0] * len(segments)


@wrong(K, "off the beginning")
def front_of_both(first, second, cls, sep, max_len):
    room = max_len - (3 if second else 2)
    a, b = cut(first, second, room)
    return laid(first[len(first) - len(a) :], second[len(second) - len(b) :], cls, sep)


@wrong(K, "two marks, not three")
def empty_second_gets_a_sep(first, second, cls, sep, max_len):
    a, b = cut(first, second, max_len - 3)
    return [cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1)


@wrong(K, "should be a list")
def tensors(first, second, cls, sep, max_len):
    ids, segments = laid(*cut(first, second, max_len - (3 if second else 2)), cls, sep)
    return torch.tensor(ids), torch.tensor(segments)


@wrong(K)
def a_dictionary(first, second, cls, sep, max_len):
    ids, segments = laid(*cut(first, second, max_len - (3 if second else 2)), cls, sep)
    return {"ids": ids, "segments": segments}


@wrong(K, "cls is 101 here")
def marks_of_the_small_world(first, second, cls, sep, max_len):
    return laid(*cut(first, second, max_len - (3 if second else 2)), 1, 2)


@wrong(K, "while, not if")
def if_in_place_of_while(first, second, cls, sep, max_len):
    first, second = list(first), list(second)
    if len(first) + len(second) + (3 if second else 2) > max_len:
        (first if len(first) > len(second) else second).pop()
    return laid(first, second, cls, sep)


@wrong(K, "You cut too much")
def each_cut_by_the_excess(first, second, cls, sep, max_len):
    excess = max(0, len(first) + len(second) + (3 if second else 2) - max_len)
    half = (excess + 1) // 2
    return laid(first[: max(0, len(first) - half)], second[: max(0, len(second) - half)], cls, sep)


@wrong(K, "tokens are taken off the end")
def deletes_from_the_middle(first, second, cls, sep, max_len):
    first, second = list(first), list(second)
    while len(first) + len(second) + (3 if second else 2) > max_len:
        longer = first if len(first) > len(second) else second
        del longer[len(longer) // 2]
    return laid(first, second, cls, sep)


@wrong(K, "At place 5")
def sep_segment_alone_wrong_and_b_cut(first, second, cls, sep, max_len):
    room = max_len - (3 if second else 2)
    a, b = (first, second[: max(0, room - len(first))]) if second else (first[:room], [])
    ids, _ = laid(a, b, cls, sep)
    return ids, [0] * (len(a) + 1) + [1] * (len(ids) - len(a) - 1)


# --- 12.tags_on_pieces ------------------------------------------------------------------------------------------------

K = "12.tags_on_pieces"
MARKS = ("[CLS]", "[SEP]", "[PAD]")


def word_of(pieces, i):
    return sum(p not in MARKS and not p.startswith("##") for p in pieces[: i + 1]) - 1


def labelled(pieces, tags):
    return [-100 if p in MARKS or p.startswith("##") else tags[word_of(pieces, i)] for i, p in enumerate(pieces)]


@wrong(K, "[SEP], at place 6, is a mark")
def only_cls_is_a_mark(pieces, tags):
    each = iter(tags)
    return [-100 if p == "[CLS]" or p.startswith("##") else next(each, 0) for p in pieces]


@wrong(K, "goes on a word")
def inside_tags(pieces, tags):
    """As in BIO: what goes on gets the next number."""
    return [
        tags[word_of(pieces, i)] + 1 if p.startswith("##") else own
        for i, (p, own) in enumerate(zip(pieces, labelled(pieces, tags)))
    ]


@wrong(K)
def marks_take_no_minus(pieces, tags):
    return [100 if p in MARKS else own for p, own in zip(pieces, labelled(pieces, tags))]


@wrong(K, "Count words, not pieces")
def ends_with_hashes(pieces, tags):
    each = iter(tags)
    return [-100 if p in MARKS or p.endswith("##") else next(each, -100) for p in pieces]


@wrong(K, "one place too early")
def a_piece_ahead(pieces, tags):
    labels = labelled(pieces, tags)
    return [*labels[1:], -100] if labels else []


@wrong(K, "one place too late")
def a_piece_late(pieces, tags):
    return [-100, *labelled(pieces, tags)[:-1]] if pieces else []


@wrong(K, "from its end")
def tags_reversed(pieces, tags):
    return labelled(pieces, tags[::-1])


@wrong(K, "Its tag is 0")
def no_tag_zero(pieces, tags):
    return [-100 if own == 0 else own for own in labelled(pieces, tags)]


@wrong(K, "should be a list")
def as_a_tensor(pieces, tags):
    return torch.tensor(labelled(pieces, tags))


@wrong(K, "in place")
def pops_the_tags(pieces, tags):
    return [-100 if p in MARKS or p.startswith("##") else tags.pop(0) for p in pieces]


@wrong(K)
def first_marks_only(pieces, tags):
    labels = list(tags)
    for i, p in enumerate(pieces):
        if p.startswith("##"):
            labels.insert(i, -100)
    return [-100, *labels, -100] if pieces else []


@wrong(K)
def counter_moves_everywhere(pieces, tags):
    labels = []
    for i, p in enumerate(pieces):
        labels.append(tags[min(i, len(tags) - 1)] if p not in MARKS and not p.startswith("##") else -100)
    return labels


@wrong(K, "more than once")
def a_set_of_seen_words(pieces, tags):
    seen, each, labels = set(), iter(tags), []
    for p in pieces:
        if p in MARKS or p.startswith("##") or p in seen:
            labels.append(-100)
        else:
            labels.append(next(each, -100))
            seen.add(p)
    return labels


@wrong(K, "more than once")
def dictionary_by_piece(pieces, tags):
    begins = [p for p in pieces if p not in MARKS and not p.startswith("##")]
    tag_of = dict(zip(begins, tags))
    return [tag_of.get(p, -100) for p in pieces]


@wrong(K, "isn't asked")
def letters_only(pieces, tags):
    """A full stop isn't a word."""
    each = iter(tags)
    return [next(each, -100) if p.isalpha() else -100 for p in pieces]


@wrong(K)
def the_last_tag_for_marks(pieces, tags):
    return [tags[-1] if p in MARKS and tags else own for p, own in zip(pieces, labelled(pieces, tags))]


@wrong(K, "begins word 0")
def skips_the_first_word(pieces, tags):
    labels = labelled(pieces, tags)
    return [*labels[:1], -100, *labels[2:]] if len(labels) > 2 else labels


@wrong(K, "Nothing is asked anywhere")
def everything_ignored(pieces, tags):
    return [-100 for _ in pieces]


# --- 12.best_span -----------------------------------------------------------------------------------------------------

K = "12.best_span"


def possible_pairs(start, end, allowed, max_len):
    return [
        (i, j) for i in range(len(start)) for j in range(i, min(i + max_len, len(start))) if allowed[i] and allowed[j]
    ]


def best(start, end, allowed, max_len):
    return max(possible_pairs(start, end, allowed, max_len), key=lambda p: (start[p[0]] + end[p[1]]).item())


@wrong(K)
def loops_from_one(start, end, allowed, max_len):
    pairs = [p for p in possible_pairs(start, end, allowed, max_len) if p[0] > 0 and p[1] > p[0] - 1][1:]
    return max(pairs, key=lambda p: (start[p[0]] + end[p[1]]).item(), default=(0, 0))


@wrong(K, "None comes back")
def compares_with_greater_or_equal_zero(start, end, allowed, max_len):
    at = None
    found = 0
    for i, j in possible_pairs(start, end, allowed, max_len):
        if start[i] + end[j] > found:
            found, at = start[i] + end[j], (i, j)
    return at


@wrong(K, "return inside the loop")
def returns_inside_the_loop(start, end, allowed, max_len):
    for i, j in possible_pairs(start, end, allowed, max_len):
        return i, j


@wrong(K, "longer than max_len")
def max_len_from_the_text(start, end, allowed, max_len):
    return best(start, end, allowed, len(start))


@wrong(K, "squared")
def squares_of_scores(start, end, allowed, max_len):
    return max(possible_pairs(start, end, allowed, max_len), key=lambda p: (start[p[0]] ** 2 + end[p[1]] ** 2).item())


@wrong(K, "signs")
def absolute_scores(start, end, allowed, max_len):
    return max(possible_pairs(start, end, allowed, max_len), key=lambda p: (start[p[0]].abs() + end[p[1]].abs()).item())


@wrong(K, "smaller")
def smaller_of_both(start, end, allowed, max_len):
    return max(possible_pairs(start, end, allowed, max_len), key=lambda p: min(start[p[0]], end[p[1]]).item())


@wrong(K, "never above")
def mean_over_the_span(start, end, allowed, max_len):
    return max(
        possible_pairs(start, end, allowed, max_len),
        key=lambda p: (start[p[0] : p[1] + 1] + end[p[0] : p[1] + 1]).mean().item(),
    )


@wrong(K, "comes back twice")
def the_last_best(start, end, allowed, max_len):
    i, _ = best(start, end, allowed, max_len)
    return i, i


@wrong(K)
def as_a_slice(start, end, allowed, max_len):
    i, j = best(start, end, allowed, max_len)
    return slice(i, j + 1)


@wrong(K, "All places")
def the_tokens_of_the_span(start, end, allowed, max_len):
    i, j = best(start, end, allowed, max_len)
    return list(range(i, j + 1))


@wrong(K, "changed places")
def table_turned(start, end, allowed, max_len):
    n = len(start)
    score = (start[None, :] + end[:, None]).masked_fill(~(allowed[:, None] & allowed[None, :]), -torch.inf)
    score = score.masked_fill(~torch.ones(n, n, dtype=torch.bool).triu().tril(max_len - 1), -torch.inf)
    return divmod(score.argmax().item(), n)


@wrong(K, "may be one token")
def triu_without_the_diagonal_and_no_length(start, end, allowed, max_len):
    n = len(start)
    score = (start[:, None] + end[None, :]).masked_fill(~(allowed[:, None] & allowed[None, :]), -torch.inf)
    return divmod(score.masked_fill(~torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf).argmax().item(), n)


@wrong(K, "far below 0")
def hides_by_minus_ten(start, end, allowed, max_len):
    n = len(start)
    keep = torch.ones(n, n, dtype=torch.bool).triu().tril(max_len - 1) & allowed[:, None] & allowed[None, :]
    return divmod((start[:, None] + end[None, :]).masked_fill(~keep, -10.0).argmax().item(), n)


@wrong(K, "far below 0")
def multiplies_by_the_mask(start, end, allowed, max_len):
    start, end = start * allowed, end * allowed
    pairs = [(i, j) for i in range(len(start)) for j in range(i, min(i + max_len, len(start)))]
    return max(pairs, key=lambda p: (start[p[0]] + end[p[1]]).item())


@wrong(K, "from the text's beginning")
def cuts_the_text_and_forgets_the_offset(start, end, allowed, max_len):
    start, end = start[allowed], end[allowed]
    n = len(start)
    keep = torch.ones(n, n, dtype=torch.bool).triu().tril(max_len - 1)
    return divmod((start[:, None] + end[None, :]).masked_fill(~keep, -torch.inf).argmax().item(), n)


# --- 12.frozen_tuned_scratch ------------------------------------------------------------------------------------------

K = "12.frozen_tuned_scratch"


def gaps(accuracy):
    return accuracy[1] - accuracy[[0, 2]]


def se(x):
    return x.std(-1) / x.shape[-1] ** 0.5


@wrong(K, "wrong shape")
def error_over_the_counts(accuracy):
    return gaps(accuracy).mean(-1), gaps(accuracy).std(1, correction=0) if accuracy.shape[1] > 1 else gaps(accuracy)[
        ..., 0
    ]


@wrong(K, "multiplied by 2.78")
def gain_and_interval(accuracy):
    return gaps(accuracy).mean(-1), 2.78 * se(gaps(accuracy))


@wrong(K, "of the frozen runs")
def deviation_of_all_three(accuracy):
    return gaps(accuracy).mean(-1), se(accuracy)[:2]


@wrong(K, "of the scratch runs")
def error_of_scratch_twice(accuracy):
    return gaps(accuracy).mean(-1), se(accuracy[[2, 2]])


@wrong(K, "rounded")
def gain_of_the_rounded(accuracy):
    return gaps(accuracy).mean(-1).round(decimals=2), se(gaps(accuracy)).round(decimals=2)


@wrong(K, "2 × tuned")
def both_gains_added(accuracy):
    gain = gaps(accuracy).mean(-1)
    return gain.sum(0, keepdim=True).expand(2, -1), se(gaps(accuracy))


@wrong(K, "0.5 × frozen")
def gain_over_the_mean_of_both(accuracy):
    each = accuracy[1] - accuracy[[0, 2]].mean(0)
    return torch.stack([each, each]).mean(-1), torch.stack([se(each), se(each)])


@wrong(K, "The sign is turned round")
def sign_and_unpaired(accuracy):
    variance = accuracy.var(-1) / accuracy.shape[-1]
    return -gaps(accuracy).mean(-1), (variance[1] + variance[[0, 2]]).sqrt()


@wrong(K, "the two variances are added")
def unpaired_without_dividing(accuracy):
    variance = accuracy.var(-1)
    return gaps(accuracy).mean(-1), (variance[1] + variance[[0, 2]]).sqrt()


@wrong(K, "nothing to do with each other")
def unpaired_with_n(accuracy):
    variance = accuracy.var(-1, correction=0) / accuracy.shape[-1]
    return gaps(accuracy).mean(-1), (variance[1] + variance[[0, 2]]).sqrt()


@wrong(K)
def paired_with_n_minus_one_twice(accuracy):
    return gaps(accuracy).mean(-1), gaps(accuracy).std(-1, correction=0) / (accuracy.shape[-1] - 1)


@wrong(K, "Only the gain is wrong")
def without_the_last_seed(accuracy):
    return gaps(accuracy)[..., :-1].mean(-1), se(gaps(accuracy))


@wrong(K, "an axis too many")
def seed_axis_kept(accuracy):
    x = gaps(accuracy)
    return x.mean(-1, keepdim=True), x.std(-1, keepdim=True) / x.shape[-1] ** 0.5


@wrong(K)
def a_list_of_pairs(accuracy):
    x = gaps(accuracy)
    return list(zip(x.mean(-1), se(x)))


@wrong(K, "The root is missing")
def standard_error_squared(accuracy):
    return gaps(accuracy).mean(-1), se(gaps(accuracy)) ** 2


# --- 12.fine_tune -----------------------------------------------------------------------------------------------------

K = "12.fine_tune"


def training(model, ids, labels, lr, parameters=None, loss=F.cross_entropy, logits=None, every=1, **options):
    optimizer, losses = torch.optim.SGD(parameters or list(model.parameters()), lr=lr, **options), []
    for step, (batch, label) in enumerate(zip(ids, labels)):
        value = loss(model(batch) if logits is None else logits(batch), label)
        optimizer.zero_grad()
        value.backward()
        if step % every == 0:
            optimizer.step()
        losses.append(value.detach())
    return torch.stack(losses)


@wrong(K, "gradient alone")
def weight_decay(model, ids, labels, lr):
    return training(model, ids, labels, lr, weight_decay=0.1)


@wrong(K, "0.5 times as far")
def half_the_rate(model, ids, labels, lr):
    return training(model, ids, labels, lr / 2)


@wrong(K, "times as far")
def clipped(model, ids, labels, lr):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=lr), []
    for batch, label in zip(ids, labels):
        loss = F.cross_entropy(model(batch), label)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@wrong(K, "the embeddings")
def head_and_blocks_last(model, ids, labels, lr):
    return training(
        model,
        ids,
        labels,
        lr,
        [*model.head.parameters(), *model.bert.pooler.parameters(), *model.bert.blocks.parameters()],
    )


@wrong(K, "W and its bias, the pooler")
def only_the_encoder(model, ids, labels, lr):
    return training(model, ids, labels, lr, list(model.bert.blocks.parameters()))


@wrong(K, "W and its bias.")
def without_the_head_and_no_clearing(model, ids, labels, lr):
    optimizer, losses = torch.optim.SGD(model.bert.parameters(), lr=lr), []
    for batch, label in zip(ids, labels):
        loss = F.cross_entropy(model(batch), label)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@wrong(K, "Before any step")
def last_place_in_place_of_cls(model, ids, labels, lr):
    def logits(batch):
        return model.head(model.bert.pooled(model.bert.encode(batch)[0][:, -1]))

    return training(model, ids, labels, lr, logits=logits)


@wrong(K, "behind loss.backward()")
def retains_and_steps_first(model, ids, labels, lr):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=lr), []
    for batch, label in zip(ids, labels):
        loss = F.cross_entropy(model(batch), label)
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.detach())
    return torch.stack(losses)


@wrong(K, "Before any step")
def batches_in_reverse(model, ids, labels, lr):
    return training(model, ids.flip(0), labels.flip(0), lr)


@wrong(K)
def all_in_one_batch(model, ids, labels, lr):
    return training(model, ids.flatten(0, 1)[None], labels.flatten()[None], lr)


@wrong(K, "are a list")
def losses_as_numbers(model, ids, labels, lr):
    return [float(each) for each in training(model, ids, labels, lr)]


@wrong(K, "The axis step is missing")
def losses_with_a_graph(model, ids, labels, lr):
    return training(model, ids, labels, lr).sum()


@wrong(K, "Classifier")
def returns_the_model(model, ids, labels, lr):
    training(model, ids, labels, lr)
    return model


@wrong(K, "A single step is right")
def every_second_step(model, ids, labels, lr):
    return training(model, ids, labels, lr, every=2)


@wrong(K, "No gradient comes as far")
def no_grad_around_the_pooler(model, ids, labels, lr):
    def logits(batch):
        with torch.no_grad():
            C = model.bert.pooled(model.bert.encode(batch)[0][:, 0])
        return model.head(C)

    return training(model, ids, labels, lr, logits=logits)


@wrong(K, "torch.no_grad() cut the way")
def no_grad_around_everything(model, ids, labels, lr):
    def logits(batch):
        with torch.no_grad():
            return model(batch)

    return training(model, ids, labels, lr, logits=logits)
