"""Lesson 02, Self-attention: queries, keys, values, and why the scores are divided by √d_k."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_02.attend import attend
from course_lib.exercises.lesson_02.bilinear import bilinear
from course_lib.exercises.lesson_02.by_hand import by_hand
from course_lib.exercises.lesson_02.noun_finder import noun_finder
from course_lib.exercises.lesson_02.order import order
from course_lib.exercises.lesson_02.predictions import (
    exchanged,
    looks_at,
    shuffled,
    spread,
    twice_as_long,
    without_scale,
)
from course_lib.exercises.lesson_02.repaired import repaired
from course_lib.exercises.lesson_02.scaled_dot_product_attention import scaled_dot_product_attention

LESSON = Lesson(
    name="02_self_attention",
    title="Self-attention",
    promise="rebuild a head of a trained model from queries, keys and values, measure what the division by √d_k is worth, and design a head by hand",
    exercises=(attend, bilinear, by_hand, scaled_dot_product_attention, order, repaired, noun_finder),
    predictions=(looks_at, spread, without_scale, exchanged, shuffled, twice_as_long),
)
