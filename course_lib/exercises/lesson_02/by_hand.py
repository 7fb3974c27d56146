"""Two scores and a weight, with a pencil."""

from course_lib.checking.kinds import Number

by_hand = Number(
    "02.by_hand",
    title="Two scores by hand",
    points=2,
    minutes=6,
    difficulty=1,
    answer={"first scaled score": 10.0, "first weight": 0.98201},
    rtol=5e-3,
    wrong={
        "first scaled score": {
            40.0: "that is the score itself. Divide it by √d_k.",
            2.5: "you divided by d_k. Divide by its square root.",
            160.0: "you multiplied by √d_k. Divide.",
            6.0: "that is the second one.",
            5.0: "you divided by 8, the root of the example's 64. Here d_k is 16.",
            16.0: "that is the difference of the two scores, or d_k itself. Asked for is the first score, divided by √d_k.",
            20.0: "you divided by 2. d_k is 16: what is its root?",
        },
        "first weight": {
            0.01799: "that is the weight of the second word.",
            0.26894: "that comes out for the second word when you divide the scores by d_k instead of √d_k.",
            0.73106: "that comes out when you divide the scores by d_k instead of √d_k.",
            0.88080: "that is the weight for scores 2 apart, as in the example. Here, divided by √16, they are 4 apart.",
            0.6: "you divided 6 by 10. Take the exponentials, and divide the first by the sum of both.",
            0.625: "you divided 10 by 10 + 6. Take the exponentials first.",
            1.0: "that is what 40 against 24 gives, without the scale. Divide the scores by √d_k first.",
            98.2: "write it as a part of 1, not in per cent.",
            0.5: "equal shares, as if both scores were alike. They are 10 and 6.",
            22026.466: "that is e¹⁰, the first exponential. Divide it by the sum of both.",
            4.0: "that is the difference of the scores. The weight is 1 / (1 + e⁻⁴).",
            0.018316: "that is e⁻⁴, the second exponential against the first. The weight is 1 / (1 + e⁻⁴).",
            1.6667: "you divided 10 by 6. Take the exponentials, and divide the first by the sum of both.",
            0.375: "you divided 6 by 10 + 6. Take the exponentials, and the first word's.",
            1.01832: "that is 1 + e⁻⁴, what stands below the line: the weight is 1 divided by it.",
            54.598: "that is how much more often the first is chosen, e⁴. The weight is this divided by itself plus 1.",
        },
    },
    hints=[
        "d_k = 16. What is its square root, and what do 40 and 24 become?",
        "softmax(10, 6): only the difference counts, so it is 1 / (1 + e⁻⁴).",
    ],
)
