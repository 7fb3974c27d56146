"""Lesson 04 as a student uses it: the sliders of the padded batch, wrong answers, the detector's pictures."""

import re

import pytest
import torch

from course_lib.experiments.pronoun_reader import PronounReader
from course_lib.viz.widgets.padded_batch import batch_weights, to_padding

from .lab import Lesson, end_kernels, open_page
from .test_lessons import index_of, output_of, workbook  # noqa: F401 - a fixture

pytestmark = [pytest.mark.browser, pytest.mark.slow]

UP_TO_THE_SLIDER = ["setup", "prefixes", "one-by-one", "longer-padding", "padding-mask", "padded-slider"]
SENTENCES = [["it", "was", "late"], ["the", "dog", "was", "hungry"], ["the", "animal", "was", "too", "tired"]]
NAN_ROW = """def masked_attention(query, key, value, mask):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ value, weights"""
RIGHT = NAN_ROW.replace("\n    return", "\n    weights = weights.masked_fill(~mask, 0.0)\n    return")


@pytest.fixture
def lesson(page, workbook):  # noqa: F811
    lesson = Lesson(page, workbook[1], "04_masking.ipynb")
    lesson.dark(False)
    return lesson


def run(lesson, *cells):
    for cell in cells:
        lesson.run_cell(index_of(lesson, cell))


def expected_share(sentence, length, n, mask):
    """What the widget should say, from the reader's own numbers."""
    reader = PronounReader.pretrained()
    head = reader.head_inputs("the animal was too tired", 1, 1)
    ids = torch.tensor([reader.ids[word] for word in sentence] + [0])
    x = torch.nn.functional.layer_norm(reader.word.weight[ids], [64])
    scores = (x @ head.W_Q.T) @ (x @ head.W_K.T).T / head.W_Q.shape[0] ** 0.5 / 4
    return round(100 * to_padding(batch_weights(scores.double().numpy(), length, n, mask)[0], length))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_padded_batch_answers_its_question(lesson, theme):
    run(lesson, *UP_TO_THE_SLIDER)
    lesson.dark(theme == "dark")
    found = output_of(lesson, "padded-slider")
    handles, tables = found.locator(".noUi-handle"), found.locator("table")
    handles.first.wait_for()
    assert handles.evaluate_all("all => all.map(handle => handle.ariaLabel)") == [
        f"words in sentence {i}" for i in (1, 2, 3)
    ]

    def shares():
        return [int(text) for text in re.findall(r"(\d+) % goes to padding", found.inner_text())]

    assert shares() == [expected_share(s, len(s), 5, "no mask") for s in SENTENCES]
    assert "padded to 5: 3 of 15 places hold padding" in found.locator("[role=status]").inner_text()
    lesson.screenshot(f"padded-{theme}-start")

    for handle, left in ((0, 2), (1, 2)):
        handles.nth(handle).focus()
        for _ in range(left):
            lesson.page.keyboard.press("ArrowLeft")
    lesson.page.wait_for_timeout(200)
    assert shares() == [expected_share(s, length, 5, "no mask") for s, length in zip(SENTENCES, (1, 2, 5))]
    assert tables.nth(0).locator("tbody th.pad").count() == 4
    lesson.screenshot(f"padded-{theme}-shortened")

    for mask, masked in (("padding", 5 * (4 + 3 + 0)), ("causal", 3 * 10), ("both", 10 + 10 + 10 + 10 + 6)):
        found.get_by_role("button", name=mask, exact=True).click()
        lesson.page.wait_for_timeout(200)
        assert shares() == [0, 0, 0], mask
        assert tables.locator("td.masked").count() == masked, mask
        lesson.screenshot(f"padded-{theme}-{mask}")
    rows = (
        tables.nth(2)
        .locator("tbody tr")
        .evaluate_all(
            "rows => rows.map(row => [...row.querySelectorAll('td')].reduce((sum, td) => sum + (+td.textContent || 0), 0))"
        )
    )
    assert rows == pytest.approx([1] * 5, abs=0.03)

    handles.nth(2).focus()
    lesson.page.keyboard.press("ArrowLeft")
    lesson.page.wait_for_timeout(200)
    assert [tables.nth(i).locator("tbody tr").count() for i in range(3)] == [4, 4, 4], (
        "padded to the longest, which is shorter now"
    )
    handles.nth(0).focus()
    lesson.page.keyboard.press("Home")
    lesson.page.wait_for_timeout(200)
    assert "4 of 4 rows closed: zero, not NaN" in found.inner_text() and "NaN" not in tables.nth(0).inner_text()
    lesson.screenshot(f"padded-{theme}-empty")
    for handle in range(3):
        handles.nth(handle).focus()
        lesson.page.keyboard.press("Home")
    lesson.page.wait_for_timeout(200)
    assert "Nothing is left of the batch" in found.inner_text()
    lesson.dark(False)
    assert lesson.page.problems == []


def test_the_padded_batch_answers_while_it_is_dragged(lesson):
    run(lesson, *UP_TO_THE_SLIDER)
    found = output_of(lesson, "padded-slider")
    handle, seen = found.locator(".noUi-handle").nth(2), []
    box, track = handle.bounding_box(), found.locator(".noUi-base").nth(2).bounding_box()
    mouse, y = lesson.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] / 2, y)
    mouse.down()
    for part in (0.8, 0.6, 0.2):
        mouse.move(track["x"] + part * track["width"], y, steps=4)
        lesson.page.wait_for_timeout(150)
        seen.append(found.locator("h4").nth(2).inner_text())
    mouse.up()
    assert seen == [f"sentence 3: {k} word{'s' if k > 1 else ''} + {max(4, k) - k} padding" for k in (4, 3, 1)]
    assert lesson.page.problems == []


def test_it_still_works_in_a_lesson_reopened_without_a_kernel(browser, workbook):  # noqa: F811
    _, address = workbook
    with open_page(browser) as page:
        lesson = Lesson(page, address, "04_masking.ipynb")
        run(lesson, *UP_TO_THE_SLIDER)
        lesson.save()
    end_kernels(address)
    with open_page(browser) as page:
        lesson = Lesson(page, address, "04_masking.ipynb")
        found = output_of(lesson, "padded-slider")
        found.locator(".noUi-handle").nth(2).focus()
        page.keyboard.press("ArrowLeft")
        found.get_by_text("padded to 4").wait_for()
        assert page.problems == []


def test_wrong_answers_are_explained(lesson):
    run(lesson, "setup", "prefixes", "one-by-one")
    answer, check = (index_of(lesson, f"04-masked_attention{end}") for end in ("", "-check"))
    for source, said in ((NAN_ROW, "A query with nothing to look at gives NaN"), (RIGHT, "Passed")):
        lesson.type_into(answer, source)
        lesson.run_cell(answer)
        lesson.run_cell(check)
        assert said in lesson.output(check).inner_text()
        lesson.show(check)
        lesson.screenshot(f"masked-attention-{said.split()[0].lower()}")
    answer, check = (index_of(lesson, f"04-planted_leaks{end}") for end in ("", "-check"))
    lesson.type_into(answer, 'planted_leaks = {"A": 0, "B": 15, "C": 9, "D": 0, "E, sentences": 16}')
    lesson.run_cell(answer)
    lesson.run_cell(check)
    said = lesson.output(check).inner_text()
    assert "What kind of influence has no gradient?" in said and "leave the diagonal out" in said and "3 of 5" in said
    assert lesson.page.problems == []


def test_the_detectors_pictures_have_words(lesson):
    run(lesson, "setup", "prefixes", "one-by-one", "four-bugs", "planted")
    found = output_of(lesson, "four-bugs")
    assert "a row of −∞: The output is NaN at index 0 of axis 1" in found.inner_text()
    alt = found.locator("img").get_attribute("alt")
    assert "off by one: 4 leaks, the first at “the”, which sees “animal”" in alt
    assert lesson.errors() == [] and lesson.page.problems == []
