"""BLEU with words and pairs of words, worked out by hand."""

import math

from course_lib.checking.kinds import Number

P1, P2, BREVITY = 3 / 4, 1 / 3, math.exp(1 - 6 / 4)
BLEU = BREVITY * (P1 * P2) ** 0.5

bleu = Number(
    "09.bleu",
    title="BLEU by hand",
    points=3,
    minutes=10,
    difficulty=2,
    answer={"precision of words": P1, "precision of pairs": P2, "BLEU": BLEU},
    rtol=5e-3,  # worked out by hand
    wrong={
        "precision of words": {
            1.0: "you don't clip: cat stands twice in the translation, but once in the reference, so it counts once. Else *the the the* would score 1.",
            2 / 4: "the stands twice in the reference, so both of them count.",
            3
            / 6: "you divide by the words of the reference. That would be a recall: divide by the words of the translation.",
            4 / 6: "you divide by the words of the reference, and you don't clip: cat counts once.",
            3 / 5: "you divide by something else than the four words of the translation.",
            5 / 4: "more than 1 can't be: at most all of the translation's words are right.",
            3.0: "that is the number of words that count. Divide it by the words of the translation.",
        },
        "precision of pairs": {
            2
            / 3: "you don't clip: the cat stands twice in the translation, but once in the reference, so it counts once.",
            1 / 5: "you divide by the pairs of the reference. Divide by those of the translation: it has three.",
            2 / 5: "you divide by the pairs of the reference, and you don't clip. The translation has three pairs.",
            1 / 4: "four words make three pairs.",
            2 / 4: "four words make three pairs; and the cat stands once in the reference, so it counts once.",
            1
            / 2: "the cat stands twice among the pairs of the translation: there are three pairs in all, each counts.",
            1.0: "cat the isn't in the reference, and the cat counts once.",
            0.0: "the cat is in the reference.",
        },
        "BLEU": {
            (P1 * P2) ** 0.5: "the brevity penalty is missing: the translation is shorter than the reference.",
            BREVITY
            * (P1 + P2)
            / 2: "that is the arithmetic mean. With the geometric one a single order without a hit gives 0.",
            (P1 + P2) / 2: "that is the arithmetic mean, without the brevity penalty.",
            BREVITY: "that is the brevity penalty alone. It is multiplied by the geometric mean of the precisions.",
            math.exp(1 - 4 / 6)
            * (P1 * P2)
            ** 0.5: "the lengths in your penalty have changed places: short is punished, exp(1 − r/c) with the reference above.",
            4 / 6 * (P1 * P2) ** 0.5: "you multiply by c/r. The penalty is exp(1 − r/c).",
            BREVITY * P1 * P2: "you multiply the precisions and take no root.",
            BREVITY * (2 / 3) ** 0.5: "your precisions aren't clipped.",
            BREVITY * (P1 * P2): "you multiply the precisions and take no root.",
            (BREVITY * P1 * P2) ** 0.5: "the penalty stands under the root with you. It comes outside.",
            P1 * P2: "you multiply the precisions, without root and penalty.",
            (P1 * P2) ** 0.25: "two orders are counted here, so it is the square root, not the fourth.",
            BREVITY * (P1 * P2) ** 0.25: "two orders are counted here, so it is the square root, not the fourth.",
            100 * BLEU: "BLEU is often printed in per cent. Here from 0 to 1, please.",
            BREVITY * P1: "the pairs are missing.",
            BREVITY * P2: "the words are missing.",
            1 / BREVITY * (P1 * P2) ** 0.5: "the sign in the penalty: exp(1 − r/c) is below 1 for a short translation.",
        },
    },
    hints=[
        "Tick off each word of the translation in the reference; what has been used up can't be ticked again. Then the same with pairs of neighbours: the cat, cat the, the cat.",
        "c = 4 words in the translation, r = 6 in the reference: the penalty is exp(1 − 6/4). The geometric mean of two numbers is the root of their product.",
    ],
)
