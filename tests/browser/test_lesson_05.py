"""Lesson 05 in a real JupyterLab: its sliders by mouse and keyboard, in both themes, and a check's verdicts."""

import math
import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "05_positions"
HALVES = """def sinusoidal(positions, d_model, base=10_000.0):
    pairs = torch.arange(0, d_model, 2, dtype=positions.dtype)
    angles = positions[:, None] * base ** (-pairs / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)"""
ROTARY = """def rotary(x, base=10_000.0):
    n, d_k = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)
    angles = torch.arange(n, dtype=x.dtype)[:, None] * frequencies
    angles = {angles}
    a, b = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat([{minus}], dim=-1) * angles.sin()"""
RIGHT = HALVES.replace("torch.cat(", "torch.stack(").replace("dim=-1)", "dim=-1).flatten(-2)")


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


@pytest.fixture
def heatmaps(lesson):
    output = lesson.shown("sliders-code")
    output.locator("canvas").first.wait_for()
    return output


@pytest.mark.parametrize("name", ["base", "d_model", "shift"])
def test_each_slider_by_keyboard(lesson, heatmaps, name):
    handle = heatmaps.locator(f".noUi-handle[aria-label={name}]")
    assert lesson.until(lambda: handle.count() == 1)
    before, picture = said(heatmaps), heatmaps.locator(".panels").screenshot()
    lesson.press(handle, "ArrowLeft", 6)
    moved = {"base": 0, "d_model": 1, "shift": 3}[name]
    assert lesson.until(lambda: said(heatmaps)[moved] < before[moved])
    assert lesson.until(lambda: heatmaps.locator(".panels").screenshot() != picture)
    after = said(heatmaps)
    base, d_model, slowest, shift, low, high = after
    assert low == high == pytest.approx(similarity(base, d_model, shift), abs=0.011), "along the line nothing changes"
    assert slowest == pytest.approx(2 * math.pi * base ** ((d_model - 2) / d_model), rel=0.02)


def test_shift_answers_while_it_is_dragged(lesson, heatmaps):
    slider = heatmaps.locator(".noUi-target", has=lesson.page.locator("[aria-label=shift]"))
    lesson.press(slider.locator(".noUi-handle"), "Home")
    seen = [said(heatmaps)[3]]
    for _ in lesson.dragging(slider, (0.2, 0.5, 0.8)):
        assert lesson.until(lambda: said(heatmaps)[3] > seen[-1])
        seen.append(said(heatmaps)[3])


def test_the_canvas_holds_the_formula(lesson, heatmaps):
    """Pointing at a cell reads its number; the switch sorts the columns."""
    lesson.press(heatmaps.locator(".noUi-handle[aria-label=base]"), "Home")
    assert lesson.until(lambda: said(heatmaps)[0] == 2)
    base, d_model, *_ = said(heatmaps)
    table = heatmaps.locator("canvas").first
    table.scroll_into_view_if_needed()
    size = table.bounding_box()
    width, height = table.evaluate("canvas => [canvas.width, canvas.height]")
    assert (width, height) == (d_model, 64)  # of what was drawn together with the line that said() read

    def number_at(position, column):
        table.hover(
            position={"x": (column + 0.5) * size["width"] / width, "y": (position + 0.5) * size["height"] / height}
        )
        told = f"Position {position}, number {column}: "
        read = heatmaps.locator("p.note").last.filter(has_text=told)
        return float(read.inner_text().removeprefix(told).replace("−", "-"))

    angle = 10 * base ** (-2 * 3 / d_model)
    assert number_at(10, 6) == pytest.approx(math.sin(angle), abs=0.011) and number_at(10, 7) == pytest.approx(
        math.cos(angle), abs=0.011
    )
    heatmaps.locator("input[type=checkbox]").check()
    assert lesson.until(lambda: number_at(10, 3) == pytest.approx(math.sin(angle), abs=0.011))
    assert number_at(10, int(d_model) // 2 + 3) == pytest.approx(math.cos(angle), abs=0.011)
    heatmaps.locator("input[type=checkbox]").uncheck()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, heatmaps, theme):
    lesson.dark(theme == "dark")
    heatmaps.locator(".course-static").wait_for(state="hidden"), heatmaps.locator("canvas").first.wait_for()
    lesson.screenshot(f"05-heatmaps-{theme}")
    lesson.dark(False)


def test_clipping_slider(lesson):
    output = lesson.shown("clipping")
    handle = output.locator(".noUi-handle")
    lesson.press(handle, "End")
    output.get_by_text("k = 7: a table of 15 vectors; 15 of them").wait_for()
    lesson.press(handle, "Home")
    output.get_by_text("k = 0: a table of 1 vectors; 1 of them").wait_for()
    lesson.screenshot("05-clipping")


def test_a_layout_mix_up_is_named_and_the_right_one_is_kept(lesson):
    assert "Not attempted yet" in lesson.check("05.sinusoidal").inner_text()
    verdict = lesson.answer("05.sinusoidal", HALVES)
    assert "All the sines stand first" in verdict.inner_text() and verdict.locator("img").count() == 1
    lesson.screenshot("05-wrong-answer")
    assert "Passed" in lesson.answer("05.sinusoidal", RIGHT).inner_text()
    lesson.run("own-sinusoids")
    assert "Using your own sinusoidal" in lesson.shown("own-sinusoids").inner_text()


def test_the_arrows_turn_and_only_the_distance_counts(lesson):
    output = lesson.shown("turning")

    def told():
        text = output.locator("[role=status]").inner_text()
        found = re.search(r"Query at (\d+), key at ([−-]?\d+): the score is ([−-]?\d+\.\d+)\.", text)
        return [float(number.replace("−", "-")) for number in found.groups()]

    query_at, words_back = output.locator(".noUi-handle").nth(0), output.locator(".noUi-handle").nth(1)
    query, key, score = told()
    lesson.press(query_at, "ArrowRight", 3)
    assert lesson.until(lambda: told() == [query + 3, key + 3, score]), "both turn, their angle stays"
    lesson.press(words_back, "ArrowRight", 3)
    assert lesson.until(lambda: told()[:2] == [query + 3, key] and told()[2] != score)
    lesson.screenshot("05-turning")


def test_rotary_is_written_and_kept(lesson):
    assert "Not attempted yet" in lesson.check("05.rotary").inner_text()
    two_programs = ROTARY.format(angles="angles.repeat_interleave(2, dim=-1)", minus="-b, a")
    assert "laid out for neighbours" in lesson.answer("05.rotary", two_programs).inner_text()
    backwards = ROTARY.format(angles="torch.cat([angles, angles], dim=-1)", minus="b, -a")
    assert "The pairs turn backwards" in lesson.answer("05.rotary", backwards).inner_text()
    right = ROTARY.format(angles="torch.cat([angles, angles], dim=-1)", minus="-b, a")
    assert "Passed" in lesson.answer("05.rotary", right).inner_text()
    lesson.run("own-rotary")
    assert "Using your own rotary" in lesson.shown("own-rotary").inner_text()
    assert lesson.page.problems == []
