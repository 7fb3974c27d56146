"""Why label smoothing makes perplexity worse and may make BLEU better."""

from course_lib.checking.kinds import Choice

better_bleu = Choice(
    "09.better_bleu",
    title="Worse and better at once",
    points=1,
    minutes=3,
    difficulty=2,
    answer="c",
    options={
        "a": "Both are measured on texts that weren't trained on. The measures differ, not the texts.",
        "b": "A smoothed model can learn the same ranking for sure: the right token stays the largest in every target. It needn't translate worse to be less sure.",
        "c": "Perplexity asks how *much* probability the right token gets, and smoothing trains the model never to give it all. Which token is the *likeliest* is another question, and BLEU, like exact match, sees only what was written.",
        "d": "Smoothing spreads the same little probability over all other tokens, whatever they are: that makes no synonym likelier than rubbish. And greedy or beam search takes the likeliest all the same.",
    },
    hints=[
        "What does each measure look at: numbers, or the text that was written?",
        "If the right token has .91 and every other less than .01, which one is written? And what does perplexity say of .91?",
    ],
)
