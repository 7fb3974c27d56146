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
        "a": "x",
        "b": "x",
        "c": "x",
        "d": "x",
    },
    hints=["x", "x"],
)
