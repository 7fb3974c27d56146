"""What students predict in lesson 01."""

from course_lib.checking.kinds import Prediction

fade = Prediction(
    "01.fade",
    title="What is left after 31 words",
    question="A fresh recurrent network reads 64 words. You nudge one input and watch its last output. How strong is the effect of the word 31 places back, compared with the last word?",
    options=["about as strong", "about half as strong", "about a hundredth", "less than a millionth"],
    answer="less than a millionth",
    why="Each step multiplies the effect by a number below 1, and 31 such numbers are multiplied: it shrinks exponentially, not a little at a time.",
)
faster = Prediction(
    "01.faster",
    title="Which is faster?",
    question="64 words, one pass forward and back. A GRU does about 64 small products, attention compares all 64 × 64 pairs. Which takes less time here?",
    options=[
        "the GRU: it meets every word only once",
        "attention: its products don't wait for each other",
        "both take the same time",
    ],
    answer="attention: its products don't wait for each other",
    why="A few large products keep a processor busy; 64 small ones in a row keep it waiting, and each can only begin when the last is done.",
)
longer = Prediction(
    "01.longer",
    title="Lists of eight",
    question="Both models train on lists of one to eight numbers. The one without attention gets nearly every list of two right. How many lists of eight?",
    options=["about nine in ten", "about half", "about one in five", "fewer than one in twenty"],
    answer="fewer than one in twenty",
    why="One vector has to carry all eight numbers in their order, and after this much training it can't.",
)
twelve = Prediction(
    "01.twelve",
    title="Lists of twelve",
    question="With attention, most lists of eight come out right, and no list in training was longer. How many lists of twelve?",
    options=["as many as lists of eight", "about half", "hardly any"],
    answer="hardly any",
    why="Attention finds a number wherever it stands, but the decoder has to know which one is next, and it never had to count beyond eight.",
)
