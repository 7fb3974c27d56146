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
        "a": "Size wasn't measured here. Holtzman et al. (2020) found the same circles in the largest GPT-2, 1.5 billion parameters: it can't be only that.",
        "b": "The second figure shows it: the longer the greedy text, the surer the model is of each next token, surer than of real text. It is right to be, since what has repeated itself in a text mostly goes on so; and taking the likeliest each time, nothing leads out.",
        "c": "A cache gives the same keys as computing them again, and so the same text. Without a cache the circles are the same.",
        "d": "Compare the first two lines of the table: in the reference itself far fewer groups of four come back.",
    },
    hints=[
        "Look at the figure: what happens to the probability of each next token, the longer the greedy text gets?",
        "What would the model say after “the the the the”? And after saying it once more?",
    ],
)
