"""Every lesson as a student meets it: the workbook in JupyterLab, in a browser that reaches no other host."""

import json
import urllib.request

import pytest

from course_lib.app import lab
from course_lib.exercises import lessons
from course_lib.workbook.workbook import Workbook

from .lab import NOTEBOOK, SCREENSHOTS, Lesson, lab_server, open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSONS = [lesson.name for lesson in lessons().values()]
FORGOT_THE_SCALE = """def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT).softmax(dim=-1)
    return weights @ value, weights"""
RIGHT = FORGOT_THE_SCALE.replace("key.mT)", "key.mT / query.shape[-1] ** 0.5)")


@pytest.fixture(scope="module")
def workbook(tmp_path_factory):
    """A student's fresh workbook, served by JupyterLab with the course's settings: (folder, address)."""
    folder = tmp_path_factory.mktemp("student") / "workbook"
    Workbook(folder).refresh()
    with lab_server(folder, {"JUPYTER_CONFIG_PATH": str(lab.CONFIG), "OMP_NUM_THREADS": "1"}) as address:
        yield folder, address


def index_of(lesson: Lesson, cell_id: str) -> int:
    index = lesson.page.evaluate(
        f"() => {{ {NOTEBOOK} return nb.widgets.findIndex(cell => cell.model.id === '{cell_id}'); }}"
    )
    assert index >= 0, f"no cell {cell_id}"
    return index


def output_of(lesson: Lesson, cell_id: str):
    """The output under a cell, scrolled into view: JupyterLab draws only what is near."""
    index = index_of(lesson, cell_id)
    lesson.show(index)
    output = lesson.output(index)
    output.scroll_into_view_if_needed()
    return output


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", LESSONS)
def test_untouched_lesson_runs_from_top_to_bottom(page, workbook, name):
    lesson = Lesson(page, workbook[1], f"{name}.ipynb")
    lesson.run_all(600)  # lesson 01 trains for a minute, on a busy machine for more
    assert lesson.errors() == []
    cells = page.evaluate(f"() => {{ {NOTEBOOK} return nb.widgets.map(cell => cell.model.id); }}")
    for index, cell_id in enumerate(cells):
        lesson.show(index)
        if index % 4 == 0:
            lesson.screenshot(f"{name}-{index:02d}")
        assert (
            lesson.cell(index)
            .locator("text=/Error displaying widget|Javascript Error|\\[Open Browser Console/i")
            .count()
            == 0
        ), cell_id
    assert page.problems == []


def test_no_lecturers_panels(page, workbook):
    lesson = Lesson(page, workbook[1], "00_start_here.ipynb")
    assert page.locator(".lm-MenuBar-item", has_text="Nbgrader").count() == 0
    assert page.locator("text=Validate").count() == 0
    assert page.problems == []
    lesson.screenshot("start")


def test_wrong_answer_is_explained_and_right_one_survives_a_restart(page, workbook):
    folder, address = workbook
    lesson = Lesson(page, address, "02_self_attention.ipynb")
    answer = index_of(lesson, "02-scaled_dot_product_attention")
    check = index_of(lesson, "02-scaled_dot_product_attention-check")
    lesson.run_cell(index_of(lesson, "setup"))

    lesson.show(answer)
    lesson.run_cell(answer)
    lesson.run_cell(check)
    assert "Not attempted yet" in lesson.output(check).inner_text()

    lesson.type_into(answer, FORGOT_THE_SCALE)
    lesson.run_cell(answer)
    lesson.run_cell(check)
    said = lesson.output(check).inner_text()
    assert "Not yet" in said and "Divide them by √d_k before the softmax." in said
    assert lesson.output(check).locator("img").count() == 1, "yours, expected and difference"
    lesson.show(check)
    lesson.screenshot("wrong-answer")
    lesson.dark()
    lesson.screenshot("wrong-answer-dark")
    lesson.dark(False)

    lesson.type_into(answer, RIGHT)
    lesson.run_cell(answer)
    lesson.run_cell(check)
    assert "Passed" in lesson.output(check).inner_text()
    lesson.show(check)
    lesson.screenshot("right-answer")
    lesson.save()

    lesson.restart_kernel()
    start = Lesson(page, address, "00_start_here.ipynb")
    start.run_all()
    assert output_of(start, "board-code").locator("[aria-label^='Scaled dot-product attention: passed']").count() == 1
    start.screenshot("board")
    assert (
        json.loads((folder / ".course" / "progress.json").read_text())["exercises"]["02.scaled_dot_product_attention"][
            "status"
        ]
        == "passed"
    )

    later = Lesson(page, address, "03_multi_head_attention.ipynb")
    setup = index_of(later, "setup")
    later.run_cell(setup)
    assert "Using your own scaled_dot_product_attention" in later.output(setup).inner_text()
    assert page.problems == []


def test_prediction_is_answered_after_the_next_cell(page, workbook):
    lesson = Lesson(page, workbook[1], "02_self_attention.ipynb")
    asked, measured = index_of(lesson, "predict-spread"), index_of(lesson, "measure-spread")
    for cell in (index_of(lesson, "setup"), asked):
        lesson.run_cell(cell)
    lesson.show(asked)
    lesson.output(asked).get_by_text("it doubles", exact=True).click()
    page.wait_for_timeout(300)
    assert "Variances add" not in lesson.output(asked).inner_text()
    lesson.screenshot("prediction")
    lesson.run_cell(measured)
    page.wait_for_timeout(300)
    lesson.show(asked)
    assert "You predicted “it doubles”" in lesson.output(asked).inner_text()
    lesson.screenshot("prediction-answered")
    assert page.problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_temperature_slider_by_mouse_and_keyboard(page, workbook, theme):
    lesson = Lesson(page, workbook[1], "00_start_here.ipynb")
    lesson.run_cell(index_of(lesson, "setup"))
    slider = index_of(lesson, "slider")
    lesson.run_cell(slider)
    lesson.show(slider)
    lesson.dark(theme == "dark")
    handle = lesson.output(slider).locator(".noUi-handle")
    before = lesson.output(slider).screenshot()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=5)
    page.wait_for_timeout(150)
    dragged = lesson.output(slider).screenshot()
    page.mouse.up()
    assert dragged != before, "the picture should answer while dragging"
    handle.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(150)
    assert lesson.output(slider).screenshot() != dragged
    lesson.screenshot(f"temperature-{theme}")
    assert page.problems == []


def test_head_view_of_a_lesson_is_live(page, workbook):
    lesson = Lesson(page, workbook[1], "03_multi_head_attention.ipynb")
    lesson.dark(False)
    for cell in ("setup", "head-grid", "head-view"):
        lesson.run_cell(index_of(lesson, cell))
    lesson.show(index_of(lesson, "head-view"))
    frame = lesson.output(index_of(lesson, "head-view")).locator("iframe").content_frame
    frame.locator("svg").first.wait_for()
    page.wait_for_timeout(300)
    lesson.screenshot("head-view")
    picture = frame.locator("#vis")
    layer_1 = picture.inner_html()
    frame.get_by_role("combobox", name="Layer").select_option("0")
    page.wait_for_timeout(300)
    layer_0 = picture.inner_html()
    assert layer_0 != layer_1, "another layer has other lines"
    frame.get_by_role("combobox", name="Layer").select_option("1")
    page.wait_for_timeout(300)
    frame.get_by_role("checkbox", name="head 1").click()
    page.wait_for_timeout(300)
    assert picture.inner_html() != layer_1, "a head is switched off"
    frame.get_by_role("checkbox", name="head 1").click()
    frame.locator("#left text", has_text="it").first.hover()
    page.wait_for_timeout(300)
    assert picture.inner_html() != layer_1, "one word's lines are shown alone"
    picture_of(lesson, "readme-head-view")
    assert page.problems == []


def test_spread_slider_answers_its_question(page, workbook):
    lesson = Lesson(page, workbook[1], "02_self_attention.ipynb")
    lesson.dark(False)
    slider = index_of(lesson, "spread-slider")
    for cell in (index_of(lesson, "setup"), slider):
        lesson.run_cell(cell)
    lesson.show(slider)
    output = lesson.output(slider)
    output.locator(".noUi-handle").focus()
    for _ in range(4):  # from 64 to 1024
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    sharp = output.inner_text()
    assert "d_k = 1024" in sharp
    picture_of(lesson, "readme-slider")
    output.locator("input[type=checkbox]").check()
    page.wait_for_timeout(300)
    assert output.inner_text() != sharp, "the scale changes the weights"
    assert page.problems == []


def test_slider_still_works_in_a_lesson_reopened_without_a_kernel(browser, workbook):
    _, address = workbook
    with open_page(browser) as page:
        lesson = Lesson(page, address, "02_self_attention.ipynb")
        for cell in ("setup", "spread-slider"):
            lesson.run_cell(index_of(lesson, cell))
        lesson.save()
    with urllib.request.urlopen(f"{address}/api/sessions") as sessions:
        for session in json.load(sessions):
            urllib.request.urlopen(urllib.request.Request(f"{address}/api/sessions/{session['id']}", method="DELETE"))
    with open_page(browser) as page:
        lesson = Lesson(page, address, "02_self_attention.ipynb")
        output = output_of(lesson, "spread-slider")
        output.locator(".noUi-handle").focus()
        page.keyboard.press("ArrowRight")
        output.get_by_text("d_k = 128").first.wait_for()
        assert page.problems == []


def picture_of(lesson: Lesson, name: str) -> None:
    """A picture of the notebook alone. The README's are copies of these, in tests/browser/pictures/."""
    SCREENSHOTS.mkdir(exist_ok=True)
    lesson.page.locator(".jp-NotebookPanel-notebook").screenshot(path=SCREENSHOTS / f"{name}.png")
