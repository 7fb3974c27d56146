"""ELMo, GPT and BERT: which row of the table is which?"""

from course_lib.checking.kinds import Choice

which_row_is_which = Choice(
    "14.which_row_is_which",
    title="Which row is which?",
    points=1,
    minutes=3,
    difficulty=1,
    answer="c",
    options={
        "a": "Row 1 can't be ELMo. ELMo has two language models, one of which reads from right to left, so its vectors know the words after as well: row 2. And it stays as it is: a task builds a model of its own upon the vectors.",
        "b": "Rows 1 and 3 have changed places. Who sees all words of the text in every layer can't be trained to say the next one: it sees it. Row 3 hides words and fills them in, and that is BERT. GPT, a decoder, sees what came before: row 1.",
        "c": "GPT sees the words before, and says the next one. ELMo's two LSTMs read in both directions, but each by itself: they meet only where their states are joined. BERT sees both sides in every layer, and pays for it with [MASK]. For a task, GPT and BERT move all their parameters and add one matrix; ELMo's stay, and a model is built upon them.",
        "d": "Rows 2 and 3 both know the words on both sides. But in row 2 two directions are computed apart and joined at the end, and that is what two LSTMs do: ELMo. In BERT each layer attends to both sides at once: row 3.",
    },
    hints=[
        "Which of the three can't say the next word of a text, since it would have seen it?",
        "Of which of the three do the pretrained parameters stay as they are when a task comes?",
    ],
)
