"""WordPiece against a recount, against Hugging Face's `tokenizers` and `transformers`, and on input that nobody wants."""

import itertools
import random
from collections import Counter
from fractions import Fraction
from math import log
from pydoc_data import topics

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_text import ODD, mixed_text, part_of_mixed_text, random_strings, scalars, sized
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from course_lib.errors import CourseError
from course_lib.tokenizers import wordpiece_trainer
from course_lib.tokenizers.bert_normalizer import BertNormalizer
from course_lib.tokenizers.wordpiece import BERT_SPECIAL_TOKENS, WordPieceTokenizer

UNCASED, CASED = BertNormalizer(), BertNormalizer(lowercase=False)
UNTOUCHED = BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
EVERY_RULES = [
    BertNormalizer(*options)
    for options in itertools.product([True, False], [True, False], [None, True, False], [True, False])
]
SOME_RULES = [
    UNCASED,
    CASED,
    UNTOUCHED,
    BertNormalizer(strip_accents=False),
    BertNormalizer(lowercase=False, strip_accents=True),
]
DOCUMENTATION = "\n".join(topics.topics.values())
PART = part_of_mixed_text(10)


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


@pytest.mark.parametrize("step", sized(64, 1))
@pytest.mark.parametrize("rules", EVERY_RULES, ids=str)
def test_every_character_is_normalised_as_by_tokenizers(rules, step):
    """In full all 1 112 064, each between two letters, a hundred thousand in one string."""
    characters = scalars(step)
    for start in range(0, len(characters), 100_000):
        text = "a".join(characters[start : start + 100_000])
        assert rules.normalize(text) == normalizer_of(rules).normalize_str(text)


@pytest.mark.parametrize("step", sized(16, 1))
def test_every_character_cuts_words_as_in_tokenizers(step):
    characters = scalars(step)
    for start in range(0, len(characters), 100_000):
        text = "ab".join(characters[start : start + 100_000])
        found = [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)]
        assert UNTOUCHED.pretokenize(text) == found


@pytest.mark.parametrize("count", sized(2000, 20_000))
def test_marks_are_put_in_the_same_order(count):
    """To decompose is to sort the marks behind a letter, and not all marks are known to `tokenizers`."""
    marks, rng = regex.findall(r"[^\p{ccc=0}]", "".join(scalars(1))), random.Random(0)
    text = "a".join("".join(rng.choices(marks, k=4)) for _ in range(count))
    rules = BertNormalizer(strip_accents=True)
    assert len(marks) > 900 and rules.normalize(text) == normalizer_of(rules).normalize_str(text)


@pytest.mark.parametrize("count", sized(100, 10_000))
@pytest.mark.parametrize("rules", EVERY_RULES, ids=str)
def test_words_are_those_of_tokenizers(rules, count):
    if rules in (UNCASED, CASED):
        count *= 10
    texts = [*ODD, *random_strings(count, seed=2)]
    assert not [text for text in texts if rules.pretokenize(text) != words_of(text, rules)]


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    for rules in (UNCASED, CASED, BertNormalizer(strip_accents=False)):
        words = rules.pretokenize(text)
        assert rules.pretokenize(" ".join(words)) == words
        assert all(len(word) == len(word.strip()) > 0 for word in words)


@given(st.text(st.characters(categories=None)))
def test_half_a_surrogate_pair_counts_as_no_character(text):
    repaired = "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)
    for rules in (UNCASED, UNTOUCHED):
        assert rules.pretokenize(text) == rules.pretokenize(repaired)


def test_known_texts():
    assert UNCASED.pretokenize("Don't stop, Señor!") == ["don", "'", "t", "stop", ",", "senor", "!"]
    assert CASED.pretokenize("Don't stop, Señor!") == ["Don", "'", "t", "stop", ",", "Señor", "!"]
    assert BertNormalizer(strip_accents=False).pretokenize("Señor") == ["señor"]
    assert UNCASED.pretokenize("東京へ") == ["東", "京", "へ"]
    assert UNCASED.pretokenize("ΟΔΟΣ") == ["οδοσ"]
    assert UNCASED.pretokenize(" \0 \t ") == []


# Training


def trained(text, vocab_size, **options):
    return WordPieceTokenizer.train(text, vocab_size, ["[UNK]"], **options)


def recounted(text, vocab_size, score, min_count):
    """The merges, counted anew from the whole text before each: the definition, slowly."""
    words = Counter(UNCASED.pretokenize(text))
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
    text = " ".join(word for word in UNCASED.pretokenize(DOCUMENTATION[:15_000]) if word.isalnum())
    ours = trained(text, 150, score=score, min_count=min_count)
    assert (ours.merges, list(ours.vocab)) == recounted(text, 150, score, min_count)


@given(text=st.text("abc ", max_size=200), merges=st.integers(0, 30))
def test_the_counts_stay_those_of_the_text(text, merges):
    table, rng = wordpiece_trainer.WordTable(Counter(text.split())), random.Random(0)
    for new in range(merges):
        if pairs := sorted(+table.pairs):
            pair, new = rng.choice(pairs), chr(new % 7)  # some tokens come back, but none is its own part
            table.merge(pair, new if new not in pair else "n")
    tokens, pairs = Counter(), Counter()
    for word, times in zip(table.words, table.counts, strict=True):
        tokens.update(dict.fromkeys(word, 0))
        for token in word:
            tokens[token] += times
        for pair in itertools.pairwise(word):
            pairs["".join(pair)] += times
    assert +table.tokens == tokens and +table.pairs == pairs and table.total == tokens.total()
    for pair in pairs:
        assert table.places[pair] >= {i for i, word in enumerate(table.words) if pair in word}
        assert all(pair in table.pairs_with[token] for token in pair)


def test_joining_by_gain_makes_a_text_likelier_than_by_ratio_or_by_count():
    """The claim of the docstrings, measured: bits for each character, and tokens for each word."""
    text = DOCUMENTATION[:200_000]
    words = len(UNCASED.pretokenize(text))

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
    seen = {c for word in UNCASED.pretokenize(text) for c in word}
    if {c for word in UNCASED.pretokenize(shuffled) for c in word} <= seen:
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
            r"vocab_size=6 is too small: it has to hold 5 special tokens and the text's 3 characters.* Give at least 11",
        ),
        (("abc", 20, "[UNK]"), {}, "Special tokens should be a list"),
        (("abc", 20, ["[A]", "[A]"]), {}, "is there twice"),
        (("abc", 20, ["pad"]), {}, r"'pad' could be learned from a text as well. Write it as \[pad\]"),
        (("abc", 20, ["##a"]), {}, "'##a' could be learned"),
        (("abc", 20), {"score": "count"}, "score should be 'ratio' or 'gain'; got 'count'"),
        (("abc", 20), {"min_count": 0}, "min_count should be a whole number from 1 up; got 0"),
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
    for bad in (7, -1):
        with pytest.raises(CourseError, match=f"the id {bad}: this vocabulary has 7 tokens, with ids from 0 to 6"):
            ours.decode([1, bad])
    for bad in (1.0, "it", None):
        with pytest.raises(CourseError, match=f"whole numbers; got {bad!r} in it"):
            ours.decode([1, bad])


@given(st.lists(st.text("abcdefg", min_size=1, max_size=12)))
def test_plain_words_come_back(words):
    ours = trained("abcdefg abc fed bad cab", 30)
    assert ours.decode(ours.encode(" ".join(words))) == " ".join(words)


@settings(max_examples=300)
@given(text=st.text(st.characters(categories=None)))
def test_any_text_has_tokens(tokenizer, text):
    assert tokenizer.tokens(text) == [
        token for word in tokenizer.normalizer.pretokenize(text) for token in tokenizer.tokens(word)
    ]
    tokenizer.decode(tokenizer.encode(text))


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


@pytest.mark.parametrize("step", sized(10, 1))
def test_trained_here_read_there(tokenizer, theirs, step):
    """In full on 1 MB: the same ids, and the same text back."""
    text = part_of_mixed_text(step)
    ids = tokenizer.encode(text)
    assert len(text.encode()) > 1_000_000 / step * 0.7 and tokenizer.vocab == theirs.get_vocab()
    assert tokenizer.encode(PART, "all") == theirs.encode(PART).ids
    theirs.encode_special_tokens = True  # special tokens in the text are text
    assert ids == theirs.encode(text).ids
    assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
    assert tokenizer.tokens(text[:9999]) == theirs.encode(text[:9999]).tokens


@pytest.mark.parametrize("step", sized(40, 1))
@pytest.mark.parametrize("rules", EVERY_RULES, ids=str)
def test_trained_there_read_here(tmp_path, rules, step):
    text = part_of_mixed_text(step)
    theirs = trained_there(rules, 6000, PART if step == 1 else text)
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = WordPieceTokenizer.load(tmp_path / "tokenizer.json")
    assert ours.normalizer == rules and ours.vocab == theirs.get_vocab() and ours.merges is None
    ids = ours.encode(text, "all")
    assert ids == theirs.encode(text).ids
    assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@pytest.mark.slow
@pytest.mark.parametrize(("step", "count"), sized((20, 100), (1, 10_000)))
@pytest.mark.parametrize("rules", SOME_RULES[:2] + SOME_RULES[3:], ids=str)
def test_the_same_ids_as_berts_tokenizer(rules, tmp_path, step, count):
    from transformers import BertTokenizer

    text = part_of_mixed_text(step)
    ours = WordPieceTokenizer.train(text, 8000, normalizer=rules)
    theirs = BertTokenizer(vocab=ours.vocab, do_lower_case=rules.lowercase, strip_accents=rules.strip_accents)
    theirs.save_pretrained(tmp_path)
    loaded = WordPieceTokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.vocab == ours.vocab and loaded.normalizer == rules
    for sample in [*ODD, *random_strings(count, seed=3), text]:
        assert ours.encode(sample, "all") == theirs.encode(sample, add_special_tokens=False)
        assert ours.encode(sample) == theirs.encode(sample, add_special_tokens=False, split_special_tokens=True)


def different_ids(strings, rules, seed):
    """With a vocabulary of pieces of some of the strings' words, so that not all is unknown."""
    rng = random.Random(seed)
    pieces = set()
    for text in rng.sample(strings, min(20_000, len(strings) // 4)):
        for word in rules.pretokenize(text):
            pieces.update([word[0], word[:2], *("##" + word[i : i + rng.randrange(1, 4)] for i in range(1, len(word)))])
    ours = WordPieceTokenizer({token: id for id, token in enumerate(["[UNK]", *sorted(pieces)])}, normalizer=rules)
    theirs = Tokenizer(models.WordPiece(ours.vocab, unk_token="[UNK]"))
    theirs.normalizer, theirs.pre_tokenizer = normalizer_of(rules), pre_tokenizers.BertPreTokenizer()
    mine = [ours.encode(text) for text in strings]
    known = sum(id != ours.vocab["[UNK]"] for ids in mine for id in ids) / sum(map(len, mine))
    return [
        text for text, ids, there in zip(strings, mine, theirs.encode_batch(strings), strict=True) if ids != there.ids
    ], known


@pytest.mark.parametrize(("count", "least_known"), sized((300, 0.3), (100_000, 0.5)))
@pytest.mark.parametrize("rules", [UNCASED, CASED], ids=str)
def test_the_same_ids_on_random_strings(rules, count, least_known, record_property):
    different, known = different_ids(random_strings(count, seed=5), rules, seed=5)
    record_property("different", len(different))
    record_property("known", known)
    assert not different and known > least_known


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
    for name in ("vocab", "special_tokens", "normalizer", "unk_token", "prefix", "max_input_chars_per_word", "cleanup"):
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
    assert loaded.normalizer == UNTOUCHED and loaded.special_tokens == {}
    assert loaded.encode(mixed_text()[:99_999]) == theirs.encode(mixed_text()[:99_999]).ids


def test_half_a_character_is_not_saved(tmp_path):
    with pytest.raises(CourseError, match="half a character"):
        WordPieceTokenizer.train("a", 10, ["[\ud800]"]).save(tmp_path / "tokenizer.json")
    assert not list(tmp_path.iterdir())
