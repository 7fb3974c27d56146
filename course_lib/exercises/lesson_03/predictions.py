"""What students predict in lesson 03."""

from course_lib.checking.kinds import Prediction

cost_of_heads = Prediction(
    "03.cost_of_heads",
    title="What eight heads cost",
    question="You cut d_model = 512 into 8 heads of 64 instead of using one head of 512. How many parameters does the layer have then?",
    options=["eight times as many", "twice as many", "the same number", "an eighth"],
    answer="the same number",
    why="The projections keep their size: 8 · 64 = 512 rows. Only the way the result is cut changes.",
)
one_average = Prediction(
    "03.one_average",
    title="One average for two questions",
    question="Half of the weight on one word, half on another. Can a head's output be the same for two quite different pairs of words?",
    options=["never", "only if the pairs share a word", "yes, for quite different pairs"],
    answer="yes, for quite different pairs",
    why="Many pairs of vectors have the same mean, and the mean is all that is left.",
)
same_heads = Prediction(
    "03.same_heads",
    title="Which head follows “it”",
    question="The small trained model has several heads in each of its layers. How many of them look mainly at the noun that “it” stands for?",
    options=["all of them", "about half", "only one or two", "none"],
    answer="only one or two",
    why="One does. Two more look at a noun that stands near, right or wrong; one looks at “tired”; the rest have no clear habit.",
)
