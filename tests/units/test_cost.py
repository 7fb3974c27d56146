"""Products by formula against torch's counter, and what is kept for the way back."""

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.experiments.cost import HEADS, KINDS, counted_products, measure, products


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d"), [(64, 16), (75, 32)])
def test_the_formulas_are_what_torch_counts(kind, n, d):
    torch.manual_seed(0)
    assert products(kind, n, d) == counted_products(kind, n, d)


def test_attention_overtakes_the_rest_of_a_block_at_six_d():
    d = 16
    assert 2 * products("bare", 6 * d, d) == products("block", 6 * d, d)


def test_only_kept_weights_are_n_by_n():
    n, d = 512, 16
    found = {kind: measure(kind, n, d, least=0.0) for kind in ("full", "weights kept", "window", "Linformer")}
    table = 0.99 * HEADS * n * n * 4 / 1e6  # one float32 for each pair and head
    assert found["weights kept"]["largest_mb"] >= table and found["weights kept"]["kept_mb"] >= table
    for kind in ("full", "window", "Linformer"):
        assert found[kind]["largest_mb"] < table / 4 and found[kind]["kept_mb"] < table
    assert all(row["ms"] > 0 for row in found.values())


def test_an_unknown_kind_is_said():
    with pytest.raises(CourseError, match="window"):
        measure("windows", 64)
