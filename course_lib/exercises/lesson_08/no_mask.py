"""Why the encoder has no causal mask."""

from course_lib.checking.kinds import Choice

no_mask = Choice(
    "08.no_mask",
    title="Why is the encoder not masked?",
    points=1,
    minutes=3,
    difficulty=1,
    answer="c",
    options={
        "a": "Length has nothing to do with it: the mask costs no memory worth speaking of, and a long target is masked all the same.",
        "b": "The encoder has no loss of its own, true. But the decoder's loss trains it, through cross-attention; and a mask isn't there for the loss. It hides what won't be known when the model is used.",
        "c": "A mask hides what won't be there later. The source is there from the beginning, to its last word: hiding half of it would only make the model know less.",
        "d": "Positions say where a word stands, not who may look at it. Attention with positions still sees everything.",
    },
    hints=[
        "What does the causal mask hide, and from whom? What would be wrong if it were seen?",
        "When the model is used: what is known of the source, and what of the target, before the first word is written?",
    ],
)
