"""Every picture and slider in a real JupyterLab: by mouse, by keyboard, in the dark, reopened, untrusted, exported."""

import re

import nbformat
import pytest

from .lab import Lesson, end_kernels, lab_server, open_page, until

SETUP = """
import torch
from course_lib import viz
tokens = "The animal didn't cross the street because it was too tired".split()
n = len(tokens)
generator = torch.Generator().manual_seed(0)
attention = torch.softmax(2 * torch.randn(3, 4, n, n, generator=generator), -1)
scores = 2 * torch.randn(n, n, generator=generator)
query, keys = torch.randn(64, 1024, generator=generator), torch.randn(6, 1024, generator=generator)
queries_and_keys = torch.randn(2, 3, 4, n, 16, generator=generator)

def draw(figure, temperature=1.0):
    if temperature > 3.9:
        raise ValueError("too hot")
    figure.subplots().bar(tokens, torch.softmax(scores[7] / temperature, -1))
    return f"temperature {temperature:.1f}"
"""
CELLS = {
    "heatmap": "viz.heatmap(attention[0], tokens, title='Layer 0')",
    "curve": "viz.curve([1, 4, 16, 64], [1, 2.1, 3.9, 8.2], reference=('√d_k', [1, 2, 4, 8]), x='length of the key, d_k', y='spread', log=True)",
    "bars": "viz.softmax_temperature(scores[7], tokens)",
    "matrix": "viz.softmax_temperature(scores, tokens)",
    "spread": "viz.softmax_spread(query, keys, tokens[:6])",
    "redraw": "viz.redraw_slider(draw, temperature=(0.1, 4, 0.1))",
    "head": "viz.head_view(attention, ['</script>', *tokens[1:]])",
    "model": "viz.model_view(attention, tokens)",
    "neuron": "viz.neuron_view(*queries_and_keys, None, tokens)",
}
AT = {name: i + 1 for i, name in enumerate(CELLS)}
SLIDERS, VIEWS = ["bars", "matrix", "spread", "redraw"], ["head", "model", "neuron"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("viz")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(source) for source in (SETUP.strip(), *CELLS.values())]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "viz.ipynb")
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with lab_server(folder) as address:
        yield address


@pytest.fixture(scope="module")
def lesson(browser, address):
    """The notebook, run once and saved; the tests move things in it, each from whatever state it finds."""
    with open_page(browser) as page:
        lesson = Lesson(page, address, "viz.ipynb")
        lesson.run_all()
        lesson.save()
        yield lesson


@pytest.fixture
def output(lesson):
    """output("bars"): the locator of that cell's output, scrolled into view."""
    return lambda name: lesson.shown(AT[name])


def frame(found):
    return found.locator("iframe").content_frame


def temperature_said(found):
    return float(re.search(r"temperature (\d+\.\d+)", found.locator("[role=status]").inner_text())[1])


def test_everything_runs_without_an_error(lesson):
    assert lesson.errors() == []
    assert lesson.page.problems == []


@pytest.mark.parametrize("name", ["bars", "matrix", "redraw"])
def test_the_slider_works_by_keyboard(lesson, output, name):
    found = output(name)
    handle = found.locator(".noUi-handle")
    lesson.press(handle, "Home")
    assert lesson.until(lambda: temperature_said(found) < 0.2)
    before, cold = found.screenshot(), temperature_said(found)
    lesson.press(handle, "ArrowRight", times=5)
    assert lesson.until(lambda: temperature_said(found) > cold)
    assert lesson.until(lambda: found.screenshot() != before)


@pytest.mark.parametrize("name", ["bars", "matrix", "redraw"])
def test_the_slider_answers_while_it_is_dragged(lesson, output, name):
    found, seen = output(name), [(0.0, b"")]
    for _ in lesson.dragging(found.locator(".noUi-target"), (0.1, 0.4, 0.8)):
        assert lesson.until(lambda: temperature_said(found) > seen[-1][0])
        assert lesson.until(lambda: found.screenshot() != seen[-1][1])
        seen.append((temperature_said(found), found.screenshot()))


def test_the_drawn_weights_are_the_softmax(lesson, output):
    found = output("bars")
    numbers = [float(text.replace("−", "-")) for text in found.locator(".number").all_inner_texts()]
    scores, weights = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
    powers = [2.718281828 ** (s / temperature_said(found)) for s in scores]
    assert weights == pytest.approx([p / sum(powers) for p in powers], abs=0.02)
    assert found.locator(".noUi-handle").get_attribute("aria-label") == "temperature"


def test_the_spread_slider_and_its_switch(lesson, output):
    found = output("spread")
    found.locator(".noUi-handle").focus()
    lesson.page.keyboard.press("End")
    said = found.locator("[role=status]")
    said.filter(has_text="d_k = 1024, not divided").wait_for()
    largest = float(re.search(r"weight is (\d\.\d+)", said.inner_text())[1])
    point = found.locator("circle").get_attribute("cy")
    lesson.screenshot("spread_without_scale")
    found.locator("input[type=checkbox]").check()
    said.filter(has_text="d_k = 1024, divided").wait_for()
    assert float(re.search(r"weight is (\d\.\d+)", said.inner_text())[1]) < largest == pytest.approx(1, abs=0.02)
    assert float(found.locator("circle").get_attribute("cy")) < float(point), "the gradient is back"
    found.locator("input[type=checkbox]").uncheck()


def test_an_error_while_drawing_is_a_sentence_below(lesson, output):
    found = output("redraw")
    found.locator(".noUi-handle").focus()
    lesson.page.keyboard.press("End")
    found.get_by_text("At temperature = 4.0 the picture could not be drawn: ValueError: too hot").wait_for()
    lesson.page.keyboard.press("Home")
    found.get_by_text("temperature 0.1").wait_for()


def test_a_still_picture_hides_behind_its_live_widget(output):
    for name in SLIDERS + VIEWS:
        still = output(name).locator(".course-static")
        still.wait_for(state="hidden")
        assert still.count() == 1, name


def test_head_view_is_live(lesson, output):
    found = output("head")
    view = frame(found)
    assert lesson.until(lambda: "</script>" in view.locator("#left text").all_text_contents())
    view.get_by_role("combobox", name="Layer").select_option("2")
    lines = view.locator("#attention line[stroke-opacity]:not([stroke-opacity='0'])")
    view.get_by_role("checkbox", name="head 1").dblclick()

    def checked():
        return [box.get_attribute("aria-checked") for box in view.get_by_role("checkbox").all()]

    assert lesson.until(lambda: checked() == ["false", "true", "false", "false"])
    assert lesson.until(lambda: 0 < lines.count() <= 121)
    view.get_by_role("checkbox", name="head 3").focus()
    lesson.page.keyboard.press("Space")
    assert lesson.until(lambda: checked() == ["false", "true", "false", "true"])
    view.locator("#left text", has_text="it").first.hover()
    assert lesson.until(lambda: view.locator("#attention line[visibility=visible]").count() == 4 * 11)
    lesson.screenshot("head_view")

    def height(locator):
        return locator.bounding_box()["height"]

    fits = lesson.until(lambda: height(found.locator("iframe")) >= height(view.locator("body")) - 1)
    assert fits, "no scroll bar inside the frame"


def test_model_view_is_live(lesson, output):
    view = frame(output("model"))
    assert lesson.until(lambda: view.locator(".attn_background").count() == 12)
    view.locator("#attn_background_1_2").locator("xpath=../*[last()]").click()
    view.get_by_text("Layer 1, Head 2").wait_for()
    lesson.screenshot("model_view")


def test_neuron_view_is_live(lesson, output):
    view = frame(output("neuron"))
    view.get_by_role("combobox", name="Head").select_option("3")
    softmaxes = view.locator("#expanded #dotproducts")
    assert lesson.until(lambda: softmaxes.evaluate("node => node.style.opacity") == "0")
    view.locator("#expanded text.token", has_text="street").first.hover()
    shown = lesson.until(lambda: softmaxes.evaluate("node => node.style.opacity") == "1")
    assert shown, "query, keys, products and softmax of that word are shown"
    lesson.screenshot("neuron_view")


def test_dark_theme(lesson, output):
    lesson.dark()
    try:
        for name in CELLS:
            output(name)
            lesson.screenshot(f"dark_{name}")
        word = output("bars").locator(".word").first

        def ink():
            return re.findall(r"\d+", word.evaluate("node => getComputedStyle(node).color"))[:3]

        assert lesson.until(lambda: min(map(int, ink())) > 150), "light words on a dark page"
    finally:
        lesson.dark(False)
    for name in CELLS:
        output(name)
        lesson.screenshot(f"light_{name}")


def test_nothing_went_wrong_meanwhile(lesson):
    assert lesson.errors() == []
    assert lesson.page.problems == []


def test_reopened_after_the_kernel_is_gone(lesson, browser, address):
    """JupyterLab says "model not found" for each widget; we show the still picture in that place."""
    lesson.save()
    end_kernels(address)
    with open_page(browser) as page:
        reopened = Lesson(page, address, "viz.ipynb")
        for name in SLIDERS:
            found = reopened.shown(AT[name])
            found.locator(".course-static img").wait_for()
            assert "Run this cell" in found.inner_text() and "model not found" not in found.inner_text()
        reopened.screenshot("reopened")
        lines = frame(reopened.shown(AT["head"])).locator("#attention line")
        assert reopened.until(lambda: lines.count() > 100), "bertviz needs no kernel"
        assert all("widget model not found" in problem for problem in page.problems)


def test_untrusted_notebooks_show_still_pictures(lesson, browser, address, folder):
    notebook = nbformat.read(folder / "viz.ipynb", 4)
    for cell in notebook.cells:
        for output in cell.outputs:
            output.metadata["from"] = "elsewhere"  # another notebook than the one that was run and signed here
    nbformat.write(notebook, folder / "untrusted.ipynb")
    with open_page(browser) as page:
        untrusted = Lesson(page, address, "untrusted.ipynb")
        for name in SLIDERS + VIEWS:
            found = untrusted.shown(AT[name])
            found.locator("img").first.wait_for()
            assert "A still picture" in found.inner_text() and found.locator("iframe").count() == 0, name
        untrusted.screenshot("untrusted")
        assert page.problems == []


def test_exported_to_a_web_page(lesson, browser, folder):
    from nbconvert import HTMLExporter

    (folder / "viz.html").write_text(HTMLExporter().from_filename(str(folder / "viz.ipynb"))[0], "utf-8")
    with open_page(browser) as page:
        page.goto((folder / "viz.html").as_uri(), wait_until="domcontentloaded")
        page.locator(".course-static img").nth(0).wait_for()  # sliders are still pictures there
        frames = page.locator("iframe")
        assert until(lambda: frames.count() == 3)
        view = frames.nth(0).content_frame
        view.get_by_role("combobox", name="Layer").select_option("1")
        view.locator("#left text").nth(3).hover()
        assert until(lambda: view.locator("#attention line[visibility=visible]").count() == 4 * 11)
        frames.nth(1).content_frame.locator("#attn_background_0_1").wait_for(state="attached")
        frames.nth(2).content_frame.get_by_role("combobox", name="Head").select_option("2")
        assert not [p for p in page.problems if p.startswith("exception")]
