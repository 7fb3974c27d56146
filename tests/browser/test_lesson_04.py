"""Lesson 04 as a student uses it: the sliders of the padded batch, wrong answers, the detector's pictures."""

import re

import pytest
import torch

from course_lib.experiments.pronoun_reader import PronounReader
from course_lib.viz.widgets.padded_batch import batch_weights, to_padding

from .lab import next_day
from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "04_masking"
SENTENCES = [["it", "was", "late"], ["the", "dog", "was", "hungry"], ["the", "animal", "was", "too", "tired"]]
NAN_ROW = """def masked_attention(query, key, value, mask):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ value, weights"""
RIGHT = NAN_ROW.replace("\n    return", "\n    weights = weights.masked_fill(~mask, 0.0)\n    return")

DETECTOR = """def by_gradient(layer, x):
    x = x.clone().requires_grad_()
    output, rows = layer(x), []
    for one_output in output:
        mixed = (one_output * torch.randn_like(one_output)).sum()
        (gradient,) = torch.autograd.grad(mixed, x, retain_graph=True)
        rows.append((gradient != 0).any(dim=-1))
    return torch.stack(rows)"""
PLAIN_SUM = DETECTOR.replace("(one_output * torch.randn_like(one_output)).sum()", "one_output.sum()")


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
    lesson.run("padded-slider")  # afresh
    lesson.dark(theme == "dark")
    found = lesson.shown("padded-slider")
    handles, tables = found.locator(".noUi-handle"), found.locator("table")
    labels = [f"words in sentence {i}" for i in (1, 2, 3)]
    assert lesson.until(lambda: handles.evaluate_all("all => all.map(handle => handle.ariaLabel)") == labels)

    def shares():
        return [int(text) for text in re.findall(r"(\d+) % goes to padding", found.inner_text())]

    whole = [expected_share(s, len(s), 5, "no mask") for s in SENTENCES]
    assert lesson.until(lambda: shares() == whole), (shares(), whole)
    found.locator("[role=status]", has_text="padded to 5: 3 of 15 places hold padding").wait_for()
    lesson.screenshot(f"padded-{theme}-start")

    lesson.press(handles.nth(0), "ArrowLeft", 2)
    lesson.press(handles.nth(1), "ArrowLeft", 2)
    shortened = [expected_share(s, length, 5, "no mask") for s, length in zip(SENTENCES, (1, 2, 5))]
    assert lesson.until(lambda: shares() == shortened), shares()
    assert lesson.until(lambda: tables.nth(0).locator("tbody th.pad").count() == 4)
    lesson.screenshot(f"padded-{theme}-shortened")

    for mask, masked in (("padding", 5 * (4 + 3 + 0)), ("causal", 3 * 10), ("both", 10 + 10 + 10 + 10 + 6)):
        found.get_by_role("button", name=mask, exact=True).click()
        assert lesson.until(lambda: tables.locator("td.masked").count() == masked), mask
        assert lesson.until(lambda: shares() == [0, 0, 0]), mask
        lesson.screenshot(f"padded-{theme}-{mask}")
    rows = (
        tables.nth(2)
        .locator("tbody tr")
        .evaluate_all(
            "rows => rows.map(row => [...row.querySelectorAll('td')].reduce((sum, td) => sum + (+td.textContent || 0), 0))"
        )
    )
    assert rows == pytest.approx([1] * 5, abs=0.03)

    lesson.press(handles.nth(2), "ArrowLeft")  # padded to the longest, which is shorter now
    assert lesson.until(lambda: [tables.nth(i).locator("tbody tr").count() for i in range(3)] == [4, 4, 4])
    lesson.press(handles.nth(0), "Home")
    found.get_by_text("4 of 4 rows closed: zero, not NaN").wait_for()
    assert "NaN" not in tables.nth(0).inner_text()
    lesson.screenshot(f"padded-{theme}-empty")
    for handle in range(3):
        lesson.press(handles.nth(handle), "Home")
    found.get_by_text("Nothing is left of the batch").first.wait_for()
    lesson.dark(False)
    assert lesson.page.problems == []


def test_the_padded_batch_answers_while_it_is_dragged(lesson):
    lesson.run("padded-slider")
    found, words = lesson.shown("padded-slider"), {0.8: 4, 0.6: 3, 0.2: 1}
    for place in lesson.dragging(found.locator(".noUi-target").nth(2), words):
        k = words[place]
        title = f"sentence 3: {k} word{'s' if k > 1 else ''} + {max(4, k) - k} padding"
        assert lesson.until(lambda: found.locator(".title").nth(2).inner_text() == title), title
    assert lesson.page.problems == []


def test_wrong_answers_are_explained(lesson):
    for source, said in ((NAN_ROW, "A query with nothing to look at gives NaN"), (RIGHT, "Passed")):
        assert said in lesson.answer("04.masked_attention", source).inner_text()
        lesson.screenshot(f"masked-attention-{said.split()[0].lower()}")
    counted = 'planted_leaks = {"A": 0, "B": 15, "C": 9, "D": 0, "E, sentences": 16}'
    said = lesson.answer("04.planted_leaks", counted).inner_text()
    assert "What kind of influence has no gradient?" in said and "leave the diagonal out" in said and "3 of 5" in said
    assert lesson.page.problems == []


def test_the_students_own_detector_is_kept_and_used(lesson):
    assert "can cancel" in lesson.answer("04.by_gradient", PLAIN_SUM).inner_text()
    assert "Passed" in lesson.answer("04.by_gradient", DETECTOR).inner_text()
    lesson.run("leaks-code")
    found = lesson.shown("leaks-code")
    found.get_by_text("Using your own by_gradient").wait_for()
    found.locator("img[alt*='GRU: no leak. convolution: 4 leaks']").wait_for()
    lesson.run("blind-code", "own-layer")
    lesson.shown("blind-code").locator("img[alt*='by gradient: no leak. by change:']").wait_for()
    lesson.shown("own-layer").get_by_text("your detector finds no leak").wait_for()
    assert lesson.errors() == []


def test_the_detectors_pictures_have_words(lesson):
    lesson.run("four-bugs")
    found = lesson.shown("four-bugs")
    found.get_by_text("a row of −∞: The output is NaN at index 0 of axis 1").wait_for()
    found.locator("img[alt*='off by one: 4 leaks, the first at “the”, which sees “animal”']").wait_for()


def test_it_still_works_in_a_lesson_reopened_without_a_kernel(browser, lesson):
    lesson.run("padded-slider")
    with next_day(browser, lesson) as reopened:
        found = reopened.shown("padded-slider")
        reopened.press(found.locator(".noUi-handle").nth(2), "ArrowLeft")
        found.get_by_text("padded to 4").wait_for()
        assert all("widget model not found" in problem for problem in reopened.page.problems)  # of other cells
