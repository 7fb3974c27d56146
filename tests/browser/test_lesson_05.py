"""Lesson 05 in a real JupyterLab: its sliders by mouse and keyboard, in both themes, and a check's verdicts."""

import math
import re

import pytest

from course_lib.app import lab
from course_lib.workbook.workbook import Workbook

from .lab import Lesson, lab_server, open_page
from .test_lessons import index_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HALVES = """def sinusoidal(positions, d_model, base=10_000.0):
    pairs = torch.arange(0, d_model, 2, dtype=positions.dtype)
    angles = positions[:, None] * base ** (-pairs / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)"""
RIGHT = HALVES.replace("torch.cat(", "torch.stack(").replace("dim=-1)", "dim=-1).flatten(-2)")


@pytest.fixture(scope="module")
def lesson(browser, tmp_path_factory):
    """A fresh student's copy; the set-up has run, nothing else."""
    folder = tmp_path_factory.mktemp("student") / "workbook"
    Workbook(folder).refresh()
    with (
        lab_server(folder, {"JUPYTER_CONFIG_PATH": str(lab.CONFIG), "OMP_NUM_THREADS": "1"}) as address,
        open_page(browser) as page,
    ):
        lesson = Lesson(page, address, "05_positions.ipynb")
        lesson.run_cell(index_of(lesson, "setup"))
        yield lesson
        assert page.problems == []


def shown(lesson, *cells):
    """Runs cells; the last one's output, in view."""
    for cell in cells:
        lesson.run_cell(index_of(lesson, cell))
    lesson.show(index_of(lesson, cells[-1]))
    return lesson.output(index_of(lesson, cells[-1]))


def said(output):
    """Base, d_model, wavelength of the last pair, shift, lowest and highest similarity along the line."""
    text = output.locator("[role=status]").inner_text()
    found = re.search(
        r"Base ([\d,]+), d_model (\d+): .* the last in ([\d,.]+)\. Positions (\d+) apart: similarity from (−?[\d.]+) to (−?[\d.]+)\.",
        text,
    )
    return [float(number.replace(",", "").replace("−", "-")) for number in found.groups()]


def similarity(base, d_model, shift):
    return sum(math.cos(shift * base ** (-2 * i / d_model)) for i in range(int(d_model) // 2)) / (d_model // 2)


@pytest.fixture(scope="module")
def heatmaps(lesson):
    output = shown(lesson, "sliders-code")
    output.locator("canvas").first.wait_for()
    return output


@pytest.mark.parametrize("name", ["base", "d_model", "shift"])
def test_each_slider_by_keyboard(lesson, heatmaps, name):
    heatmaps.scroll_into_view_if_needed()
    handle = heatmaps.locator(f".noUi-handle[aria-label={name}]")
    assert handle.count() == 1
    handle.focus()
    before, picture = said(heatmaps), heatmaps.locator(".panels").screenshot()
    for _ in range(6):
        lesson.page.keyboard.press("ArrowLeft")
    lesson.page.wait_for_timeout(300)
    after = said(heatmaps)
    moved = {"base": 0, "d_model": 1, "shift": 3}[name]
    assert after[moved] < before[moved] and heatmaps.locator(".panels").screenshot() != picture
    base, d_model, slowest, shift, low, high = after
    assert low == high == pytest.approx(similarity(base, d_model, shift), abs=0.011), "along the line nothing changes"
    assert slowest == pytest.approx(2 * math.pi * base ** ((d_model - 2) / d_model), rel=0.02)


def test_shift_answers_while_it_is_dragged(lesson, heatmaps):
    handle = heatmaps.locator(".noUi-handle[aria-label=shift]")
    handle.scroll_into_view_if_needed()
    box, seen = handle.bounding_box(), []
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    lesson.page.mouse.move(x, y)
    lesson.page.mouse.down()
    for far in (40, 80, 120):
        lesson.page.mouse.move(x + far, y, steps=4)
        lesson.page.wait_for_timeout(200)
        seen.append(said(heatmaps)[3])
    lesson.page.mouse.up()
    assert seen[0] < seen[1] < seen[2]


def test_the_canvas_holds_the_formula(lesson, heatmaps):
    """Pointing at a cell reads its number; the switch sorts the columns."""
    heatmaps.locator(".noUi-handle[aria-label=base]").focus()
    lesson.page.keyboard.press("Home")
    lesson.page.wait_for_timeout(200)
    base, d_model, *_ = said(heatmaps)
    table = heatmaps.locator("canvas").first
    table.scroll_into_view_if_needed()
    size = table.bounding_box()
    width, height = table.evaluate("canvas => [canvas.width, canvas.height]")
    assert (width, height) == (d_model, 64)

    def number_at(position, column):
        table.hover(
            position={"x": (column + 0.5) * size["width"] / width, "y": (position + 0.5) * size["height"] / height}
        )
        text = heatmaps.locator("p.note").last.inner_text()
        assert text.startswith(f"Position {position}, number {column}: ")
        return float(text.split(": ")[1].replace("−", "-"))

    angle = 10 * base ** (-2 * 3 / d_model)
    assert number_at(10, 6) == pytest.approx(math.sin(angle), abs=0.011) and number_at(10, 7) == pytest.approx(
        math.cos(angle), abs=0.011
    )
    heatmaps.locator("input[type=checkbox]").check()
    lesson.page.wait_for_timeout(200)
    assert number_at(10, 3) == pytest.approx(math.sin(angle), abs=0.011) and number_at(
        10, int(d_model) // 2 + 3
    ) == pytest.approx(math.cos(angle), abs=0.011)
    heatmaps.locator("input[type=checkbox]").uncheck()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, heatmaps, theme):
    lesson.dark(theme == "dark")
    lesson.show(index_of(lesson, "sliders-code"))
    assert heatmaps.locator(".course-static").is_hidden() and heatmaps.locator("canvas").first.is_visible()
    lesson.screenshot(f"05-heatmaps-{theme}")
    lesson.dark(False)


def test_clipping_slider(lesson):
    output = shown(lesson, "clipping")
    output.locator(".noUi-handle").focus()
    lesson.page.keyboard.press("End")
    output.get_by_text("k = 7: a table of 15 vectors; 15 of them").wait_for()
    lesson.page.keyboard.press("Home")
    output.get_by_text("k = 0: a table of 1 vectors; 1 of them").wait_for()
    lesson.screenshot("05-clipping")


def test_a_layout_mix_up_is_named_and_the_right_one_is_kept(lesson):
    answer, check = "05-sinusoidal", "05-sinusoidal-check"
    assert "Not attempted yet" in shown(lesson, answer, check).inner_text()
    lesson.show(index_of(lesson, answer))
    lesson.type_into(index_of(lesson, answer), HALVES)
    verdict = shown(lesson, answer, check)
    assert "All the sines stand first" in verdict.inner_text() and verdict.locator("img").count() == 1
    lesson.screenshot("05-wrong-answer")
    lesson.show(index_of(lesson, answer))
    lesson.type_into(index_of(lesson, answer), RIGHT)
    assert "Passed" in shown(lesson, answer, check).inner_text()
    assert "Using your own sinusoidal" in shown(lesson, "own-sinusoids").inner_text()


def test_the_bug_that_is_given_is_found_untouched_then_known(lesson):
    answer, check = "05-rotary", "05-rotary-check"
    assert "Not attempted yet" in shown(lesson, answer, check).inner_text()
    buggy = lesson.source(index_of(lesson, answer))
    assert "repeat_interleave" in buggy
    lesson.show(index_of(lesson, answer))
    lesson.type_into(index_of(lesson, answer), buggy.replace("    return", "    unused = 1\n    return"))
    assert "Nothing has changed yet" in shown(lesson, answer, check).inner_text()
    lesson.show(index_of(lesson, answer))
    lesson.type_into(
        index_of(lesson, answer),
        buggy.replace("angles = angles.repeat_interleave(2, dim=-1)", "angles = torch.cat([angles, angles], dim=-1)"),
    )
    assert "Passed" in shown(lesson, answer, check).inner_text()
