"""The shape that broadcasting makes of two others, axis by axis."""

from course_lib.checking.kinds import Number

broadcast_shape = Number(
    "00.broadcast_shape",
    title="What broadcasting makes",
    points=3,
    minutes=5,
    difficulty=1,
    answer={"first axis": 3, "second axis": 4, "third axis": 5},
    rtol=1e-9,
    wrong={
        "first axis": {
            4: "(4, 1) has no third axis from the right, so it is stretched to fit there. What does the other have?",
            1: "length 1 is stretched to whatever the other has.",
            12: "lengths aren't multiplied: (4, 1) has no third axis from the right, so the other's length stays.",
            7: "lengths aren't added: (4, 1) has no third axis from the right, so the other's length stays.",
        },
        "second axis": {
            1: "one of the two has length 1 there, and is stretched to the other's length.",
            3: "line the two shapes up from the right, not from the left.",
            5: "x's 1 meets y's 4 here: the 1 is stretched. Lengths aren't added, and axes don't change places.",
        },
        "third axis": {
            1: "one of the two has length 1 there, and is stretched to the other's length.",
            4: "line the two shapes up from the right, not from the left.",
            6: "lengths aren't added: a 1 is stretched to the other's length.",
            20: "lengths aren't multiplied where they don't meet: x's 5 meets y's 1 here.",
        },
    },
    hints=[
        "Write the two shapes under each other, flush right. Where one is missing, put a 1.",
        "In each column, equal lengths stay; a 1 is stretched to the other's length.",
    ],
)
