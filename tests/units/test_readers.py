"""The readers of lesson 01: what each can see of a text, and what it learns to recall."""

import pytest
import torch

from course_lib.experiments.readers import WIDTH, fresh_readers, recalled


@pytest.mark.parametrize(("name", "seen"), [("RNN", 9), ("GRU", 9), ("convolution", 4), ("attention", 9)])
def test_how_far_back_the_last_output_reaches(name, seen):
    x = torch.randn(2, 9, WIDTH, requires_grad=True)
    fresh_readers()[name](x)[:, -1].sum().backward()
    assert [bool(word.any()) for word in x.grad[0]] == [False] * (9 - seen) + [True] * seen


def test_attention_recalls_the_first_word():
    assert recalled("attention", 6, steps=80) > 0.9 > 0.3 > recalled("attention", 6, steps=0)
