"""Lesson 11, BERT: pretrained in front of the student by filling in blanks."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_11.base_parameters import base_parameters
from course_lib.exercises.lesson_11.input_sum import input_sum
from course_lib.exercises.lesson_11.mask_tokens import mask_tokens
from course_lib.exercises.lesson_11.mlm_loss import mlm_loss
from course_lib.exercises.lesson_11.next_sentence_pairs import next_sentence_pairs
from course_lib.exercises.lesson_11.predictions import (
    as_next_token,
    not_learned,
    seen_places,
    switched_off,
    trained_longer,
    unmasked_word,
    which_negatives,
)
from course_lib.exercises.lesson_11.previous_token import previous_token
from course_lib.exercises.lesson_11.why_unchanged import why_unchanged

LESSON = Lesson(
    name="11_bert",
    title="BERT",
    promise="pretrain a BERT in three minutes, fill in seven kinds of blanks, look into its heads",
    exercises=(input_sum, base_parameters, mask_tokens, mlm_loss, why_unchanged, next_sentence_pairs, previous_token),
    predictions=(as_next_token, seen_places, not_learned, trained_longer, unmasked_word, which_negatives, switched_off),
)
