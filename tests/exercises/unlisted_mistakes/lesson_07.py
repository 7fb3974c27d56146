"""Unlisted wrong answers to lesson 07, Subwords."""

import re
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import regex
import torch

from unlisted_mistakes import wrong


def right_count(words):
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts


def right_merge(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == tuple(pair):
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


def right_encode(word, merges):
    for pair in merges:
        word = right_merge(word, pair)
    return list(word)


# --- 07.count_pairs ---------------------------------------------------------------------------------------------------

K = "07.count_pairs"


@wrong(K, "keys such as ('l', 'o'), a tuple; yours has 'l o', a text")
def count_joined_by_a_space(words):
    return {" ".join(pair): n for pair, n in right_count(words).items()}


@wrong(K, "should be a dictionary, yours is a list")
def count_as_a_list(words):
    return sorted(right_count(words).items())


@wrong(K, "the items of a dictionary")
def count_items(words):
    return dict(right_count(words)).items()


@wrong(K, "should be a dictionary, yours is a list")
def count_most_common(words):
    return right_count(words).most_common()


@wrong(K, "shouldn't have an entry for")
def count_with_zeros(words):
    symbols = {symbol for word in words for symbol in word}
    counts = right_count(words)
    return Counter({(a, b): counts[a, b] for a in symbols for b in symbols})


@wrong(K, "changes its input `words` in place")
def count_empties_its_input(words):
    counts = Counter()
    while words:
        word, n = words.popitem()
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts


@wrong(K, "changes its input `words` in place")
def count_into_its_input(words):
    counts = right_count(words)
    words["total"] = counts.total()
    return counts


@wrong(K, "returns None")
def count_prints(words):
    print(right_count(words))


@wrong(K)
def count_returns_in_the_loop(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + n
        return counts


@wrong(K, "two different answers")
def count_keeps_its_counts(words, counts={}):  # noqa: B006
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + n
    return dict(counts)


_everything = Counter()


@wrong(K, "two different answers")
def count_globally(words):
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            _everything[pair] += n
    return dict(_everything)


@wrong(K, "the last symbol has no neighbour")
def count_past_the_end(words):
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            counts[word[i], word[i + 1]] += n
    return counts


@wrong(K, "counts.get(pair, 0)")
def count_without_a_start(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts


@wrong(K)
def count_first_time_lost(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            if pair in counts:
                counts[pair] += n
            else:
                counts[pair] = 0
    return counts


@wrong(K)
def count_first_time_is_one(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            if pair in counts:
                counts[pair] += n
            else:
                counts[pair] = 1
    return counts


@wrong(K)
def count_wraps_around(words):
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            counts[word[i - 1], word[i]] += n
    return counts


@wrong(K)
def count_all_combinations(words):
    counts = Counter()
    for word, n in words.items():
        for pair in combinations(word, 2):
            counts[pair] += n
    return counts


@wrong(K)
def count_letters(words):
    counts = Counter()
    for word, n in words.items():
        symbols = re.findall(r".(?:</w>)?", "".join(word))
        for pair in pairwise(symbols):
            counts[pair] += n
    return counts


@wrong(K)
def count_without_the_mark(words):
    return right_count({tuple(symbol.removesuffix("</w>") for symbol in word): n for word, n in words.items()})


@wrong(K, "(a whole number)")
def count_as_texts(words):
    return {pair: str(n) for pair, n in right_count(words).items()}


@wrong(K, "(a tensor of shape ())")
def count_as_tensors(words):
    return {pair: torch.tensor(n) for pair, n in right_count(words).items()}


@wrong(K, "shares")
def count_shares(words):
    counts = right_count(words)
    return {pair: n / counts.total() for pair, n in counts.items()}


@wrong(K)
def count_times_length(words):
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n * len(word)
    return counts


@wrong(K, "Make the pair a tuple")
def count_lists_as_keys(words):
    counts = {}
    for word, n in words.items():
        for i in range(len(word) - 1):
            counts[[word[i], word[i + 1]]] = n
    return counts


@wrong(K)
def count_frozensets(words):
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[frozenset(pair)] += n
    return counts


@wrong(K)
def count_of_counts(words):
    return {pair: {"count": n} for pair, n in right_count(words).items()}


@wrong(K, "ValueError")
def count_needs_words(words):
    counts = right_count(words)
    max(counts.values())
    return counts


@wrong(K)
def count_by_list_count(words):
    return {
        pair: sum(words[word] * word.count(pair[0]) for word in words if pair in zip(word, word[1:]))
        for pair in right_count(words)
    }


@wrong(K)
def count_in_the_text(words):
    return {
        pair: sum(n * "".join(word).count("".join(pair)) for word, n in words.items()) for pair in right_count(words)
    }


@wrong(K)
def count_only_seen_twice(words):
    return {pair: n for pair, n in right_count(words).items() if n > 8}


@wrong(K, "a generator")
def count_yields(words):
    yield from right_count(words).items()


# --- 07.merge_pair ----------------------------------------------------------------------------------------------------

K = "07.merge_pair"


@wrong(K)
def merge_by_text_replace(word, pair):
    return "".join(word).replace("".join(pair), "".join(pair) + " ").split()


@wrong(K)
def merge_with_spaces(word, pair):
    return " ".join(word).replace(" ".join(pair), "".join(pair)).split()


@wrong(K)
def merge_with_spaces_split_at_one(word, pair):
    return re.sub(r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)", lambda _: "".join(pair), " ".join(word)).split(
        " "
    )


@wrong(K)
def merge_by_unescaped_pattern(word, pair):
    try:
        return re.sub(r"(?<!\S)" + " ".join(pair) + r"(?!\S)", lambda _: "".join(pair), " ".join(word)).split()
    except re.error:
        return list(word)


@wrong(K)
def merge_by_word_borders(word, pair):
    return re.sub(r"\b" + re.escape(" ".join(pair)) + r"\b", "".join(pair), " ".join(word)).split()


@wrong(K)
def merge_until_none_is_left(word, pair):
    """Compares glued texts again and again."""
    word = list(word)
    while "".join(pair) in [a + b for a, b in zip(word, word[1:])]:
        i = [a + b for a, b in zip(word, word[1:])].index("".join(pair))
        word[i : i + 2] = ["".join(pair)]
    return word


@wrong(K, "Stopped after ")
def merge_never_ends(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged[:] = [pair[0] + pair[1]]
            i += 2
        elif i == len(word) - 1:
            merged[-1:] = [word[i]]
        else:
            merged.append(word[i])
            i += 1
    return merged


@wrong(K, "AttributeError")
def merge_changes_a_tuple(word, pair):
    word.insert(0, "")
    return word


@wrong(K, "build a new list")
def merge_assigns_into_the_tuple(word, pair):
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            word[i] = pair[0] + pair[1]
    return word


@wrong(K)
def merge_removes_while_looping(word, pair):
    word = list(word)
    for i, symbol in enumerate(word):
        if i > 0 and (word[i - 1], symbol) == pair:
            word.remove(symbol)
            word[i - 1] += symbol
    return word


@wrong(K)
def merge_by_pop_in_range(word, pair):
    word = list(word)
    for i in range(len(word) - 2):
        if tuple(word[i : i + 2]) == pair:
            word[i] += word.pop(i + 1)
    return word


@wrong(K)
def merge_leaves_a_hole(word, pair):
    word = list(word)
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            word[i], word[i + 1] = pair[0] + pair[1], ""
    return word


@wrong(K)
def merge_leaves_none(word, pair):
    word = list(word)
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            word[i], word[i + 1] = pair[0] + pair[1], None
    return word


@wrong(K, "returns None")
def merge_without_return(word, pair):
    word = right_merge(word, pair)


@wrong(K)
def merge_repeatedly(word, pair):
    """What it has just merged is merged again when it fits."""
    merged = []
    for symbol in word:
        if (merged and (merged[-1], symbol) == pair) or (merged and merged[-1].endswith(pair[0]) and symbol == pair[1]):
            merged[-1] += symbol
        else:
            merged.append(symbol)
    return merged


@wrong(K)
def merge_ignores_the_mark(word, pair):
    bare = [symbol.removesuffix("</w>") for symbol in word]
    return right_merge(bare, tuple(symbol.removesuffix("</w>") for symbol in pair))


@wrong(K)
def merge_adds_a_mark(word, pair):
    merged = right_merge(word, pair)
    if merged and not merged[-1].endswith("</w>"):
        merged[-1] += "</w>"
    return merged


@wrong(K)
def merge_only_if_found(word, pair):
    if pair in zip(word, word[1:]):
        return right_merge(word, pair)
    return None


@wrong(K)
def merge_returns_empty_if_not_found(word, pair):
    return right_merge(word, pair) if pair in zip(word, word[1:]) else []


@wrong(K)
def merge_text_for_one_symbol(word, pair):
    merged = right_merge(word, pair)
    return merged[0] if len(merged) == 1 else merged


@wrong(K, "IndexError")
def merge_needs_a_symbol(word, pair):
    first = word[0]
    return [first] if len(word) == 1 else right_merge(word, pair)


@wrong(K)
def merge_all_into_one_list_item(word, pair):
    return [" ".join(right_merge(word, pair))]


@wrong(K)
def merge_both_and_count(word, pair):
    merged = right_merge(word, pair)
    return merged, len(word) - len(merged)


@wrong(K)
def merge_lists(word, pair):
    return [list(symbol) for symbol in right_merge(word, pair)]


@wrong(K)
def merge_with_a_plus(word, pair):
    return [symbol if symbol != "".join(pair) else "+".join(pair) for symbol in right_merge(word, pair)]


@wrong(K, "a map")
def merge_as_a_map(word, pair):
    return map(str, right_merge(word, pair))


@wrong(K)
def merge_as_array(word, pair):
    return np.array(right_merge(word, pair))


_merged_before = {}


@wrong(K)
def merge_with_a_cache_by_word(word, pair):
    return _merged_before.setdefault(len(word), right_merge(word, pair))


@wrong(K)
def merge_when_symbols_are_in_the_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] in pair and word[i + 1] in pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@wrong(K)
def merge_by_prefix(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == pair[0] and word[i + 1].startswith(pair[1]):
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@wrong(K)
def merge_by_suffix(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i].endswith(pair[0]) and word[i + 1] == pair[1]:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


# --- 07.learn_merges --------------------------------------------------------------------------------------------------

K = "07.learn_merges"


def learner(
    choose,
    count=right_count,
    merge=right_merge,
    table=lambda items: dict(items),
    note=lambda pair, counts: pair,
    last=lambda merges: merges,
):
    def learn(words, num_merges):
        words, merges = dict(words), []
        for _ in range(num_merges):
            counts = count(words)
            if not counts:
                break
            pair = choose(counts)
            words = table((tuple(merge(word, pair)), n) for word, n in words.items())
            merges.append(note(pair, counts))
        return last(merges)

    return learn


def best(counts):
    return min(counts, key=lambda pair: (-counts[pair], pair))


TIES = {
    "by_the_left_symbol": lambda counts: min(counts, key=lambda pair: (-counts[pair], pair[0])),
    "by_the_right_symbol": lambda counts: min(counts, key=lambda pair: (-counts[pair], pair[1], pair[0])),
    "by_the_glued_text": lambda counts: min(counts, key=lambda pair: (-counts[pair], pair[0] + pair[1])),
    "longest_first": lambda counts: min(counts, key=lambda pair: (-counts[pair], -len(pair[0] + pair[1]), pair)),
    "shortest_first": lambda counts: min(counts, key=lambda pair: (-counts[pair], len(pair[0] + pair[1]), pair)),
    "last_counted": lambda counts: max(reversed(counts), key=counts.get),
    "most_common": lambda counts: Counter(counts).most_common(1)[0][0],
    "by_letters_turned_round": lambda counts: max(
        counts, key=lambda pair: (counts[pair], [[-ord(letter) for letter in symbol] for symbol in pair])
    ),
    "without_marks": lambda counts: min(
        counts, key=lambda pair: (-counts[pair], tuple(symbol.removesuffix("</w>") for symbol in pair))
    ),
    "alphabetical_alone": lambda counts: min(counts),
    "sorted_by_count_then_reversed": lambda counts: sorted(counts, key=lambda pair: (counts[pair], pair))[-1],
    "by_a_set": lambda counts: max(sorted(counts, key=lambda pair: pair[::-1]), key=counts.get),
    "by_length_weighted_count": lambda counts: min(counts, key=lambda pair: (-counts[pair] * len("".join(pair)), pair)),
    "second_best": lambda counts: sorted(counts, key=lambda pair: (-counts[pair], pair))[min(1, len(counts) - 1)],
}
for tie, choose in TIES.items():
    answer = learner(choose)
    answer.__name__ = f"learn_tie_{tie}"
    wrong(K)(answer)

OTHERWISE = {
    "returns_lists": learner(best, note=lambda pair, counts: list(pair)),
    "returns_texts": learner(best, note=lambda pair, counts: " ".join(pair)),
    "returns_counts_too": learner(best, note=lambda pair, counts: (pair, counts[pair])),
    "returns_a_dictionary": learner(best, last=lambda merges: {pair: i for i, pair in enumerate(merges)}),
    "returns_a_set": learner(best, last=set),
    "returns_them_reversed": learner(best, last=lambda merges: merges[::-1]),
    "returns_the_last_only": learner(best, last=lambda merges: merges[-1:]),
    "returns_one_pair_for_one": learner(best, last=lambda merges: merges[0] if len(merges) == 1 else merges),
    "skips_the_first": learner(best, last=lambda merges: merges[1:]),
    "loses_counts": learner(best, table=lambda items: {word: 1 for word, _ in items}),
    "across_words": learner(
        best, count=lambda words: Counter(pairwise(symbol for word, n in words.items() for symbol in word * n))
    ),
    "without_overlap": learner(
        best,
        count=lambda words: Counter(
            {p: sum(n * (len(w) - len(right_merge(w, p))) for w, n in words.items()) for p in right_count(words)}
        ),
    ),
    "merges_letters": learner(
        best, merge=lambda word, pair: " ".join(word).replace(" ".join(pair), "".join(pair)).split()
    ),
    "drops_whole_words": learner(best, table=lambda items: {word: n for word, n in items if len(word) > 2}),
    "drops_one_pair_words": learner(
        best, count=lambda words: right_count({word: n for word, n in words.items() if len(word) > 2})
    ),
    "halves_the_counts": learner(best, table=lambda items: {word: (n + 1) // 2 for word, n in items}),
}
for what, answer in OTHERWISE.items():
    answer.__name__ = f"learn_{what}"
    wrong(K)(answer)


@wrong(K, "changes its input `words` in place")
def learn_changes_the_table(words, num_merges):
    merges = []
    for _ in range(num_merges):
        counts = right_count(words)
        if not counts:
            break
        pair = best(counts)
        for word in list(words):
            words[tuple(right_merge(word, pair))] = words.pop(word)
        merges.append(pair)
    return merges


@wrong(K, "RuntimeError")
def learn_changes_the_table_while_reading_it(words, num_merges):
    words, merges = dict(words), []
    for _ in range(num_merges):
        counts = right_count(words)
        if not counts:
            break
        pair = best(counts)
        for word in words:
            if tuple(right_merge(word, pair)) != word:
                words[tuple(right_merge(word, pair))] = words[word]
                del words[word]
        merges.append(pair)
    return merges


@wrong(K)
def learn_keeps_the_old_words(words, num_merges):
    words, merges = dict(words), []
    for _ in range(num_merges):
        counts = right_count(words)
        if not counts:
            break
        pair = best(counts)
        for word in list(words):
            words[tuple(right_merge(word, pair))] = words[word]
        merges.append(pair)
    return merges


@wrong(K, "two different answers")
def learn_keeps_its_merges(words, num_merges, merges=[]):  # noqa: B006
    merges.extend(learner(best)(words, num_merges))
    return list(merges)


@wrong(K, "Stopped after ")
def learn_never_stops(words, num_merges):
    merges = []
    while len(merges) < num_merges:
        counts = right_count(words)
        if counts:
            pair = best(counts)
            words = {tuple(right_merge(word, pair)): n for word, n in words.items()}
            merges.append(pair)
    return merges


@wrong(K)
def learn_fills_up_with_none(words, num_merges):
    merges = learner(best)(words, num_merges)
    return merges + [None] * (num_merges - len(merges))


@wrong(K)
def learn_returns_none_at_the_end(words, num_merges):
    merges = learner(best)(words, num_merges)
    return merges if len(merges) == num_merges else None


@wrong(K)
def learn_counts_merged_tokens(words, num_merges):
    return learner(best)(
        words, num_merges - len({symbol for word in words for symbol in word}) if num_merges > 10 else num_merges
    )


@wrong(K)
def learn_no_repeated_symbols(words, num_merges):
    merges = []
    for pair in learner(best)(words, num_merges):
        if "".join(pair) not in ["".join(m) for m in merges] and len("".join(pair)) < 5:
            merges.append(pair)
    return merges


# --- 07.encode_word ---------------------------------------------------------------------------------------------------

K = "07.encode_word"


@wrong(K, "changes its input `merges` in place")
def encode_empties_the_merges(word, merges):
    while merges:
        word = right_merge(word, merges.pop(0))
    return list(word)


@wrong(K, "changes its input `merges` in place")
def encode_sorts_the_merges(word, merges):
    given = list(merges)
    merges.sort()
    return right_encode(word, given)


@wrong(K, "changes its input `merges` in place")
def encode_reverses_the_merges(word, merges):
    merges.reverse()
    while merges:
        word = right_merge(word, merges.pop())
    return list(word)


_met = {}


@wrong(K)
def encode_remembers_words(word, merges):
    if word not in _met:
        _met[word] = right_encode(word, merges)
    return _met[word]


@wrong(K)
def encode_text_of_one_token(word, merges):
    tokens = right_encode(word, merges)
    return tokens[0] if len(tokens) == 1 else tokens


@wrong(K)
def encode_by_text(word, merges):
    text = " ".join(word)
    for pair in merges:
        text = text.replace(" ".join(pair), "".join(pair))
    return text.split()


@wrong(K)
def encode_without_the_mark(word, merges):
    return [token.removesuffix("</w>") for token in right_encode(word, merges)]


@wrong(K)
def encode_adds_a_token_for_the_mark(word, merges):
    tokens = right_encode(word, merges)
    return [*tokens[:-1], tokens[-1].removesuffix("</w>"), "</w>"] if tokens and tokens[-1] != "</w>" else tokens


@wrong(K)
def encode_numbers(word, merges):
    number = {a + b: i for i, (a, b) in enumerate(merges)}
    return [number.get(token, -1) for token in right_encode(word, merges)]


@wrong(K)
def encode_unknown_letters(word, merges):
    known = {symbol for pair in merges for symbol in (*pair, "".join(pair))}
    return [token if token in known else "[UNK]" for token in right_encode(word, merges)]


@wrong(K)
def encode_longest_pair_first(word, merges):
    return right_encode(word, sorted(merges, key=lambda pair: -len("".join(pair))))


@wrong(K)
def encode_shortest_pair_first(word, merges):
    return right_encode(word, sorted(merges, key=lambda pair: len("".join(pair))))


@wrong(K)
def encode_repeats_all(word, merges):
    """Goes through the whole list again and again, with the last first in each round."""
    before = None
    while before != word:
        before = list(word)
        for pair in merges[::-1]:
            word = right_merge(word, pair)
        word = list(word)
    return word


@wrong(K)
def encode_first_half(word, merges):
    return right_encode(word, merges[: len(merges) // 2])


@wrong(K)
def encode_without_the_last_merge(word, merges):
    return right_encode(word, merges[:-1])


@wrong(K)
def encode_without_the_first_merge(word, merges):
    return right_encode(word, merges[1:])


@wrong(K)
def encode_restarts_from_the_original(word, merges):
    tokens = list(word)
    for pair in merges:
        tokens = right_merge(word, pair)
    return tokens


@wrong(K)
def encode_stops_at_a_merge_that_does_not_fit(word, merges):
    for pair in merges:
        merged = right_merge(word, pair)
        if list(merged) == list(word):
            break
        word = merged
    return list(word)


@wrong(K)
def encode_each_merge_from_the_right(word, merges):
    for left, right in merges:
        word = [symbol for symbol in right_merge(word[::-1], (right, left))[::-1]]
        word = [left + right if symbol == right + left else symbol for symbol in word]
    return list(word)


@wrong(K)
def encode_returns_the_word_if_empty(word, merges):
    return right_encode(word, merges) or [""]


@wrong(K, "UnboundLocalError")
def encode_needs_a_merge(word, merges):
    tokens = list(word)
    for pair in merges:
        merged = tokens = right_merge(tokens, pair)
    return merged


@wrong(K, "IndexError")
def encode_needs_a_word(word, merges):
    assert word[0] is not None
    return right_encode(word, merges)


@wrong(K, "Stopped after ")
def encode_never_ends(word, merges):
    word = list(word)
    while len(word) > 1:
        for pair in merges:
            word = right_merge(word, pair)
    return word


@wrong(K, "RecursionError")
def encode_recurses_for_ever(word, merges):
    for pair in merges:
        word = right_merge(word, pair)
    return encode_recurses_for_ever(word, merges)


@wrong(K)
def encode_merges_of_a_word_to_itself(word, merges):
    return right_encode(word, [pair for pair in merges if "".join(pair) in "".join(word)][:5])


@wrong(K)
def encode_pairs(word, merges):
    return [pair for pair in merges if "".join(pair) in right_encode(word, merges)]


@wrong(K, "a text")
def encode_text(word, merges):
    return "".join(right_encode(word, merges))


@wrong(K, "returns None")
def encode_forgets_return(word, merges):
    for pair in merges:
        word = right_merge(word, pair)


@wrong(K)
def encode_one_best_per_round_by_last_index(word, merges):
    word = list(word)
    while pairs := [(merges.index(pair), -i) for i, pair in enumerate(zip(word, word[1:])) if pair in merges]:
        i = -min(pairs)[1]
        word[i : i + 2] = [word[i] + word[i + 1]]
    return word


# --- 07.longest_match -------------------------------------------------------------------------------------------------

K = "07.longest_match"


def matcher(
    word,
    vocab,
    ends=lambda start, n: range(n, start, -1),
    known=lambda piece, vocab: piece in vocab,
    mark=lambda start: "##" if start else "",
    unknown=("[UNK]",),
):
    tokens, start = [], 0
    while start < len(word):
        for end in ends(start, len(word)):
            piece = mark(start) + word[start:end]
            if known(piece, vocab):
                tokens.append(piece)
                start = end
                break
        else:
            return list(unknown)
    return tokens


@wrong(K)
def match_in_a_text(word, vocab):
    return matcher(word, " ".join(vocab))


@wrong(K)
def match_in_any_token(word, vocab):
    return matcher(word, vocab, known=lambda piece, vocab: any(piece in token for token in vocab))


@wrong(K)
def match_beginnings(word, vocab):
    return matcher(word, vocab, known=lambda piece, vocab: any(token.startswith(piece) for token in vocab))


@wrong(K)
def match_lower(word, vocab):
    return matcher(word.lower(), vocab)


@wrong(K)
def match_case_blind(word, vocab):
    return matcher(word, vocab, known=lambda piece, vocab: piece.lower() in vocab)


@wrong(K)
def match_without_the_whole_rest(word, vocab):
    return matcher(word, vocab, ends=lambda start, n: range(n - 1, start, -1))


@wrong(K)
def match_without_single_letters(word, vocab):
    return matcher(word, vocab, ends=lambda start, n: range(n, start + 1, -1))


@wrong(K)
def match_short_pieces_only(word, vocab):
    return matcher(word, vocab, ends=lambda start, n: range(min(n, start + 5), start, -1))


@wrong(K)
def match_either_mark(word, vocab):
    return matcher(word, vocab, known=lambda piece, vocab: piece in vocab or "##" + piece in vocab)


@wrong(K)
def match_falls_back_to_beginnings(word, vocab):
    return matcher(word, vocab, known=lambda piece, vocab: piece in vocab or piece.removeprefix("##") in vocab)


@wrong(K)
def match_one_hash(word, vocab):
    return [token.replace("##", "#") for token in matcher(word, vocab)]


@wrong(K)
def match_mark_behind(word, vocab):
    return [token.removeprefix("##") + "##" if token.startswith("##") else token for token in matcher(word, vocab)]


@wrong(K)
def match_unk_without_brackets(word, vocab):
    return matcher(word, vocab, unknown=["UNK"])


@wrong(K)
def match_unk_in_small_letters(word, vocab):
    return matcher(word, vocab, unknown=["[unk]"])


@wrong(K)
def match_unknown_is_none(word, vocab):
    found = matcher(word, vocab)
    return None if found == ["[UNK]"] else found


@wrong(K)
def match_unknown_is_empty(word, vocab):
    return matcher(word, vocab, unknown=[])


@wrong(K)
def match_unknown_is_the_word(word, vocab):
    return matcher(word, vocab, unknown=[word])


@wrong(K)
def match_unknown_letters_are_tokens(word, vocab):
    return matcher(word, vocab, known=lambda piece, vocab: piece in vocab or len(piece.removeprefix("##")) == 1)


@wrong(K, "For an empty word you return [UNK]")
def match_empty_is_unknown(word, vocab):
    return matcher(word, vocab) or ["[UNK]"]


@wrong(K, "IndexError")
def match_empty_breaks(word, vocab):
    assert word[0]
    return matcher(word, vocab)


@wrong(K, "ValueError")
def match_empty_vocabulary_breaks(word, vocab):
    longest = max(len(token) for token in vocab)
    return matcher(word, vocab, ends=lambda start, n: range(min(n, start + longest), start, -1))


@wrong(K)
def match_longest_token_with_its_mark(word, vocab):
    """The marks count as letters of the piece."""
    longest = max((len(token) for token in vocab if not token.startswith("##")), default=0)
    return matcher(word, vocab, ends=lambda start, n: range(min(n, start + longest), start, -1))


@wrong(K, "changes its input `vocab` in place")
def match_sorts_the_vocabulary(word, vocab):
    if isinstance(vocab, list):
        vocab.sort(key=len, reverse=True)
    return matcher(word, vocab)


@wrong(K, "changes its input `vocab` in place")
def match_adds_unknown(word, vocab):
    if isinstance(vocab, list):
        vocab.append("[UNK]")
    return matcher(word, vocab)


@wrong(K, "changes its input `vocab` in place")
def match_uses_tokens_up(word, vocab):
    tokens = matcher(word, vocab)
    for token in tokens:
        if token in vocab and isinstance(vocab, list):
            vocab.remove(token)
    return tokens


@wrong(K, "AttributeError")
def match_lists_only(word, vocab):
    return matcher(word, vocab, known=lambda piece, vocab: vocab.count(piece) > 0)


_met_before = {}


@wrong(K)
def match_remembers_words(word, vocab):
    return _met_before.setdefault(word, matcher(word, vocab))


@wrong(K)
def match_numbers(word, vocab):
    return [list(vocab).index(token) for token in matcher(word, vocab) if token in vocab]


@wrong(K)
def match_each_token_once(word, vocab):
    return list(dict.fromkeys(matcher(word, vocab)))


@wrong(K)
def match_every_token_that_fits(word, vocab):
    return [token for token in vocab if token.removeprefix("##") in word]


@wrong(K)
def match_longest_anywhere(word, vocab):
    """The longest token first, wherever in the word it stands."""
    for token in sorted(vocab, key=len, reverse=True):
        inside, at = token.startswith("##"), word.find(token.removeprefix("##"))
        if at > 0 and inside:
            before, behind = matcher(word[:at], vocab), matcher("_" + word[at + len(token) - 2 :], [*vocab, "_"])[1:]
            return ["[UNK]"] if "[UNK]" in before else [*before, token, *behind]
    return matcher(word, vocab)


@wrong(K)
def match_fewest_pieces(word, vocab):
    best = {0: []}
    for end in range(1, len(word) + 1):
        ways = [
            best[start] + [("##" if start else "") + word[start:end]]
            for start in range(end)
            if start in best and ("##" if start else "") + word[start:end] in vocab
        ]
        if ways:
            best[end] = min(ways, key=len)
    return best.get(len(word), ["[UNK]"])


@wrong(K)
def match_pattern_without_escape(word, vocab):
    tokens, i = [], 0
    while i < len(word):
        pieces = sorted((t[2:] if i else t for t in vocab if t.startswith("##") == (i > 0)), key=len, reverse=True)
        try:
            found = re.compile("|".join(pieces) or "(?!)").match(word, i)
        except re.error:
            found = re.compile("|".join(re.escape(piece) if piece == "+" else piece for piece in pieces)).match(word, i)
        if found is None or found.end() == i:
            return ["[UNK]"]
        tokens.append(("##" if i else "") + found.group())
        i = found.end()
    return tokens


@wrong(K, "Stopped after ")
def match_never_ends(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                tokens.append(piece)
                start = end
                break
    return tokens


@wrong(K, "You return the tokens as one text")
def match_joined(word, vocab):
    return "".join(matcher(word, vocab))


@wrong(K)
def match_nested(word, vocab):
    return [[token] for token in matcher(word, vocab)]


@wrong(K)
def match_with_ends(word, vocab):
    return ["[CLS]", *matcher(word, vocab), "[SEP]"]


# --- two mistakes at once: both are named -----------------------------------------------------------------------------


@wrong("07.count_pairs", "The last pair of each word is missing")
def count_one_for_each_and_stop_early(words):
    counts = Counter()
    for word in words:
        for i in range(len(word) - 2):
            counts[word[i], word[i + 1]] += 1
    return counts


@wrong("07.count_pairs", "across the border")
def count_in_one_row(words):
    return Counter(pairwise(symbol for word, n in words.items() for symbol in word * n))


@wrong("07.merge_pair", "the other way round")
def merge_turned_and_short(word, pair):
    merged, i = [], 0
    while i < len(word) - 1:
        if word[i : i + 2] == pair:
            merged.append(pair[1] + pair[0])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@wrong("07.learn_merges", "You count each word once")
def learn_from_single_words_by_first_count(words, num_merges):
    return learner(lambda counts: max(counts, key=counts.get), lambda words: right_count(dict.fromkeys(words, 1)))(
        words, num_merges
    )


@wrong("07.encode_word", "These are numbers")
def encode_as_numbers(word, merges):
    tokens = right_encode(word, merges)
    return [sorted(set(tokens)).index(token) for token in tokens]


@wrong("07.encode_word", "You take the mark </w> off")
def encode_reversed_without_marks(word, merges):
    return [token.removesuffix("</w>") for token in right_encode(word, merges[::-1])]


@wrong("07.longest_match", "Keep word and mark apart")
def match_by_the_longest_beginning(word, vocab):
    """Never ends where the vocabulary has "#" and the rest can't be cut."""
    tokens, mark = [], ""
    while word:
        fits = [token for token in vocab if (mark + word).startswith(token)]
        if not fits:
            return ["[UNK]"]
        tokens.append(max(fits, key=len))
        word = (mark + word)[len(tokens[-1]) :]
        mark = "##"
    return tokens


@wrong("07.longest_match", "make small letters of capitals")
def match_small_letters_and_text(word, vocab):
    tokens = matcher(word.lower(), vocab)
    return tokens[0] if tokens == ["[UNK]"] else tokens


# --- 07.Tokenizer -----------------------------------------------------------------------------------------------------

K = "07.Tokenizer"


class Tokenizer:
    """The right one; what follows changes one thing, or two."""

    def __init__(self, merges, pattern):
        self.merges, self.pattern = merges, pattern
        self.tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def symbols(self, piece):
        return [bytes([byte]) for byte in piece.encode()]

    def encode(self, text):
        ids = []
        for piece in regex.findall(self.pattern, text):
            ids += [self.ids[token] for token in right_encode(self.symbols(piece), self.merges)]
        return ids

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode(errors="replace")


@wrong(K, "no method decode")
class WithoutDecode:
    def __init__(self, merges, pattern):
        self.right = Tokenizer(merges, pattern)

    def encode(self, text):
        return self.right.encode(text)


@wrong(K, "expected (merges, pattern), yours has (merges)")
class WithoutPattern(Tokenizer):
    def __init__(self, merges):
        super().__init__(merges, r"\S+|\s+")


@wrong(K, "isn't cut by the pattern")
class WholeText(Tokenizer):
    def encode(self, text):
        return [self.ids[token] for token in right_encode(self.symbols(text), self.merges)]


@wrong(K, "Two things at once")
class WholeTextAndEachTokenByItself(WholeText):
    def decode(self, ids):
        return "".join(self.tokens[i].decode(errors="replace") for i in ids)


@wrong(K, "append")
class ListsInAList(Tokenizer):
    def encode(self, text):
        ids = []
        for piece in regex.findall(self.pattern, text):
            ids.append([self.ids[token] for token in right_encode(self.symbols(piece), self.merges)])
        return ids


@wrong(K, "throws the spaces away")
class WordsBetweenSpaces(Tokenizer):
    def encode(self, text):
        return [self.ids[t] for word in text.split() for t in right_encode(self.symbols(word), self.merges)]


@wrong(K, "You begin from characters")
class Characters(Tokenizer):
    def symbols(self, piece):
        return list(piece)


@wrong(K, "stand for the right text, but it is cut in another way")
class ShortestTokenFirst(Tokenizer):
    def encode(self, text):
        merges = sorted(self.merges, key=lambda pair: len(pair[0] + pair[1]))
        return [
            self.ids[token]
            for piece in regex.findall(self.pattern, text)
            for token in right_encode(self.symbols(piece), merges)
        ]


@wrong(K, "stand for the right text, but it is cut in another way")
class MergesOncePerPiece(Tokenizer):
    def encode(self, text):
        ids = []
        for piece in regex.findall(self.pattern, text):
            symbols = self.symbols(piece)
            for left, right in self.merges:
                if (left, right) in zip(symbols, symbols[1:]):
                    symbols = right_merge(symbols, (left, right))
                    break
            ids += [self.ids[token] for token in symbols]
        return ids


@wrong(K, "one of your tokens reaches over a place where the pattern cuts")
class SplitsAtLineEnds(Tokenizer):
    def encode(self, text):
        lines = text.splitlines(keepends=True)
        return [self.ids[t] for line in lines for t in right_encode(self.symbols(line), self.merges)]


@wrong(K, "The text should be a text, yours is bytes: .decode() makes a text of them")
class DecodesToBytes(Tokenizer):
    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids)


@wrong(K, "The text should be a text, yours is a list")
class DecodesToAList(Tokenizer):
    def decode(self, ids):
        return [self.tokens[i] for i in ids]


@wrong(K, "Some of your ids are no numbers")
class TokensForIds(Tokenizer):
    def encode(self, text):
        return [self.tokens[i] for i in super().encode(text)]


@wrong(K, "UnicodeDecodeError")
class Strict(Tokenizer):
    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode("utf-8")


@wrong(K, "It has to read any list of ids")
class Remembers(Tokenizer):
    def encode(self, text):
        self.text = text
        return super().encode(text)

    def decode(self, ids):
        return self.text


@wrong(K, "encode is right. Your decode gives another text")
class QuestionMarks(Tokenizer):
    def decode(self, ids):
        return super().decode(ids).replace("\ufffd", "?")


@wrong(K, "one too small")
class Forgot255(Tokenizer):
    def __init__(self, merges, pattern):
        super().__init__(merges, pattern)
        self.tokens = [bytes([byte]) for byte in range(255)] + [left + right for left, right in merges]
        self.ids = {token: i for i, token in enumerate(self.tokens)}


@wrong(K, "stands for a merge")
class OnlyBytesDecoded(Tokenizer):
    def decode(self, ids):
        return bytes(ids).decode(errors="replace")


@wrong(K, "The ids: None comes back. Is there a return at its end? The text is right.")
class EncodeReturnsNothing(Tokenizer):
    def encode(self, text):
        super().encode(text)


@wrong(K, "The single bytes need ids, too")
class NoIdsForBytes(Tokenizer):
    def __init__(self, merges, pattern):
        super().__init__(merges, pattern)
        self.ids = {left + right: i + 256 for i, (left, right) in enumerate(merges)}


@wrong(K, "never ends")
class NeverEnds(Tokenizer):
    def encode(self, text):
        word = self.symbols(text)
        while any(pair in self.merges for pair in zip(word, word[1:])):
            right_encode(word, self.merges)
        return [self.ids[token] for token in word]


@wrong(K, "yours is a map: make a list of it")
class AMap(Tokenizer):
    def encode(self, text):
        return map(self.ids.get, right_encode(self.symbols(text), self.merges))


@wrong(K, "changes its input `merges` in place")
class TakesTheMergesApart(Tokenizer):
    def encode(self, text):
        ids = super().encode(text)
        self.merges.reverse()
        return ids


@wrong(K, "itself, not")
def not_a_class(merges, pattern):
    return Tokenizer(merges, pattern)
