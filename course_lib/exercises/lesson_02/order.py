"""A text read twice over: what attention makes of it, and what it can't know."""

from course_lib.checking.kinds import Choice

order = Choice(
    "02.order",
    title="The same thing twice",
    points=1,
    minutes=4,
    difficulty=2,
    answer="b",
    options={
        "a": "The weight is shared by twice as many words, that is right. But what each of them gives is there twice, too: half plus half.",
        "b": "Every key stands there twice, and each copy gets half of the weight: the mixture is the same. Attention neither counts nor knows the order; lesson 05 adds positions.",
        "c": "The weights still sum to 1, so what comes out is a mean of the values, not a sum: more words don't make it longer.",
        "d": "Both have the same query and meet the same keys. Nothing in the formula says where a word stands.",
    },
    hints=[
        "The weights of a query sum to 1. Every key now stands there twice: what does each copy get?",
        "Half the weight for each copy, two copies of each value. What is the sum?",
    ],
)
