"""Why greedy decoding goes in circles."""

from course_lib.checking.kinds import Choice

greedy_loops = Choice(
    "13.greedy_loops",
    title="Round and round",
    points=1,
    minutes=3,
    difficulty=2,
    answer="b",
    options={
        "a": "Size wasn't measured here. Holtzman et al. (2020) found such circles in a GPT-2 of 762 million parameters, too: it can't be that alone.",
        "b": "The same beginning gives the same word, as nothing is drawn. The model mostly goes by the last few words; once these come again, the way on is the same as before. It is sure of less than half of it, so a model that draws is out again after a few words.",
        "c": "A cache gives the same keys as computing them again, and so the same text. Without a cache the circles are the same.",
        "d": "That is what Holtzman et al. (2020) found in GPT-2. Here the figure doesn't show it: the second time a phrase is more probable than the first, its own circles clearly so; soon after that little changes, far below 1. Yet this model goes in circles.",
    },
    hints=[
        "Read the figure: what changes from the second round to the eighth?",
        "How sure is the model of its next word while it goes round? What would a model do that draws?",
    ],
)
