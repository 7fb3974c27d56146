"""WordPiece, the tokenizer of BERT: a word is cut into the longest known pieces, and "##" marks a piece that goes on.

    tokenizer = WordPieceTokenizer.train(python_docs.topics(), 4096)
    tokenizer.tokens("unbounded")                   # ["unbound", "##ed"], with Python 3.11's text
    tokenizer.decode(tokenizer.encode("It works.")) # "it works."

Schuster & Nakajima (2012), "Japanese and Korean Voice Search"; Devlin et al. (2019), "BERT". Not lossless: white space,
capitals and accents are lost, and a word that can't be made of known pieces becomes [UNK].
"""

from collections.abc import Iterable, Mapping
from typing import Self

from course_lib.errors import CourseError
from course_lib.support.messages import one_of, whole_number
from course_lib.tokenizers import json_file
from course_lib.tokenizers.base import Tokenizer, check_vocab_size, checked, count_words
from course_lib.tokenizers.bert_normalizer import BertNormalizer
from course_lib.tokenizers.wordpiece_trainer import SCORES, learn

UNK, PREFIX = "[UNK]", "##"
BERT_SPECIAL_TOKENS = ("[PAD]", UNK, "[CLS]", "[SEP]", "[MASK]")
MAX_INPUT_CHARS_PER_WORD = 100  # as in BERT
CLEANUP = {" .": ".", " ?": "?", " !": "!", " ,": ",", " ' ": "'", " n't": "n't", " 'm": "'m", " do not": " don't",
           " 's": "'s", " 've": "'ve", " 're": "'re"}  # fmt: skip


class WordPieceTokenizer(Tokenizer):
    """`train` makes one from text, `load` from a file, and this call from a vocabulary that is at hand.

    `merges`: the pairs that `train` joined, in their order; None for a tokenizer that wasn't trained here.
    """

    model_type = "WordPiece"

    def __init__(
        self,
        vocab: Mapping[str, int],
        special_tokens: Iterable[str] = (UNK,),
        normalizer: BertNormalizer = BertNormalizer(),  # noqa: B008 - it can't be changed
        unk_token: str = UNK,
        prefix: str = PREFIX,
        max_input_chars_per_word: int = MAX_INPUT_CHARS_PER_WORD,
        cleanup: bool = True,
        merges: list[tuple[str, str]] | None = None,
    ):
        """`special_tokens`: of `vocab`, never found in plain text. `cleanup`: `decode` writes "it." for "it ."."""
        super().__init__(vocab, special_tokens)
        if unk_token not in self.vocab:
            raise CourseError(f"WordPiece needs its unknown token {unk_token!r} in the vocabulary. Add it.")
        self.normalizer, self.unk_token, self.prefix = normalizer, unk_token, prefix
        self.max_input_chars_per_word, self.cleanup, self.merges = max_input_chars_per_word, cleanup, merges
        plain = {token: id for token, id in self.vocab.items() if token not in self.special_tokens}
        self._starts = plain
        self._inside = {token[len(prefix) :]: id for token, id in plain.items() if token.startswith(prefix)}
        self._longest = max(map(len, plain), default=0)

    @classmethod
    def train(
        cls,
        text: str | Iterable[str],
        vocab_size: int,
        special_tokens: Iterable[str] = BERT_SPECIAL_TOKENS,
        *,
        normalizer: BertNormalizer = BertNormalizer(),  # noqa: B008
        score: str = "gain",
        min_count: int = 2,
    ) -> Self:
        """Learn from a text, or from several. The result is the same each time: nothing in it is random.

        First come the special tokens ("[UNK]" is put in front where it isn't among them), then each character that was
        seen, as "x" and as "##x", so that every word of seen characters can be written; then the tokens learned, in
        their order. It ends with `vocab_size` tokens, or with fewer where no pair is left that was seen `min_count`
        times.

        `score` is "gain" or "ratio" (see wordpiece_trainer). Measured on Python's documentation (pydoc_data.topics, 466
        kB): with 4096 tokens, "gain" needs 1.02 tokens a word, and begins with th, the, ex, ##on, ##ion. "ratio" loves
        what is rare: it begins with ##98, ##098, 4098 and needs 1.60. min_count=10 brings it to 1.09, but then only
        3091 tokens can be found.

        Raises CourseError where `vocab_size` has no room for the characters, and for a special token that text could
        spell.
        """
        special = checked(special_tokens)
        special = special if UNK in special else (UNK, *special)
        for token in special:
            if normalizer.pretokenize(token) == [token] or token.startswith(PREFIX):
                raise CourseError(
                    f"The special token {token!r} could be learned from a text as well. Write it as [{token}]."
                )
        one_of("score", score, SCORES)
        whole_number("min_count", min_count, low=1)
        # No word goes over the end of a line, and lines without accents are normalised faster.
        words = count_words(text.split("\n") if isinstance(text, str) else text, normalizer.pretokenize)
        characters = sorted(set().union(*words))
        # A mark such as "." always stands alone, so it is never inside a word.
        inside = [PREFIX + c for c in characters if len(normalizer.pretokenize(c + c)) == 1]
        vocab = {token: id for id, token in enumerate([*special, *characters, *inside])}
        what = f"{len(special)} special tokens and the text's {len(characters)} characters, most of them as x and ##x"
        check_vocab_size(vocab_size, len(vocab), what)
        in_symbols = {  # one character chr(id) for each token, see wordpiece_trainer
            chr(vocab[word[0]]) + "".join([chr(vocab[PREFIX + c]) for c in word[1:]]): count
            for word, count in words.items()
            if len(word) <= MAX_INPUT_CHARS_PER_WORD
        }
        merges = learn(in_symbols, vocab, vocab_size, lambda a, b: a + b.removeprefix(PREFIX), score, min_count)
        return cls(vocab, special, normalizer, merges=merges)

    def _pretokenize(self, text: str) -> list[str]:
        return self.normalizer.pretokenize(text)

    def _encode_word(self, word: str) -> list[int]:
        """The longest known token that begins the word, then the longest that goes on from there, and so on.

        [UNK] for the whole word where at some place no token fits.
        """
        ids, start, known = [], 0, self._starts
        while start < len(word) <= self.max_input_chars_per_word:
            end = min(len(word), start + self._longest)
            while end > start and word[start:end] not in known:
                end -= 1
            if end == start:
                break
            ids.append(known[word[start:end]])
            start, known = end, self._inside
        return ids if start == len(word) else [self.vocab[self.unk_token]]

    def _to_text(self, tokens: list[str]) -> str:
        """ "##" joins, any other token comes after a space."""
        text = []
        for token in tokens:
            if text:
                token = token[len(self.prefix) :] if token.startswith(self.prefix) else " " + token
            if self.cleanup:
                for spaced, joined in CLEANUP.items():
                    token = token.replace(spaced, joined)
            text.append(token)
        return "".join(text)

    def _to_json(self) -> dict:
        return {
            "normalizer": {"type": "BertNormalizer", **vars(self.normalizer)},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": None,
            "decoder": {"type": "WordPiece", "prefix": self.prefix, "cleanup": self.cleanup},
            "model": {
                "type": "WordPiece",
                "unk_token": self.unk_token,
                "continuing_subword_prefix": self.prefix,
                "max_input_chars_per_word": self.max_input_chars_per_word,
                "vocab": self.vocab,
            },
        }

    @classmethod
    def _from_json(cls, data: dict, special: Mapping[str, int]) -> Self:
        model = data["model"]
        json_file.part(data, "pre_tokenizer", "BertPreTokenizer")
        rules = json_file.part(data, "normalizer", None, "BertNormalizer")
        decoder = json_file.part(data, "decoder", None, "WordPiece")
        prefix = model["continuing_subword_prefix"]
        if decoder and decoder["prefix"] != prefix:
            raise CourseError(f"its decoder's prefix should be its model's, {prefix!r}; got {decoder['prefix']!r}.")
        return cls(
            model["vocab"] | special,
            special,
            BertNormalizer(*(rules.get(rule, False) for rule in vars(BertNormalizer()))),
            model["unk_token"],
            prefix,
            model["max_input_chars_per_word"],
            decoder.get("cleanup", True),
        )
