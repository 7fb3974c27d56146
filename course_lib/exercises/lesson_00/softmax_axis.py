"""Over which axis a table of scores (query, key) is normalised."""

from course_lib.checking.kinds import Choice

softmax_axis = Choice(
    "00.softmax_axis",
    title="Which axis sums to one",
    points=1,
    minutes=3,
    difficulty=1,
    answer="b",
    options={
        "a": "dim=0 runs down a column: it shares one key out among the queries. Each query should share itself out.",
        "b": "Each row belongs to one query. dim=-1 runs along it, over the keys, so each query's weights sum to 1.",
        "c": "Over everything, all the weights of all queries would sum to 1 together: a query in a long sentence would get next to nothing.",
        "d": "It matters: the results differ, as the sums printed above show.",
    },
    hints=[
        "Take one query, one row of the table. What should add up to 1?",
        "Along a row, the index that changes is the last one.",
    ],
)
