"""What students predict in lesson 13."""

from course_lib.checking.kinds import Prediction

after_a_month = Prediction(
    "13.after_a_month",
    title="A hundred words later",
    question="A GRU reads a month, then a hundred words in which it doesn't matter, then “soon it was …”. It has been trained on such stories for 600 steps, about twenty seconds of one core. Which probability does it give the right one of six feasts?",
    options=["about 1/6: the month is long forgotten", "about a half", "nearly 1"],
    answer="nearly 1",
    why="One word is little to remember, and a GRU can learn to keep a part of its state unchanged for as long as it has to. Learning that takes longer the further the words are apart.",
)
first_learned = Prediction(
    "13.first_learned",
    title="First and last",
    question="Your GPT is about to read the tiny world for 600 steps. Which of these will it be able to do first: agree a verb with its subject (the onions beside the lamp were …), know the world's facts (who lives where), say which of two people is he or she, or say in which room somebody is now?",
    options=[
        "facts: they only have to be remembered",
        "the verb's agreement",
        "he or she",
        "the room: it was just named",
    ],
    answer="the verb's agreement",
    why="Agreement is one rule that nearly every sentence practises. Each fact has to be met on its own, he and she need to be told apart by what was done, and the room means following who moved last.",
)
loops = Prediction(
    "13.loops",
    title="The same again",
    question="In Python's reference itself, within 120 tokens, one group of four tokens in fifty has stood there before. The model writes 120 tokens greedily, always the likeliest. How many of its groups of four have stood there before?",
    options=["one in fifty, too: it learned from that text", "about one in ten", "about half"],
    answer="about half",
    why="Greedy decoding draws nothing: once it comes to the same few words again, it goes on as it did before.",
)
times_faster = Prediction(
    "13.times_faster",
    title="What the cache saves",
    question="Without a cache, word 256 costs a run of the model over 256 words; with it, over one. How many times faster are all 256 words together, on one core of a processor, with a small model?",
    options=["256 times", "about 128 times, the mean length", "much less: several times"],
    answer="much less: several times",
    why="A processor works through a hundred words at once nearly as easily as through one: much of a step's time is spent on calling each operation, and that is the same for one word.",
)
because = Prediction(
    "13.because",
    title="Without the little word",
    question="“kofi hid from mei because …”: your model says he. We take the little word out: “kofi hid mei because …”. (No text of the tiny world says it so.) Whose pronoun will it say, in most of sixty such beginnings?",
    options=[
        "still his: who hides has the reason",
        "hers, the one named last",
        "half and half: it has never read such a sentence",
    ],
    answer="hers, the one named last",
    why="Your model never had to know what hiding is. In the tiny world's sentences the first one is meant exactly where a word such as from or to follows the verb: a count of words does as well as the verb's meaning.",
)
