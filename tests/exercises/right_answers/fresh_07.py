"""Right answers to lesson 07 in a fresh student's styles."""

from collections import Counter, defaultdict
from itertools import pairwise

from right_answers import right


@right("07.count_pairs")
def fresh_count_defaultdict(words):
    counts = defaultdict(int)
    for word in words:
        for i in range(1, len(word)):
            counts[word[i - 1], word[i]] += words[word]
    return counts


@right("07.count_pairs")
def fresh_count_update(words):
    counts = Counter()
    for word, n in words.items():
        counts.update({pair: n * k for pair, k in Counter(pairwise(word)).items()})
    return counts


@right("07.count_pairs")
def fresh_count_sum(words):
    return sum(
        (Counter({p: n * list(zip(w, w[1:])).count(p) for p in zip(w, w[1:])}) for w, n in words.items()), Counter()
    )


@right("07.merge_pair")
def fresh_merge_stack(word, pair):
    out, open_to_merge = [], False
    for symbol in word:
        if open_to_merge and (out[-1], symbol) == tuple(pair):
            out[-1] += symbol
            open_to_merge = False
        else:
            out.append(symbol)
            open_to_merge = True
    return out


@right("07.merge_pair")
def fresh_merge_recursive(word, pair):
    if len(word) < 2:
        return list(word)
    if tuple(word[:2]) == tuple(pair):
        return [pair[0] + pair[1], *fresh_merge_recursive(word[2:], pair)]
    return [word[0], *fresh_merge_recursive(word[1:], pair)]


@right("07.merge_pair")
def fresh_merge_iterator(word, pair):
    left, right_ = pair
    word, i = list(word), 0
    while i < len(word) - 1:
        if word[i] == left and word[i + 1] == right_:
            word[i : i + 2] = [left + right_]
        i += 1
    return word


def merge(word, pair):
    return tuple(fresh_merge_recursive(word, pair))


@right("07.learn_merges")
def fresh_learn_sorted(words, num_merges):
    table, merges = list(words.items()), []
    while len(merges) < num_merges:
        counts = Counter()
        for word, n in table:
            for pair in zip(word, word[1:]):
                counts[pair] += n
        if not counts:
            return merges
        best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[0][0]
        merges.append(best)
        table = [(merge(word, best), n) for word, n in table]
    return merges


@right("07.learn_merges")
def fresh_learn_recursive(words, num_merges):
    counts = Counter()
    for word, n in words.items():
        for pair in pairwise(word):
            counts[pair] += n
    if num_merges == 0 or not counts:
        return []
    most = max(counts.values())
    best = min(pair for pair, n in counts.items() if n == most)
    shorter = Counter()
    for word, n in words.items():
        shorter[merge(word, best)] += n
    return [best] + fresh_learn_recursive(shorter, num_merges - 1)


@right("07.learn_merges")
def fresh_learn_try(words, num_merges):
    words, merges = dict(words), []
    for _ in range(num_merges):
        counts = fresh_count_defaultdict(words)
        try:
            best = max(sorted(counts), key=lambda pair: counts[pair])
        except ValueError:
            break
        merges += [best]
        words = {merge(word, best): n for word, n in words.items()}
    return merges


@right("07.encode_word")
def fresh_encode_ranks(word, merges):
    rank, word = {tuple(pair): i for i, pair in enumerate(merges)}, tuple(word)
    while True:
        known = [pair for pair in zip(word, word[1:]) if pair in rank]
        if not known:
            return list(word)
        word = merge(word, min(known, key=rank.get))


@right("07.encode_word")
def fresh_encode_plain(word, merges):
    tokens = [*word]
    for a, b in merges:
        i = 0
        while i + 1 < len(tokens):
            if tokens[i] == a and tokens[i + 1] == b:
                tokens[i] = a + b
                del tokens[i + 1]
            i += 1
    return tokens


@right("07.encode_word")
def fresh_encode_recursive(word, merges):
    if not merges:
        return list(word)
    return fresh_encode_recursive(merge(word, merges[0]), merges[1:])


@right("07.longest_match")
def fresh_match_while(word, vocab):
    pieces, rest, mark = [], word, ""
    while rest:
        end = len(rest)
        while end and mark + rest[:end] not in vocab:
            end -= 1
        if not end:
            return ["[UNK]"]
        pieces.append(mark + rest[:end])
        rest, mark = rest[end:], "##"
    return pieces


@right("07.longest_match")
def fresh_match_max(word, vocab):
    known, out, place = set(vocab), [], 0
    while place < len(word):
        mark = "##" if out else ""
        fits = [mark + word[place:end] for end in range(place + 1, len(word) + 1) if mark + word[place:end] in known]
        if not fits:
            return ["[UNK]"]
        out.append(max(fits, key=len))
        place += len(out[-1]) - len(mark)
    return out


@right("07.longest_match")
def fresh_match_recursive(word, vocab, mark=""):
    if not word:
        return []
    for end in range(len(word), 0, -1):
        if mark + word[:end] in vocab:
            rest = fresh_match_recursive(word[end:], vocab, "##")
            return rest if rest == ["[UNK]"] else [mark + word[:end], *rest]
    return ["[UNK]"]
