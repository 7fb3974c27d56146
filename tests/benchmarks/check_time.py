"""How long `check` takes: a right answer, a listed mistake, and a wrong answer that no list explains. Seconds, medians."""

import copy
import statistics
import time

import torch

from course_lib.checking.collect import collect
from course_lib.checking.judge import judge
from course_lib.checking.kinds import Code, ModuleCode
from course_lib.exercises import all_exercises

REPEATS = 5


def measure() -> dict[str, dict[str, float]]:
    """By exercise: {"right": s, "listed mistake": s, "other mistake": s}, with one thread. The target is 0.3 s."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return {exercise.key: _times(exercise) for exercise in all_exercises() if isinstance(exercise, Code)}
    finally:
        torch.set_num_threads(threads)


def _times(exercise: Code) -> dict[str, float]:
    exercise = copy.copy(exercise)
    exercise.forbidden = (
        "nothing is named like this",
    )  # watched as ever, though the reference calls what students may not
    submissions = {
        "right": exercise.reference,
        "listed mistake": exercise.mistakes[-1].wrong,
        "other mistake": _half_of(exercise),
    }
    return {
        what: statistics.median(_seconds(exercise, answer, seed) for seed in range(REPEATS))
        for what, answer in submissions.items()
    }


def _seconds(exercise: Code, submission, seed: int) -> float:
    start = time.perf_counter()
    judge(exercise, str(seed), collect(exercise, submission, str(seed)))
    return time.perf_counter() - start


def _half_of(exercise: Code):
    """The right answer, halved."""

    def halve(result):
        return tuple(map(halve, result)) if isinstance(result, tuple) else result / 2

    if isinstance(exercise, ModuleCode):
        forward = exercise.reference.forward
        return type(
            "Halved",
            (exercise.reference,),
            {"forward": lambda self, query, key, value: halve(forward(self, query, key, value))},
        )
    return lambda *inputs: halve(exercise.reference(*inputs))


if __name__ == "__main__":
    for key, times in measure().items():
        print(f"{key:35}", *(f"{what} {1000 * seconds:6.1f} ms" for what, seconds in times.items()))
