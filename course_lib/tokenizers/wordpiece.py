"""WordPiece, the tokenizer of BERT: a word is cut into the longest pieces that are known, and "##" marks a piece that goes on.

    tokenizer = WordPieceTokenizer.train(python_docs.topics(), 4096)
    tokenizer.tokens("unbounded")                   # ["unbound", "##ed"], with Python 3.11's text
    tokenizer.decode(tokenizer.encode("It works.")) # "it works."

Schuster & Nakajima (2012), "Japanese and Korean Voice Search"; Devlin et al. (2019), "BERT". Not lossless: what was white
space, capitals and accents before is lost, and so is a word that no pieces cover.
"""

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from operator import index
from pathlib import Path

from tqdm.auto import tqdm

from course_lib.errors import CourseError
from course_lib.tokenizers import json_file
from course_lib.tokenizers.bert_text import BertText
from course_lib.tokenizers.special_tokens import checked, split
from course_lib.tokenizers.wordpiece_trainer import SCORES, learn

UNK, PREFIX = "[UNK]", "##"
BERT_SPECIAL_TOKENS = ("[PAD]", UNK, "[CLS]", "[SEP]", "[MASK]")
MAX_INPUT_CHARS_PER_WORD = 100  # in characters, as in BERT
CACHED_WORDS = 2**16
CLEANUP = {" .": ".", " ?": "?", " !": "!", " ,": ",", " ' ": "'", " n't": "n't", " 'm": "'m", " do not": " don't", " 's": "'s",
           " 've": "'ve", " 're": "'re"}  # fmt: skip


class WordPieceTokenizer:
    """Text ↔ ids. `train` makes one from text, `load` from a file, and this call from a vocabulary that is at hand."""

    def __init__(
        self,
        vocab: Mapping[str, int],
        special_tokens: Iterable[str] = (UNK,),
        text_rules: BertText = BertText(),
        unk_token: str = UNK,
        prefix: str = PREFIX,
        max_input_chars_per_word: int = MAX_INPUT_CHARS_PER_WORD,
        cleanup: bool = True,
        merges: list[tuple[str, str]] | None = None,
    ):
        """`special_tokens` are tokens of `vocab`, never found in plain text. `cleanup` lets `decode` write "it." for "it ."."""
        self.vocab = dict(vocab)
        self._token = {id: token for token, id in self.vocab.items()}
        if len(self._token) < len(self.vocab):
            raise CourseError("Each token of a vocabulary has an id of its own, but in this one two have the same.")
        special = checked(special_tokens)
        for token in (*special, unk_token):
            if token not in self.vocab:
                raise CourseError(
                    f"WordPiece needs the special token {token!r} in its vocabulary, but it isn't there. Add it."
                )
        self.special_tokens = {token: self.vocab[token] for token in special}
        self.text_rules, self.unk_token, self.prefix = text_rules, unk_token, prefix
        self.max_input_chars_per_word, self.cleanup, self.merges = max_input_chars_per_word, cleanup, merges
        plain = {token: id for token, id in self.vocab.items() if token not in self.special_tokens}
        self._starts = plain
        self._inside = {token[len(prefix) :]: id for token, id in plain.items() if token.startswith(prefix)}
        self._longest = max(map(len, plain), default=0)
        self._cache: dict[str, list[int]] = {}

    @classmethod
    def train(
        cls,
        text: str | Iterable[str],
        vocab_size: int,
        special_tokens: Iterable[str] = BERT_SPECIAL_TOKENS,
        *,
        text_rules: BertText = BertText(),
        score: str = "gain",
        min_count: int = 2,
    ) -> "WordPieceTokenizer":
        """Learn from a text, or from several. The result is the same each time: nothing in it is random.

        First come the special tokens ("[UNK]" is put in front where it isn't among them), then each character that was seen,
        as "x" and as "##x", so that every word of seen characters can be written; then the tokens learned, in their order.
        It ends with `vocab_size` tokens, or with less where no pair is left that was seen `min_count` times.

        `score` is "gain" or "ratio" (see wordpiece_trainer). Measured on Python's documentation (pydoc_data.topics, 466 kB): with
        4096 tokens, "gain" needs 1.02 tokens a word, and begins with th, the, ex, ##on, ##ion. "ratio" loves what is rare: it
        begins with ##98, ##098, 4098 and needs 1.60. min_count=10 brings it to 1.09, but then only 3091 tokens can be found.

        Raises CourseError where `vocab_size` has no room for the characters, and for a special token that text could spell.
        """
        special = checked(special_tokens)
        special = special if UNK in special else (UNK, *special)
        for token in special:
            if text_rules.words(token) == [token] or token.startswith(PREFIX):
                raise CourseError(
                    f"The special token {token!r} could be learned from a text as well. Write it as [{token}]."
                )
        if score not in SCORES:
            raise CourseError(f"A score is called {' or '.join(map(repr, SCORES))}, but you asked for {score!r}.")
        if min_count < 1:
            raise CourseError(f"min_count is how often a pair must be seen, at least 1, but it is {min_count}.")
        if not isinstance(vocab_size, int) or vocab_size > sys.maxunicode:
            raise CourseError(f"vocab_size is a whole number up to {sys.maxunicode}, but it is {vocab_size!r}.")
        parts = text.split("\n") if isinstance(text, str) else text  # no word goes over the end of a line
        words: Counter[str] = Counter()
        for part in tqdm(parts, desc="Counting words", unit="text", delay=1, leave=False):
            if not isinstance(part, str):
                raise CourseError(
                    f"Training takes a text or several, but one of them is {part!r}, of type {type(part).__name__}."
                )
            words.update(text_rules.words(part))
        characters = sorted(set().union(*words))
        inside = [
            PREFIX + c for c in characters if len(text_rules.words(c + c)) == 1
        ]  # a mark such as "." always stands alone
        vocab = {token: id for id, token in enumerate([*special, *characters, *inside])}
        if vocab_size < len(vocab):
            raise CourseError(f"vocab_size is {vocab_size}, but {len(special)} special tokens and the text's {len(characters)} "
                              f"characters, most of them as x and ##x, already make {len(vocab)}. Ask for that or more.")  # fmt: skip
        spelled = {
            chr(vocab[word[0]]) + "".join([chr(vocab[PREFIX + c]) for c in word[1:]]): times
            for word, times in words.items()
            if len(word) <= MAX_INPUT_CHARS_PER_WORD
        }
        merges = learn(spelled, vocab, vocab_size, lambda a, b: a + b.removeprefix(PREFIX), score, min_count)
        return cls(vocab, special, text_rules, merges=merges)

    def encode(self, text: str, allowed_special: str | Collection[str] = ()) -> list[int]:
        """The ids of the text's tokens. No [CLS] or [SEP] is added.

        "[SEP]" in the text is plain text, and so "[", "sep", "]", unless `allowed_special` is "all" or has it.
        """
        if not isinstance(text, str):
            raise CourseError(f"A tokenizer encodes a text, but this is {text!r}, of type {type(text).__name__}.")
        ids = []
        for piece, special in split(text, self.special_tokens, allowed_special):
            if special is None:
                for word in self.text_rules.words(piece):
                    ids += self._cache.get(word) or self._encode_word(word)
            else:
                ids.append(special)
        return ids

    def _encode_word(self, word: str) -> list[int]:
        """The longest known token that begins the word, then the longest that goes on from there; [UNK] where there is none."""
        ids, start, known = [], 0, self._starts
        while start < len(word) <= self.max_input_chars_per_word:
            end = min(len(word), start + self._longest)
            while end > start and word[start:end] not in known:
                end -= 1
            if end == start:
                break
            ids.append(known[word[start:end]])
            start, known = end, self._inside
        if start < len(word):
            ids = [self.vocab[self.unk_token]]
        if len(self._cache) >= CACHED_WORDS:
            self._cache.clear()
        self._cache[word] = ids
        return ids

    def tokens(self, text: str, allowed_special: str | Collection[str] = ()) -> list[str]:
        """The text's tokens as text: "unbounded" → ["unbound", "##ed"]."""
        return [self._token[id] for id in self.encode(text, allowed_special)]

    def decode(self, ids: Iterable[int]) -> str:
        """The tokens as text: "##" joins, any other token comes after a space. Raises CourseError for an id that isn't known."""
        text = []
        for id in ids:
            try:
                token = self._token[index(id)]
            except (KeyError, TypeError):
                raise CourseError(f"There is no token with the id {id!r}: this vocabulary has {len(self.vocab)} tokens, "
                                  f"with ids from {min(self._token)} to {max(self._token)}.") from None  # fmt: skip
            if text:
                token = token[len(self.prefix) :] if token.startswith(self.prefix) else " " + token
            if self.cleanup:
                for spaced, joined in CLEANUP.items():
                    token = token.replace(spaced, joined)
            text.append(token)
        return "".join(text)

    def save(self, path: str | Path) -> None:
        """Write the file that Hugging Face's `tokenizers` reads as well. Raises CourseError where it can't be written."""
        rules = self.text_rules
        normalizer = {"clean_text": rules.clean_text, "handle_chinese_chars": rules.handle_chinese_chars,
                      "strip_accents": rules.strip_accents, "lowercase": rules.lowercase}  # fmt: skip
        model = {"unk_token": self.unk_token, "continuing_subword_prefix": self.prefix,
                 "max_input_chars_per_word": self.max_input_chars_per_word, "vocab": self.vocab}  # fmt: skip
        json_file.write(path, {
            "version": json_file.VERSION, "truncation": None, "padding": None,
            "added_tokens": json_file.added_tokens(self.special_tokens),
            "normalizer": {"type": "BertNormalizer"} | normalizer,
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": None,
            "decoder": {"type": "WordPiece", "prefix": self.prefix, "cleanup": self.cleanup},
            "model": {"type": "WordPiece"} | model,
        })  # fmt: skip

    @classmethod
    def load(cls, path: str | Path) -> "WordPieceTokenizer":
        """Read such a file, ours or one of `tokenizers`. Raises CourseError for damage, and for what we don't have.

        What the file says on truncation, padding and adding [CLS] and [SEP] is left aside: `encode` does none of these.
        """
        data = json_file.read(path)
        if (name := data["model"]["type"]) != "WordPiece":
            raise CourseError(f"{path} holds a tokenizer of type {name!r}, but WordPieceTokenizer loads 'WordPiece'.")
        model = data["model"]
        vocab = json_file.vocabulary(path, model)
        special = json_file.special_tokens(path, data, vocab)
        _part(path, data, "pre_tokenizer", "BertPreTokenizer")
        rules = _part(path, data, "normalizer", "BertNormalizer", optional=True)
        decoder = _part(path, data, "decoder", "WordPiece", optional=True)
        prefix = _setting(path, model, "continuing_subword_prefix", str)
        if decoder and decoder.get("prefix") != prefix:
            raise CourseError(
                f"{path} can't be used here: its decoder's prefix is {decoder.get('prefix')!r}, its model's {prefix!r}."
            )
        return cls(
            vocab | special,
            special,
            BertText(
                clean_text=_setting(path, rules, "clean_text", bool),
                handle_chinese_chars=_setting(path, rules, "handle_chinese_chars", bool),
                strip_accents=None
                if rules.get("strip_accents") is None
                else _setting(path, rules, "strip_accents", bool),
                lowercase=_setting(path, rules, "lowercase", bool),
            )
            if rules
            else BertText(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False),
            unk_token=_setting(path, model, "unk_token", str),
            prefix=prefix,
            max_input_chars_per_word=_setting(path, model, "max_input_chars_per_word", int),
            cleanup=_setting(path, decoder, "cleanup", bool) if decoder else True,
        )


def _part(path: str | Path, data: dict, key: str, kind: str, optional: bool = False) -> dict | None:
    """One step of the file's tokenizer. Raises CourseError where it is of a type that we don't have."""
    part = data.get(key)
    if part is None and optional:
        return None
    if not isinstance(part, dict) or part.get("type") != kind:
        found = part.get("type") if isinstance(part, dict) else part
        raise CourseError(f'{path} can\'t be used here: its "{key}" should be {kind!r}, but it is {found!r}.')
    return part


def _setting(path: str | Path, part: dict, key: str, kind: type):
    value = part.get(key)
    if type(value) is not kind:
        raise CourseError(
            f'{path} is damaged: its {part["type"]} should have "{key}" of type {kind.__name__}, but there is {value!r}.'
        )
    return value
