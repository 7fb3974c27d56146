"""Which of the five scores can compare a query and a key of different lengths."""

from course_lib.checking.kinds import Choice

fits = Choice(
    "01.fits",
    title="Two lengths",
    points=1,
    minutes=3,
    difficulty=1,
    answer="c",
    options={
        "a": "Three of the five multiply the numbers of query and key place by place, so they need equally many.",
        "b": "These three multiply place by place: number 257 of the key would have no partner.",
        "c": "Both have matrices of their own that bring the two lengths together: W₁ and W₂ in one, W (256, 512) in the other. That is one reason why an encoder and a decoder of different sizes used to be joined like this.",
        "d": "The additive one can, that is right: W₁ and W₂ have a width each. Look at the shape of W in the multiplicative one again.",
    },
    hints=[
        "Write down the shapes: which of the formulas can be computed at all?",
        "qᵀ W k is (256) · W · (512). Is there a shape of W that fits?",
    ],
)
