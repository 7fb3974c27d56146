"""Why a tenth of the chosen places keeps its token."""

from course_lib.checking.kinds import Choice

why_unchanged = Choice(
    "11.why_unchanged",
    title="Asked for what it can see",
    points=1,
    minutes=3,
    difficulty=2,
    answer="b",
    options={
        "a": "These places cost as much to compute as the others; nothing is saved. And copying is easy only if BERT knew that nothing was changed there, which nobody tells it.",
        "b": "When BERT is used, no [MASK] stands anywhere: it reads real words and must give each a good vector. Without these places (and the random ones) no vector at a real word was ever asked for anything in pretraining.",
        "c": "The loss has no need of easy places: a place whose word can be copied teaches little about the language. That is what makes this tenth costly.",
        "d": "The decoder of lesson 08 hid the future with a mask of attention; BERT's attention sees all places, chosen or not. The tenth has nothing to do with who may attend to whom.",
    },
    hints=[
        "Which token occurs in every text of pretraining, and in none of those that BERT is used for?",
        "At which places does the loss ask anything of a vector, if all that are chosen read [MASK]?",
    ],
)
