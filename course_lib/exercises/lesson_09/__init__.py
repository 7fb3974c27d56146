"""Lesson 09, Training a translator: from random weights to a model that translates numbers."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_09.beam_step import beam_step
from course_lib.exercises.lesson_09.better_bleu import better_bleu
from course_lib.exercises.lesson_09.bleu import bleu
from course_lib.exercises.lesson_09.lrate import lrate
from course_lib.exercises.lesson_09.predictions import (
    danish,
    half_padding,
    k_five,
    short_numbers,
    twelve,
    untrained_loss,
    warm_up,
)
from course_lib.exercises.lesson_09.smoothed_targets import smoothed_targets
from course_lib.exercises.lesson_09.translation_loss import translation_loss

LESSON = Lesson(
    name="09_training_a_translator",
    title="Training a translator",
    promise="train a Transformer that translates numbers, read its attention, search, score",
    exercises=(translation_loss, smoothed_targets, lrate, better_bleu, beam_step, bleu),
    predictions=(untrained_loss, half_padding, short_numbers, warm_up, k_five, twelve, danish),
)
