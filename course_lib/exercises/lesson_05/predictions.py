"""What students predict in lesson 05."""

from course_lib.checking.kinds import Prediction

same_bag = Prediction(
    "05.same_bag",
    title="Who bites whom?",
    question="“the dog bites the man” and “the man bites the dog” go through one attention layer, without any mask. What does “dog” take home from each?",
    options=[
        "two different vectors, since its neighbours differ",
        "the same vector twice",
        "the same numbers, in another order",
    ],
    answer="the same vector twice",
    why="Its query meets the same five keys. Their order doesn't enter the formula: a sum is the same in any order.",
)
fraction_step = Prediction(
    "05.fraction_step",
    title="One word further, as a fraction",
    question="Positions run from 0 to 1 through each text. A model learns in texts of 8 words what “one word back” looks like: a difference of 1/7. What is “one word back” in a text of 64 words?",
    options=["the same difference", "a difference nine times smaller", "a difference nine times larger"],
    answer="a difference nine times smaller",
    why="1/63 instead of 1/7. The same difference means one word in one text and nine words in another.",
)
similar = Prediction(
    "05.similar",
    title="How alike are two positions?",
    question="Take the dot product of the sinusoids of two positions, PE(p) · PE(q). What does it depend on?",
    options=[
        "on p and q, in no clear way",
        "only on the distance q − p, and left differs from right",
        "only on the distance, and left and right are the same",
    ],
    answer="only on the distance, and left and right are the same",
    why="Each pair adds cos(ω(q − p)), since sin a sin b + cos a cos b = cos(b − a); and a cosine doesn't know the sign.",
)
mixed_up = Prediction(
    "05.mixed_up",
    title="What would give it away?",
    question="A model was trained with one pairing of the rotary numbers, and your code uses the other. Which of these numbers are wrong?",
    options=[
        "the lengths of the turned queries and keys",
        "the score of each word with itself",
        "the scores between different words",
        "all of them",
    ],
    answer="the scores between different words",
    why="Either pairing only turns: lengths stay. A word's query and key are turned by the same angles, so its score with itself stays too. Both look healthy.",
)
holds = Prediction(
    "05.holds",
    title="Twice as long",
    question="One small model, trained on texts of at most 32 words with each scheme in turn. Which scheme still solves both tasks in texts of 64 words?",
    options=["sinusoidal", "learned", "Shaw's relative positions, clipped", "rotary", "ALiBi"],
    answer="Shaw's relative positions, clipped",
    why="A distance that is clipped is a distance that training has seen. The others meet something new at 64, or can't express one of the tasks so soon.",
)
with_random_starts = Prediction(
    "05.with_random_starts",
    title="The same sinusoids, other starts",
    question="Training texts now begin at a random position between 0 and 32 instead of always at 0. Nothing else changes. How well do the sinusoids do at 64 words on “shift 3”, where they were near chance?",
    options=["still near chance, .13", "about .4", "above .8"],
    answer="above .8",
    why="Now training has seen all 64 positions, though never a text of 64 words. The positions were what was new, not the length.",
)
base_1000 = Prediction(
    "05.base_1000",
    title="One number changed",
    question="Rotary positions with base 10 000 solve “shift 3” in texts of 32 words, and are at .13 in texts of 64, which is chance. We train again with base 1000, from the same random weights, on the same texts. What do you expect at 64 words?",
    options=["still chance, about .13", "about .5", "more than .8", "it no longer learns the task at all"],
    answer="more than .8",
    why="Training never shows more than 32 words either way. But how far each hand turns within 32 words depends on the base, and so does what is new at 64.",
)
one_hand = Prediction(
    "05.one_hand",
    title="Which hand is it?",
    question="The reader trained with base 10 000 has four hands. They need 6, 63, 628 and 6283 words for a full turn. Its weights stay as they are. We make one hand half as fast, and test it on texts of 64 words. Slowing down which hand helps most?",
    options=["the fastest, 6 words", "the second, 63 words", "the third, 628 words", "the slowest, 6283 words"],
    answer="the second, 63 words",
    why="In 32 words the fastest has been everywhere, five times over, and the slow ones hardly move in 64. The second makes half a turn in 32 words, and the other half is new at 64.",
)
