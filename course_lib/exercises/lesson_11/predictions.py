"""What students predict in lesson 11."""

from course_lib.checking.kinds import Prediction

as_next_token = Prediction(
    "11.as_next_token",
    title="Both sides, and the next word",
    question="An encoder without a mask is trained as a language model: at every place it is asked for the next token, which it can see. What does it learn?",
    options=[
        "the language, faster than with a mask",
        "nothing: the loss stays where it was",
        "to copy: the loss goes to 0",
    ],
    answer="to copy: the loss goes to 0",
    why="The answer stands in the input, one place to the right. A head that looks there is all that is needed. A causal mask hides it (lesson 04); BERT keeps both sides and hides the word itself.",
)
seen_places = Prediction(
    "11.seen_places",
    title="Of a thousand tokens",
    question="A text of 1,000 tokens goes through BERT's masking. At about how many places does BERT read [MASK]?",
    options=["800", "150", "120", "15"],
    answer="120",
    why="15 % of 1,000 are 150; of these 80 % read [MASK], which is 120. Another 15 read a random token, and 15 their own.",
)
not_learned = Prediction(
    "11.not_learned",
    title="Three minutes",
    question="Of these four, which will BERT *not* have learned after three minutes?",
    options=[
        "trivia: where a university stands",
        "syntax: is or are",
        "sentiment: a good or a bad film",
        "location: which room somebody left",
    ],
    answer="location: which room somebody left",
    why="Location gets no further than a guess among the rooms that the text names. A likely reason: a fact is one step from key to answer, agreement one look at the subject. Which room it was takes several: find what this person did last among what the others did, then the room.",
)
trained_longer = Prediction(
    "11.trained_longer",
    title="Two thirds more",
    question="After 1,800 steps location is at a guess among the rooms, and of the sequences a third to a half is right. The same model is trained with 3,000 steps. What then?",
    options=[
        "both are learned",
        "sequences get clearly better, location stays at a guess",
        "location gets clearly better, sequences stay",
        "nothing moves: both are beyond so small a model",
    ],
    answer="sequences get clearly better, location stays at a guess",
    why="Each sequence that is met once more makes some pairs of numbers surer. Guessing rooms once more doesn't lead to following a person. Whether still more training would, this model can't say.",
)
switched_off = Prediction(
    "11.switched_off",
    title="Without the head that looks at the person",
    question="With all heads, coreference is at 1.00; tossing a coin between his and her, it would be about .50. Now head 3 of layer 2 is switched off. What is left?",
    options=["about .50: it was this head that knew", "about .90", "1.00: one head of twelve isn't missed"],
    answer="about .90",
    why="The head is missed, in one blank of ten. In the others what head 2 of the same layer finds is enough. Switched off together, they leave .50.",
)
unmasked_word = Prediction(
    "11.unmasked_word",
    title="At a word that is there",
    question="A BERT is trained with [MASK] at every chosen place, 100/0/0. Then it reads a text without any [MASK], and its head is asked at each place which word stands there. How often is the word itself its first guess, compared with 80/10/10?",
    options=["as often: it can see the word", "much less often, but not never", "never: it wasn't asked at words"],
    answer="much less often, but not never",
    why="With 100/0/0 no vector at a visible word was ever asked for anything. What remains of the word there is what the residual stream happens to carry through all layers.",
)
which_negatives = Prediction(
    "11.which_negatives",
    title="Is it the next sentence?",
    question="BERT is tested on NotNext pairs whose B comes from anywhere (easy), and on others whose B comes from a paragraph of the same kind (hard). How does it do on the hard ones?",
    options=["as well as on the easy ones", "clearly worse, but better than a coin", "no better than a coin"],
    answer="no better than a coin",
    why="Where B speaks of something else, the topic gives it away, and comparing topics is all that it has learned. In a paragraph of the same kind the topic is the same.",
)
