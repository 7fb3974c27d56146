"""The extrapolation experiment: its tasks by slow loops, its model's promises, and what its stored runs say."""

import json

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.experiments.extrapolation import (
    DIGITS,
    LENGTHS,
    NOISE,
    SCHEMES,
    STORED,
    TASKS,
    Config,
    SmallReader,
    accuracy,
    compare,
    stored_runs,
    train,
)
from course_lib.positions import RotaryPositions
from course_lib.training import IGNORE_INDEX

CHANCE = 1 / DIGITS
ABSOLUTE, RELATIVE = ["binary", "sinusoidal", "learned"], ["Shaw 8", "Shaw 16"]


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_last_digit_by_a_loop():
    ids, asked = TASKS["last digit"](20, 30, generator())
    for text, answers in zip(ids.tolist(), asked.tolist()):
        last = IGNORE_INDEX
        for word, answer in zip(text, answers):
            assert answer == last
            last = last if word == NOISE else word
    assert 0.7 < (ids == NOISE).float().mean() < 0.8


def test_shift_3_by_a_loop():
    ids, asked = TASKS["shift 3"](5, 12, generator())
    assert (asked[:, :3] == IGNORE_INDEX).all() and torch.equal(asked[:, 3:], ids[:, :-3]) and ids.max() < DIGITS


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_model_is_causal_and_takes_64_words(scheme):
    torch.manual_seed(0)
    reader = SmallReader(SCHEMES[scheme]()).eval()
    ids = torch.randint(DIGITS, (2, 64), generator=generator())
    changed = ids.clone()
    changed[:, 40:] = (changed[:, 40:] + 1) % DIGITS
    torch.testing.assert_close(reader(ids)[:, :40], reader(changed)[:, :40])
    assert reader(ids).shape == (2, 64, DIGITS)


def test_the_seed_decides_everything_and_nothing_else_moves():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second, other = (train("shift 3", SCHEMES["learned"], seed, steps=3) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    assert all(torch.equal(a, b) for a, b in zip(first.state_dict().values(), second.state_dict().values()))
    assert not torch.equal(first.token.weight, other.token.weight)
    assert accuracy(first, "shift 3", 16) == accuracy(second, "shift 3", 16)


def test_other_positions_leave_the_weights_and_the_reader_as_they_are():
    reader = train("shift 3", SCHEMES["rotary"], steps=2)
    other = reader.with_positions(RotaryPositions(base=160_000.0))
    assert all(block.attention.positions is other.positions for block in other.blocks)
    assert reader.positions.base == 10_000.0 == reader.blocks[0].attention.positions.base
    assert all(torch.equal(reader.state_dict()[name], weight) for name, weight in other.state_dict().items())
    ids = torch.randint(DIGITS, (2, 20), generator=generator())
    assert not torch.allclose(reader(ids), other(ids)) and torch.equal(reader(ids)[:, 0], other(ids)[:, 0])


def test_one_layer_without_positions_reads_a_bag_of_words_and_two_do_not():
    ids = torch.tensor([[1, 8, 2, 8, 8, 3, 8]])
    swapped = ids[:, [2, 1, 0, 3, 4, 5, 6]]
    for layers, same in ((1, True), (2, False)):
        reader = train("last digit", SCHEMES["none"], steps=20, config=Config(num_layers=layers))
        assert torch.allclose(reader(ids)[0, -1], reader(swapped)[0, -1], atol=1e-4) is same


@pytest.mark.slow
def test_a_slower_second_hand_is_all_that_rotary_positions_lack():
    reader = train("shift 3", SCHEMES["rotary"])
    assert accuracy(reader, "shift 3", 64) < 0.3
    assert accuracy(reader.with_positions(RotaryPositions(base=160_000.0)), "shift 3", 64) > 0.9


def test_an_untrained_reader_guesses():
    torch.manual_seed(0)
    assert accuracy(SmallReader(SCHEMES["none"]()).eval(), "shift 3", 32) < 0.25


def test_unknown_names_get_one_sentence():
    with pytest.raises(CourseError, match="scheme should be 'none', 'index'.*or 'ALiBi'; got 'rope'"):
        compare(0, schemes=["rope"])
    with pytest.raises(CourseError, match="task should be 'last digit' or 'shift 3'; got 'copy'"):
        compare(0, tasks=["copy"])
    with pytest.raises(CourseError, match="python -m course_lib.experiments.extrapolation"):
        stored_runs("nowhere.json")


@pytest.mark.slow
def test_a_scheme_learns_live_what_the_stored_runs_say():
    runs = compare(7, ["Shaw 8", "none"], ["shift 3"])
    assert runs["shift 3", "Shaw 8"][64] > 0.99
    assert runs["shift 3", "none"][64] < 0.4


# --- the stored runs --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored():
    return stored_runs()


def test_the_stored_runs_are_complete(stored):
    file = json.loads(STORED.read_text("utf-8"))
    assert tuple(file["lengths"]) == LENGTHS and len(set(file["seeds"])) == 5
    assert list(stored) == [(task, scheme) for task in TASKS for scheme in SCHEMES]
    for of_length in stored.values():
        assert list(of_length) == list(LENGTHS) and all(
            len(values) == 5 and 0 <= min(values) <= max(values) <= 1 for values in of_length.values()
        )


@pytest.mark.parametrize("scheme", [*ABSOLUTE, *RELATIVE, "rotary"])
def test_shift_3_is_learned_at_the_trained_length(stored, scheme):
    assert min(stored["shift 3", scheme][32]) >= 0.99


@pytest.mark.parametrize("scheme", RELATIVE)
def test_clipped_distances_hold_at_twice_the_length(stored, scheme):
    assert min(stored["shift 3", scheme][64]) >= 0.99
    assert min(stored["last digit", scheme][64]) >= 0.85


@pytest.mark.parametrize("scheme", ["ALiBi", "Shaw 16"])
def test_recency_holds_at_twice_the_length(stored, scheme):
    assert min(stored["last digit", scheme][64]) >= 0.96


def test_alibi_does_not_learn_exactly_three_back(stored):
    assert max(stored["shift 3", "ALiBi"][32]) < 0.5


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("scheme", ABSOLUTE)
def test_absolute_positions_fall_within_eight_words(stored, task, scheme):
    for trained, beyond in zip(stored[task, scheme][32], stored[task, scheme][40]):
        assert beyond < trained - 0.2


@pytest.mark.parametrize("task", TASKS)
def test_rotary_at_this_base_holds_a_little_and_is_lost_at_64(stored, task):
    assert min(stored[task, "rotary"][40]) > 0.9
    assert max(stored[task, "rotary"][64]) < 0.35
