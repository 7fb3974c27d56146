"""What a model sees, as `leaks` measures it: torch's layers and ours, planted leaks, and questions that can't be answered."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.leaks import leaks
from course_lib.masks import causal_mask

N = 6
CAUSAL, ALL = causal_mask(N), torch.ones(N, N, dtype=torch.bool)
BOTH = pytest.mark.parametrize("by", ["gradient", "change"])


class Decoder(nn.Module):
    """A small language model: embeddings, positions, masked attention, dropout, logits."""

    def __init__(self, d_model=8, vocabulary=11, dropout=0.4, mask=causal_mask):
        super().__init__()
        self.word, self.position = nn.Embedding(vocabulary, d_model), nn.Embedding(32, d_model)
        self.attention = MultiHeadAttention(d_model, 2, dropout=dropout)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(d_model, vocabulary)
        self.mask = mask

    def forward(self, ids):
        x = self.dropout(self.word(ids) + self.position(torch.arange(ids.shape[1])))
        return self.out(x + self.attention(x, mask=self.mask(ids.shape[1]))[0])


IDS = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])


@BOTH
def test_multi_head_attention(by):
    torch.manual_seed(0)
    layer = MultiHeadAttention(8, 2)
    assert torch.equal(leaks(layer, (2, N, 8), by=by), ALL)
    assert torch.equal(leaks(layer, (2, N, 8), None, None, CAUSAL, by=by), CAUSAL)
    assert torch.equal(leaks(layer, (2, N, 8), None, None, CAUSAL, True, by=by), CAUSAL)  # with weights, a tuple


@BOTH
def test_torchs_layers(by):
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(8, 2, dropout=0.5, batch_first=True)
    assert torch.equal(leaks(lambda x: theirs.eval()(x, x, x, attn_mask=~CAUSAL), (2, N, 8), by=by), CAUSAL)
    assert torch.equal(leaks(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, N, 8), ~CAUSAL, by=by), CAUSAL)
    assert torch.equal(leaks(nn.GRU(8, 8, batch_first=True), (2, N, 8), by=by), CAUSAL)
    assert torch.equal(leaks(nn.GRU(8, 8, bidirectional=True, batch_first=True), (2, N, 8), by=by), ALL)
    near = (torch.arange(N)[:, None] - torch.arange(N)).abs() <= 1
    convolution = nn.Conv1d(8, 8, 3, padding=1)
    assert torch.equal(leaks(lambda x: convolution(x.mT).mT, (2, N, 8), by=by), near)
    assert torch.equal(leaks(nn.Linear(8, 8), (2, N, 8), by=by), torch.eye(N, dtype=torch.bool))


def test_a_long_memory_that_fades_is_still_seen():
    torch.manual_seed(0)
    assert torch.equal(leaks(nn.GRU(4, 4, batch_first=True), (1, 40, 4)), causal_mask(40))


@BOTH
def test_token_ids(by):
    torch.manual_seed(0)
    assert torch.equal(leaks(Decoder(), IDS, by=by), CAUSAL)
    assert torch.equal(leaks(Decoder(mask=lambda n: None), IDS.int(), by=by), ALL)


def test_ids_that_are_looked_up_in_a_table_or_in_part():
    table = torch.randn(10, 4, generator=torch.Generator().manual_seed(0))
    assert torch.equal(leaks(lambda ids: table[ids].cumsum(1), IDS), CAUSAL)
    shifted = leaks(lambda ids: F.embedding(ids[:, 1:], table), IDS)
    assert torch.equal(shifted, torch.eye(N, dtype=torch.bool)[1:]), "output i is input i + 1"
    assert not leaks(lambda ids: F.embedding(ids[1:], table), IDS, axis=0)[:, 0].any()


def test_positions_are_not_taken_for_ids():
    positions = nn.Embedding(N, 4)

    def model(ids):  # the same numbers, in another tensor
        return positions(torch.arange(N))[None] + nn.functional.one_hot(ids, N).float() @ torch.ones(N, 4)

    with pytest.raises(CourseError, match='looked up in no nn.Embedding.*by="change"'):
        leaks(model, torch.arange(N)[None])


@BOTH
def test_between_the_sentences_of_a_batch(by):
    alone = torch.eye(3, dtype=torch.bool)
    assert torch.equal(leaks(MultiHeadAttention(8, 2), (3, N, 8), axis=0, by=by), alone)
    assert torch.equal(leaks(Decoder(), torch.cat([IDS, IDS[:1]]), axis=0, by=by), alone)
    assert leaks(lambda x: x - x.mean(0), (3, N, 8), axis=0, by=by).all()


def test_the_normaliser_leaks_where_the_weights_look_right():
    def zeroed_afterwards(x):
        return ((x @ x.mT).softmax(-1) * causal_mask(x.shape[1])) @ x

    def divided_anew(x):
        weights = (x @ x.mT).softmax(-1) * causal_mask(x.shape[1])
        return weights / weights.sum(-1, keepdim=True) @ x

    for by in ("gradient", "change"):
        assert torch.equal(leaks(zeroed_afterwards, (2, N, 4), by=by), ALL)
        assert torch.equal(leaks(divided_anew, (2, N, 4), by=by), CAUSAL), "what cancels but for rounding is no leak"


def test_what_only_one_of_the_two_ways_sees():
    def steps(x):  # each position learns whether the next number is positive
        return x + torch.roll(x > 0, -1, dims=1)

    def faint(x):
        return x + 1e-9 * torch.roll(x, 1, dims=1)

    diagonal = torch.eye(N, dtype=torch.bool)
    assert torch.equal(leaks(steps, (4, N, 8)), diagonal)
    assert torch.equal(leaks(steps, (4, N, 8), by="change"), diagonal | diagonal.roll(-1, 0))
    x = torch.randn(2, N, 8)
    assert torch.equal(leaks(faint, x, tolerance=0.0), diagonal | diagonal.roll(1, 0))
    assert torch.equal(leaks(faint, x.double()), diagonal | diagonal.roll(1, 0))
    assert torch.equal(leaks(faint, x), diagonal), "in float32 that is rounding"


def test_a_padding_mask_made_of_ids_has_no_gradient():
    table = torch.randn(10, 4, generator=torch.Generator().manual_seed(0))

    def count_words(ids):
        return table[ids] * (ids != 0).sum(1)[:, None, None]

    assert torch.equal(leaks(count_words, IDS), torch.eye(N, dtype=torch.bool))
    # ids change into 0 in some of the trials
    assert not torch.equal(leaks(count_words, IDS, by="change", trials=40), torch.eye(N, dtype=torch.bool))


def test_a_gradient_that_is_zero_by_chance():
    """ReLU of numbers all below zero hides everything at x itself; near x it doesn't."""
    x = -torch.randn(1, N, 4, generator=torch.Generator().manual_seed(0)).abs()
    assert not leaks(lambda x: x.relu().cumsum(1), x, trials=1).any()
    assert torch.equal(leaks(lambda x: x.relu().cumsum(1), x, trials=20), CAUSAL)


def test_the_model_is_left_as_it_was():
    torch.manual_seed(0)
    model = nn.Sequential(nn.BatchNorm1d(N), nn.Dropout(0.5), nn.Linear(4, 4)).train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    dtype, random = torch.get_default_dtype(), torch.get_rng_state()
    for by in ("gradient", "change"):
        assert torch.equal(leaks(model, (3, N, 4), by=by), torch.eye(N, dtype=torch.bool))
    assert model.training and all(p.grad is None and p.dtype == torch.float32 for p in model.parameters())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.get_default_dtype() == dtype and torch.equal(torch.get_rng_state(), random)


def test_it_works_where_gradients_are_off_and_repeats_itself():
    with torch.no_grad():
        first, second = (leaks(Decoder(), IDS, seed=3) for _ in range(2))
    assert torch.equal(first, second) and torch.equal(first, CAUSAL)


def test_outputs_of_other_forms():
    assert torch.equal(leaks(lambda x: {"hidden": x.cumsum(1), "loss": x.sum()}, (2, N, 3)), CAUSAL)
    assert torch.equal(leaks(lambda x: [(x.cumsum(1), x)], (2, N, 3)), CAUSAL)
    assert leaks(lambda x: x.mean(1, keepdim=True), (2, N, 3)).tolist() == [[True] * N]
    assert torch.equal(leaks(lambda x: x.cumsum(1), torch.randn(2, N)), CAUSAL)
    assert not leaks(lambda x: x * 0, (2, N, 3)).any() and not leaks(lambda x: x * 0, (2, N, 3), by="change").any()
    target, source = torch.randn(2, 4, 8), torch.randn(2, N, 8)
    layer = MultiHeadAttention(8, 2)
    assert torch.equal(leaks(lambda s: layer(target, s)[0], source), torch.ones(4, N, dtype=torch.bool))


def nan_row(x):
    return (x @ x.mT).masked_fill(~causal_mask(x.shape[1]).tril(-1), float("-inf")).softmax(-1) @ x


def hidden_nan(x):
    """The forward pass is repaired, the gradient isn't: −∞ is added, not filled in."""
    nothing = torch.zeros(x.shape[1], x.shape[1]).masked_fill(~causal_mask(x.shape[1]).tril(-1), float("-inf"))
    return (x @ x.mT + nothing).softmax(-1).nan_to_num() @ x


@pytest.mark.parametrize(
    "model, x, options, sentence",
    [
        (nan_row, (1, N, 4), {}, "The output is NaN at index 0 of axis 1"),
        (nan_row, (1, N, 4), {"by": "change"}, "The output is NaN at index 0 of axis 1"),
        (hidden_nan, (1, N, 4), {}, "The gradient of output 0 is NaN"),
        (lambda x: x.detach(), (1, N, 4), {}, "No gradient flows"),
        (lambda x: x.argmax(-1), (1, N, 4), {}, "No gradient flows"),
        (lambda ids: ids, IDS, {}, "looked up in no"),
        (lambda ids: ids, IDS * 0, {"by": "change"}, "All of these ids are 0"),
        (lambda x: x.sum(), (1, N, 4), {}, r"shape \(\) has no axis 1"),
        (lambda x: "text", (1, N, 4), {}, "returns str"),
        (lambda x: x, (N,), {}, r"\(batch, n, …\)"),
        (lambda x: x, (1, N, 4), {"by": "magic"}, "by should be"),
        (lambda x: x, (1, N, 4), {"trials": 0}, "trials should be a whole number from 1 up; got 0"),
    ],
)
def test_bad_questions_get_one_sentence(model, x, options, sentence):
    with pytest.raises(CourseError, match=sentence):
        leaks(model, x, **options)


def test_a_result_in_the_place_of_a_model(unchecked):
    with pytest.raises(Exception, match="got a Tensor. Pass it without calling it"):
        unchecked.leaks(torch.ones(2), (1, N, 4))


def test_a_module_that_cannot_be_copied():
    class Stuck(nn.Linear):
        def __init__(self):
            super().__init__(4, 4)
            self.kept = self.weight * 2  # no leaf of the graph: deepcopy refuses

    with pytest.raises(CourseError, match="can't be copied"):
        leaks(Stuck(), (1, N, 4))
