"""Lesson 11 in a real JupyterLab: the strips of the input, the die, blanks of one's own, bertviz's three views."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(3600)]

LESSON = "11_bert"
EVERYWHERE = """def mask_tokens(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, ids"""
RIGHT = EVERYWHERE.replace("return inputs, ids", "return inputs, torch.where(chosen, ids, -100)")


def test_strips_of_a_pair_of_ones_own(lesson):
    output = lesson.shown("strips-code")
    box, status = output.locator("input[type=text]"), output.locator("[role=status]")
    assert lesson.until(lambda: "1: my, A" in status.inner_text())
    box.fill("it rains | it rains")
    box.press("Enter")
    assert lesson.until(lambda: "1: it, A; 2: rains, A; 3: [SEP], A; 4: it, B; 5: rains, B" in status.inner_text())
    lesson.screenshot("11-strips")


def rolled(output):
    """Rolls, words chosen and words, as the line under the bars says."""
    found = re.match(r"(\d+) rolls?: (\d+) of (\d+) words chosen", output.locator("[role=status]").inner_text())
    return [int(number) for number in found.groups()] if found else None


def test_the_die_counts_its_rolls(lesson):
    output = lesson.shown("die")
    assert lesson.until(lambda: (rolled(output) or [0])[0] == 1)
    output.get_by_role("button", name="Roll", exact=True).click()
    assert lesson.until(lambda: rolled(output)[0] == 2)
    output.get_by_role("button", name="Roll 100 times").click()
    assert lesson.until(lambda: rolled(output)[0] == 102)
    _, chosen, words = rolled(output)
    assert 0.1 < chosen / words < 0.2
    text, reads, asked = (row.locator("td").all_inner_texts() for row in output.locator("table.dice tr").all())
    for word, read, wanted in zip(text, reads, asked):
        assert wanted == word or (wanted == "·" and read == word)
    lesson.screenshot("11-die")
    output.get_by_role("button", name="Start again").click()
    assert lesson.until(lambda: rolled(output)[0] == 1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, theme):
    lesson.dark(theme == "dark")
    output = lesson.shown("die")
    assert output.locator(".course-static").is_hidden() and output.locator("table.dice").is_visible()
    lesson.screenshot(f"11-die-{theme}")
    lesson.dark(False)


def test_blanks_of_ones_own(lesson):
    output = lesson.shown("type-code")
    box, status = output.locator("input[type=text]"), output.locator("[role=status]")
    assert lesson.until(lambda: "blank 1: " in status.inner_text())
    box.fill("tara saw ivan and gave ___ the hat . later tara closed ___ eyes .")
    box.press("Enter")
    assert lesson.until(lambda: "blank 2: " in status.inner_text())
    lesson.screenshot("11-blanks")
    box.fill("the klavier was ___ .")
    box.press("Enter")
    output.get_by_text("isn't in this vocabulary").wait_for()


def test_the_model_that_was_trained_longer_beside_ones_own(lesson):
    output = lesson.shown("beside-code")
    box, status = output.locator("input[type=text]"), output.locator("[role=status]")
    assert lesson.until(lambda: "yours, blank 1: " in status.inner_text())
    assert "3,000 steps, blank 1: " in status.inner_text()
    box.fill("tara counted 15 , 16 , 17 , ___ .")
    box.press("Enter")
    assert lesson.until(lambda: "3,000 steps, blank 1: 18 " in status.inner_text())
    lesson.screenshot("11-beside")


def test_training_was_drawn_while_it_ran(lesson):
    alt = lesson.shown("train-code").locator("img").first.get_attribute("alt")
    assert re.search(r"this run from [\d.]+ to [\d.]+ at step \d+", alt) and "trivia" in alt
    lesson.screenshot("11-training")


@pytest.mark.parametrize("cell", ["head-view", "model-view", "neuron-view"])
def test_bertviz(lesson, cell):
    frame = lesson.shown(cell).frame_locator("iframe")
    frame.locator("svg").first.wait_for()
    lesson.screenshot(f"11-{cell}")


def test_a_wrong_masking_is_named_and_the_right_one_is_used(lesson):
    assert "Not attempted yet" in lesson.check("11.mask_tokens").inner_text()
    assert "Only chosen places are asked for" in lesson.answer("11.mask_tokens", EVERYWHERE).inner_text()
    lesson.screenshot("11-wrong-answer")
    assert "Passed" in lesson.answer("11.mask_tokens", RIGHT).inner_text()
    lesson.run("masking-measured")
    assert "Using your own mask_tokens" in lesson.shown("masking-measured").inner_text()
    assert lesson.page.problems == []
