"""Rows of tokens as boxes."""

from course_lib import viz


def test_marked_tokens_are_marked_wherever_they_stand_and_said_in_words():
    shown = viz.tokens([("one", ["<s>", "a", "<e>"]), ("two", ["<e>", "<e>", "b"])], marked=["<e>"], title="Runs")
    html = shown.html()
    assert html.count("◆") == 3 and html.count("◆&lt;e&gt;") == 3
    assert html.count('scope="row"') == 2
    assert "Marked: <e>." in repr(shown)


def test_nothing_is_marked_unless_asked_for():
    shown = viz.tokens({"one": ["<s>", "a", "<e>"]})
    assert "◆" not in shown.html() and "Marked" not in repr(shown)
