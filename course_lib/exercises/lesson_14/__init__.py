"""Lesson 14, using GPT: one model, four forms of input, two losses, and labels that are only words."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_14.input_forms import input_forms
from course_lib.exercises.lesson_14.l3_loss import l3_loss
from course_lib.exercises.lesson_14.label_words import label_words
from course_lib.exercises.lesson_14.multiple_choice import multiple_choice
from course_lib.exercises.lesson_14.order_effect import order_effect
from course_lib.exercises.lesson_14.predictions import (
    lambda_half,
    lambda_zero,
    never,
    plain_words,
    swapped,
    wrong_labels,
)
from course_lib.exercises.lesson_14.which_row_is_which import which_row_is_which

LESSON = Lesson(
    name="14_using_gpt",
    title="Using GPT",
    promise="fine-tune a GPT for four kinds of tasks, see what it forgets, and ask it without any training",
    exercises=(input_forms, l3_loss, order_effect, multiple_choice, label_words, which_row_is_which),
    predictions=(lambda_zero, lambda_half, swapped, plain_words, never, wrong_labels),
)
