"""Lesson 12, fine-tuning BERT: one output layer more, and all parameters learn the task."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_12.best_span import best_span
from course_lib.exercises.lesson_12.classify import classify
from course_lib.exercises.lesson_12.fine_tune import fine_tune
from course_lib.exercises.lesson_12.frozen_tuned_scratch import frozen_tuned_scratch
from course_lib.exercises.lesson_12.pair_input import pair_input
from course_lib.exercises.lesson_12.predictions import (
    cls_looks,
    forgotten,
    frozen_or_scratch,
    rate,
    ten_labels,
    together,
)
from course_lib.exercises.lesson_12.tags_on_pieces import tags_on_pieces

LESSON = Lesson(
    name="12_fine_tuning_bert",
    title="Fine-tuning BERT",
    promise="plug four heads into one BERT, and measure what pretraining is worth at ten labels and at five hundred",
    exercises=(classify, pair_input, tags_on_pieces, best_span, frozen_tuned_scratch, fine_tune),
    predictions=(ten_labels, together, frozen_or_scratch, rate, cls_looks, forgotten),
)
