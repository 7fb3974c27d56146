"""What students predict in lesson 00."""

from course_lib.checking.kinds import Prediction

first_guess = Prediction(
    "00.first_guess",
    title="The shape of a product",
    question="a has the shape (2, 3) and b the shape (3, 4). What is the shape of a @ b?",
    options=["(2, 4)", "(3, 3)", "(2, 3, 4)", "it is an error"],
    answer="(2, 4)",
    why="The inner lengths, 3 and 3, must be equal; they are summed over and vanish. The outer ones stay.",
)
