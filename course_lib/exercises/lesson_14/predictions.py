"""What students predict in lesson 14."""

from course_lib.checking.kinds import Prediction

lambda_zero = Prediction(
    "14.lambda_zero",
    title="Nothing but labels",
    question="λ = 0, at the rate of pretraining, on fifty labelled reviews. Afterwards it tells good from bad. Then we let it write, from nothing. What will come?",
    options=[
        "what it wrote before: only a matrix was added",
        "reviews, and nothing else",
        "words that don't fit together",
    ],
    answer="words that don't fit together",
    why="All parameters move, the table of the words among them, and no part of the loss asks for a next word. At this rate eighty steps are enough to lose the language.",
)
lambda_half = Prediction(
    "14.lambda_half",
    title="Half of L₁",
    question="The same with λ = 0.5: the loss asks for the next word as well, in the fifty reviews. What will it write, from nothing?",
    options=[
        "what it wrote before: people, rooms, numbers, facts",
        "reviews, whatever else it once knew",
        "words that don't fit together",
    ],
    answer="reviews, whatever else it once knew",
    why="L₁ is asked for on the task's own texts. They hold the language, but their language: every text that it sees now begins as a review does.",
)
swapped = Prediction(
    "14.swapped",
    title="The other way round",
    question="A model was fine-tuned on 500 pairs in one order. In training, neither order means anything: which text stood first was chance. How many of its answers change when the two texts of a test pair swap places?",
    options=["none: it has seen that the order is chance", "about one in six", "about half"],
    answer="about one in six",
    why="That the order means nothing would have to be learned like anything else, from 500 examples. Where the model is sure it answers alike; where it isn't, the order decides.",
)
plain_words = Prediction(
    "14.plain_words",
    title="In plain words",
    question="After “in short , it was”, the words terrible and great tell all two hundred reviews apart. And bad and good, which is what the labels are called?",
    options=[
        "nearly as well: it is the same question",
        "no better than a coin",
        "worse than a coin: it says the opposite",
    ],
    answer="no better than a coin",
    why="The model has no labels in mind, only texts. In this world's reviews nobody says that it was good; so bad is always the likelier of the two.",
)
never = Prediction(
    "14.never",
    title="A direction that it never read",
    question="German in front of a mark it has read, French behind one as well, but never both in one text. How many German lists will it put into French without a mistake?",
    options=["nearly all: it knows both halves", "about half", "hardly any"],
    answer="hardly any",
    why="Every text in which German came first went on in English. That is what it has learned; it wasn't told that there are languages, and marks for them, which can be combined.",
)
wrong_labels = Prediction(
    "14.wrong_labels",
    title="Taught the wrong way round",
    question="Three labelled reviews in the prompt raise the share of right answers. Now all their labels are wrong: the good one is called terrible. What happens to the share?",
    options=[
        "it falls below one half: the model does as it is shown",
        "it falls back to what it was without examples",
        "it rises just as much",
    ],
    answer="it rises just as much",
    why="Then it can't be the labels that helped. The next table asks what did: it puts texts in front that have nothing to do with reviews, too.",
)
