"""What both tokenizers share: special tokens in a text, and the file."""

import json

import pytest

from course_lib.errors import CourseError
from course_lib.tokenizers import json_file, special_tokens

SPECIAL = {"[SEP]": 3, "<a>": 4, "<a><b>": 5, "[x|y]": 6}


@pytest.mark.parametrize(
    ("tokens", "sentence"),
    [
        ("[SEP]", r"Write \['\[SEP\]'\]"),
        (["[SEP]", 3], "3, of type int"),
        ([""], "can't be empty"),
        (["[SEP]", "[CLS]", "[SEP]"], "'\\[SEP\\]' is there twice"),
    ],
)
def test_bad_special_tokens(tokens, sentence):
    with pytest.raises(CourseError, match=sentence):
        special_tokens.checked(tokens)


def test_special_tokens_keep_their_order():
    assert special_tokens.checked(["b", "a"]) == ("b", "a")
    assert special_tokens.checked(token for token in ()) == ()


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
    assert list(special_tokens.split(text, SPECIAL, allowed)) == pieces


@pytest.mark.parametrize("allowed", ["[SEP]", ["[CLS]"], [""]])
def test_only_special_tokens_can_be_allowed(allowed):
    with pytest.raises(CourseError, match="allowed_special is|isn't a special token"):
        list(special_tokens.split("text", SPECIAL, allowed))


MODEL = {"type": "BPE", "vocab": {"a": 0, "b": 1}}
GOOD = {"version": "1.0", "model": MODEL}
ADDED = {
    "id": 2,
    "content": "[SEP]",
    "single_word": False,
    "lstrip": False,
    "rstrip": False,
    "normalized": False,
    "special": True,
}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe", "UTF-8, but byte 0"),
        (b"", "damaged: it should be JSON"),
        (b"[" * 100_000, "damaged: it should be JSON"),
        (json.dumps(GOOD).encode()[:-9], "damaged: it should be JSON"),
        (b"[1]", "it holds a list"),
        (json.dumps({"model": MODEL}).encode(), 'no "version"'),
        (json.dumps({"version": "1.0"}).encode(), 'no "model"'),
        (json.dumps(GOOD | {"version": "2.0"}).encode(), "version '2.0', but only version \"1.0\""),
        (json.dumps(GOOD | {"version": 1.0}).encode(), "version 1.0, but only version"),
        (json.dumps(GOOD | {"model": []}).encode(), '"model" should be an object'),
        (json.dumps(GOOD | {"model": {"vocab": {}}}).encode(), '"model" should be an object with a "type"'),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path, content, sentence):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=sentence) as raised:
        json_file.read(path)
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(CourseError, match="There is no file"):
        json_file.read(tmp_path / "none.json")
    with pytest.raises(CourseError, match="is a folder"):
        json_file.read(tmp_path)
    with pytest.raises(CourseError, match="is a folder"):
        json_file.write(tmp_path, GOOD)


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "deep" / "tokenizer.json"
    data = GOOD | {"model": MODEL | {"vocab": {"\0": 0, "é": 1, "\U0001f600": 2, '"\\': 3}}}
    json_file.write(path, data)
    assert json_file.read(path) == data


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "tokenizer.json"
    json_file.write(path, GOOD)
    with pytest.raises(CourseError, match="half a character, '\\\\ud800'"):
        json_file.write(path, GOOD | {"model": {"type": "BPE", "vocab": {"\ud800": 0}}})
    assert json_file.read(path) == GOOD and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("vocab", "sentence"),
    [
        (None, 'should have a "vocab"'),
        ([["a", 0.0]], 'should have a "vocab"'),
        ({"a": "0"}, "id of token 'a' should be a whole number from 0, but it is '0'"),
        ({"a": True}, "but it is True"),
        ({"a": -1}, "but it is -1"),
        ({"a": 0, "b": 0}, "'a' and 'b' have the same id, 0"),
    ],
)
def test_bad_vocabularies(vocab, sentence):
    with pytest.raises(CourseError, match=sentence):
        json_file.vocabulary("tokenizer.json", {"type": "BPE", "vocab": vocab})


@pytest.mark.parametrize(
    ("added", "sentence"),
    [
        ("[SEP]", 'should have a "content" and an "id"'),
        ([ADDED | {"content": None}], 'should have a "content" and an "id"'),
        ([ADDED | {"content": ""}], "is empty"),
        ([ADDED, ADDED], "there twice"),
        ([ADDED | {"id": 0}], "has another's id"),
        ([ADDED | {"content": "a"}], "has another's id"),
        ([ADDED | {"id": -1}], "has another's id"),
        ([ADDED, ADDED | {"content": "[CLS]"}], "has another's id"),
        ([ADDED | {"lstrip": True}], '"lstrip", which we don\'t have'),
        ([ADDED | {"special": False}], "isn't special"),
    ],
)
def test_bad_added_tokens(added, sentence):
    with pytest.raises(CourseError, match=sentence):
        json_file.special_tokens("tokenizer.json", {"added_tokens": added}, MODEL["vocab"])


def test_added_tokens_go_and_come_back():
    special = {"[SEP]": 2, "a": 0}
    data = {"added_tokens": json_file.added_tokens(special)}
    assert data["added_tokens"][1] == ADDED
    assert json_file.special_tokens("tokenizer.json", data, MODEL["vocab"]) == special
    assert json_file.special_tokens("tokenizer.json", {}, MODEL["vocab"]) == {}
