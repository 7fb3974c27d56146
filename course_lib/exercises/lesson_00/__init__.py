"""Lesson 00, Start here: shapes, products, softmax."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_00.all_dots import all_dots
from course_lib.exercises.lesson_00.broadcast_shape import broadcast_shape
from course_lib.exercises.lesson_00.predictions import first_guess
from course_lib.exercises.lesson_00.softmax import softmax
from course_lib.exercises.lesson_00.softmax_axis import softmax_axis

LESSON = Lesson(
    name="00_start_here",
    title="Start here",
    promise="learn how the course works; shapes, products, softmax",
    exercises=(all_dots, broadcast_shape, softmax_axis, softmax),
    predictions=(first_guess,),
)
