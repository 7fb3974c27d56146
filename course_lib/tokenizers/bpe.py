"""Byte-pair encoding: a text becomes a list of numbers, and the numbers become the text again.

    tokenizer = BPETokenizer.train(python_docs.topics(), vocab_size=1024)
    tokenizer.tokens("expressions")    # [b'expression', b's']
    tokenizer.encode("expressions")    # [793, 115], with Python 3.11's text

Sennrich, Haddow and Birch (2016), Neural Machine Translation of Rare Words with Subword Units; on bytes: Radford et al.
(2019), Language Models are Unsupervised Multitask Learners.

A token has two forms, b"low" for people and its id for a model. While pairs are merged it has a third: the token number
i, base vocabulary first and then the merges in their order, is written as one character, its symbol chr(i). So a word
is a string and a pair a string of two, and of two merges the one that was learnt first makes the smaller symbol.
"""

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import groupby
from operator import add
from typing import Self

from course_lib.errors import CourseError
from course_lib.tokenizers import pretokenize
from course_lib.tokenizers.base import Token, Tokenizer, check_vocab_size, checked, count_words
from course_lib.tokenizers.bpe_trainer import learn_merges


class Bytes:
    """The base vocabulary of GPT-2: the bytes of UTF-8 can write every text there is, so nothing is ever unknown."""

    tokens = [bytes([byte]) for byte in range(256)]
    description = "256 bytes"

    def __init__(self, pattern: str = pretokenize.GPT2):
        pretokenize.compiled(pattern)  # raises CourseError for a bad one
        self.pattern = pattern

    def pretokenize(self, text: str) -> list[str]:
        return pretokenize.pretokenize(text, self.pattern, keep_rest=True)

    def to_symbols(self, word: str) -> str:
        """Byte i becomes chr(i). A lone surrogate, which UTF-8 forbids, takes the three bytes of its number."""
        return word.encode("utf-8", "surrogatepass").decode("latin-1")

    def to_text(self, tokens: Iterable[bytes]) -> str:
        """Bytes that aren't UTF-8, such as the first half of a character, become the sign �."""
        joined = b"".join(tokens)
        try:
            return joined.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return joined.decode("utf-8", "replace")


class Characters:
    """The base vocabulary of Sennrich et al. (2016): the characters of a text, and each with the end-of-word mark.

    Words stand between spaces. How many spaces there were is forgotten, and a character that wasn't in the text is
    unknown.
    """

    def __init__(self, characters: Iterable[str], end_of_word: str = "</w>", unknown: str = "[UNK]"):
        """characters: base tokens such as "t" and "t</w>"."""
        self.end_of_word, self.unknown = end_of_word, unknown
        self.tokens = [unknown, *characters]
        self.description = (
            f"{unknown} and the text's characters inside words and at their ends ({len(self.tokens)} tokens)"
        )
        self._symbol = {token: chr(i) for i, token in enumerate(self.tokens)}

    @classmethod
    def of(cls, words: Iterable[str], end_of_word: str) -> Self:
        """All characters of the words, in the order of Unicode."""
        if not isinstance(end_of_word, str) or cls.pretokenize(end_of_word) != [end_of_word]:
            raise CourseError(f"end_of_word should be a mark without spaces, such as '</w>'; got {end_of_word!r}.")
        found = set()
        for word in words:
            if end_of_word in word:
                raise CourseError(
                    f"The text itself holds the end-of-word mark {end_of_word!r}, in {word!r}: choose another one."
                )
            found.update([*word[:-1], word[-1] + end_of_word])
        return cls(sorted(found), end_of_word)

    @staticmethod
    def pretokenize(text: str) -> list[str]:
        return pretokenize.pretokenize(text, pretokenize.BETWEEN_SPACES)

    def to_symbols(self, word: str) -> str:
        tokens = [*word[:-1], word[-1] + self.end_of_word]
        return "".join(self._symbol.get(token, self._symbol[self.unknown]) for token in tokens)

    def to_text(self, tokens: Iterable[str]) -> str:
        text = "".join(
            token.removesuffix(self.end_of_word) + " " * token.endswith(self.end_of_word) for token in tokens
        )
        return text.removesuffix(" ")


class BPETokenizer(Tokenizer):
    """`merges`: the pairs of tokens, in the order learnt.

    A token is bytes, or str over characters; a special token is always str.
    """

    model_type = "BPE"

    def __init__(
        self,
        base_vocabulary: Bytes | Characters,
        merges: Iterable[tuple[Token, Token]],
        special_tokens: Iterable[str] = (),
        vocab: Mapping[Token, int] | None = None,
    ):
        """Without `vocab`, ids are given in this order: base vocabulary, merges, special tokens."""
        self.base_vocabulary, self.merges = base_vocabulary, list(merges)
        special_tokens = checked(special_tokens)
        tokens = base_vocabulary.tokens + [left + right for left, right in self.merges]
        if vocab is None:
            vocab = {token: i for i, token in enumerate([*tokens, *special_tokens])}
        super().__init__(vocab, special_tokens)
        symbol = {token: chr(i) for i, token in enumerate(tokens)}
        self._merged = {symbol[left] + symbol[right]: symbol[left + right] for left, right in self.merges}
        self._pair = {merged: pair for pair, merged in self._merged.items()}
        self._id = {symbol[token]: self.vocab[token] for token in tokens if token in self.vocab}

    @classmethod
    def train(
        cls,
        text: str | Iterable[str],
        vocab_size: int,
        special_tokens: Iterable[str] = (),
        *,
        pattern: str = pretokenize.GPT2,
        end_of_word: str | None = None,
    ) -> Self:
        """Learn merges from a text, or from several, until there are `vocab_size` tokens or nothing is left to merge.

        pattern: what a word is, see `pretokenize`; no token crosses its edges. end_of_word: a mark such as "</w>" makes
        a tokenizer over characters in place of bytes. Which of equally frequent pairs is merged: see `learn_merges`.
        Special tokens get the last ids; where they stand in the text, they are cut out of it. Raises CourseError where
        vocab_size doesn't hold the base vocabulary and the special tokens.
        """
        names = checked(special_tokens)
        if end_of_word is None:
            base = Bytes(pattern)
            counts = count_words(text, base.pretokenize, names)
        else:
            counts = count_words(text, Characters.pretokenize, names)
            base = Characters.of(counts, end_of_word)
        least = len(base.tokens) + len(names)
        special = f" and {len(names)} special token{'s' * (len(names) > 1)}" if names else ""
        check_vocab_size(vocab_size, least, base.description + special)

        words = {base.to_symbols(word): count for word, count in counts.items()}
        tokens, merges = list(base.tokens), []
        for left, right in learn_merges(words, len(tokens), vocab_size - least):
            pair = tokens[ord(left)], tokens[ord(right)]
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
        return cls(base, merges, names)

    def _pretokenize(self, text: str) -> list[str]:
        return self.base_vocabulary.pretokenize(text)

    def _encode_word(self, word: str) -> list[int]:
        try:
            return [self._id[symbol] for symbol in self._merge(self.base_vocabulary.to_symbols(word))]
        except KeyError:
            raise CourseError(
                f"This tokenizer has no token for a byte in {word!r}: the vocabulary that it was loaded from lacks it."
            ) from None

    def _merge(self, word: str) -> str:
        """Merge the pair that was learnt first, wherever it stands, until no pair is left that was learnt.

            lower
            Āwer      "lo" was learnt first: symbol 256, Ā
            āer       then "low": 257, ā
            āĂ        then "er": 258, Ă
            ă         then "low" + "er": 259, ă

        >>> text = "low low low low low lower lower newer"
        >>> tokenizer = BPETokenizer.train(text, 260, pattern=r"[a-z]+")
        >>> tokenizer.merges
        [(b'l', b'o'), (b'lo', b'w'), (b'e', b'r'), (b'low', b'er')]
        >>> tokenizer._merge("lower")
        'ă'
        """
        merged = self._merged
        # The symbols that could be made, the one learnt first on top. Some are in the heap twice, and for some the pair
        # is gone when their turn comes.
        waiting = [merged[pair] for pair in map(add, word, word[1:]) if pair in merged]
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
            for gap in gaps[:-1]:  # the new symbol and what stands on its left
                if (pair := (gap[-1] if gap else new) + new) in merged:
                    heappush(waiting, merged[pair])
            for gap in gaps[1:]:  # and on its right
                if gap and (pair := new + gap[0]) in merged:
                    heappush(waiting, merged[pair])
        return word

    def _to_text(self, tokens: list[Token]) -> str:
        """Over bytes, decode(encode(text)) is the text itself, whatever it holds. Special tokens stand as they are."""
        runs = groupby(tokens, key=self.special_tokens.__contains__)
        return "".join("".join(run) if special else self.base_vocabulary.to_text(run) for special, run in runs)

    def _to_json(self) -> dict:
        from course_lib.tokenizers import bpe_json

        return bpe_json.to_json(self)

    @classmethod
    def _from_json(cls, data: dict, special: Mapping[str, int]) -> Self:
        from course_lib.tokenizers import bpe_json

        return cls(*bpe_json.from_json(data, special))
