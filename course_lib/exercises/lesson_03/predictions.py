"""What students predict in lesson 03."""

from course_lib.checking.kinds import Prediction

one_average = Prediction(
    "03.one_average",
    title="Two words change places",
    question="A head gives half of its weight to the first word of a sentence and half to the third. The two words change places; the weights stay where they are. What happens to the head's output?",
    options=["it is another vector", "its two halves change places", "nothing: it is the same vector"],
    answer="nothing: it is the same vector",
    why="½a + ½b is ½b + ½a. Both words are in it, and which of them came from where is not.",
)
two_questions = Prediction(
    "03.two_questions",
    title="One head for two questions",
    question="Two layers with as many parameters: one head of 32 numbers, or two heads of 16. Each is trained to name, at every place of a text, the word before and the first word. How often will the single head have both right?",
    options=[
        "nearly always: 32 numbers are room enough for two words",
        "about three times in four",
        "in less than half of the places",
    ],
    answer="in less than half of the places",
    why="Room isn't what it lacks. It has one row of weights, so it gives both questions the same mixture of words; two heads have two.",
)
reshaped = Prediction(
    "03.reshaped",
    title="Reshaped at once",
    question="x holds 3 words of 4 numbers each. Somebody wants two heads, and writes x.reshape(2, 3, 2). What is in head 0?",
    options=[
        "the first two numbers of each word",
        "all of word 0, and half of word 1",
        "the first three numbers of each of two words",
    ],
    answer="all of word 0, and half of word 1",
    why="A reshape keeps the numbers in their order, and the first six of them are word 0 and half of word 1.",
)
cost_of_heads = Prediction(
    "03.cost_of_heads",
    title="What eight heads cost",
    question="You cut d_model = 512 into 8 heads of 64 instead of using one head of 512. How many parameters does the layer have then?",
    options=["eight times as many", "twice as many", "the same number", "an eighth"],
    answer="the same number",
    why="The projections keep their size: 8 · 64 = 512 rows. Only the way the result is cut changes.",
)
same_heads = Prediction(
    "03.same_heads",
    title="Which head follows “it”",
    question="The small trained model has several heads in each of its layers. How many of them look mainly at the noun that “it” stands for?",
    options=["all of them", "about half", "only one or two", "none"],
    answer="only one or two",
    why="One does. Two more look at both nouns alike, the right and the wrong one; one looks at “tired”; the rest have no clear habit.",
)
same_look = Prediction(
    "03.same_look",
    title="The same look, the same need?",
    question="Heads 0.0 and 0.1 give the right noun about the same weight, and so they do the wrong one. Each is silenced in turn. How often does the model still name the right noun?",
    options=[
        "nearly always, both times: the other one does its work",
        "much less often, both times",
        "nearly always without one of them, much less often without the other",
    ],
    answer="nearly always without one of them, much less often without the other",
    why="By their looks the two can't be told apart. What the rest of the model makes of them, the weights don't show.",
)
