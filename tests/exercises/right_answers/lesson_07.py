"""Right answers to lesson 07, Subwords."""

import heapq
import itertools
import re
from collections import Counter, defaultdict
from functools import lru_cache, reduce

import numpy as np
import regex

from right_answers import right

# --- 07.count_pairs ---------------------------------------------------------------------------------------------------


@right("07.count_pairs")
def count_pairs(words):
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts


@right("07.count_pairs")
def with_indices(words):
    counts = {}
    for word in words:
        for i in range(len(word) - 1):
            pair = (word[i], word[i + 1])
            if pair not in counts:
                counts[pair] = 0
            counts[pair] = counts[pair] + words[word]
    return counts


@right("07.count_pairs")
def with_a_defaultdict(words):
    counts = defaultdict(int)
    for word, n in words.items():
        for left, right_ in itertools.pairwise(word):
            counts[left, right_] += n
    return counts


@right("07.count_pairs")
def by_recursion(words):
    def pairs(word):
        return [] if len(word) < 2 else [(word[0], word[1]), *pairs(word[1:])]

    return dict(Counter(pair for word, n in words.items() for pair in pairs(word) * n))


@right("07.count_pairs")
def with_numpy_counts(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word[:-1], word[1:]):
            counts[pair] = np.int64(counts.get(pair, 0)) + n
    return counts


@right("07.count_pairs")
def sum_of_counters(words):
    return sum(
        (
            Counter({pair: n * times for pair, times in Counter(zip(word, word[1:])).items()})
            for word, n in words.items()
        ),
        Counter(),
    )


@right("07.count_pairs")
def two_passes(words):
    seen = {pair for word in words for pair in zip(word, word[1:])}
    return {pair: sum(n * list(zip(word, word[1:])).count(pair) for word, n in words.items()) for pair in sorted(seen)}


@right("07.count_pairs")
def with_extra_arguments(words, counts=None, *, start=0):
    counts = counts or {}
    for word, n in sorted(words.items()):
        word = list(word)
        while len(word) > 1:
            pair = tuple(word[:2])
            counts[pair] = counts.setdefault(pair, start) + n
            word.pop(0)
    return counts


# --- 07.merge_pair ----------------------------------------------------------------------------------------------------


@right("07.merge_pair")
def merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@right("07.merge_pair")
def as_a_tuple(word, pair):
    return tuple(merge_pair(word, pair))


@right("07.merge_pair")
def with_a_skip(word, pair):
    merged, skip = [], False
    for i, symbol in enumerate(word):
        if skip:
            skip = False
        elif word[i : i + 2] == pair:
            merged.append("".join(pair))
            skip = True
        else:
            merged.append(symbol)
    return merged


@right("07.merge_pair")
def in_a_copy(word, pair):
    word, i = list(word), 0
    while i < len(word) - 1:
        if word[i] == pair[0] and word[i + 1] == pair[1]:
            word[i : i + 2] = [pair[0] + pair[1]]
        i += 1
    return word


@right("07.merge_pair")
def recursively(word, pair):
    if len(word) < 2:
        return list(word)
    if tuple(word[:2]) == tuple(pair):
        return [pair[0] + pair[1], *recursively(word[2:], pair)]
    return [word[0], *recursively(word[1:], pair)]


@right("07.merge_pair")
def as_in_the_paper(word, pair):
    pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)")
    return pattern.sub(lambda _: "".join(pair), " ".join(word)).split()


@right("07.merge_pair")
def looks_back(word, pair):
    merged, fresh = [], False
    for symbol in word:
        if merged and not fresh and (merged[-1], symbol) == pair:
            merged[-1] += symbol
            fresh = True
        else:
            merged.append(symbol)
            fresh = False
    return merged


@right("07.merge_pair")
def with_index(word, pair):
    left, right_ = pair
    word, merged, start = tuple(word), [], 0
    while left in word[start:]:
        place = word.index(left, start)
        merged.extend(word[start:place])
        if place + 1 < len(word) and word[place + 1] == right_:
            merged.append(left + right_)
            start = place + 2
        else:
            merged.append(left)
            start = place + 1
    return merged + list(word[start:])


# --- 07.learn_merges --------------------------------------------------------------------------------------------------


@right("07.learn_merges")
def learn_merges(words, num_merges):
    merges = []
    while len(merges) < num_merges:
        counts = count_pairs(words)
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        words = {tuple(merge_pair(word, pair)): n for word, n in words.items()}
        merges.append(pair)
    return merges


@right("07.learn_merges")
def sorts_the_counts(words, num_merges):
    table, merges = [(list(word), n) for word, n in words.items()], []
    for _ in range(num_merges):
        counts = defaultdict(int)
        for word, n in table:
            for pair in zip(word, word[1:]):
                counts[pair] += n
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if not ranked:
            return merges
        merges.append(ranked[0][0])
        table = [(in_a_copy(word, ranked[0][0]), n) for word, n in table]
    return merges


@right("07.learn_merges")
def max_then_min(words, num_merges):
    words, merges = words.copy(), ()
    for _ in range(num_merges):
        counts = with_indices(words)
        if len(counts) == 0:
            break
        most = max(counts.values())
        best = min(pair for pair in counts if counts[pair] == most)
        merged = Counter()
        for word, n in words.items():
            merged[as_a_tuple(word, best)] += n
        words, merges = merged, (*merges, best)
    return merges


@right("07.learn_merges")
def with_a_heap(words, num_merges):
    merges = []
    try:
        while len(merges) < num_merges:
            heap = [(-n, pair) for pair, n in count_pairs(words).items()]
            heapq.heapify(heap)
            _, pair = heapq.heappop(heap)
            words = dict(zip([tuple(recursively(word, pair)) for word in words], words.values()))
            merges.append(pair)
    except IndexError:
        pass
    return merges


@right("07.learn_merges")
def first_of_the_sorted(words, num_merges):
    if num_merges == 0 or all(len(word) < 2 for word in words):
        return []
    counts = count_pairs(words)
    pair = max(sorted(counts), key=counts.get)
    return [pair] + first_of_the_sorted({as_a_tuple(word, pair): n for word, n in words.items()}, num_merges - 1)


@right("07.learn_merges")
def repairs_the_counts(words, num_merges):
    table, counts, merges = [[tuple(word), n] for word, n in words.items()], count_pairs(words), []
    while len(merges) < num_merges and +counts:
        pair = min(+counts, key=lambda pair: (-counts[pair], pair))
        for entry in table:
            word, n = entry
            if pair in zip(word, word[1:]):
                counts.subtract({p: n * times for p, times in Counter(zip(word, word[1:])).items()})
                entry[0] = as_a_tuple(word, pair)
                counts.update({p: n * times for p, times in Counter(zip(entry[0], entry[0][1:])).items()})
        merges.append(pair)
    return merges


# --- 07.encode_word ---------------------------------------------------------------------------------------------------


@right("07.encode_word")
def encode_word(word, merges):
    for pair in merges:
        word = merge_pair(word, pair)
    return list(word)


@right("07.encode_word")
def lowest_rank_one_place_at_a_time(word, merges):
    word, rank = list(word), {pair: i for i, pair in enumerate(merges)}
    while True:
        places = [(rank[pair], i) for i, pair in enumerate(zip(word, word[1:])) if pair in rank]
        if not places:
            return word
        _, i = min(places)
        word[i : i + 2] = [word[i] + word[i + 1]]


@right("07.encode_word")
def lowest_rank_everywhere(word, merges):
    rank = dict(zip(merges, itertools.count()))
    while len(word) > 1:
        pair = min(zip(word, word[1:]), key=lambda pair: rank.get(pair, float("inf")))
        if pair not in rank:
            break
        word = merge_pair(word, pair)
    return list(word)


@right("07.encode_word")
def by_reduce(word, merges):
    return tuple(reduce(as_a_tuple, merges, word))


@right("07.encode_word")
def from_a_copy_of_the_list(word, merges):
    queue, symbols = list(merges), list(word)
    while queue:
        left, right_ = queue.pop(0)
        i = 0
        while i < len(symbols) - 1:
            if symbols[i] == left and symbols[i + 1] == right_:
                symbols[i] = left + right_
                del symbols[i + 1]
            i += 1
    return symbols


@right("07.encode_word")
def encode_recursively(word, merges):
    if not merges:
        return list(word)
    first, *rest = merges
    return encode_recursively(with_a_skip(tuple(word), first), rest)


@right("07.encode_word")
def with_a_cache_of_both(word, merges):
    return _cached(tuple(word), tuple(merges))


@lru_cache
def _cached(word, merges):
    return [symbol for symbol in reduce(as_in_the_paper, merges, word)]


# --- 07.longest_match -------------------------------------------------------------------------------------------------


@right("07.longest_match")
def longest_match(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocab:
                tokens.append(piece)
                start = end
                break
        else:
            return ["[UNK]"]
    return tokens


@right("07.longest_match")
def with_two_whiles(word, vocab):
    vocab, tokens, prefix = set(vocab), [], ""
    while word:
        end = len(word)
        while end > 0 and prefix + word[:end] not in vocab:
            end -= 1
        if end == 0:
            return ["[UNK]"]
        tokens.append(prefix + word[:end])
        word, prefix = word[end:], "##"
    return tokens


@right("07.longest_match")
def match_recursively(word, vocab, prefix=""):
    if word == "":
        return []
    for end in reversed(range(1, len(word) + 1)):
        if prefix + word[:end] in vocab:
            rest = match_recursively(word[end:], vocab, "##")
            return ["[UNK]"] if rest == ["[UNK]"] else [prefix + word[:end]] + rest
    return ["[UNK]"]


@right("07.longest_match")
def longest_tokens_first(word, vocab):
    by_length = sorted(vocab, key=len, reverse=True)
    tokens, i = [], 0
    while i < len(word):
        fits = [
            token
            for token in by_length
            if token.startswith("##") == (i > 0) and word.startswith(token[2:] if i else token, i)
        ]
        if not fits:
            return ["[UNK]"]
        tokens.append(fits[0])
        i += len(fits[0]) - (2 if i else 0)
    return tuple(tokens)


@right("07.longest_match")
def by_regular_expressions(word, vocab):
    def pattern(pieces):
        return re.compile("|".join(map(re.escape, sorted(pieces, key=len, reverse=True))) or r"(?!)")

    first, then = (
        pattern([t for t in vocab if not t.startswith("##")]),
        pattern([t[2:] for t in vocab if t.startswith("##")]),
    )
    tokens, i = [], 0
    while i < len(word):
        found = (then if i else first).match(word, i)
        if found is None:
            return ["[UNK]"]
        tokens.append(("##" if i else "") + found.group())
        i = found.end()
    return tokens


@right("07.longest_match")
def with_a_trie(word, vocab):
    def trie(pieces):
        root = {}
        for piece in pieces:
            node = root
            for letter in piece:
                node = node.setdefault(letter, {})
            node[""] = True
        return root

    start, inside = trie(t for t in vocab if t[:2] != "##"), trie(t[2:] for t in vocab if t[:2] == "##")
    tokens, i = [], 0
    while i < len(word):
        node, end = inside if i else start, None
        for j in range(i, len(word)):
            if word[j] not in node:
                break
            node = node[word[j]]
            if "" in node:
                end = j + 1
        if end is None:
            return ["[UNK]"]
        tokens.append(("##" if i else "") + word[i:end])
        i = end
    return tokens


# --- 07.Tokenizer -----------------------------------------------------------------------------------------------------


@right("07.Tokenizer")
class Tokenizer:
    def __init__(self, merges, pattern):
        self.merges, self.pattern = merges, pattern
        self.tokens = [bytes([byte]) for byte in range(256)] + [left + right_ for left, right_ in merges]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def encode(self, text):
        ids = []
        for piece in regex.findall(self.pattern, text):
            symbols = [bytes([byte]) for byte in piece.encode()]
            for pair in self.merges:
                symbols = merge_pair(symbols, pair)
            ids.extend(self.ids[symbol] for symbol in symbols)
        return ids

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode(errors="replace")


@right("07.Tokenizer")
class OverNumbers:
    """As minbpe does it: the symbols are the ids themselves."""

    def __init__(self, merges, pattern):
        self.pattern = regex.compile(pattern)
        self.vocab = {i: bytes([i]) for i in range(256)}
        number = {token: i for i, token in self.vocab.items()}
        self.merges = {}
        for new, (a, b) in enumerate(merges, start=256):
            self.merges[number[a], number[b]] = new
            self.vocab[new] = a + b
            number[a + b] = new

    def encode(self, text):
        return [i for piece in self.pattern.findall(text) for i in self._piece(list(piece.encode("utf-8")))]

    def _piece(self, ids):
        while len(ids) > 1:
            pair = min(zip(ids, ids[1:]), key=lambda pair: self.merges.get(pair, float("inf")))
            if pair not in self.merges:
                break
            out, i = [], 0
            while i < len(ids):
                found = tuple(ids[i : i + 2]) == pair
                out.append(self.merges[pair] if found else ids[i])
                i += 2 if found else 1
            ids = out
        return ids

    def decode(self, ids):
        whole = bytearray()
        for i in ids:
            whole += self.vocab[i]
        return str(whole, "utf-8", "replace")


@right("07.Tokenizer")
class WithBytesAsCharacters:
    """A byte as the character with its number, so that tokens are texts."""

    def __init__(self, merges, pattern):
        self.pattern = pattern
        self.merges = [(left.decode("latin-1"), right_.decode("latin-1")) for left, right_ in merges]
        self.tokens = [chr(i) for i in range(256)] + ["".join(pair) for pair in self.merges]

    def encode(self, text):
        ids = ()
        for found in regex.finditer(self.pattern, text):
            word = tuple(found.group().encode().decode("latin-1"))
            for pair in self.merges:
                word = as_a_tuple(word, pair)
            ids += tuple(map(self.tokens.index, word))
        return list(ids)

    def decode(self, ids):
        return "".join(self.tokens[i] for i in ids).encode("latin-1").decode("utf-8", "replace")


@right("07.Tokenizer")
class WithACache:
    def __init__(self, merges, pattern):
        self.rank = {pair: i for i, pair in enumerate(merges)}
        self.pattern, self.cache = pattern, {}

    def encode(self, text):
        return list(itertools.chain.from_iterable(map(self.word, regex.findall(self.pattern, text))))

    def word(self, piece):
        if piece not in self.cache:
            symbols = [byte.to_bytes() if hasattr(byte, "to_bytes") else bytes([byte]) for byte in piece.encode()]
            while True:
                known = [self.rank[pair] for pair in zip(symbols, symbols[1:]) if pair in self.rank]
                if not known:
                    break
                symbols = merge_pair(symbols, list(self.rank)[min(known)])
            made = [a + b for a, b in self.rank]
            self.cache[piece] = [s[0] if len(s) == 1 else 256 + made.index(s) for s in symbols]
        return self.cache[piece]

    def decode(self, ids):
        made = [a + b for a, b in self.rank]
        return b"".join(bytes([i]) if i < 256 else made[i - 256] for i in ids).decode(errors="replace")
