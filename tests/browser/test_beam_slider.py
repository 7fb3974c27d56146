"""The beam's slider in a real JupyterLab: by keyboard, in both themes, and as a still picture when the kernel is gone."""

import re

import nbformat
import pytest

from .lab import Lesson, lab_server, next_day, open_page

CELL = """
import torch
from course_lib import viz
from course_lib.decoding import beam_search

words = ["<s>", "</s>", "drei", "hundert", "sechs", "und", "vierzig", "tausend"]

def next_token(ids):
    generators = [torch.Generator().manual_seed(7 + sum(i * token for i, token in enumerate(text))) for text in ids.tolist()]
    return torch.stack([2 * torch.randn(len(words), generator=g) for g in generators])

start = torch.zeros(1, 1, dtype=torch.long)
beams = {k: beam_search(next_token, start, 1, 8, k=k)[0] for k in (1, 2, 3, 4, 5)}
viz.beam_slider(beams, words, k=2, title="A beam")
"""


@pytest.fixture(scope="module")
def lesson(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("beam")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(CELL.strip())]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "beam.ipynb")
    with lab_server(folder) as address, open_page(browser) as page:
        lesson = Lesson(page, address, "beam.ipynb")
        lesson.run_all()
        yield lesson


def kept(found):
    return found.locator(".course-widget svg .kept").count()


def test_the_slider_shows_the_tree_of_each_k(lesson):
    found = lesson.shown(0)
    assert lesson.errors() == [] and lesson.page.problems == []
    handle = found.locator(".noUi-handle")
    assert lesson.until(lambda: handle.get_attribute("aria-label") == "k, the beam's width")
    seen = {}
    lesson.press(handle, "Home")
    for k in (1, 2, 3, 4, 5):
        assert lesson.until(lambda k=k: found.locator("[role=status]").inner_text().startswith(f"k = {k}. The best: "))
        seen[k] = kept(found)  # drawn before the line is written
        lesson.screenshot(f"beam_{k}")
        lesson.press(handle, "ArrowRight")
    hypotheses = found.locator(".course-widget svg .hypothesis")
    assert hypotheses.count() == 5 and hypotheses.first.inner_html().startswith("★ 1. ")
    looks = hypotheses.first.evaluate("n => [getComputedStyle(n).opacity, getComputedStyle(n).fill]")
    assert looks[0] == "1" and looks[1] != "none", "no rule of another widget hides it"
    assert sorted(set(seen.values())) == list(seen.values()), "a wider beam keeps more"
    assert found.locator(".course-widget svg").get_attribute("aria-label").startswith("A beam. Tree of a beam search.")
    assert not found.locator(".course-static").is_visible()


def test_it_follows_the_theme(lesson):
    box = lesson.shown(0).locator(".course-widget svg .dropped text").first
    light = box.evaluate("node => getComputedStyle(node).fill")
    lesson.dark()

    def brightness(colour):
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    assert brightness(light) < 300
    assert lesson.until(lambda: brightness(box.evaluate("node => getComputedStyle(node).fill")) > 450)
    lesson.page.wait_for_timeout(1000)  # the moon that JupyterLab shows meanwhile
    lesson.screenshot("beam_dark")
    lesson.dark(False)


def test_the_still_picture_stands_there_when_the_kernel_is_gone(lesson, browser):
    with next_day(browser, lesson) as reopened:
        found = reopened.shown(0)
        found.locator(".course-static svg").wait_for()
        assert "Run this cell" in found.inner_text() and "model not found" not in found.inner_text()
        assert found.locator(".course-static img").is_hidden(), "one drawing, not two"
        reopened.screenshot("beam_reopened")
