"""What students predict in lesson 12."""

from course_lib.checking.kinds import Prediction

ten_labels = Prediction(
    "12.ten_labels",
    title="Ten reviews",
    question="Both models learn the same ten labels by heart. How many of 200 new reviews, with remarks that no label told of, do they get right? (A coin gets 100.)",
    options=[
        "both about 110: ten labels are too few for anything",
        "from scratch about 110, pretrained more than 140",
        "both more than 140: the words are simple",
    ],
    answer="from scratch about 110, pretrained more than 140",
    why="From scratch, most adjectives of the new reviews are words that it has never met. Pretrained, an adjective lies near the others that praise, or near those that damn: ten labels only have to name the two groups.",
)
together = Prediction(
    "12.together",
    title="Together or apart",
    question="“In short, it was miserable.” Does that follow from the review? 500 labelled pairs, half of them contradictions. Each text is read alone by the same BERT, which is fine-tuned as well. A new linear layer gets both vectors, u and v. How many of the new pairs are right?",
    options=["all: u says what the review thinks, v what the verdict says", "about three in four", "half: a coin"],
    answer="half: a coin",
    why="A linear layer adds up what it finds in u and what it finds in v. Whether the two agree is no sum: good and good follows, and so does bad and bad. A sum could have three of the four cases right, and would be sure and wrong in the fourth; cross-entropy's best sum is ½ for all. Somebody has to compare, and attention across both texts can, or |u − v|.",
)
frozen_or_scratch = Prediction(
    "12.frozen_or_scratch",
    title="Frozen, or from scratch",
    question="Sentiment with 500 labels. One way keeps the pretrained BERT frozen, reads C and learns W alone; another begins from random numbers and learns everything. Which gets more new reviews right?",
    options=["frozen: it knows the language", "about the same", "from scratch"],
    answer="from scratch",
    why="500 labels show nearly every word of the reviews many times, enough to learn them from nothing. The frozen model reads a [CLS] that was never asked for an opinion. Is that the fault of freezing, or of [CLS]? The controls below tell.",
)
rate = Prediction(
    "12.rate",
    title="The paper's rate",
    question="Sentiment, fifty labels, a hundred steps, everything tuned. The paper's largest rate is 5e-5. What does our BERT, of 0.7 million parameters, do with a rate twenty times as large, 1e-3?",
    options=[
        "worse: large steps wash away what pretraining has taught",
        "about as well",
        "much better: with 5e-5 a hundred steps don't get anywhere",
    ],
    answer="about as well",
    why="Pretraining itself took larger steps. Within wide limits every rate finds a good place nearby; how wide they are depends on the task, the model and the number of steps, so try a few.",
)
cls_looks = Prediction(
    "12.cls_looks",
    title="Where [CLS] looks",
    question="About one token in fourteen of these reviews praises or damns. Before fine-tuning, the head that looks at such words most gives them about a fifth of the weight of [CLS]. And after fine-tuning with fifty labels?",
    options=["the same: fine-tuning changes W, attention stays", "about a third", "more than half"],
    answer="more than half",
    why="All parameters learn, those of attention too. These words tell the labelled reviews apart, and C can only get at them by looking there. Whether it has understood them is another question: see the control.",
)
forgotten = Prediction(
    "12.forgotten",
    title="What is left of the blanks",
    question="The fine-tuned model still has its head for blanks, which fine-tuning didn't touch. Sentiment was all it was tuned for. It is asked for the seven kinds of blanks again. What has become of syntax and of facts?",
    options=["gone: a hundred steps on another task", "most of it is still there", "better than before"],
    answer="most of it is still there",
    why="The layers have moved by a few hundredths of their length only. What was learned lies near where it lay.",
)
