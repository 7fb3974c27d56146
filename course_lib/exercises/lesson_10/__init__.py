"""Lesson 10, from word vectors to context: skip-gram's one point a word, ELMo's one for each time it is used."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_10.both_directions import both_directions
from course_lib.exercises.lesson_10.left_for_labels import left_for_labels
from course_lib.exercises.lesson_10.mixture import mixture
from course_lib.exercises.lesson_10.nearest_words import nearest_words
from course_lib.exercises.lesson_10.negative_sampling_loss import negative_sampling_loss
from course_lib.exercises.lesson_10.predictions import (
    bank_nearest,
    few_labels,
    layer_zero,
    no_strangers,
    two_clauses,
    unseen_neighbours,
    untrained,
)
from course_lib.exercises.lesson_10.window_pairs import window_pairs

LESSON = Lesson(
    name="10_word_vectors",
    title="From word vectors to context",
    promise="train word vectors that know a word by its company, and a model that tells *I record* from *the record*",
    exercises=(window_pairs, negative_sampling_loss, nearest_words, both_directions, mixture, left_for_labels),
    predictions=(no_strangers, bank_nearest, unseen_neighbours, two_clauses, untrained, layer_zero, few_labels),
)
