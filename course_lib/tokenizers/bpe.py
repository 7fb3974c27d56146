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
from course_lib.tokenizers.base_vocabulary import Bytes, Characters
from course_lib.tokenizers.bpe_json import from_json, to_json
from course_lib.tokenizers.bpe_trainer import learn_merges


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
        return to_json(self.base_vocabulary, self.vocab, self.merges)

    @classmethod
    def _from_json(cls, data: dict, special: Mapping[str, int]) -> Self:
        return cls(*from_json(data, special))
