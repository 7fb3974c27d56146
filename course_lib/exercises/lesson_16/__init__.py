"""Lesson 16, cost and variants: what attention costs, what cheaper kinds of it keep, and experts."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_16.compressed_attention import compressed_attention
from course_lib.exercises.lesson_16.linformer_attention import linformer_attention
from course_lib.exercises.lesson_16.no_point import no_point
from course_lib.exercises.lesson_16.share_of_attention import share_of_attention
from course_lib.exercises.lesson_16.sparse_mask import sparse_mask
from course_lib.exercises.lesson_16.top_k_gate import top_k_gate

LESSON = Lesson(
    name="16_cost_and_variants",
    title="Cost and variants",
    promise="measure what attention costs, and what its cheaper kinds keep",
    exercises=(share_of_attention, sparse_mask, linformer_attention, no_point, compressed_attention, top_k_gate),
)
