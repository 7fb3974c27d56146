"""What students predict in lesson 02."""

from course_lib.checking.kinds import Prediction

looks_at = Prediction(
    "02.looks_at",
    title="What does *it* look at?",
    question="The animal did not cross the street because it was too tired. Which word should “it” take most from?",
    options=["street", "animal", "tired", "it"],
    answer="animal",
    why="Streets don't tire. A reader has to find that out from the sentence, and so has the model.",
)
spread = Prediction(
    "02.spread",
    title="The spread of the scores",
    question="Queries and keys are random, each number with mean 0 and variance 1. You double d_k from 64 to 128. What happens to the spread (standard deviation) of the scores q · k?",
    options=["it stays the same", "it grows by √2", "it doubles", "it shrinks by √2"],
    answer="it grows by √2",
    why="A score is a sum of d_k products. Variances add, so the variance doubles and the spread grows by its root.",
)
shuffled = Prediction(
    "02.shuffled",
    title="Shuffled words",
    question="You shuffle the words of the sentence and run self-attention again. What becomes of the vector for “it”?",
    options=["it is the same vector as before", "it is a different vector", "it can't be computed"],
    answer="it is the same vector as before",
    why="“it” still meets the same keys and values, in another order, and a weighted sum doesn't mind the order.",
)
twice_as_long = Prediction(
    "02.twice_as_long",
    title="Twice as long",
    question="A text becomes twice as long. By how much does the number of scores grow?",
    options=["by 2", "by 4", "by 8", "not at all"],
    answer="by 4",
    why="Every word meets every word: n² scores.",
)
