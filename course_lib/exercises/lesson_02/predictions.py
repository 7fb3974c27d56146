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
without_scale = Prediction(
    "02.without_scale",
    title="Trained without √d_k",
    question="Two heads with d_k = 256 are trained in the same way for 200 steps, one with the division by √d_k and one without. What becomes of the one without?",
    options=["it learns nothing", "it learns, but less surely", "it learns just as well"],
    answer="it learns, but less surely",
    why="The softmax starts out sharp, and wrong. Its gradient is small but not zero, so the head can still find its way, in some runs and at some learning rates.",
)
exchanged = Prediction(
    "02.exchanged",
    title="Another value",
    question="In the sentence with “tired”, “it” gives .999 of its weight to “animal”. In this one head you exchange the values of “animal” and “street”, nothing else. Where does “it” look then, and what does the model say it stands for?",
    options=["it looks at animal; animal", "it looks at animal; street", "it looks at street; street"],
    answer="it looks at animal; street",
    why="The weights are made of queries and keys alone. What comes through them is the value, and that is now the one of “street”.",
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
