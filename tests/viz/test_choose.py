"""A choice among pictures, from Python's side: which is drawn for which controls."""

import pytest

from course_lib import viz


def draw(part="attention", masked=False):
    return viz.block_drawing(masked=masked, lit=part), f"{part}, masked: {masked}"


def test_every_combination_is_drawn_and_the_first_is_shown():
    live = viz.choose(draw, label="A block", part=["attention", "feed_forward"], masked=True)
    *controls, view = live.widget.children
    assert list(live.sliders) == ["part", "masked"] and controls == list(live.sliders.values())
    assert view.said == [f"{p}, masked: {m}" for p in ("attention", "feed_forward") for m in (False, True)]
    assert (view.counts, view.choice_0, view.choice_1) == ([2, 2], 0, 1)
    assert all(picture.startswith("<svg") for picture in view.pictures) and len(set(view.pictures)) == 4
    assert live.picture.alt.endswith("attention, masked: True") and "Run this cell" in live.picture.caption
    assert [(link.source[1], link.target[1]) for link in live.widget.links] == [
        ("index", "choice_0"),
        ("value", "choice_1"),
    ]


def test_any_picture_will_do():
    live = viz.choose(lambda n: viz.mask_map([[True] * n], ["a"], list("bcd")[:n]), label="Masks", n=[1, 2])
    assert all("data:image/png" in picture for picture in live.widget.children[-1].pictures)


@pytest.mark.parametrize(
    "choices, sentence",
    [({}, "got 0 controls"), ({"part": []}, "0 pictures"), ({"part": ["attention"] * 49}, "49 pictures")],
)
def test_bad_input_gets_one_sentence(choices, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.choose(draw, label="A block", **choices)


def test_something_else_is_no_picture():
    with pytest.raises(viz.PictureError, match="got a str"):
        viz.choose(lambda part: "no", label="A block", part=["attention"])
