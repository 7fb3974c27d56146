"""Lesson 15, what does pretraining teach? Three families at equal compute, and what lies near the pretrained weights."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_15.distance_from_start import distance_from_start
from course_lib.exercises.lesson_15.loss_on_the_line import loss_on_the_line
from course_lib.exercises.lesson_15.predictions import (
    a_or_an,
    barriers,
    few_labels,
    how_far,
    on_the_way,
    same_price,
    untrained_probe,
)
from course_lib.exercises.lesson_15.probe_leak import probe_leak
from course_lib.exercises.lesson_15.span_corruption import span_corruption
from course_lib.exercises.lesson_15.which_family import which_family

LESSON = Lesson(
    name="15_pretraining_three_ways",
    title="What does pretraining teach?",
    promise="measure what three families learn from the same text, and what lies near a pretrained model",
    exercises=(span_corruption, which_family, loss_on_the_line, distance_from_start, probe_leak),
    predictions=(same_price, a_or_an, few_labels, on_the_way, how_far, barriers, untrained_probe),
)
