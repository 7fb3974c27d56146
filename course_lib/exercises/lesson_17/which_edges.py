"""Plain attention, Shaw's and the tree's: all three are edges with labels, and which are they?"""

from course_lib.checking.kinds import Choice

which_edges = Choice(
    "17.which_edges",
    title="Which edges?",
    points=1,
    minutes=4,
    difficulty=1,
    answer="b",
    options={
        "a": "With the identity each word sees itself by another vector than all others, so softmax gives its own place more, or less: that isn't plain attention. What is the same for all keys of a row cancels: one label everywhere.",
        "b": "One label everywhere adds the same number to a whole row of scores, and softmax doesn't see it. clip(j − i) + k is the row of Shaw's table, from 0 to 2k. And (up, down) says where in the tree the key stands, as the query sees it: its parent is (1, 0), its child (0, 1), its sister (1, 1).",
        "c": "|j − i| is the distance on the chain, 2 for the word two before and for the word two behind. Shaw's table has a row for each of both: the sign must stay. In a tree it is the same with up and down.",
        "d": "A depth belongs to one word, an edge to two. With the key's depth alone every query sees the same labels, and its own parent looks like any other word of that depth.",
    },
    hints=[
        "What does softmax do when the same number is added to all scores of a row?",
        "How many rows has Shaw's table, and does the word before have the same as the word behind?",
    ],
)
