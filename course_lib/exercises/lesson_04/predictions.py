"""What students predict in lesson 04."""

from course_lib.checking.kinds import Prediction

after_softmax = Prediction(
    "04.after_softmax",
    title="Zero after the softmax",
    question="You compute all weights without a mask, then set those of later words to zero. Now you replace the last word by another. What happens to the output at the first word?",
    options=["nothing: the last word's weight is zero", "it changes", "it becomes NaN"],
    answer="it changes",
    why="The softmax has divided by a sum in which the last word stood. Its weight is gone, its share of the sum isn't.",
)
empty_row = Prediction(
    "04.empty_row",
    title="Nothing to look at",
    question="A query may look at no key at all: each of its scores is −∞. What does softmax make of this row?",
    options=["zeros", "equal weights", "NaN (not a number)", "an error message"],
    answer="NaN (not a number)",
    why="Each weight is e^−∞ divided by a sum of them: 0 divided by 0. No error is raised; the NaN goes on into all that is computed from it.",
)
longer_padding = Prediction(
    "04.longer_padding",
    title="More padding",
    question="A sentence of 3 words is padded to 4, and once more to 12 places. There is no mask. What happens to the output at its words?",
    options=[
        "nothing: padding carries no meaning",
        "they change a little, then no more",
        "the more padding, the more they change",
    ],
    answer="the more padding, the more they change",
    why="Each padding place takes its share of the weight, like a word. Whoever trains with it learns from the batch's longest sentence.",
)
transposed = Prediction(
    "04.transposed",
    title="Turned over",
    question="Somebody writes the causal mask with triu in place of tril: upper triangle, with its diagonal. What does the first word's output depend on then?",
    options=["on itself alone", "on all words", "on nothing: NaN"],
    answer="on all words",
    why="Its row is the longest of the upper triangle. And the last word, which may see everything, sees itself alone.",
)
one_word_more = Prediction(
    "04.one_word_more",
    title="One word more",
    question="A model learns to guess the next word. By mistake its mask lets each position see one word more than it should, and only one. How good will its training loss be, compared with a right mask?",
    options=[
        "hardly better: one word is little",
        "about half as large",
        "close to zero",
        "worse: the extra word confuses it",
    ],
    answer="close to zero",
    why="The one word more is the answer. Copying it is all that there is to learn.",
)
other_way = Prediction(
    "04.other_way",
    title="The other way round",
    question="You hand your causal mask to nn.MultiheadAttention, the layer that lesson 03 compared yours with. Which words does “was” look at, the third of five?",
    options=["the first three, as before", "the last two", "all five", "none: there is an error message"],
    answer="the last two",
    why="There, True means hidden: what your mask opens is closed, and what it closes is open. The shapes fit, so nothing complains.",
)
switched = Prediction(
    "04.switched",
    title="A switch",
    question="A layer halves a word's output whenever the next word's first number is negative. You ask your detector, which looks at gradients. What does it say?",
    options=["each word sees the next one", "no leak", "every word sees every word", "the gradient is NaN"],
    answer="no leak",
    why="The switch is flat on both sides of its step, so its derivative is 0. Only by changing the next word do you notice.",
)
