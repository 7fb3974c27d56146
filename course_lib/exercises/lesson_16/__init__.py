"""Lesson 16, cost and variants: what attention costs, what cheaper kinds of it lose, and experts."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_16.compressed_attention import compressed_attention
from course_lib.exercises.lesson_16.linformer_attention import linformer_attention
from course_lib.exercises.lesson_16.no_point import no_point
from course_lib.exercises.lesson_16.predictions import (
    big_bird_far,
    first_to_learn,
    kept_memory,
    linformer_near,
    twice_as_long,
    which_expert,
    which_helps,
)
from course_lib.exercises.lesson_16.share_of_attention import share_of_attention
from course_lib.exercises.lesson_16.sparse_mask import sparse_mask
from course_lib.exercises.lesson_16.top_k_gate import top_k_gate

LESSON = Lesson(
    name="16_cost_and_variants",
    title="Cost and variants",
    promise="count what a long text costs, build cheaper kinds of attention, and measure what they lose",
    exercises=(share_of_attention, sparse_mask, linformer_attention, no_point, compressed_attention, top_k_gate),
    predictions=(twice_as_long, kept_memory, first_to_learn, big_bird_far, linformer_near, which_expert, which_helps),
)
