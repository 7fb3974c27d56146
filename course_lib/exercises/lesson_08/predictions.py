"""What students predict in lesson 08."""

from course_lib.checking.kinds import Prediction

other_memory = Prediction(
    "08.other_memory",
    title="Another source",
    question="A friend's cross-attention takes queries, keys and values all from the target. The model trains, the loss falls a little. You give it another source sentence. What changes in what it writes?",
    options=["everything", "only the words that are aligned with what changed", "nothing"],
    answer="nothing",
    why="The source enters the decoder at one door only: keys and values of cross-attention. Without it the decoder is a language model of the target.",
)
not_shifted = Prediction(
    "08.not_shifted",
    title="The same words in and out",
    question="By mistake the decoder is fed the words that it is asked for: inputs and targets aren't shifted. The causal mask is right. What does the loss do?",
    options=[
        "it stays high: the causal mask hides the answer",
        "it falls as always",
        "it falls to almost 0, and the model has learned to copy",
    ],
    answer="it falls to almost 0, and the model has learned to copy",
    why="A word may look at itself: the diagonal of the causal mask is open. If the answer is what was fed in, it is right there.",
)
which_head = Prediction(
    "08.which_head",
    title="Where will it look?",
    question="A Transformer has learned to write digits backwards: 4 7 1 becomes 1 7 4. You draw the cross-attention of its heads, a row for each place of the target, a column for each digit of the source. What do you expect?",
    options=[
        "the anti-diagonal in every head of every layer",
        "the anti-diagonal in some heads, clearest in the last layer",
        "nothing to be seen: what a head does can't be read from its weights",
    ],
    answer="the anti-diagonal in some heads, clearest in the last layer",
    why="Nobody tells a head what to do, and one that fetches the right digit is enough. The last layer decides what is written, and it can build on what the first has gathered.",
)
no_causal_mask = Prediction(
    "08.no_causal_mask",
    title="One mask less",
    question="Now the same model is trained without the causal mask. What do you see?",
    options=[
        "the loss stays high, and it writes nonsense",
        "the loss falls to almost 0, as before, and it writes nonsense",
        "nothing changes: it has the source, and doesn't need to peek",
    ],
    answer="the loss falls to almost 0, as before, and it writes nonsense",
    why="The word that is asked for stands one place to the right, in the inputs. It can be copied, and the loss can't tell copying from knowing. When the model writes, there is nothing to the right.",
)
no_positions = Prediction(
    "08.no_positions",
    title="No positions",
    question="Next, the causal mask is back, and the positions are taken away, in source and target. 4 7 1 8 goes in. What comes out?",
    options=[
        "the right digits in the right order: the causal mask counts the target's words",
        "the right digits, mostly, in a wrong order",
        "any digits",
    ],
    answer="the right digits, mostly, in a wrong order",
    why="The memory is a bag of digits then. What is in it can be read, in what order it stood can't.",
)
torchs_mask = Prediction(
    "08.torchs_mask",
    title="Somebody else's mask",
    question="nn.Transformer takes a boolean mask, too. You give it masks.causal_mask(n), True where a word may look. What happens?",
    options=[
        "it works: a causal mask is a causal mask",
        "an error: it wants numbers, not True and False",
        "no error, and NaN wherever one looks",
    ],
    answer="no error, and NaN wherever one looks",
    why="There True means hidden. The triangle becomes its opposite: each word sees only what comes later, and the last one sees nothing at all: NaN, which the next layer hands on to all others.",
)
