"""Lesson 08, Encoder and decoder: the whole Transformer, from its parts."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_08.base_parameters import base_parameters
from course_lib.exercises.lesson_08.cross_attention import cross_attention
from course_lib.exercises.lesson_08.decoder_layer import decoder_layer
from course_lib.exercises.lesson_08.no_mask import no_mask
from course_lib.exercises.lesson_08.predictions import (
    no_causal_mask,
    no_positions,
    not_shifted,
    other_memory,
    torchs_mask,
    which_head,
)
from course_lib.exercises.lesson_08.shift import shift
from course_lib.exercises.lesson_08.tied import tied

LESSON = Lesson(
    name="08_encoder_and_decoder",
    title="Encoder and decoder",
    promise="assemble the whole Transformer from your own parts, and take it apart again to see what each is for",
    exercises=(no_mask, cross_attention, decoder_layer, shift, tied, base_parameters),
    predictions=(other_memory, not_shifted, which_head, no_causal_mask, no_positions, torchs_mask),
)
