"""What is left for labels to teach when a word's vector is frozen and knows no context."""

from course_lib.checking.kinds import Choice

left_for_labels = Choice(
    "10.left_for_labels",
    title="What is left for the labels",
    points=1,
    minutes=3,
    difficulty=2,
    answer="c",
    options={
        "a": "That is what the vectors bring along: words of like company lie together before the first label is read. A hundred labels couldn't teach it.",
        "b": "The last layer has a few hundred numbers. But between the vectors and it stands the LSTM, with most of the parameters, and they are random when the first label comes.",
        "c": "A word's vector is the same in every sentence. What “not” does to “good”, which “record” is meant, what order says: all of it is context, and the LSTM that should know it begins at random. With ELMo the states under it have learned that from plain text.",
        "d": "They are frozen, so they don't. And vectors that went on learning would still be one a word, the same in every sentence.",
    },
    hints=[
        "Which parameters have been trained before the first label is read, and which begin at random?",
        "What can one vector a word say of a word, and what can it not say because it is the same in every sentence?",
    ],
)
