"""Lesson 01 as a student meets it: the score family in the browser, the redrawn sliders, the text box, light and dark."""

import json
import re

import nbformat
import pytest

from course_lib.exercises.lesson_01 import LESSON
from course_lib.support.paths import NOTEBOOKS

from .lab import Lesson, end_kernels, lab_server, open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# The lesson's own pictures, without its training: the text box gets a stand-in for the trained model.
STAND_IN = """
import torch
from course_lib import viz
from course_lib.corpora.number_words import list_tokens, parse_numbers

def alignment_picture(text):
    source, target = (list_tokens(parse_numbers(text, "en"), code) for code in ("en", "de"))
    return viz.heatmap(torch.eye(max(len(source), len(target)))[: len(target), : len(source)], target, source)

viz.text_picture(alignment_picture, "twenty-one, eight", label="numbers:")
"""
WEIGHTS = """
import json
from course_lib.viz.widgets.score_family import family_weights
angle, length = torch.tensor(85.0).deg2rad(), 2.0
weights = family_weights(length * torch.stack([angle.cos(), angle.sin()]), keys, **learned)
print(json.dumps({name: row.tolist() for name, row in weights.items()}))
"""


@pytest.fixture(scope="module")
def cells():
    return {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / f"{LESSON.name}.ipynb", as_version=4).cells}


@pytest.fixture(scope="module")
def address(tmp_path_factory, cells):
    folder = tmp_path_factory.mktemp("lesson_01")
    sources = [
        cells["setup"],
        cells["rnn-loop"],
        cells["readers"],
        cells["influence-slider"],
        cells["score-family"],
        WEIGHTS.strip(),
        STAND_IN.strip(),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources], metadata=kernel),
        folder / "lesson.ipynb",
    )
    with lab_server(folder) as address:
        yield address


INFLUENCE, FAMILY, NUMBERS, TEXT = 3, 4, 5, 6


@pytest.fixture(scope="module")
def lesson(browser, address):
    with open_page(browser) as page:
        lesson = Lesson(page, address, "lesson.ipynb")
        lesson.run_all()
        lesson.save()
        yield lesson


@pytest.fixture
def output(lesson):
    def find(index):
        lesson.show(index)
        return lesson.output(index)

    return find


def press(lesson, handle, key, times=1):
    handle.focus()
    for _ in range(times):
        lesson.page.keyboard.press(key)
    lesson.page.wait_for_timeout(400)


def test_everything_runs(lesson):
    assert lesson.errors() == [] and lesson.page.problems == []


def test_the_browsers_scores_are_the_librarys(lesson, output):
    printed = json.loads(output(NUMBERS).inner_text())
    found = output(FAMILY)
    direction, length = found.locator(".noUi-handle").all()
    assert direction.get_attribute("aria-label") == "direction of the query, degrees"
    press(lesson, direction, "Home")
    press(lesson, direction, "ArrowRight", 17)  # 5 degrees each
    press(lesson, length, "End")
    press(lesson, length, "ArrowLeft", 5)  # from 2.5 by 0.1
    assert "direction 85° and length 2.0" in found.locator("[role=status]").inner_text()
    for name, row in printed.items():
        shown = [float(number.inner_text()) for number in found.locator(f"[data-score='{name}'] .number").all()]
        assert shown == pytest.approx(row, abs=0.006), name
    assert len(printed) == 5


def test_turning_the_query_moves_the_arrow_and_the_cosine_ignores_its_length(lesson, output):
    found = output(FAMILY)
    direction, length = found.locator(".noUi-handle").all()
    numbers = lambda name: found.locator(f"[data-score='{name}'] .number").all_inner_texts()  # noqa: E731
    press(lesson, length, "Home")
    before = {name: numbers(name) for name in ("cosine", "dot", "additive")}
    press(lesson, length, "End")
    assert numbers("cosine") == before["cosine"]
    assert numbers("dot") != before["dot"] and numbers("additive") != before["additive"]
    arrow = found.locator("svg .arrow.query").get_attribute("x2")
    press(lesson, direction, "ArrowRight", 4)
    assert found.locator("svg .arrow.query").get_attribute("x2") != arrow
    assert numbers("cosine") != before["cosine"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_family_answers_while_it_is_dragged(lesson, output, theme):
    found = output(FAMILY)
    lesson.dark(theme == "dark")
    track, handle = found.locator(".noUi-base").first.bounding_box(), found.locator(".noUi-handle").first.bounding_box()
    mouse, y, seen = lesson.page.mouse, handle["y"] + handle["height"] / 2, set()
    mouse.move(handle["x"] + handle["width"] / 2, y)
    mouse.down()
    for part in (0.1, 0.4, 0.8):
        mouse.move(track["x"] + part * track["width"], y, steps=4)
        lesson.page.wait_for_timeout(200)
        seen.add(found.locator("[role=status]").inner_text())
    mouse.up()
    lesson.screenshot(f"score-family-{theme}")
    lesson.dark(False)
    assert len(seen) == 3


def test_a_longer_text_is_measured_again(lesson, output):
    found = output(INFLUENCE)
    handle = found.locator(".noUi-handle")
    press(lesson, handle, "Home")
    short, words = found.locator("img.course-picture").screenshot(), found.locator("[role=status]").inner_text()
    assert "GRU nowhere" in words and "attention nowhere" in words
    press(lesson, handle, "End")
    lesson.page.wait_for_timeout(800)
    words = found.locator("[role=status]").inner_text()
    assert re.search(
        r"RNN from \d+ words on; GRU from \d+ words on; convolution from 4 words on; attention nowhere", words
    )
    assert found.locator("img.course-picture").screenshot() != short


def test_the_text_box_draws_what_is_typed_and_says_what_it_cant_read(lesson, output):
    found = output(TEXT)
    box, status = found.locator("input[type=text]"), found.locator("[role=status]")
    first = found.locator("img.course-picture").screenshot()

    def enter(text, said):
        box.fill(text)
        box.press("Enter")
        status.filter(has_text=said).wait_for(timeout=15_000)

    enter("42 8 3", said="7 queries × 6 keys")  # zwei und vierzig , acht , drei
    lesson.page.wait_for_timeout(500)
    assert found.locator("img.course-picture").screenshot() != first
    enter("elevn", said="'elevn' is in none of the English numbers")
    enter("", said="There is no number in this text")
    lesson.screenshot("text-box-error")
    enter("twenty-one forty-two, ninety nine", said="11 queries × 8 keys")
    assert lesson.page.problems == []


def test_without_a_kernel_the_family_still_turns(browser, address, lesson):
    lesson.save()
    end_kernels(address)
    with open_page(browser) as page:
        reopened = Lesson(page, address, "lesson.ipynb")
        reopened.show(FAMILY)
        found = reopened.output(FAMILY)
        assert found.locator("img[alt*='five scores'], .course-scores").count() >= 1, "the widget or its still picture"
