"""Byte-pair encoding: a text becomes a list of numbers, and the numbers become the text again.

    tokenizer = BPETokenizer.train(python_docs.topics(), vocab_size=1024)
    tokenizer.tokens("expressions")    # [b'expression', b's']
    tokenizer.encode("expressions")    # [793, 115], with Python 3.11's text

Sennrich, Haddow and Birch (2016), Neural Machine Translation of Rare Words with Subword Units; on bytes: Radford et al. (2019), Language Models are
Unsupervised Multitask Learners.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import chain, groupby
from pathlib import Path
from typing import Self

from tqdm.auto import tqdm

from course_lib.errors import CourseError
from course_lib.tokenizers import special_tokens as specials
from course_lib.tokenizers import words
from course_lib.tokenizers.alphabets import Bytes, Characters
from course_lib.tokenizers.bpe_trainer import learn_merges

Token = bytes | str  # bytes over the alphabet of bytes, else text
MAX_SYMBOLS = 0x110000  # a symbol is a character, and Python has that many
CACHED_WORDS = 2**17
LONG_TEXT = 2_000_000  # characters; about half a second


class BPETokenizer:
    """`merges`: the pairs of tokens, in the order learnt. `vocab`: the id of each token, special ones among them. `special_tokens`: those alone.

    A token is of type bytes, or str over the alphabet of characters; a special token is always a str.
    """

    def __init__(
        self,
        alphabet: Bytes | Characters,
        merges: Iterable[tuple[Token, Token]],
        special_tokens: Iterable[str] = (),
        vocab: Mapping[Token, int] | None = None,
    ):
        """Without `vocab`, ids are given in this order: base symbols, merges, special tokens."""
        self.alphabet, self.merges = alphabet, list(merges)
        names = specials.checked(special_tokens)
        tokens = alphabet.tokens + [left + right for left, right in self.merges]
        self.vocab = dict(vocab) if vocab is not None else {token: i for i, token in enumerate([*tokens, *names])}
        self.special_tokens = {name: self.vocab[name] for name in names}

        symbol = {token: chr(i) for i, token in enumerate(tokens)}
        self._merged = {
            symbol[left] + symbol[right]: symbol[left + right] for left, right in self.merges
        }  # pair → symbol
        self._pair = {merged: pair for pair, merged in self._merged.items()}
        self._id = [self.vocab.get(token) for token in tokens]
        self._token = {i: token for token, i in self.vocab.items()}
        self._ids_of = _Cache(self._encode_word)

    @classmethod
    def train(
        cls,
        text: str | Iterable[str],
        vocab_size: int,
        special_tokens: Iterable[str] = (),
        *,
        pattern: str = words.GPT2,
        end_of_word: str | None = None,
    ) -> Self:
        """Learn merges from a text, or from several, until there are `vocab_size` tokens or nothing is left to merge.

        pattern: what a word is, see `words`; no token crosses its edges. end_of_word: a mark such as "</w>" makes a tokenizer over characters in place of bytes.
        Which of equally frequent pairs is merged: see `learn_merges`. Special tokens get the last ids; where they stand in the text, they are cut out of it.
        Raises CourseError where vocab_size doesn't hold the base symbols and the special tokens.
        """
        names = specials.checked(special_tokens)
        if end_of_word is None:
            alphabet = Bytes(pattern)
            counts = _count(text, names, alphabet.words)
        else:
            counts = _count(text, names, Characters.words)
            alphabet = Characters.of(counts, end_of_word)
        base = len(alphabet.tokens)
        _check_vocab_size(vocab_size, base, len(names), alphabet.description)

        spelled = {alphabet.spell(word): count for word, count in counts.items()}
        tokens, merges = list(alphabet.tokens), []
        for left, right in learn_merges(spelled, base, vocab_size - base - len(names)):
            merges.append((tokens[ord(left)], tokens[ord(right)]))
            tokens.append(tokens[ord(left)] + tokens[ord(right)])
        return cls(alphabet, merges, names)

    def encode(self, text: str, allowed_special: Collection[str] | str = ()) -> list[int]:
        """The ids of a text. Special tokens that stand in it are plain text, but for those in `allowed_special` ("all" for all of them)."""
        _check_text(text, "encode")
        ids = []
        for piece, special in specials.split(text, self.special_tokens, allowed_special):
            ids += [special] if special is not None else self._encode_plain(piece)
        return ids

    def _encode_plain(self, text: str) -> list[int]:
        found = self.alphabet.words(text)
        if len(text) > LONG_TEXT:
            found = tqdm(found, desc="encoding", unit=" words", delay=1, leave=False)
        return list(chain.from_iterable(map(self._ids_of.__getitem__, found)))

    def _encode_word(self, word: str) -> list[int]:
        ids = [self._id[ord(symbol)] for symbol in self._merge(self.alphabet.spell(word))]
        if None in ids:
            raise CourseError(
                f"This tokenizer has no token for a byte in {word!r}: the vocabulary that it was loaded from lacks it."
            )
        return ids

    def _merge(self, word: str) -> str:
        """Merge the pair that was learnt first, wherever it stands, until no pair is left that was learnt. One character is one symbol.

        `waiting` holds the symbols that could be made, the first learnt on top. Some are there more than once, or their pair is gone by the time.
        """
        merged = self._merged
        waiting = [merged[pair] for pair in map(str.__add__, word, word[1:]) if pair in merged]
        heapify(waiting)
        last = None
        while waiting:
            new = heappop(waiting)
            if new == last:
                continue
            last = new
            gaps = word.split(self._pair[new])
            if len(gaps) == 1:
                continue
            word = new.join(gaps)
            for gap in gaps[:-1]:
                if (pair := (gap[-1] if gap else new) + new) in merged:
                    heappush(waiting, merged[pair])
            for gap in gaps[1:]:
                if gap and (pair := new + gap[0]) in merged:
                    heappush(waiting, merged[pair])
        return word

    def tokens(self, text: str, allowed_special: Collection[str] | str = ()) -> list[Token]:
        """The tokens of a text: bytes, or text with end-of-word marks for a tokenizer over characters. Special tokens are text."""
        return [self._token[i] for i in self.encode(text, allowed_special)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids. Over bytes, decode(encode(text)) is the text itself, whatever it holds. Raises CourseError for an id that isn't in the vocabulary."""
        ids = _whole_numbers(ids)
        unknown = next((i for i in ids if i not in self._token), None)
        if unknown is not None:
            raise CourseError(
                f"There is no token with the id {unknown}: the ids of this vocabulary go from {min(self._token)} to {max(self._token)}."
            )
        runs = groupby((self._token[i] for i in ids), key=self.special_tokens.__contains__)
        return "".join("".join(run) if special else self.alphabet.text(run) for special, run in runs)

    def __len__(self) -> int:
        """How many tokens there are, special ones among them."""
        return len(self._token)

    def save(self, path: str | Path) -> None:
        """Write a tokenizer.json, which `tokenizers.Tokenizer.from_file` reads too."""
        from course_lib.tokenizers import bpe_json, json_file

        json_file.write(path, bpe_json.as_json(self))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a tokenizer.json that `save` or the library `tokenizers` wrote. Raises CourseError where it is damaged or wants something that isn't done here."""
        from course_lib.tokenizers import bpe_json, json_file

        return bpe_json.from_json(cls, json_file.read(path), path)


class _Cache(dict):
    """The ids of words that were met before: most words of a text aren't new."""

    def __init__(self, encode_word):
        self.encode_word = encode_word

    def __missing__(self, word: str) -> list[int]:
        if len(self) >= CACHED_WORDS:
            self.clear()
        ids = self[word] = self.encode_word(word)
        return ids


def _count(texts: str | Iterable[str], names: tuple[str, ...], cut: Callable[[str], list[str]]) -> Counter[str]:
    """How often each word occurs in the texts, special tokens left out."""
    if not isinstance(texts, Iterable) or isinstance(texts, bytes):
        _check_text(texts, "train")
    counts, names = Counter(), dict.fromkeys(names, 0)
    for text in [texts] if isinstance(texts, str) else texts:
        _check_text(text, "train")
        for piece, special in specials.split(text, names, "all"):
            if special is None:
                counts.update(cut(piece))
    return counts


def _check_text(text, verb: str) -> None:
    if not isinstance(text, str):
        raise CourseError(f"{verb} takes a text (str), but this is a value of type {type(text).__name__}.")


def _check_vocab_size(vocab_size, base: int, specials: int, what: str) -> None:
    if not isinstance(vocab_size, int) or isinstance(vocab_size, bool):
        raise CourseError(f"vocab_size should be a whole number, but it is {vocab_size!r}.")
    least = base + specials
    if vocab_size < least:
        more = f" and {specials} special token{'s' if specials > 1 else ''}" if specials else ""
        raise CourseError(f"vocab_size={vocab_size} is too small: it has to hold {what}{more}. Give at least {least}.")
    if vocab_size > MAX_SYMBOLS:
        raise CourseError(f"vocab_size={vocab_size} is too large: at most {MAX_SYMBOLS:,} tokens can be told apart.")


def _whole_numbers(ids) -> list[int]:
    """ids as Python ints: a list, a tensor or an array of one axis."""
    values = ids.tolist() if hasattr(ids, "tolist") else ids
    if not isinstance(values, Iterable):
        values = [values]
    values = list(values)
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool):
            raise CourseError(
                f"decode takes a list of ids, whole numbers, but {value!r} is in it. For a batch, decode row by row."
            )
    return values
