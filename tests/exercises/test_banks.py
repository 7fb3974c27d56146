"""Every exercise keeps what it promises: its mistakes are told apart, its right answers are accepted, its texts are complete."""

import importlib
import itertools
import math

import pytest
import torch
from banks import CODE, allowing_all, name, verdict
from right_answers import RIGHT

from course_lib.checking.differences import difference
from course_lib.checking.kinds import Choice, ModuleCode, Number, Variants
from course_lib.checking.student_code import is_untouched
from course_lib.exercises import all_exercises, find, lessons

# No verdict on a listed mistake depends on the seed (444 of them, 20 seeds): one is enough for daily work.
SEEDS = [
    pytest.param(["1"], id="a seed"),
    pytest.param(["2"], id="another", marks=pytest.mark.slow),
    pytest.param([str(seed) for seed in range(3, 11)], id="eight more", marks=pytest.mark.sweep),
]

PREDICTIONS = [p for lesson in lessons().values() for p in lesson.predictions]
NUMBERS = [e for e in all_exercises() if isinstance(e, Number)]
CHOICES = [e for e in all_exercises() if isinstance(e, Choice)]


def module_of(exercise):
    return importlib.import_module(f"course_lib.exercises.lesson_{exercise.lesson}.{exercise.name}")


VARIANTS = [(e, v) for e in CODE for v in vars(module_of(e)).values() if isinstance(v, Variants) and v.exercise is e]


def tensors(inputs):
    """The tensors among a case's inputs; where it has none but sizes, as causal_mask(n), tensors of these sizes."""
    return [x for x in inputs if isinstance(x, torch.Tensor)] or [
        torch.zeros(size, dtype=torch.long) for size in inputs
    ]


def asks_for_numbers_alone(exercise):
    """Is the answer made of Python's numbers, such as the place of the largest weight?"""
    answer = exercise.run(exercise.reference, *exercise.inputs(0, "1"))
    return not any(isinstance(x, torch.Tensor) for x in (answer if isinstance(answer, tuple) else (answer,)))


# --- code -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("exercise", CODE, ids=name)
def test_each_mistake_is_rejected_with_its_own_sentence(exercise, seeds):
    exercise, wrongly = allowing_all(exercise), []
    for mistake, seed in itertools.product(exercise.mistakes, seeds):
        if mistake.wrong is exercise.buggy:
            continue  # as it was given: test_find_the_bug
        breaks = exercise.criteria if mistake.breaks is None else mistake.breaks
        found = verdict(exercise, mistake.wrong, seed)
        broken = {part for part, right in found.criteria.items() if not right}
        found_out = (found.passed, found.message, found.recognised, broken)
        if found_out != (False, mistake.sentence, f"mistake:{mistake.name}", set(breaks)) or not found.failed:
            wrongly.append(f"{mistake.name}, seed {seed}, breaks {broken}: {found.message or 'passed'}")
    assert not wrongly, "\n".join(wrongly)


@pytest.mark.parametrize("exercise", CODE, ids=name)
@pytest.mark.parametrize("error", [TypeError, RuntimeError, IndexError, ValueError, AttributeError])
def test_an_error_of_ones_own_is_taken_for_no_mistake(exercise, error):
    message = "view size is not compatible" if error is RuntimeError else "something of one's own"

    def submission(*inputs):
        raise error(message)

    class Layer(exercise.reference if exercise.wanted == "class" else object):
        def forward(self, query, key, value):
            raise error(message)

        def encode(self, text):
            raise error(message)

    found = verdict(allowing_all(exercise), Layer if exercise.wanted == "class" else submission)
    assert found.message.startswith(f"Your code stopped with {error.__name__}: {message}")


@pytest.mark.parametrize("exercise", CODE, ids=name)
def test_enough_mistakes_and_right_answers(exercise):
    assert len(exercise.mistakes) >= 6
    assert len(RIGHT[exercise.key]) >= 3
    sentences = [m.sentence for m in exercise.mistakes] + [sentence for sentence, _ in exercise.symptoms]
    assert len(set(sentences)) == len(sentences)
    case_names = [case.name for case in exercise.cases]
    assert len(set(case_names)) == len(case_names)
    assert {case.criterion for case in exercise.cases} == set(exercise.criteria)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize(
    ("exercise", "answer"), [(find(key), answer) for key, answers in RIGHT.items() for answer in answers], ids=name
)
def test_right_answer_is_accepted(exercise, answer, seeds):
    for seed in seeds:
        found = verdict(exercise, answer, seed)
        assert found.passed, found.message
        assert found.points == exercise.points
        assert found.message == ""


@pytest.mark.parametrize(("exercise", "variants"), VARIANTS, ids=name)
def test_the_right_steps_are_accepted(exercise, variants):
    """Before a mistake replaces a step, the steps give the right answer."""
    found = verdict(allowing_all(exercise), exercise.with_steps(variants.build, {}))
    assert found.passed, found.message


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("exercise", CODE, ids=name)
def test_reference_is_right_and_repeats_itself(exercise, seeds):
    for seed in seeds:
        assert verdict(allowing_all(exercise), exercise.reference, seed).passed
        for index in range(len(exercise.cases)):
            inputs, others = exercise.inputs(index, seed), exercise.inputs(index, seed)
            first, second = exercise.run(exercise.reference, *inputs), exercise.run(exercise.reference, *others)
            assert difference(exercise, first, second) is None


@pytest.mark.parametrize("exercise", CODE, ids=name)
def test_every_seed_brings_other_numbers(exercise):
    def data(seed):
        return repr([x.tolist() if isinstance(x, torch.Tensor) else x for x in exercise.inputs(0, seed)])

    assert data("1") != data("2")


@pytest.mark.parametrize("exercise", CODE, ids=name)
def test_cases_reach_the_edges(exercise):
    """Double precision, length 1, and lengths that differ from seed to seed, are among the cases; for texts, the empty one."""
    inputs = {seed: [exercise.inputs(index, seed) for index in range(len(exercise.cases))] for seed in "12345"}
    texts = [x for case in inputs["1"] for x in case if isinstance(x, (str, list, tuple, dict))]
    if texts and not isinstance(exercise, ModuleCode):
        assert any(len(x) == 0 for x in texts) and any(len(x) > 20 for x in texts)
        return
    given = [x for cases in inputs.values() for case in cases for x in tensors(case)]
    assert any(x.dtype == torch.float64 for x in given) or not any(x.is_floating_point() for x in given)
    # where one of several is to be found, an axis of length 1 leaves nothing to find
    assert any(1 in x.shape for x in given) or asks_for_numbers_alone(exercise)
    shapes = {seed: [[x.shape for x in tensors(case)] for case in cases] for seed, cases in inputs.items()}
    assert any(shapes[seed] != shapes["1"] for seed in shapes), "a solution for these sizes alone could pass"


@pytest.mark.parametrize("exercise", [e for e in CODE if e.start], ids=name)
def test_find_the_bug(exercise):
    def define(source):
        namespace = {"torch": torch, "__name__": "__main__"}
        exec(compile(source, "<cell>", "exec"), namespace)
        return namespace[exercise.name], source

    function, source = define(exercise.start)
    assert is_untouched(exercise.start, source)
    with_a_comment = source.replace("    return", "    # still the same\n    return")
    assert is_untouched(exercise.start, with_a_comment)
    changed = source.replace("    return", "    unused = 1\n    return")
    assert not is_untouched(exercise.start, changed)
    found = verdict(exercise, define(changed)[0])
    assert found.attempted and not found.passed
    assert found.message == exercise.unchanged


# --- numbers, choices, predictions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", NUMBERS, ids=name)
def test_number(exercise):
    right = exercise.answer

    def times(factor):
        return {part: v * factor for part, v in right.items()} if isinstance(right, dict) else right * factor

    assert verdict(exercise, right).passed
    assert verdict(exercise, times(1 + exercise.rtol / 2)).passed
    assert not verdict(exercise, times(1 + 3 * exercise.rtol)).passed


@pytest.mark.parametrize(
    ("exercise", "part", "wrong", "sentence"),
    [
        (e, part, wrong, sentence)
        for e in NUMBERS
        for part in e.answers()
        for wrong, sentence in e.wrong_for(part).items()
    ],
    ids=name,
)
def test_tempting_number_gets_its_sentence(exercise, part, wrong, sentence):
    right = exercise.answers()
    assert not math.isclose(wrong, right[part], rel_tol=exercise.rtol)
    others = [w for w in exercise.wrong_for(part) if w != wrong]
    assert not any(math.isclose(wrong, other, rel_tol=exercise.rtol) for other in others)
    given = {**right, part: wrong} if part else wrong
    found = verdict(exercise, given)
    assert found.message == (f"{part}: {sentence}" if part else sentence)
    assert not found.passed and found.recognised == f"mistake:{part}"
    assert found.points == exercise.points - exercise.criteria[part]


@pytest.mark.parametrize("exercise", CHOICES, ids=name)
def test_choice(exercise):
    assert exercise.answer in exercise.options
    assert len(set(exercise.options.values())) == len(exercise.options) >= 3
    for letter, explanation in exercise.options.items():
        assert len(explanation) > 20
        for written in (letter, letter.upper(), f" ({letter}) "):
            found = verdict(exercise, written)
            assert found.passed == (letter == exercise.answer)
            assert found.message == explanation
            assert found.recognised == ("" if found.passed else f"mistake:{letter}")


@pytest.mark.parametrize("prediction", PREDICTIONS, ids=name)
def test_prediction(prediction):
    assert len(set(prediction.options)) == len(prediction.options) >= 3
    assert prediction.question and prediction.why
    assert prediction.points == 0


# --- all ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", all_exercises(), ids=name)
def test_texts_and_points(exercise):
    assert 2 <= len(exercise.hints) <= 3
    assert len(set(exercise.hints)) == len(exercise.hints)
    assert exercise.title and exercise.minutes > 0 and exercise.difficulty in (1, 2, 3)
    assert exercise.points > 0
    unattempted = verdict(exercise, None)
    assert not unattempted.passed and unattempted.points == 0


@pytest.mark.parametrize("exercise", [*all_exercises(), *PREDICTIONS], ids=name)
def test_it_is_found_from_its_key(exercise):
    assert find(exercise.key) is exercise
    if exercise.graded:
        assert getattr(module_of(exercise), exercise.name) is exercise


def test_the_course_is_as_large_as_promised():
    assert len(all_exercises()) >= 15
    assert {e.kind for e in all_exercises()} == {"code", "number", "choice"}
    assert any(isinstance(e, ModuleCode) for e in CODE) and any(e.start for e in CODE)
    assert all(len(lesson.exercises) >= 3 for lesson in lessons().values())
    keys = [e.key for e in all_exercises()] + [p.key for p in PREDICTIONS]
    assert len(set(keys)) == len(keys)
