"""The merges slider and rows of tokens, from Python's side: what they send to the browser, their still pictures, their sentences."""

import re

import pytest

from course_lib import viz
from course_lib.tokenizers.pretokenize import GPT2 as GPT2_PATTERN
from course_lib.viz.tokens import display_parts
from course_lib.viz.widgets import merge_slider as sliders

MERGES = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the")]
WORDS = [("l", "o"), ("lo", "w</w>"), ("lo", "w")]


def written(token):
    return "".join(text for _, text in display_parts(token))


def test_the_slider_is_linked_in_the_browser():
    live = viz.merge_slider(MERGES, "the", start=2)
    slider, view = live.widget.children
    assert slider is live.sliders["merges"] and slider.description == "merges"
    assert (slider.min, slider.max, slider.value, view.merges_used) == (0, 3, 2, 2)
    assert [(link.source, link.target) for link in live.widget.links] == [((slider, "value"), (view, "merges_used"))]
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
    assert sliders._encode(list("aaabc"), ranks) == [("aa", 0), ("a", -1), ("bc", 2)]
    assert sliders._encode(list("aabc"), ranks) == [("aab", 1), ("c", -1)]
    assert sliders._encode(list("aabc"), {("a", "a"): 0}) == [("aa", 0), ("b", -1), ("c", -1)]
    assert sliders._encode([], ranks) == [] and sliders._encode(["a"], ranks) == [("a", -1)]


def test_pieces():
    cut = sliders._pieces("they're a  b", True, "")
    assert [b"".join(piece) for piece in cut] == [b"they", b"'re", b" a", b" ", b" b"]
    assert sliders._pieces(" low  s\n", False, "</w>") == [["l", "o", "w</w>"], ["s</w>"]]
    assert sliders._pieces("", True, "") == []


def test_the_pattern_is_the_tokenizers():
    spelled_out = GPT2_PATTERN.replace(r"\s", r"\p{White_Space}").replace(r"\S", r"\P{White_Space}")
    assert spelled_out == sliders.GPT2


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
        (MERGES, b"a", {}, "text should be a str; got a bytes"),
        (MERGES, None, {}, "text should be a str"),
        (MERGES, "a", {"start": 4}, "from 0 to 3; got 4"),
        (MERGES, "a", {"start": -1}, "from 0 to 3"),
        (MERGES, "a", {"start": 1.5}, "from 0 to 3"),
        (MERGES, "a", {"ids": {b"th": 1}}, "no id for b'the'"),
        (MERGES, "a", {"ids": {"th": 1}}, "of the same kind"),
        (MERGES, "a", {"ids": [1]}, "ids should be {token: id}"),
        (WORDS, "a", {"end_of_word": None}, "end_of_word should be a str"),
    ],
)
def test_bad_input_gets_one_sentence(merges, text, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.merge_slider(merges, text, **options)


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
        ({"a": "text"}, "list of str or bytes; got one str"),
        ({"a": [0, 1]}, "one is 0. Pass the tokens, not their ids"),
    ],
)
def test_bad_rows_get_one_sentence(rows, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.tokens(rows)
