"""WordPiece against a recount, against Hugging Face's `tokenizers` and `transformers`, and on input that nobody wants."""

import itertools
import json
import random
import sys
from collections import Counter
from fractions import Fraction
from math import log
from pydoc_data import topics

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_text import ODD, mixed_text, random_strings
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from course_lib.errors import CourseError
from course_lib.tokenizers import wordpiece_trainer
from course_lib.tokenizers.bert_text import BertText
from course_lib.tokenizers.wordpiece import BERT_SPECIAL_TOKENS, WordPieceTokenizer

UNCASED, CASED = BertText(), BertText(lowercase=False)
UNTOUCHED = BertText(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
EVERY_RULES = [
    BertText(*options)
    for options in itertools.product([True, False], [True, False], [None, True, False], [True, False])
]
SOME_RULES = [UNCASED, CASED, UNTOUCHED, BertText(strip_accents=False), BertText(lowercase=False, strip_accents=True)]
ALL_RULES = SOME_RULES + [
    pytest.param(rules, marks=pytest.mark.slow) for rules in EVERY_RULES if rules not in SOME_RULES
]
SCALARS = [chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000]
DOCUMENTATION = "\n".join(topics.topics.values())
PART = "\n".join(mixed_text().split("\n")[::10])  # a tenth, of all kinds


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(PART, 3000)


@pytest.fixture
def theirs(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    return Tokenizer.from_file(str(tmp_path / "tokenizer.json"))


def normalizer_of(rules):
    return normalizers.BertNormalizer(
        rules.clean_text, rules.handle_chinese_chars, rules.strip_accents, rules.lowercase
    )


def words_of(text, rules):
    return [
        word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(normalizer_of(rules).normalize_str(text))
    ]


# What BERT does to a text


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_every_character_is_normalised_as_by_tokenizers(rules):
    """All 1 112 064, each between two letters, a hundred thousand in one string."""
    for start in range(0, len(SCALARS), 100_000):
        text = "a".join(SCALARS[start : start + 100_000])
        assert rules.normalized(text) == normalizer_of(rules).normalize_str(text)


def test_every_character_cuts_words_as_in_tokenizers():
    for start in range(0, len(SCALARS), 100_000):
        text = "ab".join(SCALARS[start : start + 100_000])
        assert UNTOUCHED.words(text) == [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)]


def test_marks_are_put_in_the_same_order():
    """To decompose is to sort the marks behind a letter, and not all marks are known to `tokenizers`."""
    marks, rng = regex.findall(r"[^\p{ccc=0}]", "".join(SCALARS)), random.Random(0)
    text = "a".join("".join(rng.choices(marks, k=4)) for _ in range(20_000))
    rules = BertText(strip_accents=True)
    assert len(marks) > 900 and rules.normalized(text) == normalizer_of(rules).normalize_str(text)


@pytest.mark.parametrize("rules", [UNCASED, CASED, UNTOUCHED], ids=str)
def test_words_are_those_of_tokenizers(rules):
    texts = [*ODD, *random_strings(1000, seed=1)]
    assert [rules.words(text) for text in texts] == [words_of(text, rules) for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("rules", EVERY_RULES, ids=str)
def test_words_of_random_strings(rules):
    count = 100_000 if rules in (UNCASED, CASED) else 10_000
    different = [text for text in random_strings(count, seed=2) if rules.words(text) != words_of(text, rules)]
    assert not different


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    for rules in (UNCASED, CASED, BertText(strip_accents=False)):
        words = rules.words(text)
        assert rules.words(" ".join(words)) == words
        assert all(len(word) == len(word.strip()) > 0 for word in words)


@given(st.text(st.characters(categories=None)))
def test_half_a_surrogate_pair_counts_as_no_character(text):
    repaired = "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)
    for rules in (UNCASED, UNTOUCHED):
        assert rules.words(text) == rules.words(repaired)


def test_known_texts():
    assert UNCASED.words("Don't stop, Señor!") == ["don", "'", "t", "stop", ",", "senor", "!"]
    assert CASED.words("Don't stop, Señor!") == ["Don", "'", "t", "stop", ",", "Señor", "!"]
    assert BertText(strip_accents=False).words("Señor") == ["señor"]
    assert UNCASED.words("東京へ") == ["東", "京", "へ"]
    assert UNCASED.words("ΟΔΟΣ") == ["οδοσ"]
    assert UNCASED.words(" \0 \t ") == []


# Training


def trained(text, vocab_size, **options):
    return WordPieceTokenizer.train(text, vocab_size, ["[UNK]"], **options)


def recounted(text, vocab_size, score, min_count):
    """The merges, counted anew from the whole text before each: the definition, slowly."""
    words = Counter(UNCASED.words(text))
    characters = sorted({c for word in words for c in word})
    vocab = ["[UNK]", *characters, *("##" + c for c in characters)]
    spelled = [([word[0], *("##" + c for c in word[1:])], times) for word, times in words.items()]
    merges = []
    while len(vocab) < vocab_size:
        tokens, pairs = Counter(), Counter()
        for word, times in spelled:
            for token in word:
                tokens[token] += times
            for pair in itertools.pairwise(word):
                pairs[pair] += times
        total = tokens.total()

        def value(pair):
            n_ab, n_a, n_b = pairs[pair], tokens[pair[0]], tokens[pair[1]]
            return Fraction(n_ab, n_a * n_b) if score == "ratio" else n_ab * log(total * n_ab / (n_a * n_b))

        candidates = [pair for pair, n in pairs.items() if n >= min_count]
        if not candidates:
            break
        a, b = min(candidates, key=lambda pair: (-value(pair), vocab.index(pair[0]), vocab.index(pair[1])))
        merges.append((a, b))
        new = a + b[2:]
        if new not in vocab:
            vocab.append(new)
        for word, _ in spelled:
            i = 0
            while i < len(word) - 1:
                if word[i : i + 2] == [a, b]:
                    word[i : i + 2] = [new]
                i += 1
    return merges, vocab


@pytest.mark.parametrize("score", wordpiece_trainer.SCORES)
@settings(deadline=None, max_examples=60)
@given(
    text=st.text("ab ", max_size=60) | st.text("abc ", max_size=120),
    size=st.integers(7, 40),
    min_count=st.integers(1, 3),
)
def test_each_pair_joined_has_the_highest_score(score, text, size, min_count):
    ours = trained(text, size, score=score, min_count=min_count)
    merges, vocab = recounted(text, size, score, min_count)
    assert ours.merges == merges and list(ours.vocab) == vocab


@pytest.mark.parametrize("min_count", [1, 2, 5])
@pytest.mark.parametrize("score", wordpiece_trainer.SCORES)
def test_each_pair_joined_in_real_text_has_the_highest_score(score, min_count):
    text = " ".join(word for word in UNCASED.words(DOCUMENTATION[:15_000]) if word.isalnum())
    ours = trained(text, 150, score=score, min_count=min_count)
    assert (ours.merges, list(ours.vocab)) == recounted(text, 150, score, min_count)


@given(text=st.text("abc ", max_size=200), merges=st.integers(0, 30))
def test_the_counts_stay_those_of_the_text(text, merges):
    words, rng = wordpiece_trainer.SpelledWords(Counter(text.split())), random.Random(0)
    for new in range(merges):
        if pairs := sorted(+words.pairs):
            pair, new = rng.choice(pairs), chr(new % 7)  # some tokens come back, but none is its own part
            words.join(pair, new if new not in pair else "n")
    tokens, pairs = Counter(), Counter()
    for word, times in zip(words.spelled, words.times, strict=True):
        tokens.update(dict.fromkeys(word, 0))
        for token in word:
            tokens[token] += times
        for pair in itertools.pairwise(word):
            pairs["".join(pair)] += times
    assert +words.tokens == tokens and +words.pairs == pairs and words.total == tokens.total()
    for pair in pairs:
        assert words.where[pair] >= {i for i, word in enumerate(words.spelled) if pair in word}
        assert all(pair in words.pairs_with[token] for token in pair)


def test_joining_by_gain_makes_a_text_likelier_than_by_ratio_or_by_count():
    """The claim of the docstrings, measured: bits for each character, and tokens for each word."""
    text = DOCUMENTATION[:200_000]
    words = len(UNCASED.words(text))

    def bits_and_length(ids):
        counts = Counter(ids)
        return -sum(n * log(n / len(ids), 2) for n in counts.values()) / len(text), len(ids) / words

    by_gain = bits_and_length(WordPieceTokenizer.train(text, 1024).encode(text))
    by_ratio = bits_and_length(WordPieceTokenizer.train(text, 1024, score="ratio").encode(text))
    by_count = bits_and_length(trained_there(UNCASED, 1024, text).encode(text).ids)
    assert by_gain[0] < by_count[0] < by_ratio[0]  # bits a character; 2.45, 2.46, 3.61 for all of it
    assert by_gain[1] < 1.35 and by_ratio[1] > 2  # tokens a word


def test_training_is_the_same_each_time():
    one, two = (WordPieceTokenizer.train(DOCUMENTATION[:50_000], 600) for _ in range(2))
    assert one.vocab == two.vocab and one.merges == two.merges
    assert list(one.vocab.values()) == list(range(600))


def test_several_texts_are_one():
    parts = ["the cat sat", "on the mat", "the end"]
    assert trained(parts, 40).vocab == trained("\n".join(parts), 40).vocab == trained(iter(parts), 40).vocab


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.randoms())
def test_words_of_characters_that_were_seen_are_never_unknown(text, rng):
    ours = WordPieceTokenizer.train(text, 1000)
    shuffled = "".join(rng.choices(text, k=60)) if text else ""
    seen = {c for word in UNCASED.words(text) for c in word}
    if {c for word in UNCASED.words(shuffled) for c in word} <= seen:
        assert "[UNK]" not in ours.tokens(shuffled)


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", []])
def test_text_without_words(text):
    ours = WordPieceTokenizer.train(text, 100)
    assert tuple(ours.vocab) == BERT_SPECIAL_TOKENS and ours.merges == []
    assert ours.tokens("any word") == ["[UNK]", "[UNK]"] and ours.encode("") == []


def test_text_of_one_character():
    ours = trained("a", 10)
    assert ours.vocab == {"[UNK]": 0, "a": 1, "##a": 2} and ours.merges == []
    assert ours.tokens("a aa b") == ["a", "a", "##a", "[UNK]"]
    assert trained(".", 10).vocab == {"[UNK]": 0, ".": 1}


def test_words_longer_than_100_are_not_learned_from():
    ours = trained("ab" * 51 + " abab", 30, min_count=1)
    assert ours.tokens("abab" + " ab" * 2) == ["abab", "ab", "ab"]
    assert all(len(token) <= 6 for token in ours.vocab)


def test_the_unknown_token_is_always_there():
    assert WordPieceTokenizer.train("a b", 10, ()).vocab == {"[UNK]": 0, "a": 1, "b": 2, "##a": 3, "##b": 4}
    assert WordPieceTokenizer.train("a", 10, ["[CLS]"]).special_tokens == {"[UNK]": 0, "[CLS]": 1}
    assert WordPieceTokenizer.train("a", 10, ["[CLS]", "[UNK]"]).special_tokens == {"[CLS]": 0, "[UNK]": 1}


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (
            ("abc", 6),
            {},
            r"vocab_size is 6, but 5 special tokens and the text's 3 characters.* make 11. Ask for that or more",
        ),
        (("abc", "20"), {}, "whole number up to 1114111, but it is '20'"),
        (("abc", 2_000_000), {}, "whole number up to 1114111, but it is 2000000"),
        ((b"abc", 20), {}, "one of them is 97, of type int"),
        ((["abc", None], 20), {}, "one of them is None, of type NoneType"),
        (("abc", 20, "[UNK]"), {}, "Special tokens come as a list"),
        (("abc", 20, ["[A]", "[A]"]), {}, "there twice"),
        (("abc", 20, ["pad"]), {}, r"'pad' could be learned from a text as well. Write it as \[pad\]"),
        (("abc", 20, ["##a"]), {}, "'##a' could be learned"),
        (("abc", 20), {"score": "count"}, "called 'ratio' or 'gain', but you asked for 'count'"),
        (("abc", 20), {"min_count": 0}, "at least 1, but it is 0"),
    ],
)
def test_bad_training_gets_one_sentence(arguments, options, sentence):
    with pytest.raises(CourseError, match=sentence):
        WordPieceTokenizer.train(*arguments, **options)


# Encoding and decoding


@given(
    st.text("abc ", max_size=40),
    st.sets(st.builds(str.__add__, st.sampled_from(["", "##"]), st.text("abc", min_size=1, max_size=4)), max_size=25),
)
def test_the_longest_token_first(text, known):
    """Against the definition: try each length, longest first."""
    ours = WordPieceTokenizer({token: id for id, token in enumerate(["[UNK]", *sorted(known)])})
    expected = []
    for word in text.split():
        pieces, rest = [], word
        while rest:
            fits = [
                token
                for token in known
                if token.startswith("##") == bool(pieces) and rest.startswith(token.removeprefix("##"))
            ]
            if not fits:
                pieces, rest = ["[UNK]"], ""
            else:
                pieces.append(max(fits, key=len))
                rest = rest[len(pieces[-1].removeprefix("##")) :]
        expected += pieces
    assert ours.tokens(text) == expected == ours.tokens(text)  # the second time from the cache


def test_a_vocabulary_has_one_token_for_each_id():
    with pytest.raises(CourseError, match="in this one two have the same"):
        WordPieceTokenizer({"[UNK]": 0, "a": 1, "b": 1})


def test_unknown_only_where_it_must():
    ours = WordPieceTokenizer({"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "a": 4, "##b": 5})
    assert ours.tokens("unaffable UN unaffablex a ab b") == [
        "un",
        "##aff",
        "##able",
        "un",
        "[UNK]",
        "a",
        "a",
        "##b",
        "[UNK]",
    ]
    assert ours.encode("ab" + "b" * 98) == [4] + [5] * 99  # 100 characters
    assert ours.encode("ab" + "b" * 99) == [0]


def test_special_tokens_in_a_text_are_text_unless_allowed():
    ours = WordPieceTokenizer.train("a sep [ ] cls", 60, [*BERT_SPECIAL_TOKENS, "[SEP][SEP]"])
    assert ours.tokens("a[SEP]a") == ["a", "[", *ours.tokens("sep"), "]", "a"]
    assert ours.tokens("a[SEP]a [CLS]", "all") == ["a", "[SEP]", "a", "[CLS]"]
    assert "[CLS]" not in ours.tokens("a[SEP]a [CLS]", ["[SEP]"])
    assert ours.tokens("[SEP][SEP][SEP]", "all") == ["[SEP][SEP]", "[SEP]"]
    with pytest.raises(CourseError, match="'\\[XYZ\\]' isn't a special token"):
        ours.encode("a", ["[XYZ]"])
    with pytest.raises(CourseError, match="allowed_special is"):
        ours.encode("a", "[SEP]")


def test_a_special_token_that_is_a_word_is_not_found_in_plain_text():
    ours = WordPieceTokenizer({"[UNK]": 0, "pad": 1, "p": 2, "##ad": 3}, ["[UNK]", "pad"])
    assert ours.encode("pad") == [2, 3] and ours.encode("pad", "all") == [1]


def test_decoding():
    ours = WordPieceTokenizer({"[UNK]": 0, "it": 1, "##s": 2, ".": 3, "'": 4, "s": 5, "[SEP]": 6}, ["[UNK]", "[SEP]"])
    assert ours.decode([1, 2, 3, 6]) == "its. [SEP]" and ours.decode([]) == "" and ours.decode([2, 2]) == "##ss"
    assert ours.decode(iter([1, 4, 5])) == "it ' s"
    for bad in (7, -1, 1.0, "it", None):
        with pytest.raises(
            CourseError, match=f"no token with the id {bad!r}: this vocabulary has 7 tokens, with ids from 0 to 6"
        ):
            ours.decode([1, bad])


@given(st.lists(st.text("abcdefg", min_size=1, max_size=12)))
def test_plain_words_come_back(words):
    ours = trained("abcdefg abc fed bad cab", 30)
    assert ours.decode(ours.encode(" ".join(words))) == " ".join(words)


@pytest.mark.parametrize("text", [None, b"text", ["text"], 3])
def test_only_text_is_encoded(tokenizer, text):
    with pytest.raises(CourseError, match="A tokenizer encodes a text, but this is"):
        tokenizer.encode(text)


@settings(max_examples=300)
@given(text=st.text(st.characters(categories=None)))
def test_any_text_has_tokens(tokenizer, text):
    assert tokenizer.tokens(text) == [
        token for word in tokenizer.text_rules.words(text) for token in tokenizer.tokens(word)
    ]
    tokenizer.decode(tokenizer.encode(text))


def test_the_cache_does_not_grow_for_ever(monkeypatch):
    monkeypatch.setattr("course_lib.tokenizers.wordpiece.CACHED_WORDS", 10)
    ours = trained("abcdefghij", 30)
    text = " ".join(map("".join, itertools.permutations("abcd")))
    assert len(ours.encode(text)) == len(ours.encode(text)) > 0 and len(ours._cache) <= 10


# Against `tokenizers` and `transformers`


def trained_there(rules, vocab_size, text):
    theirs = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.normalizer, theirs.pre_tokenizer = normalizer_of(rules), pre_tokenizers.BertPreTokenizer()
    theirs.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size, special_tokens=list(BERT_SPECIAL_TOKENS), show_progress=False
    )
    theirs.train_from_iterator(text.split("\n"), trainer)
    return theirs


def test_trained_here_read_there(tokenizer, theirs):
    """On 1 MB: the same ids, and the same text back."""
    text = mixed_text()
    ids = tokenizer.encode(text)
    assert len(text.encode()) > 1_000_000 and tokenizer.vocab == theirs.get_vocab()
    assert tokenizer.encode(PART, "all") == theirs.encode(PART).ids
    theirs.encode_special_tokens = True  # special tokens in the text are text
    assert ids == theirs.encode(text).ids
    assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
    assert tokenizer.tokens(text[:9999]) == theirs.encode(text[:9999]).tokens


@pytest.mark.parametrize(
    "rules", [UNCASED, *(pytest.param(rules, marks=pytest.mark.slow) for rules in EVERY_RULES[1:])], ids=str
)
def test_trained_there_read_here(tmp_path, rules):
    text = mixed_text()
    theirs = trained_there(rules, 6000, PART)
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = WordPieceTokenizer.load(tmp_path / "tokenizer.json")
    assert ours.text_rules == rules and ours.vocab == theirs.get_vocab() and ours.merges is None
    ids = ours.encode(text, "all")
    assert ids == theirs.encode(text).ids
    assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@pytest.mark.slow
@pytest.mark.parametrize("rules", SOME_RULES[:2] + SOME_RULES[3:], ids=str)
def test_the_same_ids_as_berts_tokenizer(rules, tmp_path):
    from transformers import BertTokenizer

    ours = WordPieceTokenizer.train(mixed_text(), 8000, text_rules=rules)
    theirs = BertTokenizer(vocab=ours.vocab, do_lower_case=rules.lowercase, strip_accents=rules.strip_accents)
    theirs.save_pretrained(tmp_path)
    loaded = WordPieceTokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.vocab == ours.vocab and loaded.text_rules == rules
    for text in [*ODD, *random_strings(10_000, seed=3), mixed_text()]:
        assert ours.encode(text, "all") == theirs.encode(text, add_special_tokens=False)
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False, split_special_tokens=True)


def different_ids(strings, rules, seed):
    """With a vocabulary of pieces of some of the strings' words, so that not all is unknown."""
    rng = random.Random(seed)
    pieces = set()
    for text in rng.sample(strings, min(20_000, len(strings) // 4)):
        for word in rules.words(text):
            pieces.update([word[0], word[:2], *("##" + word[i : i + rng.randrange(1, 4)] for i in range(1, len(word)))])
    ours = WordPieceTokenizer({token: id for id, token in enumerate(["[UNK]", *sorted(pieces)])}, text_rules=rules)
    theirs = Tokenizer(models.WordPiece(ours.vocab, unk_token="[UNK]"))
    theirs.normalizer, theirs.pre_tokenizer = normalizer_of(rules), pre_tokenizers.BertPreTokenizer()
    mine = [ours.encode(text) for text in strings]
    known = sum(id != ours.vocab["[UNK]"] for ids in mine for id in ids) / sum(map(len, mine))
    return [
        text for text, ids, there in zip(strings, mine, theirs.encode_batch(strings), strict=True) if ids != there.ids
    ], known


@pytest.mark.parametrize("rules", [UNCASED, CASED], ids=str)
def test_the_same_ids_on_random_strings(rules):
    different, known = different_ids(random_strings(300, seed=4), rules, seed=4)
    assert not different and known > 0.3


@pytest.mark.slow
@pytest.mark.parametrize("rules", [UNCASED, CASED], ids=str)
def test_the_same_ids_on_100_000_random_strings(rules, record_property):
    different, known = different_ids(random_strings(100_000, seed=5), rules, seed=5)
    record_property("different", len(different))
    record_property("known", known)
    assert not different and known > 0.5


def test_special_tokens_are_found_as_in_tokenizers(tokenizer, theirs):
    rng = random.Random(0)
    pieces = [*BERT_SPECIAL_TOKENS, "[", "]", "cls", " ", "a", "é", "[cls]", "[UNK", "漢"]
    for _ in range(500):
        text = "".join(rng.choices(pieces, k=8))
        assert tokenizer.encode(text, "all") == theirs.encode(text).ids


def test_texts_are_put_together_as_in_tokenizers(tmp_path):
    marks = [
        " ' ",
        " do not",
        " .",
        "x .y ?",
        ".",
        "?",
        "!",
        ",",
        "'",
        "n't",
        "'m",
        "'s",
        "'ve",
        "'re",
        "do",
        "not",
        "##s",
        "##.",
        "a ##b",
    ]
    vocab = {token: id for id, token in enumerate(["[UNK]", *marks])}
    for cleanup in (True, False):
        ours = WordPieceTokenizer(vocab, cleanup=cleanup)
        ours.save(tmp_path / "tokenizer.json")
        theirs = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        rng = random.Random(0)
        for _ in range(1000):
            ids = rng.choices(range(len(vocab)), k=6)
            assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


# Files


def test_saved_and_loaded(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "one.json")
    loaded = WordPieceTokenizer.load(tmp_path / "one.json")
    for name in ("vocab", "special_tokens", "text_rules", "unk_token", "prefix", "max_input_chars_per_word", "cleanup"):
        assert getattr(loaded, name) == getattr(tokenizer, name)
    loaded.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_other_settings_are_kept(tmp_path):
    ours = WordPieceTokenizer({"<unk>": 3, "a": 1, "@@b": 9}, ["<unk>"], UNTOUCHED, "<unk>", "@@", 3, cleanup=False)
    ours.save(tmp_path / "tokenizer.json")
    theirs, loaded = (
        Tokenizer.from_file(str(tmp_path / "tokenizer.json")),
        WordPieceTokenizer.load(tmp_path / "tokenizer.json"),
    )
    for text in ("a ab abb abbb b", "", "abc <unk> a"):
        assert loaded.encode(text, "all") == ours.encode(text, "all") == theirs.encode(text).ids
    assert loaded.decode([1, 9, 1]) == "ab a"


def test_what_a_file_may_leave_out(tokenizer, tmp_path):
    """No normalizer and no decoder, as where they weren't set; a post-processor, which isn't our part."""
    theirs = Tokenizer(models.WordPiece(tokenizer.vocab, unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.enable_padding()
    theirs.save(str(tmp_path / "tokenizer.json"))
    loaded = WordPieceTokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.text_rules == UNTOUCHED and loaded.special_tokens == {}
    assert loaded.encode(mixed_text()[:99_999]) == theirs.encode(mixed_text()[:99_999]).ids


def changed(tmp_path, *keys, value):
    path = tmp_path / "tokenizer.json"
    WordPieceTokenizer({"[UNK]": 0, "a": 1}).save(path)
    data = part = json.loads(path.read_text())
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(
    ("keys", "value", "sentence"),
    [
        (["version"], "2.0", "version '2.0'"),
        (["model", "type"], "BPE", "of type 'BPE', but WordPieceTokenizer loads 'WordPiece'"),
        (["model", "vocab"], {"[UNK]": 0, "a": 0}, "have the same id, 0"),
        (["model", "vocab"], {"a": 1}, None),
        (["model", "unk_token"], "<unk>", "needs the special token '<unk>' in its vocabulary"),
        (["model", "unk_token"], None, '"unk_token" of type str, but there is None'),
        (["model", "max_input_chars_per_word"], "100", '"max_input_chars_per_word" of type int'),
        (["model", "continuing_subword_prefix"], "@@", "its decoder's prefix is '##', its model's '@@'"),
        (["normalizer"], {"type": "Lowercase"}, "its \"normalizer\" should be 'BertNormalizer', but it is 'Lowercase'"),
        (["normalizer", "lowercase"], 1, '"lowercase" of type bool, but there is 1'),
        (["normalizer", "strip_accents"], "no", '"strip_accents" of type bool'),
        (
            ["pre_tokenizer"],
            {"type": "Whitespace"},
            "its \"pre_tokenizer\" should be 'BertPreTokenizer', but it is 'Whitespace'",
        ),
        (["pre_tokenizer"], None, "but it is None"),
        (["decoder"], {"type": "ByteLevel"}, "its \"decoder\" should be 'WordPiece', but it is 'ByteLevel'"),
        (["decoder", "cleanup"], None, '"cleanup" of type bool'),
        (["added_tokens"], [{"id": 1, "content": "[UNK]"}], "has another's id"),
    ],
)
def test_a_file_that_cannot_be_used_gets_one_sentence(tmp_path, keys, value, sentence):
    path = changed(tmp_path, *keys, value=value)
    if sentence is None:  # the added token brings [UNK] along
        assert WordPieceTokenizer.load(path).vocab == {"a": 1, "[UNK]": 0}
        return
    with pytest.raises(CourseError, match=sentence) as raised:
        WordPieceTokenizer.load(path)
    assert "\n" not in str(raised.value)


def test_half_a_character_is_not_saved(tmp_path):
    with pytest.raises(CourseError, match="half a character"):
        WordPieceTokenizer.train("a", 10, ["[\ud800]"]).save(tmp_path / "tokenizer.json")
    assert not list(tmp_path.iterdir())
