"""What students predict in lesson 16."""

from course_lib.checking.kinds import Prediction

twice_as_long = Prediction(
    "16.twice_as_long",
    title="Twice as long",
    question="A block with d = 1024 reads 2,048 words, and then 4,096. How many times as much has it to multiply?",
    options=[
        "four times as much: attention is quadratic",
        "two and a half times as much",
        "twice as much: twice the words",
    ],
    answer="two and a half times as much",
    why="At 2,048 words only a quarter of the multiplications lies between words. That quarter becomes four times as large, the other three quarters twice.",
)
kept_memory = Prediction(
    "16.kept_memory",
    title="Four times the words",
    question="From 512 words to 2,048, four times as many. How much more memory does a fused attention layer keep for its backward pass?",
    options=["sixteen times as much", "four times as much", "as much as before: it keeps nothing"],
    answer="four times as much",
    why="It keeps queries, keys, values and the output, each n vectors, and one number for each query. The table of n² weights is computed again when the gradient needs it.",
)
first_to_learn = Prediction(
    "16.first_to_learn",
    title="After a hundred steps",
    question="Two models are asked which ink stands three places back. One may look everywhere, the other at 16 neighbours on each side. Which one answers better after 100 steps?",
    options=[
        "the one that may look everywhere: it can do all that the other can",
        "the one with the window",
        "both alike: three places back lies in the window",
    ],
    answer="the one with the window",
    why="It has 33 cells to choose from in place of 128, so the right one gets four times the weight before anything is learned, and with it a larger gradient. Given more steps, the other one catches up.",
)
big_bird_far = Prediction(
    "16.big_bird_far",
    title="Heard of everything",
    question="In Big Bird's pattern with 4 global words, each word has heard of each other after two layers. The model has two. How well does it find the ink of the same word, far away, after 600 steps?",
    options=[
        "nearly always, as full attention does",
        "about every second time",
        "hardly better than one who names the page's commonest ink",
    ],
    answer="hardly better than one who names the page's commonest ink",
    why="That a way exists doesn't mean that it is learned, nor that much gets through it: the words in between would have to pass on all that they have seen, without knowing what will be asked for.",
)
linformer_near = Prediction(
    "16.linformer_near",
    title="The ink three places back",
    question="Linformer's queries see the whole page, as 32 mixtures of its 128 words. How well does it find the ink three places back, after 600 steps?",
    options=[
        "nearly always: it sees everything",
        "about every second time",
        "hardly better than one who names the page's commonest ink",
    ],
    answer="hardly better than one who names the page's commonest ink",
    why="Each short key is a mixture of the whole page, mixed in the same way for every page. What is true of the page as a whole survives that, so it can count; what stands at one place doesn't.",
)
which_expert = Prediction(
    "16.which_expert",
    title="One expert a token",
    question="A gate sends each token to the one expert with the largest logit. Its share is the softmax over the chosen logits, as in your function with k = 1. What gradient does the gate get?",
    options=[
        "one that pulls tokens towards the expert that serves them best",
        "none",
        "one that drives it towards a single expert",
    ],
    answer="none",
    why="A softmax over one number is 1, whatever the number is. Nothing that the gate does to its logits changes the loss, until another expert becomes the largest.",
)
which_helps = Prediction(
    "16.which_helps",
    title="And on the page?",
    question="On the facts, squared ReLU was far ahead of ReLU, and GELU a little, with all five seeds. The same two changes are made to the reader of the page. Which of them is better than ReLU with all five seeds there, too?",
    options=[
        "both: a better part is better anywhere",
        "squared ReLU alone: its lead was the clear one",
        "GELU alone, by little",
        "neither: another task, another winner",
    ],
    answer="GELU alone, by little",
    why="By about a tenth of what ReLU's own seeds differ, so that only the pairing shows it. Squared ReLU is better with three of five: a coin can do that.",
)
