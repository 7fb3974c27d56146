"""Lesson 05, Positions: how attention is told where a word stands."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_05.predictions import (
    base_1000,
    fraction_step,
    holds,
    mixed_up,
    one_hand,
    same_bag,
    similar,
    with_random_starts,
)
from course_lib.exercises.lesson_05.random_windows import random_windows
from course_lib.exercises.lesson_05.relative_scores import relative_scores
from course_lib.exercises.lesson_05.rotary import rotary
from course_lib.exercises.lesson_05.shift_rotation import shift_rotation
from course_lib.exercises.lesson_05.sinusoidal import sinusoidal
from course_lib.exercises.lesson_05.wavelengths import wavelengths

LESSON = Lesson(
    name="05_positions",
    title="Positions",
    promise="tell attention where a word stands, in ten ways; see which of them hold in longer texts",
    exercises=(sinusoidal, wavelengths, shift_rotation, relative_scores, rotary, random_windows),
    predictions=(same_bag, fraction_step, similar, mixed_up, holds, with_random_starts, base_1000, one_hand),
)
