"""What all tokenizers share: tokens and their ids, special tokens in a text, a cache of words, the file.

A special token is a string such as [SEP] or <|endoftext|> that stands for no text. The user's text must not be able to
fake one, so it is found in a text only where the caller allows it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from operator import index
from pathlib import Path
from reprlib import repr as short
from typing import Self

import regex
from tqdm.auto import tqdm

from course_lib.errors import CourseError
from course_lib.support.messages import whole_number
from course_lib.tokenizers import json_file

Token = bytes | str  # bytes in a BPETokenizer over bytes, else text; a special token is always a str
LARGEST_VOCABULARY = 0x110000  # the trainers write a token as one character, and Python has that many
CACHED_WORDS = 2**17
LONG_TEXT = 2_000_000  # characters; about half a second


class Tokenizer:
    """Text ↔ ids. `vocab`: the id of each token, special tokens among them. `special_tokens`: those alone.

    A subclass says how a text is cut into words, what the ids of one word are, how tokens become text, and what its
    file holds: `_pretokenize`, `_encode_word`, `_to_text`, `_to_json` and `_from_json`.
    """

    model_type: str  # as tokenizer.json calls it

    def __init__(self, vocab: Mapping[Token, int], special_tokens: Iterable[str]):
        self.vocab = dict(vocab)
        self._token = {id: token for token, id in self.vocab.items()}
        if len(self._token) < len(self.vocab):
            raise CourseError("Each token of a vocabulary has an id of its own, but in this one two have the same.")
        names = checked(special_tokens)
        for name in names:
            if name not in self.vocab:
                raise CourseError(f"The special token {name!r} should be in the vocabulary, but it isn't. Add it.")
        self.special_tokens = {name: self.vocab[name] for name in names}
        self._ids_of = _Cache(self._encode_word)

    def __len__(self) -> int:
        """How many tokens there are, special ones among them."""
        return len(self.vocab)

    def encode(self, text: str, allowed_special: Collection[str] | str = ()) -> list[int]:
        """The ids of the text's tokens. No special token is added.

        A special token that stands in the text is plain text, unless `allowed_special` is "all" or has it.
        """
        _check_text(text, "encode")
        ids = []
        for piece, special in split(text, self.special_tokens, allowed_special):
            if special is not None:
                ids.append(special)
                continue
            words = self._pretokenize(piece)
            if len(piece) > LONG_TEXT:
                words = tqdm(words, desc="encoding", unit=" words", delay=1, leave=False)
            ids += chain.from_iterable(map(self._ids_of.__getitem__, words))
        return ids

    def tokens(self, text: str, allowed_special: Collection[str] | str = ()) -> list[Token]:
        """The tokens of a text: what `encode` gives, before they became numbers."""
        return [self._token[id] for id in self.encode(text, allowed_special)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids: a list, or a tensor or an array of one axis. Raises CourseError for an unknown id."""
        tokens = []
        for id in _whole_numbers(ids):
            if id not in self._token:
                raise CourseError(
                    f"There is no token with the id {id}: this vocabulary has {len(self)} tokens, "
                    f"with ids from {min(self._token)} to {max(self._token)}."
                )
            tokens.append(self._token[id])
        return self._to_text(tokens)

    def save(self, path: str | Path) -> None:
        """Write a tokenizer.json, which Hugging Face's `tokenizers` reads too. Raises CourseError where it can't."""
        json_file.write(path, self._to_json(), self.special_tokens)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a tokenizer.json that `save` or the library `tokenizers` wrote.

        What it says on truncation, padding and special tokens around a text is left aside: `encode` does none of these.
        Raises CourseError where it is missing or damaged, and where it asks for something that isn't done here.
        """
        data = json_file.read(path, cls.model_type)
        try:
            return cls._from_json(data, json_file.special_tokens(data))
        except CourseError as reason:
            raise CourseError(f"{path} can't be used here: {reason}") from None


class _Cache(dict):
    """The ids of words that were met before: most words of a text aren't new."""

    def __init__(self, encode_word: Callable[[str], list[int]]):
        self.encode_word = encode_word

    def __missing__(self, word: str) -> list[int]:
        if len(self) >= CACHED_WORDS:
            self.clear()
        ids = self[word] = self.encode_word(word)
        return ids


def checked(special_tokens: Iterable[str]) -> tuple[str, ...]:
    """The special tokens in their order. Raises CourseError unless each is a string, not empty, and there once."""
    if isinstance(special_tokens, str):
        raise CourseError(f"Special tokens should be a list of strings; got one string. Write [{special_tokens!r}].")
    if not isinstance(special_tokens, Iterable):
        raise CourseError(f"Special tokens should be a list of strings, [] for none; got {short(special_tokens)}.")
    tokens = tuple(special_tokens)
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            raise CourseError(f"A special token should be a string; got {token!r}, of type {type(token).__name__}.")
        if not token:
            raise CourseError("A special token can't be empty: it would be found between any two characters.")
        if token in tokens[:place]:
            raise CourseError(f"Each special token should stand in the list once, but {token!r} is there twice.")
    return tokens


def split(text: str, special: Mapping[str, int], allowed: str | Collection[str]) -> Iterator[tuple[str, int | None]]:
    """Cut the text at special tokens: pieces of plain text with None, recognised special tokens with their id.

    `allowed` is "all" or the special tokens that may be recognised; the others are plain text. Where one begins
    another, the longest is taken. Raises CourseError for an allowed token that isn't special.

    >>> list(split("a[SEP]b", {"[SEP]": 3}, "all"))
    [('a', None), ('[SEP]', 3), ('b', None)]
    >>> list(split("a[SEP]b", {"[SEP]": 3}, ()))
    [('a[SEP]b', None)]
    """
    if isinstance(allowed, str) and allowed != "all":
        raise CourseError(
            f'allowed_special is "all" or a list of special tokens; got {allowed!r}. Write [{allowed!r}].'
        )
    if not isinstance(allowed, Iterable):
        raise CourseError(f'allowed_special is "all" or a list of special tokens, [] for none; got {short(allowed)}.')
    names = special if allowed == "all" else list(allowed)
    for name in names:
        if not isinstance(name, str) or name not in special:
            known = ", ".join(map(repr, special)) or "none"
            raise CourseError(
                f"{name!r} isn't a special token of this tokenizer, so it can't be allowed. It has: {known}."
            )
    if names:
        longest_first = sorted(names, key=len, reverse=True)  # a pattern takes the first alternative that fits
        start = 0
        for found in regex.finditer("|".join(map(regex.escape, longest_first)), text):
            if start < found.start():
                yield text[start : found.start()], None
            yield found[0], special[found[0]]
            start = found.end()
        text = text[start:]
    if text:
        yield text, None


def count_words(
    texts: str | Iterable[str], pretokenize: Callable[[str], list[str]], special_tokens: Iterable[str] = ()
) -> Counter[str]:
    """How often each word occurs in a text or in several. Special tokens are cut out first."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        texts = [texts]
    special, counts = dict.fromkeys(special_tokens, 0), Counter()
    for text in tqdm(texts, desc="counting words", unit=" texts", delay=1, leave=False):
        _check_text(text, "train")
        for piece, id in split(text, special, "all"):
            if id is None:
                counts.update(pretokenize(piece))
    return counts


def check_vocab_size(vocab_size: int, least: int, what: str) -> None:
    """Raises CourseError unless vocab_size is a whole number that holds `what`: `least` tokens."""
    if whole_number("vocab_size", vocab_size) < least:
        raise CourseError(f"vocab_size={vocab_size} is too small: it has to hold {what}. Give at least {least}.")
    if vocab_size > LARGEST_VOCABULARY:
        raise CourseError(f"vocab_size={vocab_size} is too large: it can be at most {LARGEST_VOCABULARY}.")


def _check_text(text, verb: str) -> None:
    if not isinstance(text, str):
        raise CourseError(f"{verb} takes a text (str); got {short(text)}, of type {type(text).__name__}.")


def _whole_numbers(ids) -> Iterator[int]:
    values = ids.tolist() if hasattr(ids, "tolist") else ids
    for value in values if isinstance(values, Iterable) else [values]:
        try:
            if isinstance(value, bool):
                raise TypeError
            yield index(value)
        except TypeError:
            raise CourseError(
                f"decode takes a list of ids, whole numbers; got {short(value)} in it. For a batch, decode row by row."
            ) from None
