"""Lesson 12 in a real JupyterLab: four heads to plug in, curves, labels on a slider, texts of one's own, head views."""

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "12_fine_tuning_bert"
EVERY_PIECE = """def tags_on_pieces(pieces, tags):
    labels, word = [], -1
    for piece in pieces:
        if piece in ("[CLS]", "[SEP]", "[PAD]"):
            labels.append(-100)
            continue
        word += not piece.startswith("##")
        labels.append(tags[word])
    return labels"""
RIGHT = EVERY_PIECE.replace(
    "labels.append(tags[word])", 'labels.append(-100 if piece.startswith("##") else tags[word])'
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_four_heads_to_plug_in(lesson, theme):
    lesson.dark(theme == "dark")
    output = lesson.shown("plugged-in")
    status = output.locator("[role=status]")
    lesson.press(output.locator(".noUi-handle"), "Home")
    assert lesson.until(lambda: "sentiment" in status.inner_text())
    lesson.screenshot(f"12-heads-{theme}")
    lesson.press(output.locator(".noUi-handle"), "End")
    assert lesson.until(lambda: "Task here: spans" in status.inner_text())
    lesson.dark(False)


def test_a_slider_for_the_head_and_one_for_the_labels(lesson):
    output = lesson.shown("slider-labels")
    status = output.locator("[role=status]")
    head, labels = (output.locator(f".noUi-handle[aria-label={name}]") for name in ("head", "labels"))
    lesson.press(head, "Home")
    lesson.press(labels, "Home")
    assert lesson.until(lambda: "sentiment, 10 labelled examples" in status.inner_text())
    lesson.press(labels, "End")
    lesson.press(head, "ArrowRight")
    assert lesson.until(lambda: "verdict, 500 labelled examples: tuned 1.00" in status.inner_text())
    lesson.screenshot("12-labels")


def test_a_curve_for_each_task(lesson):
    output = lesson.shown("curves")
    lesson.press(output.locator(".noUi-handle"), "End")
    shown = output.locator("section:not([hidden]) img, .pictures img:visible, img:visible").first
    assert lesson.until(lambda: "language" in (shown.get_attribute("alt") or ""))
    lesson.screenshot("12-curves")


@pytest.mark.parametrize(
    ("cell", "typed", "answer"),
    [
        ("type-a-review", "last week i had a meal . the soup was dreadful .", "bad with 0.9"),
        ("tagger-code", "nora works as a teacher .", "teacher JOB"),
        ("type-a-date", "jueves, 12 de marzo de 1987", "Spanish"),
    ],
)
def test_a_text_of_ones_own(lesson, cell, typed, answer):
    output = lesson.shown(cell)
    box, status = output.locator("input[type=text]"), output.locator("[role=status]")
    assert lesson.until(lambda: answer in status.inner_text() or status.inner_text())
    box.fill(typed)
    box.press("Enter")
    assert lesson.until(lambda: answer in status.inner_text() and typed.split()[1] in status.inner_text())
    lesson.screenshot(f"12-{cell}")


@pytest.mark.parametrize("cell", ["head-view-before", "head-view-after"])
def test_bertviz(lesson, cell):
    frame = lesson.shown(cell).frame_locator("iframe")
    frame.locator("svg").first.wait_for()
    lesson.screenshot(f"12-{cell}")


def test_a_wrong_answer_is_named_and_the_right_one_passes(lesson):
    assert "Not attempted yet" in lesson.check("12.tags_on_pieces").inner_text()
    assert "Only a word's first piece is asked" in lesson.answer("12.tags_on_pieces", EVERY_PIECE).inner_text()
    lesson.screenshot("12-wrong-answer")
    assert "Passed" in lesson.answer("12.tags_on_pieces", RIGHT).inner_text()
    assert lesson.page.problems == []
