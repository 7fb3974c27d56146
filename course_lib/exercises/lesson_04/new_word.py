"""The mask of one new word behind seven that were read before."""

from course_lib.checking.kinds import Choice

new_word = Choice(
    "04.new_word",
    title="One new word",
    points=1,
    minutes=3,
    difficulty=2,
    answer="c",
    options={
        "a": "That is causal_mask(1): the new word would see the first key alone. The triangle must hang on the end of the text, not on its beginning.",
        "b": "Its own key is among the eight, and a word may see itself.",
        "c": "The new word is the last: all eight keys stand before it or are its own. It is the last row of the (8, 8) triangle; the library calls it masks.causal_mask(1, past=7).",
        "d": "There is only one query, so there is one row. The other seven were computed in earlier steps.",
    },
    hints=[
        "Which row of the mask of all eight words belongs to the new word?",
        "The last. Which of its columns are True?",
    ],
)
