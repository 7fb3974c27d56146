"""Lesson 09, Training a translator."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_09.mean_token import mean_token

LESSON = Lesson(
    name="09_training_a_translator",
    title="Training a translator",
    promise="in a few words, what the student will do",
    exercises=(mean_token,),
)
