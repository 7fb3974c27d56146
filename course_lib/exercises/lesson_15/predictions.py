"""What students predict in lesson 15."""

from course_lib.checking.kinds import Prediction

same_price = Prediction(
    "15.same_price",
    title="Three families, one price",
    question="Encoder, decoder and encoder–decoder read the same text, for the same number of multiplications and additions. Then each is asked the seven kinds of blanks, in its own way. Which is ahead?",
    options=[
        "the encoder: it sees both sides of the blank",
        "the decoder: it is asked for every word of every text",
        "the encoder–decoder: it has twice the parameters",
        "none: it's the same text at the same price",
    ],
    answer="the decoder: it is asked for every word of every text",
    why="At this small price, that is. From each text the decoder learns about twenty answers, the others five or six. A decoder that is asked for as few as the encoder learns more slowly, as the lesson measures.",
)
a_or_an = Prediction(
    "15.a_or_an",
    title="What comes after",
    question="A decoder reads “… needed a coin and” and is asked whether a or an comes next; what follows (umbrella) it can't see. Then it is asked for the probability of the whole sentence, once with a and once with an, and the likelier one counts. How often is it right?",
    options=[
        "little more than half as the next word, nearly always by whole sentences",
        "nearly always in both: it knows the rule",
        "little more than half in both: a decoder never sees what comes after",
    ],
    answer="little more than half as the next word, nearly always by whole sentences",
    why="After “an”, a decoder expects a vowel: “coin” would be a surprise, and the sentence's probability says so. The knowledge is there; it takes a run of the model for each candidate to ask for it.",
)
few_labels = Prediction(
    "15.few_labels",
    title="32 labels",
    question="The same BERT is trained on 32 labelled reviews from three starts: pretrained, random, and the pretrained numbers shuffled within each matrix. All three learn their 32 by heart. How many of 200 other reviews do they get right?",
    options=[
        "pretrained nearly all, random and shuffled far fewer",
        "pretrained and shuffled nearly all, random about a half",
        "all three nearly all: it's an easy task",
    ],
    answer="pretrained nearly all, random and shuffled far fewer",
    why="32 reviews don't name all 24 adjectives often enough. A pretrained model knows already which of them go together.",
)
on_the_way = Prediction(
    "15.on_the_way",
    title="On the way from nowhere",
    question="You walk in a straight line from the random weights to the model that was trained from them. At the end, the loss on the 32 reviews is nearly 0. What does the loss on held-out reviews do on the way?",
    options=["it falls, only less", "it stays where a coin has it", "it rises above a coin's"],
    answer="it rises above a coin's",
    why="The model becomes surer and surer. Where it is right in three of four, it is wrong in one of four, and sure of that, too.",
)
how_far = Prediction(
    "15.how_far",
    title="Who stays closest?",
    question="Three starts, one recipe: pretrained, random, shuffled. Which of them moves least, as a share of its own length?",
    options=[
        "the pretrained one: it lies near a good place already",
        "the random one: it never learns what to look for",
        "the shuffled one, which knows nothing",
    ],
    answer="the shuffled one, which knows nothing",
    why="An optimizer like Adam makes steps of about the same size from anywhere. What is long to begin with moves by a smaller share of its length, whether it knows something or not.",
)
barriers = Prediction(
    "15.barriers",
    title="Halfway between two strangers",
    question="Two models are trained from the same random weights, on the same 32 labels in another order. You take the mean of their weights. What is its loss on the 32?",
    options=[
        "high: without pretraining there is no common valley",
        "a little higher than at the ends",
        "as low as at the ends, just as between two that were fine-tuned",
    ],
    answer="as low as at the ends, just as between two that were fine-tuned",
    why="The start is what they have in common, not what it knows. Two that begin at different random weights do have a barrier between them.",
)
untrained_probe = Prediction(
    "15.untrained_probe",
    title="Reading what nobody wrote",
    question="A BERT that was never trained gives a vector for each adjective in its sentence. A linear probe learns from these vectors whether the adjective is good or bad, and is asked at other sentences with the same adjectives. How often is it right?",
    options=["half of the time", "three times in four", "always"],
    answer="always",
    why="A word's vector says which word it is, trained or not. That is all the probe needs: it has learned the words by heart.",
)
