"""What students predict in lesson 17."""

from course_lib.checking.kinds import Prediction

nearest_word = Prediction(
    "17.nearest_word",
    title="The nearest noun",
    question="All nouns are singular or plural by the toss of a coin. “The verb agrees with the last noun before it” is right where no noun stands between the two. How often is it right where some do?",
    options=["in about three of four: near words mostly go together", "in about half", "hardly ever"],
    answer="in about half",
    why="The last noun is then another one, and its number was tossed for by itself.",
)
deeper = Prediction(
    "17.deeper",
    title="Three nouns in between, and more",
    question="Two readers learn from sentences with at most two nouns in between. One is told how far apart words stand in the line, the other how many edges up and down lie between them. In the hard test, with three to five nouns in between, all of them in the other number, how often is the one that knows the line right?",
    options=[
        "nearly always: attention reaches every word in one step",
        "in about half: beyond what it has seen, it guesses",
        "much less than half",
    ],
    answer="much less than half",
    why="It doesn't guess. It has learned which places subjects mostly stand at, and there now stand other nouns, all of them in the wrong number. The tree's reader meets the same labels as in training: the subject is one edge below its verb, however many nouns stand between.",
)
more_sentences = Prediction(
    "17.more_sentences",
    title="Four times as many sentences",
    question="The reader that knows the line gets 8,000 sentences in place of 2,000, still with at most two nouns in between, and twice the steps. How many of the hard sentences with three to five does it then get right?",
    options=["nearly all: it only needed more sentences", "about half", "still few: one in four, or less"],
    answer="still few: one in four, or less",
    why="It becomes good at what is true up to two nouns. What is true of three, no sentence of its training says; it takes many more steps until some of it carries over, and deep sentences until all does.",
)
shuffled_trees = Prediction(
    "17.shuffled_trees",
    title="Another sentence's tree",
    question="A reader is trained and tested with trees, but each sentence gets the tree of another one that is equally long. How does it do with three to five nouns in between?",
    options=[
        "nearly as well as with its own trees: a tree is mostly a matter of length",
        "like a bag of words: a reader without any positions",
        "worse than a coin: the wrong tree misleads it",
    ],
    answer="like a bag of words: a reader without any positions",
    why="A tree that has nothing to do with the sentence says nothing about it, and training finds that out. It can't mislead, since it was no better in training.",
)
ten_per_cent = Prediction(
    "17.ten_per_cent",
    title="One wrong arc in ten",
    question="In the test, one word in ten hangs on a wrong parent. The tree's reader had about .9 of the hard sentences with right trees. What is left?",
    options=["nearly all of it", "a few hundredths less", "about a half: one wrong arc changes many ways"],
    answer="a few hundredths less",
    why="Most wrong arcs lie elsewhere: on a “the”, on an adjective. Only those on the way between verb and subject hurt.",
)
second_round = Prediction(
    "17.second_round",
    title="A second look",
    question="The parser's own arcs are given back to it as edges, and it draws once more. How many of its mistakes does the second round mend, in sentences like those of its training?",
    options=[
        "most of them: now it sees what it has drawn",
        "some of them, if it has learned to read the graph",
        "none, it makes more: mistakes feed on themselves",
    ],
    answer="some of them, if it has learned to read the graph",
    why="About one in four or five. But a model may just as well learn not to look at the graph at all. The control tells: a model that isn't moved by the right graph isn't reading. And a third round mends nothing more.",
)
