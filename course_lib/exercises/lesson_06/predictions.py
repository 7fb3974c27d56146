"""What students predict in lesson 06."""

from course_lib.checking.kinds import Prediction

apart = Prediction(
    "06.apart",
    title="What keeps words apart?",
    question="Attention alone makes all words of a sentence alike within three layers. Which of the other three parts of the block prevents that?",
    options=[
        "the feed-forward network: it bends, so it can push words apart again",
        "the norm: it blows small differences up again",
        "the skip: each word keeps what it was",
        "it takes all three together",
    ],
    answer="the skip: each word keeps what it was",
    why="The feed-forward network and the norm treat each word by itself and in the same way: what has become equal stays equal. Only the skip brings back what made the words differ.",
)
one_word = Prediction(
    "06.one_word",
    title="A sentence of one word",
    question="A sentence of a single word goes through two attention layers with skips, without feed-forward networks and norms. The word's vector moves along a straight line, from a to b. How does one number of the output move?",
    options=[
        "along a straight line",
        "along a smooth curve, since there is a softmax inside",
        "along a line with sharp bends",
    ],
    answer="along a straight line",
    why="One word has only itself to look at, so its weight is 1, whatever the softmax makes of the score. What is left are matrices and sums.",
)
at_the_input = Prediction(
    "06.at_the_input",
    title="Twelve layers down",
    question="Twelve untrained layers of attention and feed-forward networks, without skips and norms. The gradient has length 21 at the top. How long is it at the input?",
    options=["about 21", "about 1", "about 0.001", "less than 0.000 000 001"],
    answer="less than 0.000 000 001",
    why="Each layer shortens it, and twelve factors are multiplied. A step that follows such a gradient goes nowhere.",
)
neighbours = Prediction(
    "06.neighbours",
    title="Who changes my word?",
    question="Your sentence stands in a batch with seven others, padded to the longest. The seven are exchanged for other sentences. Under which normalisation do the numbers of your first word change?",
    options=["under batch normalisation only", "under layer normalisation only", "under both", "under neither"],
    answer="under batch normalisation only",
    why="Batch normalisation takes mean and variance over all words of the batch, and of its padding. Layer normalisation takes them over the word's own numbers.",
)
without_warm_up = Prediction(
    "06.without_warm_up",
    title="Twelve layers, no warm-up",
    question="The same twelve-layer model, once with post-norm and once with pre-norm, is trained from the first step at a learning rate of 0.003. What do you expect after 300 steps?",
    options=[
        "both have learned the task",
        "only the post-norm model has",
        "only the pre-norm model has",
        "neither has",
    ],
    answer="only the pre-norm model has",
    why="Post-norm at this rate never leaves the level of guessing, in any of three runs. With a warm-up, or at a third of the rate, it learns as well as the other.",
)
landscape = Prediction(
    "06.landscape",
    title="Without skips",
    question="Six layers without skips, trained as long as six with. Around where training has ended, what does the loss look like without skips?",
    options=["a wild mountain range with many valleys", "a narrow bowl", "a wide bowl", "a high plain"],
    answer="a high plain",
    why="The model has learned nothing: it guesses, and small changes in any direction leave it guessing. A famous picture shows mountains, for a convolutional network of 56 layers that did learn.",
)
