"""The merges slider and rows of tokens, from Python's side: what they send to the browser, their still pictures, their sentences."""

import re

import pytest

from course_lib import viz
from course_lib.tokenizers.pretokenize import GPT2 as GPT2_PATTERN
from course_lib.viz import browser_code
from course_lib.viz.js_pattern import to_javascript
from course_lib.viz.merge_slider import DASHED, LEGEND, merge, pieces
from course_lib.viz.token_boxes import display_parts

GPT4_PATTERN = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"  # possessive quantifiers

MERGES = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the")]
WORDS = [("l", "o"), ("lo", "w</w>"), ("lo", "w")]


def written(token):
    return "".join(text for _, text in display_parts(token))


def test_the_slider_is_linked_in_the_browser():
    live = viz.merge_slider(MERGES, "the", start=2)
    slider, view = live.widget.children
    assert slider is live.sliders["merges"] and slider.description == "merges"
    assert (slider.min, slider.max, slider.value, view.merges_used) == (0, 3, 2, 2)
    assert live.widget.link.source == (slider, "value") and live.widget.link.target == (view, "merges_used")
    assert view.merges == [["t", "h"], ["th", "e"], [" ", "the"]] and view.of_bytes


def test_ids_are_counted_from_the_bytes_or_given():
    view = viz.merge_slider(MERGES, "").widget.children[1]
    assert dict(view.ids)["\xff"] == 255 and dict(view.ids)["th"] == 256 and dict(view.ids)[" the"] == 258
    view = viz.merge_slider(WORDS, "low as").widget.children[1]
    assert [token for token, _ in view.ids] == ["a", "l", "o", "s</w>", "w", "w</w>", "lo", "low</w>", "low"]
    view = viz.merge_slider([("a", "b")], "ab", ids={"a": 7, "b": 8, "ab": 9}).widget.children[1]
    assert dict(view.ids) == {"a": 7, "b": 8, "ab": 9}


def test_two_merges_may_make_the_same_token():
    view = viz.merge_slider([("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")], "abc", end_of_word="").widget.children[
        1
    ]
    assert dict(view.ids)["abc"] == 5 and len(view.ids) == 6


def test_merging_is_by_rank_and_from_left_to_right():
    ranks = {("a", "a"): 0, ("aa", "b"): 1, ("b", "c"): 2}
    assert merge(list("aaabc"), ranks, 3) == [("aa", 0), ("a", -1), ("bc", 2)]
    assert merge(list("aabc"), ranks, 3) == [("aab", 1), ("c", -1)]
    assert merge(list("aabc"), ranks, 1) == [("aa", 0), ("b", -1), ("c", -1)]
    assert merge([], ranks, 3) == [] and merge(["a"], ranks, 3) == [("a", -1)]


def test_pieces():
    assert ["".join(map(bytes.decode, p)) for p in pieces("they're a  b", GPT2_PATTERN, "", True)] == [
        "they",
        "'re",
        " a",
        " ",
        " b",
    ]
    assert pieces(" low  s\n", None, "</w>", False) == [["l", "o", "w</w>"], ["s</w>"]]
    assert pieces("", GPT2_PATTERN, "", True) == pieces("", None, "", True) == []
    assert b"".join(b for p in pieces("a1b2", "[a-z]", "", True) for b in p) == b"a1b2", (
        "what the pattern leaves out is kept"
    )


def test_the_still_picture_says_what_it_shows():
    live = viz.merge_slider(MERGES, "the theme <b>", start=2, title="Merges of <english>")
    assert "after 2 merges. 13 bytes → 9 tokens: the | ␣ | the | m | e" in live.picture.alt
    assert "merge 2: th + e → the · made 2 of these tokens, marked ◆" in live.picture.alt
    html = live.picture.html()
    assert (
        html.count("◆the</code>") == 2 and "&lt;english&gt;" in html and "<b>" not in html and "Run this cell" in html
    )
    assert "No merge yet" in repr(viz.merge_slider(MERGES, "the"))
    assert "Only the first 2,000 characters" in repr(
        viz.merge_slider(MERGES, "x" * 2001)
    ) and "… and 1940 more" in repr(viz.merge_slider(MERGES, "x" * 2001))


def test_the_still_picture_explains_its_colours_and_counts_what_is_unknown():
    known = viz.merge_slider(WORDS, "low", start=1).picture
    assert "plain: a single symbol" in known.html() and "dashed" not in known.html() and "vocabulary" not in known.alt
    ids = {"l": 0, "o": 1, "w": 2, "w</w>": 3, "lo": 4, "low</w>": 5, "low": 6}
    some = viz.merge_slider(WORDS, "low xyw", start=1, ids=ids).picture
    assert (
        "6 characters → 5 tokens · 2 not in the vocabulary" in some.alt
        and "dashed: not in the vocabulary" in some.html()
    )
    assert some.html().count("border-style:dashed") == 2


def test_the_legend_is_the_browsers():
    source = browser_code.module("merge_slider.js")
    assert f'LEGEND = "{LEGEND}"' in source and f'DASHED = "{DASHED}"' in source


def test_half_a_character_is_replaced():
    assert viz.merge_slider(MERGES, "a\ud83d b \ud83d\ude00").widget.children[1].text == "a\ufffd b 😀"


@pytest.mark.parametrize(
    "token, shown",
    [
        (b" the", "␣the"), (b"\n\r\t", "↵␍→"), (b"\xe2\x82", "E2 82"), (b"a\xe2\x82", "a E2 82"), (b"\x82\xe2\x82\xac", "82 €"), ("\0", "␀"), ("\x7f", "␡"),
        ("\u0301", "◌\u0301"), ("e\u0301", "e\u0301"), ("\u200b", "U+200B"), ("👩\u200d👧", "👩\u200d👧"), ("\u200d", "U+200D"), ("\u00a0", "U+00A0"),
        ("", "(empty)"), (b"", "(empty)"), ("A9", "A9"), (b"\xa9", "A9"), (b"\xff\xfe\xc0\x80", "FF FE C0 80"), (b"\xed\xa0\x80", "ED A0 80"), ("\ud83d", "U+D83D"),
    ],
)  # fmt: skip
def test_what_can_not_be_seen_gets_a_sign(token, shown):
    assert written(token) == shown


@pytest.mark.parametrize(
    "merges, text, options, sentence",
    [
        ([], "a", {}, "merges is empty"),
        (5, "a", {}, "list of pairs"),
        (["abc"], "a", {}, "list of pairs"),
        ([(b"t", "h")], "a", {}, "all of one kind, but merge 1"),
        ([(116, 104)], "a", {}, "Pass the tokens, not their ids"),
        ([(b"th", b"e")], "a", {}, "merge 1 is .* no earlier merge made it"),
        ([(b"t", b"")], "a", {}, "no single byte"),
        ([*MERGES, (b"t", b"h")], "a", {}, "merge 4, .* was learnt before"),
        ([("lo", "w")], "a", {}, "no single character"),
        ([("w", "</w>")], "a", {}, "glue it to the last character"),
        (MERGES, b"a", {}, "text should be a str; a bytes came"),
        (MERGES, None, {}, "text should be a str"),
        (MERGES, "a", {"start": 4}, "from 0 to 3; 4 came"),
        (MERGES, "a", {"start": -1}, "from 0 to 3"),
        (MERGES, "a", {"start": 1.5}, "from 0 to 3"),
        (MERGES, "a", {"ids": {b"th": 1}}, "no id for b'the'"),
        (MERGES, "a", {"ids": {"th": 1}}, "of the same kind"),
        (MERGES, "a", {"ids": [1]}, "ids should be {token: id}"),
        (MERGES, "a", {"pattern": "("}, "isn't a regular expression"),
        (MERGES, "a", {"pattern": 3}, "as a string; a int came"),
        (MERGES, "a", {"pattern": r"\w+"}, r"can't follow this part of the pattern: '\\\\w\+'"),
        (MERGES, "a", {"pattern": r"(?i)a"}, "can't follow"),
        (MERGES, "a", {"pattern": r"(a)\1"}, "can't follow"),
        (MERGES, "a", {"pattern": r"\p{Han}"}, "can't follow"),
        (MERGES, "a", {"pattern": r"(?i:[^a])"}, "can't follow"),
        (WORDS, "a", {"end_of_word": None}, "end_of_word should be a str"),
    ],
)
def test_bad_input_gets_one_sentence(merges, text, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.merge_slider(merges, text, **options)


def test_patterns_are_translated():
    assert to_javascript(GPT2_PATTERN) == GPT2_PATTERN.replace(r"\s", r"\p{White_Space}").replace(
        r"\S", r"\P{White_Space}"
    )
    assert "++" not in to_javascript(GPT4_PATTERN) and "?i" not in to_javascript(GPT4_PATTERN)


def test_rows_of_tokens():
    rows = viz.tokens(
        {"GPT-2": ["un", " related"], "<BERT>": [b"\xe2\x82", "<b>"]}, title="Two", caption="Each box is a token."
    )
    assert rows.alt == "Two. Tokens by GPT-2, 2 tokens: un | ␣related; <BERT>, 2 tokens: E2 82 | <b>."
    html = rows._repr_mimebundle_()["text/html"]
    assert (
        html.count('class="token"') == 4
        and "&lt;BERT&gt;" in html
        and "<b>" not in html
        and "Each box is a token." in html
    )
    assert viz.tokens([("a", []), ("a", ["x"])]).alt == "Tokens by a, 0 tokens: ; a, 1 token: x."
    assert (
        'dir="rtl"' in viz.tokens({"x": ["שלום"]}).html() and 'dir="rtl"' not in viz.tokens({"x": ["a", "שלום"]}).html()
    )
    assert html.count("title=") == 2 and 'title="U+0020 U+0072 ' in html and 'title="bytes E2 82"' in html, (
        "what shows as it is has no hint"
    )
    pieces = viz.tokens({"x": ["a", "b"], "y": ["ab"]}, title="a  b", unit="piece")
    assert pieces.alt == "a  b. Pieces by x, 2 pieces: a | b; y, 1 piece: ab." and "2 pieces</td>" in pieces.html()
    assert re.search("<caption[^>]*white-space:pre-wrap[^>]*>a  b<", pieces.html())
    assert "… and 100 more" in viz.tokens({"x": ["a"] * 500}).html()


def test_bytes_run_from_left_to_right():
    meem = "م".encode()
    assert 'dir="rtl"' in viz.tokens({"x": [meem, meem]}).html()
    assert 'dir="rtl"' not in viz.tokens({"x": [meem, meem[:1], meem[1:]]}).html()
    assert '<code class="token" dir="ltr"' in viz.tokens({"x": [meem + meem[:1]]}).html()
    still = viz.merge_slider([(meem[:1], meem[1:])], "مم")
    assert 'dir="rtl"' not in still.picture.html()
    assert 'dir="rtl"' in viz.merge_slider([(meem[:1], meem[1:])], "مم", start=1).picture.html()


@pytest.mark.parametrize(
    "rows, sentence",
    [
        ({}, "rows is empty"),
        (3, "should be {label: tokens}"),
        (["a", "b"], "should be {label: tokens}"),
        ({"a": "text"}, "list of str or bytes; one str came"),
        ({"a": [0, 1]}, "one is 0. Pass the tokens, not their ids"),
    ],
)
def test_bad_rows_get_one_sentence(rows, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.tokens(rows)
