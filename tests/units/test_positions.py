"""Position schemes against their formulas, slow loops and other people's code; inside attention; and their sentences for bad input."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from course_lib import positions
from course_lib.attention import KeyValueCache, MultiHeadAttention, attention_weights
from course_lib.errors import CourseError
from course_lib.masks import causal_mask
from course_lib.positions import (
    ALiBiPositions,
    BinaryPositions,
    FractionPositions,
    IndexPositions,
    LearnedPositions,
    Positions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
    alibi_slopes,
    clipped_distances,
    rotary_angles,
    rotate_pairs,
    sinusoids,
)

D_MODEL, HEADS, D_K, LONGEST = 16, 4, 4, 24
ALL = {
    "none": lambda: Positions(),
    "index": lambda: IndexPositions(D_MODEL),
    "fraction": lambda: FractionPositions(D_MODEL),
    "binary": lambda: BinaryPositions(D_MODEL, LONGEST),
    "sinusoidal": lambda: SinusoidalPositions(D_MODEL, LONGEST),
    "learned": lambda: LearnedPositions(D_MODEL, LONGEST),
    "Shaw": lambda: RelativePositions(D_K, 3),
    "rotary": lambda: RotaryPositions(),
    "rotary, interleaved": lambda: RotaryPositions(pairing="interleaved"),
    "ALiBi": lambda: ALiBiPositions(HEADS),
}
RELATIVE = ["Shaw", "rotary", "rotary, interleaved", "ALiBi"]


def random(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


# --- in the embeddings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [10_000.0, 50.0])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_sinusoids_are_the_papers_formula(layout, base):
    d_model = 12
    table = sinusoids(torch.arange(300, dtype=torch.float64), d_model, base, layout)
    for pos in (0, 1, 7, 299):
        for i in range(d_model // 2):
            angle = pos / base ** (2 * i / d_model)
            sine, cosine = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + d_model // 2)
            assert table[pos, sine].item() == pytest.approx(math.sin(angle), abs=1e-13)
            assert table[pos, cosine].item() == pytest.approx(math.cos(angle), abs=1e-13)


def test_concatenated_sinusoids_are_those_of_fairseq_like_code_up_to_its_frequencies():
    """The same two halves as Marian's embedding in transformers, whose frequencies are the paper's."""
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    theirs = MarianSinusoidalPositionalEmbedding(40, 16)
    theirs = theirs.create_weight() if hasattr(theirs, "create_weight") else theirs.weight
    ours = sinusoids(torch.arange(40, dtype=torch.float64), 16, layout="concatenated").float()
    torch.testing.assert_close(ours, theirs.detach(), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_whole_numbers_are_positions_too(layout, dtype):
    whole = sinusoids(torch.arange(50, dtype=dtype), 16, layout=layout)
    assert torch.equal(whole, sinusoids(torch.arange(50.0), 16, layout=layout))


def test_tensor2tensors_sinusoids_are_others():
    """It has all sines first too, but its frequencies end at 1/base exactly, the paper's before."""
    pos, frequencies = (
        torch.arange(50, dtype=torch.float64),
        10_000 ** (-torch.arange(8, dtype=torch.float64) / (8 - 1)),
    )
    theirs = torch.cat([(pos[:, None] * frequencies).sin(), (pos[:, None] * frequencies).cos()], dim=-1)
    ours = sinusoids(pos, 16, layout="concatenated")
    torch.testing.assert_close(ours[:, [0, 8]], theirs[:, [0, 8]])
    assert (ours - theirs).abs().max() > 1


def test_the_layer_adds_its_table():
    x = random(2, 9, D_MODEL, dtype=torch.float32)
    for layout in ("interleaved", "concatenated"):
        added = SinusoidalPositions(D_MODEL, LONGEST, layout=layout)(x) - x
        expected = sinusoids(torch.arange(9, dtype=torch.float64), D_MODEL, layout=layout).float()
        torch.testing.assert_close(added, expected.expand(2, -1, -1), atol=1e-6, rtol=0)
    learned = LearnedPositions(D_MODEL, LONGEST)
    torch.testing.assert_close(learned(x), x + learned.table[:9])
    assert [name for name, _ in learned.named_parameters()] == ["table"]
    assert (
        not list(SinusoidalPositions(D_MODEL, LONGEST).parameters())
        and not SinusoidalPositions(D_MODEL, LONGEST).state_dict()
    )


def test_a_shift_of_sinusoids_is_a_rotation():
    from course_lib.exercises.lesson_05 import shift_rotation

    for d_model, shift in [(16, 1.0), (64, 8.0), (64, -31.0), (512, 100.0)]:
        rotation = shift_rotation.reference(shift, positions.inverse_frequencies(d_model))
        pos = torch.arange(200, dtype=torch.float64)
        torch.testing.assert_close(
            sinusoids(pos, d_model) @ rotation.T, sinusoids(pos + shift, d_model), atol=1e-11, rtol=0
        )
        torch.testing.assert_close(rotation @ rotation.T, torch.eye(d_model, dtype=torch.float64), atol=1e-12, rtol=0)


def test_index_fraction_binary():
    assert IndexPositions(4, unit=2.0).features(4).flatten().tolist() == [0, 0.5, 1, 1.5]
    assert FractionPositions(4).features(5).flatten().tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert FractionPositions(4).features(1).tolist() == [[0]]
    assert BinaryPositions(4, 8).features(7)[6].tolist() == [-1, 1, 1], "6 is 110, lowest bit first"
    for max_len in (1, 2, 3, 16, 17, 64):
        assert len(BinaryPositions(4, max_len).features(max_len).unique(dim=0)) == max_len
    scheme, x = IndexPositions(D_MODEL), random(2, 5, D_MODEL, dtype=torch.float32)
    expected = x + torch.arange(5)[:, None] / 32 * scheme.project.weight[:, 0] + scheme.project.bias
    torch.testing.assert_close(scheme(x), expected)


# --- rotary -------------------------------------------------------------------------------------------------------------


def rotated(x, pairing, base=10_000.0):
    angles = rotary_angles(x.shape[-2], x.shape[-1], base)
    return rotate_pairs(x, angles.cos(), angles.sin(), pairing)


@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
def test_which_numbers_are_paired(pairing):
    """Turning the first number of pair i alone puts something into its partner, and into no other number."""
    d_k = 8
    for i in range(d_k // 2):
        first, second = (i, i + d_k // 2) if pairing == "halves" else (2 * i, 2 * i + 1)
        angle = 3 * 10_000 ** (-2 * i / d_k)
        one = torch.zeros(4, d_k, dtype=torch.float64)
        one[3, first] = 1
        expected = torch.zeros(4, d_k, dtype=torch.float64)
        expected[3, first], expected[3, second] = math.cos(angle), math.sin(angle)
        torch.testing.assert_close(rotated(one, pairing), expected)


def test_halves_is_llamas_and_interleaved_is_roformers():
    from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama
    from transformers.models.roformer.modeling_roformer import RoFormerSelfAttention

    query, key = random(2, 3, 11, 8), random(2, 3, 11, 8, seed=1)
    angles = rotary_angles(11, 8)
    cos, sin = angles.cos(), angles.sin()
    for own, theirs in zip(
        RotaryPositions(pairing="halves").rotate(query, key),
        llama(query, key, torch.cat([cos, cos], -1)[None], torch.cat([sin, sin], -1)[None]),
    ):
        torch.testing.assert_close(own, theirs)
    ours = RotaryPositions(pairing="interleaved").rotate(query, key)
    by_gptj = [gptj(x.transpose(1, 2), sin[None], cos[None]).transpose(1, 2) for x in (query, key)]
    by_roformer = RoFormerSelfAttention.apply_rotary_position_embeddings(
        torch.cat([sin, cos], -1)[None, None], query, key
    )
    for own, theirs, others in zip(ours, by_gptj, by_roformer):
        torch.testing.assert_close(own, theirs)
        torch.testing.assert_close(own, others)


@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
def test_rotary_scores_depend_on_the_distance_only(pairing):
    query, key = (random(1, 16, seed=seed).expand(40, 16) for seed in (0, 1))
    scores = rotated(query, pairing) @ rotated(key, pairing).mT
    for offset in range(-39, 40):
        diagonal = scores.diagonal(offset)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-12, rtol=0)
    assert (scores[0] - scores[0, 0]).abs().max() > 0.1, "and on it they do depend"


def test_the_two_pairings_agree_after_a_permutation_and_only_then():
    query, key = random(20, 16), random(20, 16, seed=1)
    to_halves = torch.cat([torch.arange(0, 16, 2), torch.arange(1, 16, 2)])
    scores = rotated(query, "interleaved") @ rotated(key, "interleaved").mT
    permuted = rotated(query[:, to_halves], "halves") @ rotated(key[:, to_halves], "halves").mT
    mixed_up = rotated(query, "halves") @ rotated(key, "halves").mT
    torch.testing.assert_close(scores, permuted, atol=1e-12, rtol=0)
    assert (scores - mixed_up).abs().max() > 1
    torch.testing.assert_close(scores.diagonal(), mixed_up.diagonal())  # the diagonal doesn't give it away


@given(shift=some.integers(0, 200), distance=some.integers(0, 50), base=some.floats(2, 1e6), half=some.integers(1, 16))
def test_rotary_forgets_where_and_keeps_how_far(shift, distance, base, half):
    n, d_k = shift + distance + 1, 2 * half
    query, key = random(d_k).expand(n, d_k), random(d_k, seed=1).expand(n, d_k)
    turned_query, turned_key = rotated(query, "halves", base), rotated(key, "halves", base)
    here, there = turned_query[distance] @ turned_key[0], turned_query[shift + distance] @ turned_key[shift]
    torch.testing.assert_close(here, there, atol=1e-9, rtol=1e-9)


# --- Shaw and ALiBi ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("k", [0, 1, 3, 12])
def test_shaw_is_the_direct_loop(n, k):
    scheme = RelativePositions(D_K, k).double()
    query, key = random(2, 3, n, D_K), random(2, 3, n, D_K, seed=1)
    expected = torch.empty(2, 3, n, n, dtype=torch.float64)
    for i in range(n):
        for j in range(n):
            r = scheme.table[max(-k, min(k, j - i)) + k]
            expected[:, :, i, j] = (query[:, :, i] * (key[:, :, j] + r)).sum(-1) / D_K**0.5
    torch.testing.assert_close(query @ key.mT / D_K**0.5 + scheme.bias(query, key), expected)
    weights = attention_weights(query, key, bias=scheme.bias(query, key))
    torch.testing.assert_close(weights, expected.softmax(-1))


def test_clipped_distances_by_hand():
    assert clipped_distances(4, 1).tolist() == [[0, 1, 1, 1], [-1, 0, 1, 1], [-1, -1, 0, 1], [-1, -1, -1, 0]]


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12, 16, 20])
def test_alibi_is_blooms(heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    theirs = build_alibi_tensor(
        torch.ones(1, 9, dtype=torch.long), heads, torch.float32
    )  # (head, 1, key): from the first word
    torch.testing.assert_close(alibi_slopes(heads), theirs[:, 0, 1].float(), rtol=1e-6, atol=1e-9)
    query = random(1, heads, 9, 4, dtype=torch.float32)
    bias = ALiBiPositions(heads).bias(query, query)
    mask = causal_mask(9)
    torch.testing.assert_close(
        bias.masked_fill(~mask, float("-inf")).softmax(-1),
        theirs.expand(-1, 9, -1).masked_fill(~mask, float("-inf")).softmax(-1),
    )


# --- inside attention -------------------------------------------------------------------------------------------------


def layer(name):
    scheme = ALL[name]()
    torch.manual_seed(0)  # the same four matrices for every scheme
    return MultiHeadAttention(D_MODEL, HEADS, positions=scheme).double()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("mask", ["none", "causal", "padding", "nothing"])
def test_with_and_without_weights_it_is_the_same(name, mask):
    ours = layer(name)
    x = random(2, 10, D_MODEL).requires_grad_()
    padding = torch.ones(2, 1, 1, 10, dtype=torch.bool)
    padding[1, ..., 6:] = False
    nothing = padding.clone()
    nothing[1] = False
    mask = {"none": None, "causal": causal_mask(10), "padding": padding & causal_mask(10), "nothing": nothing}[mask]
    explicit, weights = ours(x, mask=mask, need_weights=True)
    fused, none = ours(x, mask=mask)
    assert none is None and weights.shape == (2, HEADS, 10, 10)
    torch.testing.assert_close(explicit, fused)
    for output in (explicit, fused):
        for gradient in torch.autograd.grad((output**2).sum(), [x, *ours.positions.parameters()], allow_unused=True):
            assert gradient is None or gradient.isfinite().all()
    if mask is nothing:
        assert (weights[1] == 0).all()


@pytest.mark.parametrize("name", RELATIVE)
def test_relative_schemes_only_see_distances(name):
    """The same words later in the text, among nothing but each other: the same output."""
    ours, x = layer(name), random(1, 12, D_MODEL)
    alone = torch.zeros(12, 12, dtype=torch.bool)
    alone[4:9, 4:9] = True
    at_first, later = ours(x[:, 4:9])[0], ours(x, mask=alone)[0][:, 4:9]
    torch.testing.assert_close(at_first, later)
    flipped = ours(x.flip(1))[0].flip(1)
    if name == "ALiBi":
        torch.testing.assert_close(flipped, ours(x)[0])  # left and right look the same to it
    else:
        assert not torch.allclose(flipped, ours(x)[0])


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("none", *RELATIVE)])
def test_additive_schemes_change_the_embeddings_alone(name):
    ours, bare, x = layer(name), layer("none"), random(1, 6, D_MODEL)
    torch.testing.assert_close(ours(x)[0], bare(x)[0])
    shuffled = x[:, torch.randperm(6, generator=torch.Generator().manual_seed(0))]
    assert not torch.allclose(ours.positions(x).sum(1), x.sum(1)) and ours.positions(x).shape == x.shape
    before, after = (bare(ours.positions(text))[0].sum(1) for text in (x, shuffled))
    assert not torch.allclose(before, after), "with positions, order matters"
    torch.testing.assert_close(bare(x)[0].sum(1), bare(shuffled)[0].sum(1))  # without, it doesn't


def test_no_positions_is_the_default_and_owns_nothing():
    assert type(MultiHeadAttention(8, 2).positions) is Positions
    assert (
        MultiHeadAttention(8, 2).state_dict().keys()
        == MultiHeadAttention(8, 2, positions=RotaryPositions()).state_dict().keys()
    )


@pytest.mark.parametrize("name", ALL)
def test_dtype_and_length_one(name):
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        scheme, x = ALL[name]().to(dtype), random(2, 1, D_MODEL, dtype=dtype)
        assert scheme(x).dtype == dtype
        query, key = scheme.rotate(
            x.unflatten(-1, (HEADS, D_K)).transpose(1, 2), x.unflatten(-1, (HEADS, D_K)).transpose(1, 2)
        )
        bias = scheme.bias(query, key)
        assert query.dtype == dtype and (bias is None or bias.dtype == dtype)


# --- bad input --------------------------------------------------------------------------------------------------------

X, Q = torch.zeros(1, 9, 8), torch.zeros(1, 2, 9, 4)


@pytest.mark.parametrize(
    ("attempt", "sentence"),
    [
        (lambda p: p.SinusoidalPositions(7, 10), "must be even, but it is 7. Choose an even d_model"),
        (lambda p: p.SinusoidalPositions(8, 10, base=0), "base of the frequencies should be above 0, but it is 0"),
        (lambda p: p.SinusoidalPositions(8, 10, layout="halves"), "'interleaved' or 'concatenated'; got 'halves'"),
        (lambda p: p.SinusoidalPositions(8, 5)(X), "max_len = 5 words, but this text has 9"),
        (lambda p: p.LearnedPositions(8, 5)(X), "max_len = 5 words, but this text has 9"),
        (lambda p: p.BinaryPositions(8, 5)(X), "max_len = 5 words, but this text has 9"),
        (lambda p: p.LearnedPositions(6, 10)(X), "made for d_model = 6, but the embeddings have 8"),
        (lambda p: p.RotaryPositions(pairing="half"), "'halves' or 'interleaved'; got 'half'"),
        (lambda p: p.RotaryPositions().rotate(Q[..., :3], Q[..., :3]), "must be even, but it is 3"),
        (lambda p: p.RotaryPositions().rotate(Q, Q[:, :, :4]), "9 queries and 4 keys"),
        (lambda p: p.ALiBiPositions(2).bias(Q, Q[:, :, :4]), "9 queries and 4 keys"),
        (lambda p: p.RelativePositions(4, 2).bias(Q, Q[:, :, :4]), "9 queries and 4 keys"),
        (lambda p: p.RelativePositions(6, 2).bias(Q, Q), "made for heads of d_k = 6, but queries have d_k = 4"),
        (lambda p: p.RelativePositions(4, -1), "max_distance should be a whole number from 0 up; got -1"),
        (lambda p: p.ALiBiPositions(4).bias(Q, Q), "a slope for each of 4 heads, but there are 2"),
        (lambda p: p.ALiBiPositions(4).bias(Q[0, 0], Q[0, 0]), "a slope for each of 4 heads, but there is 1"),
        (lambda p: p.ALiBiPositions(0), "num_heads should be a whole number from 1 up; got 0"),
    ],
)
def test_bad_input_gets_one_sentence(unchecked, attempt, sentence):
    with pytest.raises(CourseError) as caught:
        attempt(unchecked)
    assert sentence in str(caught.value)


# --- a text in pieces: what a key–value cache needs -------------------------------------------------------------------

CACHED = [name for name in ALL if name != "fraction"]


@pytest.mark.parametrize("name", CACHED)
@pytest.mark.parametrize("sizes", [(7, 5), (1, 1, 10), (3, 8, 1), (12, 0)])
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_text_in_pieces_is_the_text_at_once(name, sizes, need_weights):
    """Each piece attends to all that came before it: positions at an offset, causal_mask(n, past) and a cache."""
    ours, x = layer(name), random(2, sum(sizes), D_MODEL)
    whole, _ = ours(ours.positions(x), mask=causal_mask(x.shape[1]), need_weights=need_weights)
    cache, outputs = KeyValueCache(), []
    for piece in x.split(sizes, dim=1):
        past = cache.length(ours)
        piece, mask = ours.positions(piece, start=past), causal_mask(piece.shape[1], past)
        outputs.append(ours(piece, mask=mask, need_weights=need_weights, cache=cache)[0])
    torch.testing.assert_close(torch.cat(outputs, dim=1), whole)


@pytest.mark.parametrize("name", CACHED)
def test_keys_can_be_kept_as_they_were_returned(name):
    """A cache holds rotated keys: only what is new is rotated, at its place in the text."""
    scheme = ALL[name]().double()
    query, key = random(2, HEADS, 11, D_K), random(2, HEADS, 11, D_K, seed=1)
    all_queries, all_keys = scheme.rotate(query, key)
    whole = attention_weights(all_queries, all_keys, causal_mask(11), bias=scheme.bias(all_queries, all_keys))
    kept, past = key[:, :, :0], 0
    for n in (6, 1, 4):
        new = slice(past, past + n)
        rotated_query, rotated_key = scheme.rotate(query[:, :, new], key[:, :, new], start=past)
        kept = torch.cat([kept, rotated_key], dim=2)
        weights = attention_weights(rotated_query, kept, causal_mask(n, past), bias=scheme.bias(rotated_query, kept))
        torch.testing.assert_close(weights, whole[:, :, new, : past + n])
        past += n
    torch.testing.assert_close(kept, all_keys)


def test_a_fraction_needs_the_whole_text():
    with pytest.raises(CourseError, match="can't begin at position 3"):
        FractionPositions(D_MODEL)(random(1, 4, D_MODEL, dtype=torch.float32), start=3)


def test_the_offset_counts_towards_max_len():
    for scheme in (SinusoidalPositions(D_MODEL, 6), LearnedPositions(D_MODEL, 6), BinaryPositions(D_MODEL, 6)):
        x = random(1, 2, D_MODEL, dtype=torch.float32)
        assert scheme(x, start=4).shape == x.shape
        with pytest.raises(CourseError, match="max_len = 6 words, but this text has 7"):
            scheme(x, start=5)


@pytest.mark.parametrize("name", RELATIVE)
def test_tables_are_made_once(name, monkeypatch):
    """The second layer, and the second call, find them; and none of them is part of the model."""
    scheme, calls = ALL[name](), []
    for function in ("rotary_angles", "distances"):
        made = getattr(positions, function)
        monkeypatch.setattr(positions, function, lambda *args, made=made: calls.append(args) or made(*args))
    layers = [MultiHeadAttention(D_MODEL, HEADS, positions=scheme) for _ in range(2)]
    scheme.base = 1000.0 + RELATIVE.index(name)  # a base and a length that no other test has
    x = random(1, 521, D_MODEL, dtype=torch.float32)
    for _ in range(2):
        for each in layers:
            each(x)
    assert len(calls) == 1
    assert not [key for key in scheme.state_dict() if key != "table"]


@pytest.mark.parametrize("name", RELATIVE)
def test_tables_made_in_inference_mode_serve_training(name):
    ours, x = layer(name), random(1, 523, D_MODEL)
    with torch.inference_mode():
        expected = ours(x)[0]
    output = ours(x.requires_grad_())[0]
    output.sum().backward()
    torch.testing.assert_close(output.detach(), expected.clone())
    assert ours.float()(x.detach().float())[0].dtype == torch.float32, "and another dtype has a table of its own"


@pytest.mark.parametrize("name", RELATIVE)
def test_tables_are_on_the_models_device(name):
    scheme = ALL[name]().to("meta")
    query = torch.empty(1, HEADS, 9, D_K, device="meta")
    for each in (*scheme.rotate(query, query), scheme.bias(query, query)):
        assert each is None or each.device.type == "meta"
    assert ALL[name]().rotate(random(1, HEADS, 9, D_K), random(1, HEADS, 9, D_K))[0].device.type == "cpu"
