"""What students predict in lesson 10."""

from course_lib.checking.kinds import Prediction

no_strangers = Prediction(
    "10.no_strangers",
    title="Friends alone",
    question="The model is asked of true pairs only: did these two stand together? No strangers are drawn. Then it is asked about june and hammers, which never stood together. What does it say?",
    options=["no: it never saw them together", "about ½: it was never asked", "yes"],
    answer="yes",
    why="Yes was right every time, so the shortest way to a small loss is yes to everything: all words on one side, all company there, too. The loss is next to 0, and the answers know nothing. It takes strangers to learn when to say no.",
)
bank_nearest = Prediction(
    "10.bank_nearest",
    title="The bank",
    question="In half of its sentences bank is for money, in half it is the edge of a river. It gets one vector. Which words are nearest to it?",
    options=[
        "buildings: school, museum, court",
        "the shore: beach, cliff, meadow",
        "some of both",
        "neither: two meanings cancel out",
    ],
    answer="some of both",
    why="Its vector is pulled to the company of both, and lies between the two crowds. Nothing in it says which one is meant in a given sentence.",
)
unseen_neighbours = Prediction(
    "10.unseen_neighbours",
    title="Neighbours it never had",
    question="In the first test set no word beside record ever stood beside record in training. You only know the word vectors of these two neighbours, and learn from 200 uses. How often do you get the sense right? (A coin: .50.)",
    options=["about .50: they are new", "about .75", "nearly always"],
    answer="nearly always",
    why="The neighbour is new beside record, but not new: rarely has the company of often, and so nearly the vector of often. This set alone would prove nothing about context. That is why there are four.",
)
two_clauses = Prediction(
    "10.two_clauses",
    title="Neighbours and the whole sentence",
    question="Now you know the vectors of both neighbours and the mean of all the words of the sentence. In nora let her record every song and ravi missed her record every evening, how often will you know which record is the verb?",
    options=["about .50", "about .75", "nearly always"],
    answer="about .50",
    why="Both have the neighbours her and every, and both stand in the same sentence. Only the order is left, and a mean has none.",
)
untrained = Prediction(
    "10.untrained",
    title="Readers that never read",
    question="Two LSTMs each way with random weights, which have never read a text. The probe gets their states of 200 labelled uses of record, and is asked about two clauses, where only order tells. How often is it right?",
    options=["about .50: they know nothing", "about .75", "nearly always"],
    answer="nearly always",
    why="What it takes here is order, and a recurrent network keeps that with any weights: its state after let her record is another one than after wanted her record. 200 labels teach a line what to read from it. Without this control one would have called it knowledge of language.",
)
layer_zero = Prediction(
    "10.layer_zero",
    title="Layer 0 alone",
    question="Eighty uses of record are drawn, each as the mixture of the model's three layers. You give all of the share to layer 0. What do you see?",
    options=["two clouds, nearer to each other", "one cloud", "one point"],
    answer="one point",
    why="Layer 0 is the word's own vector, before any context was read: the same in all eighty sentences.",
)
few_labels = Prediction(
    "10.few_labels",
    title="A hundred reviews",
    question="A small reader learns from 100 labelled reviews whether a review praises. In the test stand other words of praise and blame than in all the labels. Which does best?",
    options=[
        "vectors learned from nothing, with the task",
        "frozen word vectors, or these with ELMo's",
        "none: what no label has can't be known",
    ],
    answer="frozen word vectors, or these with ELMo's",
    why="From nothing, a word that no label contains is a random vector: a coin. In plain text superb keeps the company of wonderful, so that their vectors are near, and what was learned for one holds for the other, often.",
)
