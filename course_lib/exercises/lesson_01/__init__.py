"""Lesson 01, Why attention: what recurrence costs, soft look-up, scores, context, and a decoder that looks."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_01.additive_scores import additive_scores
from course_lib.exercises.lesson_01.context_vector import context_vector
from course_lib.exercises.lesson_01.fits import fits
from course_lib.exercises.lesson_01.predictions import fade, faster, longer, twelve
from course_lib.exercises.lesson_01.repaired import repaired
from course_lib.exercises.lesson_01.soft_lookup import soft_lookup
from course_lib.exercises.lesson_01.waiting import waiting

LESSON = Lesson(
    name="01_why_attention",
    title="Why attention",
    promise="measure what recurrence costs; train a translator with and without a look back, and see where it looks",
    exercises=(waiting, soft_lookup, fits, additive_scores, context_vector, repaired),
    predictions=(fade, faster, longer, twelve),
)
