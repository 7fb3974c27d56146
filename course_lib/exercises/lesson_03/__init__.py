"""Lesson 03, Multi-head attention: several attentions side by side."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_03.merge_heads import merge_heads
from course_lib.exercises.lesson_03.MultiHeadAttention import MultiHeadAttention
from course_lib.exercises.lesson_03.parameters import parameters
from course_lib.exercises.lesson_03.predictions import (
    cost_of_heads,
    one_average,
    reshaped,
    same_heads,
    same_look,
    two_questions,
)
from course_lib.exercises.lesson_03.repaired import repaired
from course_lib.exercises.lesson_03.silence import silence
from course_lib.exercises.lesson_03.split_heads import split_heads
from course_lib.exercises.lesson_03.strongest_head import strongest_head

LESSON = Lesson(
    name="03_multi_head_attention",
    title="Multi-head attention",
    promise="put heads side by side; measure which one follows *it*, and what happens without it",
    exercises=(split_heads, merge_heads, parameters, MultiHeadAttention, strongest_head, silence, repaired),
    predictions=(one_average, two_questions, reshaped, cost_of_heads, same_heads, same_look),
)
