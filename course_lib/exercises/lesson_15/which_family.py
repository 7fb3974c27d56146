"""Three requests, three families: an encoder reads, a decoder goes on, an encoder–decoder reads one text and writes another."""

from course_lib.checking.kinds import Choice

which_family = Choice(
    "15.which_family",
    title="Which family for which request?",
    points=1,
    minutes=3,
    difficulty=1,
    answer="c",
    options={
        "a": "A decoder sees only what stands to the left. Asked what `bank` means, it must answer before “of the river” has been read; an encoder sees both sides. And an encoder has learned to fill blanks, not to go on where a text ends.",
        "b": "An encoder–decoder can go on with a story, with nothing much to read; but then its encoder is idle. And a decoder can translate, with the source as the beginning of its text; but then it reads the source from the left only. Each could do the other's request: which fits without bending?",
        "c": "Each word's state should know both sides, and nothing is written: an encoder. There is one text, and it goes on: a decoder. One text is read whole, another is written: an encoder–decoder. Each family can be bent to the other requests, and large decoders are today.",
        "d": "An encoder reads the report well, but has no decoder to write with: it fills blanks whose number must be known before. And a label for each word needs no writing at all.",
    },
    hints=[
        "Ask of each request: is a text written at all? And is there another one, complete, to be read first?",
        "Who may see what? An encoder's word sees both sides, a decoder's only the left; an encoder–decoder has one of each.",
    ],
)
