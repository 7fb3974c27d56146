"""WordPiece scores a pair by count(pair) / (count(left) · count(right)): two scores, worked out by hand."""

import math

from course_lib.checking.kinds import Number

pair_scores = Number(
    "07.pair_scores",
    title="Two ways to choose a pair",
    points=2,
    minutes=6,
    difficulty=1,
    answer={"##n ##d": 5 / 60, "q ##u": 4 / 40},
    rtol=5e-3,  # worked out by hand: 0.083 is as good as 1 / 12
    wrong={
        "##n ##d": {
            5 / 12 / 70: "You divide by N in the place of the count of ##d. Divide by both symbols' counts.",
            5 / 144: "You divide by the count of ##n twice. Divide by that of ##n and that of ##d.",
            1 / 60: "The count of the pair is missing: it stands above, both symbols' counts below.",
            4 / 40: "That is the score of q ##u.",
            12.0: "That is the score upside down: the count of the pair stands above.",
            5
            / 12
            * 5: "5 / 12 * 5 is (5 / 12) · 5: Python goes from left to right. Put the product in brackets: 5 / (12 * 5).",
            70
            * 5
            / 60: "That is N · score, the factor on the left of the formula. The score itself is what stands on the right: without N.",
            math.log(
                70 * 5 / 60
            ): "That is the logarithm of N · score. The score itself is asked for, on the right of the formula.",
            5
            * math.log(
                70 * 5 / 60
            ): "That is the gain, count · log(N · score). The score itself is asked for, on the right of the formula.",
            math.log(5 / 60): "That is the score's logarithm. The score itself is asked for.",
            5 / 70: "That is the share of the pair among all tokens. Divide its count by both symbols' counts.",
            5 / 22: "You divide by the number of words. Divide by both symbols' counts.",
            5 / 60**0.5: "You take the root of the product. The score has none.",
            5.0: "That is the count alone, what byte-pair encoding goes by. Divide it by both symbols' counts.",
            5
            / 12: "You divide by the count of ##n alone, or multiply by the pair's count once more. Divide by both, and that's all.",
            1.0: "You divide by the count of ##d alone. Divide by both.",
            5 / 17: "You divide by the sum of the two counts. Divide by their product.",
            5 / 25: "##n stands in “ten” as well, not only in “end”. Count it in all words.",
            5 / 35: "##n stands in “end” as well, not only in “ten”. Count it in all words.",
            1 / 2: "You count each word once. The table says how often it occurs.",
        },
        "q ##u": {
            4 / 10 / 70: "You divide by N in the place of the count of q. Divide by both symbols' counts.",
            4 / 100: "You divide by the count of ##u twice. Divide by that of q and that of ##u.",
            1 / 40: "The count of the pair is missing: it stands above, both symbols' counts below.",
            5 / 60: "That is the score of ##n ##d.",
            10.0: "Upside down, or a bracket is missing: 4 / 4 * 10 is (4 / 4) · 10, Python goes from left to right. The score is 4 / (4 * 10).",
            70
            * 4
            / 40: "That is N · score, the factor on the left of the formula. The score itself is what stands on the right: without N.",
            math.log(
                70 * 4 / 40
            ): "That is the logarithm of N · score. The score itself is asked for, on the right of the formula.",
            4
            * math.log(
                70 * 4 / 40
            ): "That is the gain, count · log(N · score). The score itself is asked for, on the right of the formula.",
            math.log(4 / 40): "That is the score's logarithm. The score itself is asked for.",
            4 / 70: "That is the share of the pair among all tokens. Divide its count by both symbols' counts.",
            4 / 22: "You divide by the number of words. Divide by both symbols' counts.",
            4 / 40**0.5: "You take the root of the product. The score has none.",
            4.0: "That is the count alone, what byte-pair encoding goes by. Divide it by both symbols' counts.",
            1.0: "You divide by the count of q alone. Divide by both.",
            4
            / 10: "You divide by the count of ##u alone, or multiply by the pair's count once more. Divide by both, and that's all.",
            4 / 14: "You divide by the sum of the two counts. Divide by their product.",
            4 / 24: "##u stands in “quit” as well, not only in “but”. Count it in all words.",
            4 / 16: "##u stands in “but” as well, not only in “quit”. Count it in all words.",
            1 / 2: "You count each word once. The table says how often it occurs.",
        },
    },
    hints=[
        "Three counts for each pair: the pair itself, its left symbol and its right symbol, in all words, each word as often as it occurs.",
        "##n stands in “end” and in “ten”: 5 + 7 times.",
        "A third pair, worked out: t ##e stands in “ten”, 7 times. t begins no other word, so it has 7, too, and ##e stands nowhere else. The score is 7 / (7 * 7).",
    ],
)
