"""Sparse attention against dense attention with the same mask, and what each variant keeps in memory."""

import pytest
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from course_lib.attention import KeyValueCache, MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.layers import Block
from course_lib.leaks import leaks
from course_lib.masks import sparse_mask
from course_lib.positions import ALiBiPositions, RotaryPositions
from course_lib.short_keys import CompressedAttention, LinformerAttention
from course_lib.sparse import SparseAttention, random_keys, sparse_attention

# n, window, num_global, num_random: below, at and above whole blocks; nothing but the word itself; all of the text
PATTERNS = [
    (37, 4, 3, 2), (64, 8, 0, 0), (63, 8, 2, 3), (65, 8, 1, 0), (33, 4, 2, 0), (7, 0, 0, 0), (9, 0, 2, 3), (8, 0, 0, 7),
    (5, 5, 0, 0), (5, 40, 1, 0), (6, 1, 6, 0), (6, 1, 9, 0), (1, 0, 0, 0), (1, 3, 1, 0), (2, 1, 0, 0), (3, 2, 0, 0),
]  # fmt: skip


def dense(query, key, value, window, num_global, num_random, seed):
    chosen = random_keys(query.shape[-2], window, num_random, num_global, seed)
    mask = sparse_mask(query.shape[-2], window, num_global, chosen)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


@pytest.mark.parametrize("n, window, num_global, num_random", PATTERNS)
@pytest.mark.parametrize("axes", [(), (2, 3)])
def test_the_same_as_dense_attention_with_the_mask(n, window, num_global, num_random, axes):
    torch.manual_seed(0)
    sizes = (8, 8, 5)  # d_v isn't d_k
    inputs = [torch.randn(*axes, n, d, dtype=torch.float64, requires_grad=True) for d in sizes]
    pattern = window, num_global, num_random, 3
    own, right = sparse_attention(*inputs, *pattern), dense(*inputs, *pattern)
    torch.testing.assert_close(own, right)
    gradients = [torch.autograd.grad(out.sin().sum(), inputs) for out in (own, right)]
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_large_scores_stay_finite():
    torch.manual_seed(0)
    inputs = [100 * torch.randn(20, 4, dtype=torch.float64) for _ in range(3)]
    torch.testing.assert_close(sparse_attention(*inputs, 3, 1, 2), dense(*inputs, 3, 1, 2, 0))


@pytest.mark.parametrize("n, window, num_global, num_random", [*PATTERNS, (40, 3, 2, 31), (200, 5, 4, 7)])
def test_random_keys_are_distinct_outside_window_and_globals_and_always_the_same(n, window, num_global, num_random):
    keys = random_keys(n, window, num_random, num_global, seed=1)
    assert keys.shape == (n, num_random) and keys.dtype == torch.long
    for i, row in enumerate(keys.tolist()):
        assert len(set(row)) == num_random
        assert all(num_global <= j < n and abs(i - j) > window for j in row)
    assert torch.equal(keys, random_keys(n, window, num_random, num_global, seed=1))
    if n == 200:
        assert not torch.equal(keys, random_keys(n, window, num_random, num_global, seed=2))


def test_every_free_key_is_drawn_as_often():
    drawn = torch.cat([random_keys(9, 1, 2, 1, seed) for seed in range(600)], dim=1)
    for i in range(1, 9):
        free = [j for j in range(1, 9) if abs(i - j) > 1]
        shares = torch.bincount(drawn[i], minlength=9)[free] / 600
        torch.testing.assert_close(shares, torch.full_like(shares, 2 / len(free)), atol=0.1, rtol=0)


# --- in a block -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("positions", [None, RotaryPositions()])
def test_a_block_with_it_is_the_block_with_the_mask(positions):
    torch.manual_seed(0)
    pattern = dict(window=2, num_global=1, num_random=2, seed=5)
    block = Block(16, 4, 24, attention=SparseAttention(16, 4, positions=positions, **pattern))
    full = Block(16, 4, 24, positions=positions)
    full.load_state_dict(block.state_dict())  # it has the same parameters
    mask, x = sparse_mask(11, 2, 1, random_keys(11, 2, 2, 1, seed=5)), torch.randn(2, 11, 16)
    right, weights = full(x, mask, need_weights=True)
    torch.testing.assert_close(block(x)[0], right)
    torch.testing.assert_close(block(x, need_weights=True), (right, weights))


def test_it_sees_what_its_mask_says():
    torch.manual_seed(0)
    attention = SparseAttention(8, 2, window=2, num_global=1, num_random=1)
    mask = sparse_mask(12, 2, 1, random_keys(12, 2, 1, 1))
    assert torch.equal(leaks(lambda x: attention(x)[0], torch.randn(1, 12, 8)), mask)


def test_dropout_falls_on_the_weights_in_training_alone():
    torch.manual_seed(0)
    attention, x = SparseAttention(8, 2, window=1, num_global=1, dropout=1.0), torch.randn(1, 6, 8)
    torch.testing.assert_close(attention(x)[0], attention.W_O.bias.expand(1, 6, 8))
    assert not torch.allclose(attention.eval()(x)[0], attention.W_O.bias)


# --- memory -----------------------------------------------------------------------------------------------------------


class Largest(TorchDispatchMode):
    """The most bytes that any result of any operation holds. What a fused kernel needs inside, it doesn't see."""

    bytes = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for each in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(each, torch.Tensor):
                self.bytes = max(self.bytes, each.untyped_storage().nbytes())
        return result


def largest(attention, n, **options):
    x = torch.randn(1, n, 64, requires_grad=True)
    with Largest() as seen:
        attention(x, **options)[0].sum().backward()
    return seen.bytes


N = 4096


@pytest.mark.parametrize(
    "attention",
    [
        MultiHeadAttention(64, 4),  # fused
        SparseAttention(64, 4, window=16, num_global=2, num_random=3),
        LinformerAttention(64, 4, n=N, short=64),
        CompressedAttention(64, 4, stride=16),
        CompressedAttention(64, 4),
    ],
    ids=lambda each: type(each).__name__,
)
def test_no_table_of_all_pairs(attention):
    """Smaller than n² bytes: one boolean for each pair, a fourth of one head's scores."""
    assert largest(attention, N) < N * N / 2


def test_what_keeps_the_weights_is_seen_to():
    assert largest(MultiHeadAttention(64, 4), 1024, need_weights=True) >= 4 * 4 * 1024**2


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda m: m.random_keys(10, 2, 6, 0, 0), "has only 5 keys left outside a window of 2 .* num_random = 6"),
        (lambda m: m.random_keys(10, 2, 3, 10, 0), "has only 0 keys left"),
        (lambda m: m.random_keys(10, 2, -1), "num_random should be a whole number from 0 up; got -1"),
        (lambda m: m.sparse_attention(*torch.zeros(3, 5, 4), 1.5), "window should be a whole number"),
        (lambda m: m.sparse_attention(*torch.zeros(3, 5, 4), 1, -1), "num_global should be a whole number"),
        (
            lambda m: m.sparse_attention(torch.zeros(5, 4), torch.zeros(6, 4), torch.zeros(6, 4), 1),
            r"of one text, .* got \(5, 4\), \(6, 4\) and \(6, 4\)",
        ),
        (lambda m: m.SparseAttention(8, 2, -1), "window should be a whole number from 0 up; got -1"),
        (
            lambda m: m.SparseAttention(8, 2, 1)(torch.zeros(1, 3, 8), mask=torch.ones(3, 3, dtype=torch.bool)),
            "takes no mask, no positions in the scores",
        ),
        (lambda m: m.SparseAttention(8, 2, 1, positions=ALiBiPositions(2))(torch.zeros(1, 3, 8)), "takes no mask"),
        (lambda m: m.SparseAttention(8, 2, 1)(torch.zeros(1, 3, 8), cache=KeyValueCache()), "takes no cache"),
    ],
)
def test_bad_input_gets_one_sentence(unchecked, call, sentence):
    with pytest.raises(CourseError, match=sentence):
        call(unchecked)
