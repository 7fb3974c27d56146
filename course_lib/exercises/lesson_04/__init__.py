"""Lesson 04, Masking: who may look at whom, and how to find out who does."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_04.by_gradient import by_gradient
from course_lib.exercises.lesson_04.causal_mask import causal_mask
from course_lib.exercises.lesson_04.decoder_mask import decoder_mask
from course_lib.exercises.lesson_04.masked_attention import masked_attention
from course_lib.exercises.lesson_04.new_word import new_word
from course_lib.exercises.lesson_04.planted_leaks import planted_leaks
from course_lib.exercises.lesson_04.predictions import (
    after_softmax,
    empty_row,
    longer_padding,
    one_word_more,
    other_way,
    switched,
    transposed,
)
from course_lib.exercises.lesson_04.repaired import repaired

LESSON = Lesson(
    name="04_masking",
    title="Masking",
    promise="hide what comes later, and padding; write a detector, and find planted leaks with it",
    exercises=(causal_mask, masked_attention, decoder_mask, new_word, by_gradient, planted_leaks, repaired),
    predictions=(after_softmax, empty_row, other_way, longer_padding, switched, transposed, one_word_more),
)
