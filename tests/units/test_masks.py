"""Masks: True means "may attend"."""

import pytest
import torch

from course_lib.masks import causal_mask, padding_mask


@pytest.mark.parametrize("n", [1, 2, 5, 512])
def test_causal(n):
    mask = causal_mask(n)
    assert mask.dtype == torch.bool and mask.shape == (n, n)
    query, key = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    assert torch.equal(mask, key <= query)


def test_padding():
    ids = torch.tensor([[5, 3, 7, 0], [2, 0, 0, 0]])
    mask = padding_mask(ids, pad_id=0)
    assert mask.dtype == torch.bool and mask.shape == (2, 1, 1, 4)
    assert mask[:, 0, 0].tolist() == [[True, True, True, False], [True, False, False, False]]


def test_both_together():
    ids = torch.tensor([[5, 3, 0], [2, 0, 0]])
    mask = causal_mask(3) & padding_mask(ids, 0)
    assert mask.shape == (2, 1, 3, 3)
    assert mask[1, 0].tolist() == [[True, False, False]] * 3


def test_the_declared_shapes_are_checked_in_tests():
    with pytest.raises(Exception, match="Type-check error"):
        padding_mask(torch.tensor([1, 2, 3]), 0)
