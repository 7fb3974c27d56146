"""Byte-pair encoding: what it promises for every text, held against the library `tokenizers` and against counting anew."""

import random
from collections import Counter

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mixed_text import part_of_mixed_text, random_strings, scalars, sized
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from course_lib.corpora import python_docs
from course_lib.errors import CourseError
from course_lib.tokenizers import BPETokenizer, naive_bpe
from course_lib.tokenizers.bpe_trainer import learn_merges
from course_lib.tokenizers.pretokenize import GPT2, LLAMA3, pretokenize, stand_ins

ANY_TEXT = st.text(st.characters(codec=None))  # lone surrogates too
GERMAN = "Die Donaudampfschifffahrtsgesellschaft grüßt; größer als größe, süß, Straße, Übermut. Ärger über 1 234,56 €! "
SWAHILI = "ninakuambia aliniambia hatutawaambia sikuambii wameambiana utaniambia niliwaambia nitakuambia "
CODE = (
    "def f(x: int) -> str:\n\treturn f'{x!r:>10}'  # 0xFF_FF\n\n\n    if not x:\n        raise ValueError(\"no\")\r\n"
)
EMOJI = "🙂👩‍👩‍👧‍👦🇰🇪 ok 👍🏽 ❤️‍🔥  é é  한국어 日本語テキスト עִבְרִית العربية हिन्दी ไทย\u200b"
SPACES = "a  b   c\t\t d\n\n\ne \u00a0\u2003x \r\n  \x1c\x1d\x85 end   "


@pytest.fixture(scope="module")
def english():
    return python_docs.topics()


@pytest.fixture(scope="module", params=[GPT2, LLAMA3, r"\p{L}+|[0-9]"], ids=["gpt2", "llama3", "own pattern"])
def tokenizer(request, english):
    return BPETokenizer.train(
        english[:200_000] + (GERMAN + SWAHILI + EMOJI) * 5, 1500, ["<|endoftext|>", "<|end|>"], pattern=request.param
    )


@pytest.fixture(scope="module")
def theirs(tokenizer, tmp_path_factory):
    """The same merges in the library `tokenizers`, by way of the file."""
    path = tmp_path_factory.mktemp("saved") / "tokenizer.json"
    tokenizer.save(path)
    return Tokenizer.from_file(str(path))


# --- every text -------------------------------------------------------------------------------------------------------


@given(ANY_TEXT)
@example("\0")
@example("\ud83d\ude00")
@example("\udfff a")
@example("   ")
@settings(max_examples=300, deadline=None)
def test_every_text_comes_back(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.lists(ANY_TEXT, max_size=3), st.integers(256, 300))
@settings(max_examples=100, deadline=None)
def test_trained_on_anything(texts, vocab_size):
    tokenizer = BPETokenizer.train(texts, vocab_size)
    assert 256 <= len(tokenizer) <= vocab_size
    assert all(tokenizer.decode(tokenizer.encode(text)) == text for text in texts)


@pytest.mark.parametrize("step", sized(16, 1))
def test_all_characters_come_back(tokenizer, step):
    everything = "".join(scalars(step)) + "".join(map(chr, range(0xD800, 0xE000)))
    for start in range(0, len(everything), 50_000):
        part = everything[start : start + 50_000]
        assert tokenizer.decode(tokenizer.encode(part)) == part


@pytest.mark.parametrize("length", sized(50_000, 200_000))
def test_long_texts_without_a_space(tokenizer, length):
    letters = random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=length)
    for text in ("".join(letters), "a" * length, "ab" * (length // 2), " " * length):
        assert tokenizer.decode(tokenizer.encode(text)) == text


# --- the merges --------------------------------------------------------------------------------------------------------


def as_bytes(text):
    return Counter(tuple(word.encode()) for word in pretokenize(text, GPT2))


@pytest.mark.parametrize("seed", range(300))
def test_each_merge_is_a_most_frequent_pair(seed):
    """Small random words over few symbols: many ties, many overlaps."""
    r = random.Random(seed)
    symbols = r.choice([1, 2, 3, 6])
    table = {
        tuple(r.randrange(symbols) for _ in range(r.randrange(12))): r.randrange(1, 4)
        for _ in range(r.randrange(1, 15))
    }
    merges = learn_merges({"".join(map(chr, word)): n for word, n in table.items()}, symbols, 60)
    assert [tuple(map(ord, pair)) for pair in merges] == naive_bpe.learn_from_words(table, symbols, 60)


@pytest.mark.parametrize(("characters", "count"), sized((20_000, 150), (60_000, 300)))
def test_each_merge_is_a_most_frequent_pair_of_a_real_text(english, characters, count):
    table = as_bytes(english[:characters])
    merges = learn_merges({bytes(word).decode("latin-1"): n for word, n in table.items()}, 256, count)
    assert [tuple(map(ord, pair)) for pair in merges] == naive_bpe.learn_from_words(table, 256, count)


def test_one_long_word_learns_what_the_token_list_learns():
    text = "".join(random.Random(1).choices("abc", k=2000))
    merges = learn_merges({text: 1}, 256, 100)
    assert [tuple(map(ord, pair)) for pair in merges] == naive_bpe.learn_from_tokens(list(text.encode()), 256, 100)


def test_the_vocabulary_is_as_large_as_asked_for():
    tokenizer = BPETokenizer.train("low low low lower newest newest", 266, ["<pad>", "<end>"])
    assert len(tokenizer) == 266 == len(tokenizer.vocab) and len(tokenizer.merges) == 8
    assert tokenizer.special_tokens == {"<pad>": 264, "<end>": 265}
    assert tokenizer.merges[0] == (b"l", b"o") and tokenizer.vocab[b"lo"] == 256


def test_a_text_with_nothing_left_to_merge_gives_fewer():
    assert len(BPETokenizer.train("", 1000)) == 256
    assert len(BPETokenizer.train("a", 1000)) == 256
    assert BPETokenizer.train("ab", 1000).merges == [(b"a", b"b")]


def test_several_texts_are_never_joined():
    assert BPETokenizer.train(["a", "b"], 300).merges == []
    assert BPETokenizer.train(iter(["ab", "ab c"]), 257).merges == [(b"a", b"b")]


# --- against the library ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [GERMAN, SWAHILI, CODE, EMOJI, SPACES], ids=["german", "swahili", "code", "emoji", "spaces"]
)
def test_ids_equal_the_librarys(tokenizer, theirs, text):
    assert tokenizer.encode(text) == theirs.encode(text).ids


@pytest.mark.parametrize("step", sized(10, 1))
def test_ids_equal_the_librarys_on_a_megabyte(tokenizer, theirs, step):
    text = part_of_mixed_text(step)
    assert tokenizer.encode(text) == theirs.encode(text).ids


@pytest.mark.parametrize("count", sized(1000, 100_000))
def test_ids_equal_the_librarys_on_random_texts(tokenizer, theirs, count):
    texts = random_strings(count, seed=7)
    differing = [text for text, found in zip(texts, theirs.encode_batch(texts)) if tokenizer.encode(text) != found.ids]
    assert len(texts) == count and differing == []


@pytest.mark.parametrize("step", sized(16, 1))
@pytest.mark.parametrize("name", [r"\p{L}", r"\p{N}", r"\s"])
def test_newer_characters_are_all_that_the_two_libraries_read_differently(name, step):
    """The table of Unicode 16, remade: where `regex` knows a letter that `tokenizers` doesn't."""
    newer = set(map(chr, stand_ins())) if step == 1 else set(random.Random(0).sample([*map(chr, stand_ins())], 1000))
    every = sorted(newer.union(scalars(step)))
    ours, theirs = set(regex.findall(name, "".join(every))), set()
    for start in range(0, len(every), 5000):
        chunk = "".join(every[start : start + 5000])
        kept = "".join(piece for piece, _ in pre_tokenizers.Split(Regex(name), "removed").pre_tokenize_str(chunk))
        theirs |= set(chunk) - set(kept)
    assert theirs <= ours
    assert ours - theirs == {c for c in every if ord(c) in stand_ins() and regex.match(name, c)}


def their_trained(text, **model):
    made = Tokenizer(models.BPE(**model))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([text], trainer)
    return made


@pytest.mark.parametrize("step", sized(10, 1))
def test_one_trained_there_loads_here(tmp_path, step):
    mixed = part_of_mixed_text(step)
    theirs = their_trained(mixed[:300_000])
    theirs.save(str(tmp_path / "theirs.json"))
    ours = BPETokenizer.load(tmp_path / "theirs.json")
    assert ours.encode(mixed) == theirs.encode(mixed).ids
    assert ours.decode(ours.encode(mixed)) == mixed
    assert ours.encode("a<s>b</s>", "all") == theirs.encode("a<s>b</s>").ids
    ours.save(tmp_path / "again.json")
    assert Tokenizer.from_file(str(tmp_path / "again.json")).get_vocab() == theirs.get_vocab()


def test_the_librarys_trainer_without_all_bytes(tmp_path):
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.train_from_iterator(["only these"], trainers.BpeTrainer(vocab_size=50, show_progress=False))
    made.save(str(tmp_path / "t.json"))
    ours = BPETokenizer.load(tmp_path / "t.json")
    assert ours.decode(ours.encode("only these")) == "only these"
    with pytest.raises(CourseError, match="no token for a byte in 'ü'"):
        ours.encode("ü")


# --- characters, with an end-of-word mark --------------------------------------------------------------------------------


LECTURE = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"


def test_the_papers_words():
    """The words and counts of Sennrich et al. (2016), section 3.2, with the mark on the last character. "low" as a word ends in another symbol."""
    tokenizer = BPETokenizer.train(LECTURE, 23, end_of_word="</w>")
    assert tokenizer.merges[:2] == [("e", "s"), ("es", "t</w>")]
    assert tokenizer.tokens("lowest low") == ["lo", "w", "est</w>", "low</w>"]
    assert tokenizer.decode(tokenizer.encode("lowest  newer\n")) == "lowest newer"


def test_an_unknown_character_is_unknown_alone():
    tokenizer = BPETokenizer.train(LECTURE, 30, end_of_word="</w>")
    assert tokenizer.tokens("löw") == ["l", "[UNK]", "w</w>"]
    assert tokenizer.decode([0]) == "[UNK]"


@pytest.mark.parametrize("length", sized(30_000, 100_000))
def test_characters_in_both_libraries(tmp_path, english, length):
    ours = BPETokenizer.train(english[:length], 800, ["<pad>"], end_of_word="</w>")
    ours.save(tmp_path / "ours.json")
    theirs = Tokenizer.from_file(str(tmp_path / "ours.json"))
    for text in [english[: 3 * length], GERMAN, EMOJI, SPACES, CODE]:
        assert ours.encode(text) == theirs.encode(text).ids
        assert ours.decode(ours.encode(text)) == theirs.decode(theirs.encode(text).ids)
    made = Tokenizer(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"))
    made.pre_tokenizer, made.decoder = pre_tokenizers.WhitespaceSplit(), decoders.BPEDecoder("</w>")
    made.train_from_iterator(
        [english[:length]],
        trainers.BpeTrainer(vocab_size=800, special_tokens=["[UNK]"], end_of_word_suffix="</w>", show_progress=False),
    )
    made.save(str(tmp_path / "theirs.json"))
    loaded = BPETokenizer.load(tmp_path / "theirs.json")
    for text in [english[: 3 * length], GERMAN, EMOJI, SPACES, CODE]:
        assert loaded.encode(text) == made.encode(text).ids


# --- special tokens ------------------------------------------------------------------------------------------------------


def test_special_tokens_in_a_text_are_text_unless_allowed(tokenizer):
    text = "one<|endoftext|>two<|end|>"
    assert not set(tokenizer.encode(text)) & set(tokenizer.special_tokens.values())
    everything, some = tokenizer.encode(text, "all"), tokenizer.encode(text, ["<|end|>"])
    assert (
        everything.count(tokenizer.special_tokens["<|endoftext|>"])
        == 1
        == some.count(tokenizer.special_tokens["<|end|>"])
    )
    assert tokenizer.special_tokens["<|endoftext|>"] not in some
    assert tokenizer.decode(everything) == tokenizer.decode(some) == tokenizer.decode(tokenizer.encode(text)) == text
    with pytest.raises(CourseError, match="isn't a special token"):
        tokenizer.encode(text, ["<nothing>"])


def test_special_tokens_are_cut_out_of_the_training_text():
    tokenizer = BPETokenizer.train("<end>" * 50 + "ab", 300, ["<end>"])
    assert tokenizer.merges == [(b"a", b"b")]


# --- files ---------------------------------------------------------------------------------------------------------------


def test_saved_and_loaded(tokenizer, tmp_path, english):
    tokenizer.save(tmp_path / "t.json")
    loaded = BPETokenizer.load(tmp_path / "t.json")
    assert (loaded.vocab, loaded.merges, loaded.special_tokens) == (
        tokenizer.vocab,
        tokenizer.merges,
        tokenizer.special_tokens,
    )
    assert loaded.encode(english[:50_000]) == tokenizer.encode(english[:50_000])


# --- what can't be -------------------------------------------------------------------------------------------------------

BAD = {
    "vocabulary below the bytes": (lambda: BPETokenizer.train("abc", 255), "at least 256"),
    "no room for special tokens": (
        lambda: BPETokenizer.train("abc", 256, ["<a>", "<b>"]),
        "2 special tokens.*at least 258",
    ),
    "vocabulary below the characters": (lambda: BPETokenizer.train("ab ab", 2, end_of_word="</w>"), "at least 3"),
    "a broken pattern": (lambda: BPETokenizer.train("abc", 300, pattern="(["), "regular expression"),
    "a pattern that matches nothing": (lambda: BPETokenizer.train("abc", 300, pattern="a*"), "empty text"),
    "a pattern with groups": (lambda: BPETokenizer.train("abc", 300, pattern="(a)b"), "capturing groups"),
    "the mark in the text": (lambda: BPETokenizer.train("a</w>b", 300, end_of_word="</w>"), "choose another"),
    "a mark with a space": (lambda: BPETokenizer.train("ab", 300, end_of_word="< >"), "without spaces"),
    "an unknown id": (
        lambda: BPETokenizer.train("ab", 300).decode([97, 257]),
        "no token with the id 257.* 257 tokens, with ids from 0 to 256",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_sentence(name):
    call, sentence = BAD[name]
    with pytest.raises(CourseError, match=sentence):
        call()


def test_half_a_character_decodes_to_a_sign():
    assert BPETokenizer.train("", 256).decode([0xC3]) == "�"
