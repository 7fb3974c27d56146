"""Lesson 06, The block: attention becomes a layer that can be stacked."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_06.block import block
from course_lib.exercises.lesson_06.dropout import dropout
from course_lib.exercises.lesson_06.encoder_layer import encoder_layer
from course_lib.exercises.lesson_06.feed_forward import feed_forward
from course_lib.exercises.lesson_06.layer_norm import layer_norm
from course_lib.exercises.lesson_06.one_layer import one_layer
from course_lib.exercises.lesson_06.predictions import (
    apart,
    at_the_input,
    landscape,
    neighbours,
    one_word,
    without_warm_up,
)

LESSON = Lesson(
    name="06_the_block",
    title="The block",
    promise="assemble the layer that every Transformer stacks, and measure what each of its four parts is for",
    exercises=(one_layer, feed_forward, layer_norm, block, dropout, encoder_layer),
    predictions=(apart, one_word, at_the_input, neighbours, without_warm_up, landscape),
)
