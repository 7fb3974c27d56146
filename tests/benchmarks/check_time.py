"""How long `check` takes: a right answer, a listed mistake, and a wrong answer that no list explains. Seconds, medians."""

import statistics
import time

import torch

from course_lib.exercises import Code, all_exercises
from course_lib.exercises.kinds import Module
from course_lib.grading.answers import collect
from course_lib.grading.judge import judge

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
    forbidden, exercise.forbidden = exercise.forbidden, ()  # the reference may call what students may not
    try:
        submissions = {"right": exercise.reference, "listed mistake": exercise.mistakes[-1].answer, "other mistake": _half_of(exercise)}
        return {name: statistics.median(_seconds(exercise, submission, i) for i in range(REPEATS)) for name, submission in submissions.items()}
    finally:
        exercise.forbidden = forbidden


def _seconds(exercise: Code, submission, seed: int) -> float:
    start = time.perf_counter()
    judge(exercise, str(seed), collect(exercise, submission, str(seed)))
    return time.perf_counter() - start


def _half_of(exercise: Code):
    """The right answer, halved."""

    def halve(result):
        return tuple(map(halve, result)) if isinstance(result, tuple) else result / 2

    if isinstance(exercise, Module):
        forward = exercise.reference.forward
        return type("Halved", (exercise.reference,), {"forward": lambda self, query, key, value: halve(forward(self, query, key, value))})
    return lambda *inputs: halve(exercise.reference(*inputs))


if __name__ == "__main__":
    for key, times in measure().items():
        print(f"{key:35}", *(f"{name} {1000 * seconds:6.1f} ms" for name, seconds in times.items()))
