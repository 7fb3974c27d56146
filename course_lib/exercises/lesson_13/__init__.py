"""Lesson 13, GPT: a decoder that reads and writes one text, pretrained in front of the student."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_13.bits_per_byte import bits_per_byte
from course_lib.exercises.lesson_13.cache_step import cache_step
from course_lib.exercises.lesson_13.greedy_loops import greedy_loops
from course_lib.exercises.lesson_13.lm_loss import lm_loss
from course_lib.exercises.lesson_13.next_word_logits import next_word_logits
from course_lib.exercises.lesson_13.predictions import after_a_month, because, first_learned, loops, times_faster
from course_lib.exercises.lesson_13.top_p_filter import top_p_filter

LESSON = Lesson(
    name="13_gpt",
    title="GPT",
    promise="pretrain a GPT, let it write, and build the cache that makes it fast",
    exercises=(next_word_logits, lm_loss, bits_per_byte, top_p_filter, greedy_loops, cache_step),
    predictions=(after_a_month, first_learned, because, loops, times_faster),
)
