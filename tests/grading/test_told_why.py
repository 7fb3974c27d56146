"""Wrong answers that nobody listed are told by what they have to do with the right one, by inputs confused, by torch's error."""

import copy
import math

import pytest
import torch

from course_lib.checking.collect import collect
from course_lib.checking.judge import judge
from course_lib.checking.kinds import Case, Code
from course_lib.checking.relations import claims
from course_lib.exercises import find
from course_lib.exercises.inputs import integer, randn


def told(exercise, submission):
    found = judge(exercise, "1", collect(exercise, submission, "1"))
    assert found.attempted and not found.passed
    return found.message


def bare(key):
    """The exercise without its own mistakes and symptoms: what is said then comes from the general means."""
    exercise = copy.copy(find(key))
    exercise.mistakes, exercise.symptoms = [], []
    return exercise


def close(a, b):
    return torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True) if a.is_floating_point() else torch.equal(a, b)


# --- the relation to the right answer -----------------------------------------------------------------------------------

TABLE = torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(1))
WEIGHTS = TABLE.softmax(-1)
NAMES = ["batch", "query", "key"]
SIZES = {"query.shape[-1]": 6, "query.shape[-2]": 4}


@pytest.mark.parametrize(
    ("own", "want", "says"),
    [
        (TABLE.mT, TABLE, "transposed: the axes query and key"),
        (TABLE.permute(2, 0, 1), TABLE, "the axes are in the order (key, batch, query)"),
        (TABLE.flip(1), TABLE, "reverse order along the query axis"),
        (TABLE.roll(1, 2), TABLE, "one place too late along the key axis"),
        (torch.cat([TABLE[:, 1:], TABLE[:, :1] * 7], 1), TABLE, "one place too early along the query axis. Off by one?"),
        (TABLE[:, [2, 0, 3, 1]], TABLE, "another order along the query axis"),
        (TABLE.sort(-1).values, TABLE, "another order along the key axis, not the same everywhere"),
        (TABLE.reshape(4, 2, 4).mT.reshape(2, 4, 4), TABLE, "in other places"),
        (-TABLE, TABLE, "with the wrong sign"),
        (TABLE.abs(), TABLE, "without their sign"),
        (TABLE.exp(), TABLE, "sent through exp once more"),
        (TABLE, WEIGHTS, "the softmax over the axis key is missing"),
        (WEIGHTS.softmax(-1), WEIGHTS, "sent through a softmax over the axis key once more"),
        (TABLE.exp(), WEIGHTS, "they don't sum to 1 over the axis key: divide"),
        (TABLE.softmax(1), WEIGHTS, "sum to 1 over the axis query; they should over the axis key"),
        (TABLE.flatten().softmax(0).reshape(2, 4, 4), WEIGHTS, "all your numbers together sum to 1"),
        (TABLE / 6**0.5, TABLE, "divided by √(query.shape[-1])"),
        (TABLE * 6, TABLE, "multiplied by query.shape[-1]"),
        (TABLE / -4, TABLE, "divided by query.shape[-2] and with the wrong sign"),
        (TABLE * 2, TABLE, "multiplied by 2"),
        (TABLE / math.log(2), TABLE, "divided by ln 2"),
        (TABLE * 1.25, TABLE, "multiplied by 1.25"),
        (TABLE + 1, TABLE, "each 1 too large"),
        (TABLE - 0.25, TABLE, "with -0.25 added to each"),
        (TABLE * torch.arange(1, 5)[:, None], TABLE, "each batch, query has a factor of its own"),
        (TABLE.masked_fill(torch.eye(4) > 0, 0), TABLE, "wrong only on the diagonal, where key = query"),
        (TABLE.tril(), TABLE, "wrong only above the diagonal, where key > query"),
        (TABLE * torch.tensor([1, 2, 3, 4.0]), TABLE, "only the first key is right"),
        (TABLE * torch.tensor([1, 1, 1, 4.0]), TABLE, "only the last key is wrong"),
        (TABLE * torch.tensor([1, 2, 1, 4.0]), TABLE, "along the key axis every second one is right"),
        (TABLE[:, :1].expand(2, 4, 4), TABLE, "every query gets what only the first should get"),
        (TABLE.mean(1, keepdim=True).expand(2, 4, 4), TABLE, "every query gets the average over all"),
        (torch.zeros(2, 4, 4), TABLE, "every entry is 0"),
        (TABLE.masked_fill(TABLE > 1, math.nan), TABLE, "right but for NaN"),
        ((TABLE * 1000).round() / 1000, TABLE, "rounded"),
        (TABLE + 1e-4 * TABLE.flip(0), TABLE, "nearly right"),
        (TABLE > 1, TABLE <= 1, "True and False have changed places"),
        (TABLE[..., None], TABLE, "one axis of length 1 too many"),
        (TABLE[:1, 0, 0], TABLE[:1, :1, 0], "one axis of length 1 too few"),
        (TABLE.flatten(0, 1), TABLE, "cut into another shape"),
        (TABLE[:, :, :, None] * torch.tensor([0.25, 0.75]), TABLE, "not summed over the last axis yet"),
        (TABLE.sum(1), TABLE, "you have summed over the axis query as well"),
        (TABLE[:, :, 0], TABLE, "only the first along the key axis comes back"),
        (TABLE[0], TABLE, "only the first of the batch comes back"),
        (TABLE[:, :3], TABLE, "one is missing at the end of the axis query"),
        (torch.cat([TABLE[:, :1], TABLE], 1), TABLE, "one is too many at the beginning of the axis query"),
        (TABLE[:, :, :1], TABLE[:, :, :1].expand(2, 4, 4), "not repeated to the full shape"),
        (["a", "b", "c"], ["c", "b", "a"], "in reverse order"),
        (["a", "c", "b"], ["c", "b", "a"], "in another order"),
        (["c"], ["c", "b", "a"], "ends too early"),
        (["ab", "c"], ["a", "bc"], "the cuts between them are in other places"),
        (["A"], ["a"], "capital letters"),
        ([("b", "a")], [("a", "b")], "left and right have changed places"),
        ({"a": 1, "b": 1}, {"a": 3, "b": 2}, "each is counted as 1"),
        ({"a": 6, "b": 4}, {"a": 3, "b": 2}, "2 times what it should be"),
        ({("a", "b"): 1}, {("b", "a"): 1}, "turned round"),
        (4, 5, "off by one"),
        (-5, 5, "the sign isn't"),
        ("ba", "ab", "backwards"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_relations(own, want, says):
    names = NAMES[: want.dim()] if isinstance(want, torch.Tensor) else []
    found = claims(own, want, names, SIZES, close)
    assert any(says in each for each in found), found


@pytest.mark.parametrize(
    "other", [TABLE**3 + TABLE.flip(0), torch.rand(2, 4, 4), torch.rand(3, 5), torch.rand(2, 4, 4, 2)]
)
def test_what_is_not_related_is_not_said_to_be(other):
    assert claims(other, TABLE, NAMES, SIZES, close) == []


def test_what_is_true_in_one_case_alone_is_not_said():
    """transpose(0, 1) is a transposition where there is one sentence; with a batch in front it is something else."""

    def answer(queries, keys):
        dots = queries @ keys.mT
        return dots.mT if dots.dim() > 2 or dots.shape[0] != dots.shape[1] else dots * 3

    message = told(find("00.all_dots"), answer)
    assert "transposed" not in message and "multiplied" not in message


# --- an exercise of two results -------------------------------------------------------------------------------------------


def two(**options):
    return Code(
        "99.two", title="Two", points=1, minutes=1, difficulty=1, hints=[], axes=["query d", "query key"],
        results=("output", "weights"), reference=lambda query, key: ((query @ key.mT) @ key, query @ key.mT),
        cases=[
            Case("small", lambda g: (randn(g, 3, 4), randn(g, 5, 4))),
            Case("any", lambda g: (randn(g, integer(g, 2, 6), 3), randn(g, 4, 3))),
        ], **options,
    )  # fmt: skip


def test_results_are_called_by_their_names():
    message = told(two(), lambda query, key: ((query @ key.mT) @ key / 2, query @ key.mT))
    assert message.startswith("The output: the right numbers, but divided by 2. The weights are right.")
    assert "The inputs there: query (3, 4), key (5, 4)." in message
    message = told(two(), lambda query, key: ((query @ key.mT) @ key + 5, (query @ key.mT)[None]))
    assert message.startswith("The weights have the wrong shape: expected (query 3, key 5), got (1, 3, 5).")
    assert "There is an axis too many, of length 1." in message
    assert "another order: first output, then weights" in told(
        two(), lambda query, key: ((query @ key.mT), (query @ key.mT) @ key)
    )


def test_a_wrong_shape_says_more_than_wrong_numbers_before_it():
    class NoHeads(torch.nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.W_Q, self.W_K, self.W_V, self.W_O = (torch.nn.Linear(d_model, d_model) for _ in range(4))

        def forward(self, query, key, value):
            weights = (self.W_Q(query) @ self.W_K(key).mT / query.shape[-1] ** 0.5).softmax(-1)
            return self.W_O(weights @ self.W_V(value)), weights

    message = told(bare("03.MultiHeadAttention"), NoHeads)
    assert "wrong shape" in message and "An axis is missing: batch or head." in message
    assert "d_model = 8, num_heads = 2, query (2, 4, 8)" in message


def test_broadcastable_shapes_are_right():
    def mask(**options):
        return Code(
            "99.mask", title="Mask", points=1, minutes=1, difficulty=1, hints=[], axes=["batch head query key"], **options,
            reference=lambda ids: (ids > 3)[:, None, None, :],
            cases=[Case("one", lambda g: (torch.randint(0, 9, (2, 5), generator=g),))],
        )  # fmt: skip

    def expanded(ids):
        return (ids > 3)[:, None, None, :].expand(-1, 3, 5, -1)

    for answer in (expanded, mask().reference):
        exercise = mask(broadcastable=True, refuses_reference=False)
        assert judge(exercise, "1", collect(exercise, answer, "1")).passed
    assert "wrong shape" in told(mask(), expanded)
    for wrong in (
        lambda ids: ~expanded(ids),
        lambda ids: (ids > 3)[:, None, :, None].expand(-1, 1, 5, 5),
        lambda ids: expanded(ids)[None],
    ):
        assert told(mask(broadcastable=True), wrong)


# --- suspects that nobody listed -------------------------------------------------------------------------------------------


def test_two_mistakes_at_once():
    message = told(find("02.scaled_dot_product_attention"), two_mistakes)
    assert message.startswith("Two things at once.")
    assert "You mix the keys" in message and "softmax belongs over the keys" in message


def two_mistakes(query, key, value):
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-2)
    return weights @ key, weights


@pytest.mark.parametrize(
    ("key", "submission", "says"),
    [
        ("01.additive_scores", lambda q, k, W_1, W_2, w_3: ((q @ W_1.mT)[..., :, None, :] + (k @ W_2.mT)[..., None, :, :]).tanh() @ -w_3, "wrong sign"),
        ("00.all_dots", lambda queries, keys: queries @ queries.mT * 1.0, "`keys` isn't used: `queries` stands in its place"),
    ],
)  # fmt: skip
def test_inputs_confused(key, submission, says):
    assert says in told(bare(key), submission)


@pytest.mark.parametrize(
    ("key", "submission", "says"),
    [
        ("02.attend", lambda q, k, v: (k @ q).sigmoid() @ v, "A sigmoid stands where the softmax should"),
        ("02.scaled_dot_product_attention", lambda q, k, v: causal(q, k, v), "Later keys are hidden"),
        ("01.additive_scores", lambda q, k, A, B, w: torch.nn.functional.softsign((q @ A.mT)[..., :, None, :] + (k @ B.mT)[..., None, :, :]) @ w, "softsign stands where tanh is meant"),
    ],
)  # fmt: skip
def test_one_operation_replaced(key, submission, says):
    assert says in told(bare(key), submission)


def causal(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf).softmax(-1)
    return weights @ value, weights


# --- torch's own errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("submission", "code", "says"),
    [
        (lambda queries, keys: queries * keys, "`queries * keys`, given (2, 4) and (3, 4)", "2 and 3 are neither"),
        (lambda queries, keys: queries.mT @ keys, "`queries.mT @ keys`, given (4, 2) and (3, 4)", "summed over with the last but one"),
        (lambda queries, keys: queries.reshape(3, 7), "`queries.reshape(3, 7)`, given (2, 4)", "[3, 7] doesn't hold 8 numbers"),
        (lambda queries, keys: queries.transpose(1, 2), "`queries.transpose(1, 2)`", "there is no axis 2"),
        (lambda queries, keys: queries[7], "`queries[7]`", "there is no place 7"),
        (lambda queries, keys: torch.cat([queries, keys], 1), "given (2, 4) and (3, 4)", "here 2 meets 3"),
        (lambda queries, keys: torch.stack([queries, keys]), "given (2, 4) and (3, 4)", "equal shape"),
        (lambda queries, keys: torch.dot(queries, keys), "given (2, 4) and (3, 4)", "two vectors"),
        (lambda queries, keys: torch.einsum("ij,kl,->il", queries, keys), "", "einsum"),
        (lambda queries, keys: queries + None, "`queries + None`", "Is a return missing"),
        (lambda queries, keys: None.shape, "`None.shape`", "asked of None"),
        (lambda queries, keys: queries @ keys.double().mT, "`queries @ keys.double().mT`", "same dtype"),
        (lambda queries, keys: 1 if queries > 0 else 2, "`queries > 0", "neither true nor false"),
        (lambda queries, keys: queries.expand(3, 3, 3), "`queries.expand(3, 3, 3)`", "Only axes of length 1"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_errors_of_torch(submission, code, says):
    message = told(bare("00.all_dots"), submission)
    assert code in message and says in message
    assert "Your code stopped with" in message and "The inputs there: queries (2, 4), keys (3, 4)." in message
