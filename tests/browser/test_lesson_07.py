"""Lesson 07 as a student uses it: the merges slider with a text of one's own, an answer that is wrong and one that is right."""

import re

import pytest

from course_lib.corpora import python_docs
from course_lib.tokenizers import BPETokenizer

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "07_subwords"

FORGOT_THE_COUNTS = """def count_pairs(words):
    counts = Counter()
    for word in words:
        counts.update(zip(word, word[1:]))
    return counts"""
TWO_AT_ONCE = FORGOT_THE_COUNTS.replace("word[1:]", "word[2:]")
RIGHT = """def count_pairs(words):
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts"""


def test_the_merges_slider_cuts_ones_own_text_as_the_tokenizer_does(lesson):
    found = lesson.shown("slider-characters")
    found.locator("textarea").fill("my own hat the lowest")
    lesson.press(found.locator(".noUi-handle"), "End")
    plain = " ".join(re.findall("[a-z]+", python_docs.topics().lower()))
    tokenizer = BPETokenizer.train(plain, 1200, end_of_word="</w>")

    def shown():
        return [text.lstrip("◆") for text in found.locator(".boxes .token").all_inner_texts()]

    assert lesson.until(lambda: shown() == tokenizer.tokens("my own hat the lowest")), shown()
    found.locator(".boxes .token").last.hover()
    found.locator(".detail", has_text=f"id {tokenizer.encode('lowest')[-1]} ·").wait_for()
    lesson.screenshot("lesson-07-slider")
    lesson.dark()
    lesson.screenshot("lesson-07-slider-dark")
    lesson.dark(False)
    assert lesson.page.problems == []


def test_wrong_counts_are_explained(lesson):
    verdicts = []
    for code in (FORGOT_THE_COUNTS, TWO_AT_ONCE, RIGHT):
        verdicts.append(lesson.answer("07.count_pairs", code).inner_text())
        lesson.screenshot(f"lesson-07-verdict-{len(verdicts)}")
    assert "You count each word once." in verdicts[0]
    assert "Two things at once. First: You count each word once." in verdicts[1]
    assert "two places apart" in verdicts[1] and "count_pairs({('l', 'o', 'w</w>')" in verdicts[1]
    assert "Passed" in verdicts[2] and "my_transformer/count_pairs.py" in verdicts[2]
    assert lesson.page.problems == []
