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

TOKENIZER = """class Tokenizer:
    def __init__(self, merges, pattern):
        self.merges, self.pattern = merges, pattern
        self.tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]

    def encode(self, text):
        ids = []
        for piece in regex.findall(self.pattern, text):
            word = [bytes([byte]) for byte in piece.encode()]
            for left, right in self.merges:
                i = 0
                while i + 1 < len(word):
                    if (word[i], word[i + 1]) == (left, right):
                        word[i : i + 2] = [left + right]
                    i += 1
            ids += [self.tokens.index(token) for token in word]
        return ids

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode(errors="replace")"""
TOKEN_BY_TOKEN = TOKENIZER.replace(
    'b"".join(self.tokens[i] for i in ids).decode(errors="replace")',
    '"".join(self.tokens[i].decode(errors="replace") for i in ids)',
)


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


def test_ones_own_tokenizer_is_kept_and_used(lesson):
    wrong, right = (lesson.answer("07.Tokenizer", code).inner_text() for code in (TOKEN_BY_TOKEN, TOKENIZER))
    assert "A character may be spread over several tokens" in wrong
    assert "Passed" in right and "my_transformer/Tokenizer.py" in right
    lesson.run("round-trip")
    assert lesson.until(lambda: "Using your own Tokenizer" in lesson.output("round-trip").inner_text())
    assert lesson.page.problems == []
