"""What students predict in lesson 09."""

from course_lib.checking.kinds import Prediction

untrained_loss = Prediction(
    "09.untrained_loss",
    title="The loss before the first step",
    question="The model has random weights and 400 tokens to choose from. About how large is its loss, in nats for each token?",
    options=["about 0.4", "about 1", "about 6", "about 400"],
    answer="about 6",
    why="It gives each of 400 tokens about the same probability, 1/400, and −ln(1/400) = 5.99.",
)
half_padding = Prediction(
    "09.half_padding",
    title="The same texts, in another order",
    question="A batch is as wide as its longest text; the rest is padding. Texts are either put into batches as they come, or sorted by length first. Whose model has less to compute?",
    options=[
        "no difference: the texts are the same",
        "sorted: less than half the padding is left",
        "as they come: the lengths average out",
    ],
    answer="sorted: less than half the padding is left",
    why="Padding comes from texts of different lengths side by side. Sorted, neighbours are about equally long.",
)
short_numbers = Prediction(
    "09.short_numbers",
    title="An easier test",
    question="Your model gets nearly all held-out numbers up to 999,999 right. Now it is given held-out numbers of three digits, such as four hundred and two. How many does it get right?",
    options=["nearly all: they are shorter", "about three of four", "less than half"],
    answer="less than half",
    why="Of a million numbers 900 have three digits: one in a thousand. Of the 12,000 that were drawn for training a dozen or so are so short. The model has hardly ever seen a text that ends so soon.",
)
warm_up = Prediction(
    "09.warm_up",
    title="Is this part very important?",
    question="Eight kinds of model, all with the same highest rate: two layers or six, norm first or norm last, with warm-up or without. Which of those without warm-up learn nothing?",
    options=["none", "all of them", "those of six layers with the norm last, as in the paper", "those of two layers"],
    answer="those of six layers with the norm last, as in the paper",
    why="With the norm on the skip, the gradients of a deep model are ill-matched at the beginning, and the first large steps push it to where no gradient leads back.",
)
k_five = Prediction(
    "09.k_five",
    title="Five hypotheses instead of one",
    question="The model whose training was stopped after a quarter of its steps gets about three numbers of four right, greedily. What does beam search with k = 5 do to its mistakes?",
    options=["it mends most of them", "it mends a few", "it makes more of them"],
    answer="it mends a few",
    why="A mistake is mended where the right translation lost at one token by a little, and won on the whole. Where the model is sure of the wrong token, no search helps.",
)
twelve = Prediction(
    "09.twelve",
    title="Lists of twelve, again",
    question="Lesson 01's translator was trained on lists of up to eight numbers and failed on twelve. A Transformer sees all of the list at once, at every step. Trained on the same lists, how many of twelve does it get right?",
    options=["nearly all", "about half", "next to none"],
    answer="next to none",
    why="Seeing all of the list isn't knowing the place in it: positions behind the eighth number were never trained (lesson 05).",
)
danish = Prediction(
    "09.danish",
    title="Half twenties",
    question="Danish has the unit first, as German has, and counts in half twenties: 50 is halvtreds, 70 halvfjerds, 90 halvfems. Three models that learned it made 39 mistakes in 1,500 numbers. Which kind is the most frequent?",
    options=[
        "a wrong ten, such as halvtreds (50) for halvfems (90)",
        "ten and unit in the wrong order",
        "one word misspelt, again and again",
    ],
    answer="one word misspelt, again and again",
    why="A rule that always holds is learned, however odd it is. What a model stumbles over may be an accident of how its tokens were cut.",
)
