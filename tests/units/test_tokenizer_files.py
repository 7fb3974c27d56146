"""What all tokenizers share: special tokens in a text, and the file."""

import json
from copy import deepcopy
from functools import reduce
from random import Random

import pytest
from tokenizers import Tokenizer

from course_lib.errors import CourseError
from course_lib.tokenizers import BPETokenizer, WordPieceTokenizer, base, json_file

SPECIAL = {"[SEP]": 3, "<a>": 4, "<a><b>": 5, "[x|y]": 6}


@pytest.mark.parametrize(
    ("tokens", "sentence"),
    [
        ("[SEP]", r"Write \['\[SEP\]'\]"),
        (["[SEP]", 3], "3, of type int"),
        ([""], "can't be empty"),
        (["[SEP]", "[CLS]", "[SEP]"], "'\\[SEP\\]' is there twice"),
        (None, "\\[\\] for none; got None"),
        (5, "list of strings.*got 5"),
    ],
)
def test_bad_special_tokens(tokens, sentence):
    with pytest.raises(CourseError, match=sentence):
        base.checked(tokens)


def test_special_tokens_keep_their_order():
    assert base.checked(["b", "a"]) == ("b", "a")
    assert base.checked(token for token in ()) == ()


@pytest.mark.parametrize(
    ("text", "allowed", "pieces"),
    [
        ("", "all", []),
        ("plain", "all", [("plain", None)]),
        ("[SEP]", "all", [("[SEP]", 3)]),
        ("[SEP]", (), [("[SEP]", None)]),
        ("a[SEP]b", ["[SEP]"], [("a", None), ("[SEP]", 3), ("b", None)]),
        ("[SEP][SEP]", {"[SEP]"}, [("[SEP]", 3), ("[SEP]", 3)]),
        ("<a><b><a>", "all", [("<a><b>", 5), ("<a>", 4)]),  # the longest
        ("<a><b>", ["<a>"], [("<a>", 4), ("<b>", None)]),  # of those that are allowed
        ("x[x|y]|", "all", [("x", None), ("[x|y]", 6), ("|", None)]),  # no character has a meaning of its own
        ("[SEP ]", "all", [("[SEP ]", None)]),
    ],
)
def test_split(text, allowed, pieces):
    assert list(base.split(text, SPECIAL, allowed)) == pieces


@pytest.mark.parametrize("allowed", ["[SEP]", ["[CLS]"], [""], None, 5, [None], [[]], b"[SEP]"])
def test_only_special_tokens_can_be_allowed(allowed):
    with pytest.raises(CourseError, match="allowed_special is|isn't a special token"):
        list(base.split("text", SPECIAL, allowed))


# Both kinds of tokenizer

BPE = BPETokenizer.train("low low lower newer", 262, ["<s>", "<end>"], pattern=r"\w+")
WORDPIECE = WordPieceTokenizer.train("low low lower newer", 30)
CHARACTERS = BPETokenizer.train("low low lower newer", 20, ["<s>"], end_of_word="</w>")
BOTH = pytest.mark.parametrize("tokenizer", [BPE, CHARACTERS, WORDPIECE], ids=["bytes", "characters", "wordpiece"])


@BOTH
def test_the_same_calls(tokenizer):
    assert len(tokenizer) == len(tokenizer.vocab) == max(tokenizer.vocab.values()) + 1
    assert tokenizer.decode(tokenizer.encode("low newer")).replace(" ", "") == "lownewer"
    assert tokenizer.special_tokens.items() <= tokenizer.vocab.items()


@BOTH
def test_lists_tensors_and_arrays_decode(tokenizer):
    import numpy as np
    import torch

    ids = tokenizer.encode("lower")
    as_numpy = np.array(ids)
    for same in (iter(ids), tuple(ids), as_numpy, list(as_numpy), torch.tensor(ids), list(torch.tensor(ids))):
        assert tokenizer.decode(same) == "lower"
    assert tokenizer.decode([]) == "" and tokenizer.decode(torch.tensor(ids[0])) == tokenizer.decode(ids[:1])


@BOTH
@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        ([0, 99999], "no token with the id 99999: this vocabulary has [0-9]+ tokens, with ids from 0 to "),
        ([-1], "no token with the id -1"),
        ([1.0], "whole numbers; got 1.0 in it"),
        ([True], "got True"),
        ("97", "got '9' in it"),
        ([0, None], "got None"),
        (None, "got None"),
        ([[0]], "got \\[0\\] in it. For a batch, decode row by row"),
    ],
)
def test_what_is_no_id(tokenizer, ids, sentence):
    with pytest.raises(CourseError, match=sentence):
        tokenizer.decode(ids)


@BOTH
@pytest.mark.parametrize("text", [None, b"text", ["text"], 3])
def test_only_text_is_encoded(tokenizer, text):
    with pytest.raises(CourseError, match="encode takes a text \\(str\\); got .*, of type"):
        tokenizer.encode(text)


@pytest.mark.parametrize("kind", [BPETokenizer, WordPieceTokenizer])
@pytest.mark.parametrize(
    ("text", "found"),
    [(None, "None, of type NoneType"), (b"abc", "b'abc', of type bytes"), (["abc", 3], "3, of type int")],
)
def test_only_texts_are_trained_on(kind, text, found):
    with pytest.raises(CourseError, match=f"train takes a text \\(str\\); got {found}"):
        kind.train(text, 300)


@pytest.mark.parametrize("kind", [BPETokenizer, WordPieceTokenizer])
@pytest.mark.parametrize("size", ["300", 300.0, True, None, -1])
def test_vocab_size_is_a_whole_number(kind, size):
    with pytest.raises(CourseError, match=f"vocab_size should be a whole number from 0 up; got {size!r}"):
        kind.train("abc", size)


@pytest.mark.parametrize("kind", [BPETokenizer, WordPieceTokenizer])
def test_a_vocabulary_larger_than_unicode(kind):
    with pytest.raises(CourseError, match="vocab_size=2000000 is too large: it can be at most 1114112"):
        kind.train("abc", 2_000_000)


@pytest.mark.parametrize("pattern", [b"x", None, 5])
def test_a_pattern_is_text(pattern):
    with pytest.raises(CourseError, match=f"should be a regular expression; got {pattern!r}: it is of type"):
        BPETokenizer.train("abc", 300, pattern=pattern)


@BOTH
def test_the_cache_does_not_grow_for_ever(tokenizer, monkeypatch):
    monkeypatch.setattr(base, "CACHED_WORDS", 10)
    text = " ".join(f"{a}{b}" for a in "lowern" for b in "lowern")
    assert tokenizer.encode(text) == tokenizer.encode(text) != [] and len(tokenizer._ids_of) <= 10


# The file


def changed(tokenizer, *keys, value=None, **update):
    """The file's text with one thing changed: the value at `keys`, or some keys of the object that stands there."""
    data = as_data(tokenizer)
    *above, last = keys or ("model",)
    place = reduce(lambda part, key: part[key], above, data)
    place[last] = place[last] | update if update else value
    return json.dumps(data)


def as_data(tokenizer):
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": id, "content": name} | json_file.PLAIN for name, id in tokenizer.special_tokens.items()
        ],
        **tokenizer._to_json(),
    }


def without(tokenizer, *keys):
    data = as_data(tokenizer)
    reduce(lambda part, key: part[key], keys[:-1], data).pop(keys[-1])
    return json.dumps(data)


def added(*entries):
    return changed(BPE, "added_tokens", value=[NEW | entry for entry in entries])


def merges(change):
    pairs = as_data(BPE)["model"]["merges"]
    change(pairs)
    return changed(BPE, merges=pairs)


GOOD = json.dumps(as_data(BPE))
NEW = {"id": 262, "content": "[SEP]"} | json_file.PLAIN
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
SPLIT = {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Isolated", "invert": False}
BERT_PROCESSING = {"type": "BertProcessing", "sep": ["<s>", 260], "cls": ["<s>", 260]}


def cuts(*steps):
    return changed(BPE, "pre_tokenizer", value={"type": "Sequence", "pretokenizers": list(steps)})


REFUSED_THERE = {  # by the library, and its reason stands in our sentence
    "nothing": ("", "EOF"),
    "half": (GOOD[:-9], "EOF"),
    "much too deep": ("[" * 100_000, "invalid type"),
    "a list": ("[1]", "invalid type: sequence"),
    "no model": (without(BPE, "model"), "Model missing"),
    "another version": (changed(BPE, "version", value="2.0"), "Unknown tokenizer version '2.0'"),
    "a version as number": (changed(BPE, "version", value=1.0), "expected a string"),
    "a model that is a list": (changed(BPE, "model", value=[]), "ModelUntagged"),
    "an unknown model": (changed(BPE, type="Foo"), "ModelUntagged"),
    "a model with another's parts": (changed(BPE, type="WordPiece"), "expected a string"),
    "something unknown": (GOOD[:-1] + ', "more": 1}', "expected"),
    "half a character": (GOOD.replace('"<s>"', '"<\\ud800>"'), "hex escape"),
    "no vocabulary": (changed(BPE, vocab=None), "expected a map"),
    "a vocabulary that is a list": (changed(BPE, vocab=[["a", 0.0]]), "expected a map"),
    **{f"the id {id!r}": (changed(BPE, "model", "vocab", a=id), "expected u32") for id in ("0", True, -1, 1.5, 2**33)},
    "no merges": (without(BPE, "model", "merges"), "Missing vocab/merges"),
    "merges of one": (merges(lambda pairs: pairs.append(["a"])), "MergeType"),
    "merges of three": (merges(lambda pairs: pairs.append(["a", "b", "c"])), "MergeType"),
    "merges of nothing": (merges(lambda pairs: pairs.append(["", "a"])), "out of vocabulary"),
    "merges of the unknown": (merges(lambda pairs: pairs.append(["zz", "a"])), "`zz` out of vocabulary"),
    "a merge without an id": (merges(lambda pairs: pairs.append(["q", "z"])), "`qz` out of vocabulary"),
    "dropout as text": (changed(BPE, dropout="x"), "expected f32"),
    "a pre-tokenizer that is text": (changed(BPE, "pre_tokenizer", value="ByteLevel"), "PreTokenizerUntagged"),
    "half a pre-tokenizer": (changed(BPE, "pre_tokenizer", value={"type": "ByteLevel"}), "missing field"),
    "a broken pattern": (cuts(SPLIT | {"pattern": {"Regex": "(["}}, BYTE_LEVEL), "premature end of char-class"),
    "a prefix longer than a token": (changed(BPE, continuing_subword_prefix="é" * 40), "out of range"),  # by a panic
    "a post-processor that is a list": (changed(BPE, "post_processor", value=[1]), "PostProcessor"),
    "added tokens that are text": (changed(BPE, "added_tokens", value="[SEP]"), "expected a sequence"),
    "added tokens that are missing": (changed(BPE, "added_tokens", value=None), "expected a sequence"),
    "an added token that is null": (added({"content": None}), "expected a string"),
    "an added token without options": (
        changed(BPE, "added_tokens", value=[{"id": 262, "content": "[SEP]"}]),
        "missing field",
    ),
    "an added token with a negative id": (added({"id": -1}), "expected u32"),
    "no unknown token": (changed(WORDPIECE, unk_token=None), "expected a string"),
    "a limit as text": (changed(WORDPIECE, max_input_chars_per_word="100"), "expected usize"),
    "a negative limit": (changed(WORDPIECE, max_input_chars_per_word=-1), "expected usize"),
    "lowercase 1": (changed(WORDPIECE, "normalizer", lowercase=1), "NormalizerUntagged"),
    "strip_accents no": (changed(WORDPIECE, "normalizer", strip_accents="no"), "NormalizerUntagged"),
    "cleanup null": (changed(WORDPIECE, "decoder", cleanup=None), "Decoder"),
}

REFUSED_HERE = {  # the library reads them, and we would read something else
    "a tokenizer of another kind": (json.dumps(as_data(WORDPIECE)), "should hold a tokenizer of type BPE; got WordPiece"),
    "one id twice": (changed(BPE, "model", "vocab", a=1), "two of its tokens have the same id"),
    "an empty added token": (added({"content": ""}), "an added token is empty"),
    "an added token twice": (added({}, {}), "there twice"),
    "an added token with two ids": (added({}, {"id": 263}), "there twice"),
    "an added token with another's id": (added({"id": 0}), "has another id"),
    "an added token with an id too far": (added({"id": 999}), "has another id"),
    "an added token with two ids, one its model's": (added({"content": "a"}), "has another id"),
    "two added tokens with one id": (added({}, {"content": "[CLS]"}), "has another id"),
    "an option of an added token": (added({"lstrip": True}), "\"lstrip\" of its added token '\\[SEP\\]' should be False"),
    "an added token that isn't special": (added({"special": False}), '"special" of its added token'),
    "a merge before its parts": (merges(lambda pairs: pairs.insert(0, pairs.pop(1))), "comes before"),
    "two merges with one result": (
        changed(BPE, merges=[["l", "o"], ["o", "w"], ["lo", "w"], ["l", "ow"]], vocab=BPE._to_json()["model"]["vocab"] | {"ow": 262}),
        "second one that makes b'low'",
    ),
    "a token that stands for no bytes": (changed(BPE, "model", "vocab", 日=9999), "'日' .* stands for no byte"),
    "a normalizer": (changed(BPE, "normalizer", value={"type": "NFC"}), '"normalizer", which'),
    "byte fallback": (changed(BPE, byte_fallback=True), '"byte_fallback", which'),
    "dropout": (changed(BPE, dropout=0.1), '"dropout", which'),
    "a prefix space": (cuts(BYTE_LEVEL | {"add_prefix_space": True}), "prefix space"),
    "no pre-tokenizer": (changed(BPE, "pre_tokenizer", value=None), "got none"),
    "another pre-tokenizer": (changed(BPE, "pre_tokenizer", value={"type": "Whitespace"}), "got Whitespace"),
    "a cut at a string": (cuts(SPLIT | {"pattern": {"String": "a"}}, BYTE_LEVEL), "got Split, ByteLevel"),
    "cuts that vanish": (cuts(SPLIT | {"behavior": "Removed"}, BYTE_LEVEL), "got Split, ByteLevel"),
    "two patterns": (cuts(SPLIT, BYTE_LEVEL | {"use_regex": True}), "got Split, ByteLevel"),
    "a pattern with groups": (cuts(SPLIT | {"pattern": {"Regex": "(a)"}}, BYTE_LEVEL), "capturing groups"),
    "a mark at the end of words of bytes": (changed(BPE, end_of_word_suffix="</w>"), '"end_of_word_suffix", which'),
    "no step before": (cuts(), "got none"),
    "normalized, where something is": (
        changed(WORDPIECE, "added_tokens", 0, normalized=True),
        "\"normalized\" of its added token '\\[PAD\\]' should be False",
    ),
    "characters without a mark": (changed(CHARACTERS, end_of_word_suffix=None), "end_of_word_suffix"),
    "characters with another decoder": (changed(CHARACTERS, "decoder", value=None), "BPEDecoder with the same"),
    "characters without an unknown token": (changed(CHARACTERS, unk_token=None), "no unk_token"),
    "a unk_token that is missing": (changed(WORDPIECE, unk_token="<unk>"), "unknown token '<unk>' in the vocabulary"),
    "two prefixes": (changed(WORDPIECE, continuing_subword_prefix="@@"), "should be its model's, '@@'; got '##'"),
    "another normalizer": (
        changed(WORDPIECE, "normalizer", value={"type": "Lowercase"}),
        "the type of its normalizer should be None or 'BertNormalizer'; got 'Lowercase'",
    ),
    "BERT with another pre-tokenizer": (
        changed(WORDPIECE, "pre_tokenizer", value={"type": "Whitespace"}),
        "the type of its pre_tokenizer should be 'BertPreTokenizer'; got 'Whitespace'",
    ),
    "BERT without a pre-tokenizer": (changed(WORDPIECE, "pre_tokenizer", value=None), "got None"),
    "another decoder": (
        changed(WORDPIECE, "decoder", value=BYTE_LEVEL),
        "the type of its decoder should be None or 'WordPiece'; got 'ByteLevel'",
    ),
}  # fmt: skip


def kind_of(text):
    return WordPieceTokenizer if '"WordPiece"' in text and '"merges"' not in text else BPETokenizer


@pytest.mark.parametrize("name", REFUSED_THERE)
def test_what_the_library_refuses_is_refused_here(tmp_path, name):
    text, reason = REFUSED_THERE[name]
    path = tmp_path / "tokenizer.json"
    path.write_text(text, "utf-8")
    with pytest.raises(BaseException, match=reason):
        Tokenizer.from_str(text)
    with pytest.raises(CourseError, match=f"damaged, or isn't a tokenizer's file: .*{reason}") as raised:
        kind_of(text).load(path)
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("name", REFUSED_HERE)
def test_what_is_not_done_here_is_refused(tmp_path, name):
    text, reason = REFUSED_HERE[name]
    path = tmp_path / "tokenizer.json"
    path.write_text(text, "utf-8")
    Tokenizer.from_str(text)
    kind = BPETokenizer if name == "a tokenizer of another kind" else kind_of(text)
    with pytest.raises(CourseError, match=reason) as raised:
        kind.load(path)
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


def test_what_a_file_may_leave_out(tmp_path):
    """Older files have no version, no model type, and merges as "left right"; so has GPT-2's, with "" for what it lacks."""
    data = as_data(BPE)
    del data["version"], data["model"]["type"], data["normalizer"]
    data["model"] |= {"merges": [" ".join(pair) for pair in data["model"]["merges"]], "continuing_subword_prefix": ""}
    (tmp_path / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert (loaded.vocab, loaded.merges, loaded.special_tokens) == (BPE.vocab, BPE.merges, BPE.special_tokens)
    (tmp_path / "tokenizer.json").write_text(without(BPE, "added_tokens"), "utf-8")
    assert BPETokenizer.load(tmp_path / "tokenizer.json").special_tokens == {}


TRUNCATION = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
PADDING = {
    "strategy": {"Fixed": 9},
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "a",
}
A, B = ({"Sequence": {"id": text, "type_id": 0}} for text in "AB")
START = {"SpecialToken": {"id": "<s>", "type_id": 0}}
TEMPLATES = {
    "without special tokens": ([A], {}),  # as transformers saves GPT-2
    "with one": ([START, A], {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}}),
}


@BOTH
@pytest.mark.parametrize("template", TEMPLATES)
def test_what_goes_around_a_text_is_left_aside(tmp_path, tokenizer, template):
    (single, special), path = TEMPLATES[template], tmp_path / "tokenizer.json"
    processor = {"type": "TemplateProcessing", "single": single, "pair": [A, B], "special_tokens": special}
    data = as_data(tokenizer) | {"truncation": TRUNCATION, "padding": PADDING, "post_processor": processor}
    path.write_text(json.dumps(data), "utf-8")
    Tokenizer.from_str(json.dumps(data))
    loaded = type(tokenizer).load(path)
    assert loaded.vocab == tokenizer.vocab
    assert loaded.encode("low lower newer low low") == tokenizer.encode("low lower newer low low")
    path.write_text(json.dumps(as_data(BPE) | {"post_processor": BERT_PROCESSING}), "utf-8")
    assert BPETokenizer.load(path).encode("low") == BPE.encode("low")


def test_gpt2s_file_as_published(tmp_path):
    """Without the model's type and use_regex, merges as text, and "normalized" where nothing is normalised."""
    text = "low lower newer<|endoftext|>It's 2 é, \n low<|endoftext|>"
    trained = BPETokenizer.train(text, 270, ["<|endoftext|>"])
    level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    data = as_data(trained) | {
        "pre_tokenizer": level | {"add_prefix_space": False},
        "post_processor": level | {"trim_offsets": False},
        "decoder": level,
    }
    data["added_tokens"][0]["normalized"] = True
    del data["model"]["type"], data["model"]["ignore_merges"]
    data["model"] |= {"continuing_subword_prefix": "", "end_of_word_suffix": ""}
    data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
    (tmp_path / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert (
        loaded.encode(text, "all")
        == trained.encode(text, "all")
        == Tokenizer.from_str(json.dumps(data)).encode(text).ids
    )
    assert loaded.decode(loaded.encode(text, "all")) == text


def test_files_that_transformers_saves(tmp_path):
    from transformers import BertTokenizer, GPT2Tokenizer

    text, gpt2 = "low lower newer It's 2 é, \n low", BPETokenizer.train("low low lower newer", 270, ["<|endoftext|>"])
    model = gpt2._to_json()["model"]
    GPT2Tokenizer(vocab=model["vocab"], merges=[tuple(pair) for pair in model["merges"]]).save_pretrained(tmp_path)
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.vocab == gpt2.vocab and loaded.encode(text) == gpt2.encode(text)
    bert = BertTokenizer(vocab=WORDPIECE.vocab)
    assert bert(text, truncation=True, max_length=4, padding="max_length")["input_ids"][0] == WORDPIECE.vocab["[CLS]"]
    bert.save_pretrained(tmp_path)
    loaded = WordPieceTokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.vocab == WORDPIECE.vocab and loaded.encode(text) == WORDPIECE.encode(text)


def test_berts_file_has_no_type(tmp_path):
    (tmp_path / "tokenizer.json").write_text(without(WORDPIECE, "model", "type"), "utf-8")
    assert WordPieceTokenizer.load(tmp_path / "tokenizer.json").vocab == WORDPIECE.vocab


ODD = [None, True, 0, -1, 2**70, 1.5, "", "x", "\ud800", "é" * 40, [], [[]], ["a", "b"], {}, {"type": "ByteLevel"}]
ODD += [{"type": "Sequence", "pretokenizers": each} for each in (None, [], [[]])] + [{"Regex": []}, {"Regex": "("}]


def places(part, path=()):
    """The paths to everything in a file; of a long list or dict to a few."""
    for key in list(part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ())[:20]:
        yield (*path, key)
        yield from places(part[key], (*path, key))


@BOTH
def test_whatever_is_changed_in_a_file_it_is_read_right_or_refused_with_a_sentence(tmp_path, tokenizer):
    draw, path, good, loaded = Random(0), tmp_path / "tokenizer.json", json.dumps(as_data(tokenizer)), 0
    for _ in range(1500):
        data = json.loads(good)
        for _ in range(draw.choice([1, 1, 2, 3])):
            *above, last = draw.choice(list(places(data)))
            part = reduce(lambda inside, key: inside[key], above, data)
            if draw.random() < 0.2:
                del part[last]
            else:
                part[last] = deepcopy(draw.choice(ODD))
        text = bytearray(json.dumps(data).encode())
        if draw.random() < 0.1:
            text[draw.randrange(len(text))] = draw.randrange(256)
        path.write_bytes(text)
        try:
            read = type(tokenizer).load(path)
            ids = read.encode("newer é lower")
        except CourseError as refusal:
            assert "\n" not in str(refusal)
        else:
            loaded += 1
            theirs = Tokenizer.from_file(str(path))
            theirs.no_truncation(), theirs.no_padding()
            assert ids == theirs.encode("newer é lower", add_special_tokens=False).ids, text
    assert loaded > 20


def test_no_file_a_folder_and_no_text(tmp_path):
    with pytest.raises(CourseError, match="none.json could not be read: No such file"):
        BPETokenizer.load(tmp_path / "none.json")
    with pytest.raises(CourseError, match="could not be read: Is a directory"):
        BPETokenizer.load(tmp_path)
    with pytest.raises(CourseError, match="could not be written: Is a directory"):
        BPE.save(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes(b"\xff\xfe")
    with pytest.raises(CourseError, match="isn't a tokenizer's file: 'utf-8' codec can't decode byte"):
        BPETokenizer.load(tmp_path / "tokenizer.json")


@BOTH
def test_what_is_written_is_read(tmp_path, tokenizer):
    path = tmp_path / "deep" / "tokenizer.json"
    tokenizer.save(path)
    loaded = type(tokenizer).load(path)
    for name in ("vocab", "special_tokens"):
        assert getattr(loaded, name) == getattr(tokenizer, name)
    assert loaded.tokens("newer lower low <s> [SEP]", []) == tokenizer.tokens("newer lower low <s> [SEP]", [])
    again = tmp_path / "again.json"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_any_string_can_be_a_token(tmp_path):
    odd = ["[UNK]", "\0", "é", "\U0001f600", '"\\', "\u2028"]
    tokenizer = WordPieceTokenizer({token: id for id, token in enumerate(odd)}, odd)
    tokenizer.save(tmp_path / "tokenizer.json")
    assert WordPieceTokenizer.load(tmp_path / "tokenizer.json").special_tokens == tokenizer.special_tokens


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "tokenizer.json"
    BPE.save(path)
    old = path.read_bytes()
    with pytest.raises(CourseError, match="half a character, '\\\\ud800'"):
        WordPieceTokenizer({"[UNK]": 0, "\ud800": 1}).save(path)
    assert path.read_bytes() == old and list(tmp_path.iterdir()) == [path]


def test_tokens_that_would_be_written_alike(tmp_path):
    clash = BPETokenizer.train(" the the the", 300, ["Ġthe"])
    with pytest.raises(CourseError, match="special token 'Ġthe'"):
        clash.save(tmp_path / "clash.json")
