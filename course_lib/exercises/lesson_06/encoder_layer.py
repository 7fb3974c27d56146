"""The parameters of one encoder layer of the paper's base model, counted by hand."""

from course_lib.checking.kinds import Number

ATTENTION, FEED_FORWARD, NORMS = 1_050_624, 2_099_712, 2_048

WRONG_FEED_FORWARD = {
    2_097_152: "those are the two matrices. b₁ has 2,048 numbers and b₂ has 512.",
    1_048_576: "that is one of the two matrices.",
    1_050_624: "that is W₁ with its bias. W₂ leads back from 2,048 to 512.",
    1_049_088: "that is W₂ with its bias. W₁ leads from 512 to 2,048.",
    2_099_200: "b₂ is missing: 512 numbers.",
    2_097_664: "b₁ is missing: 2,048 numbers.",
    2_101_248: "you gave both biases 2,048 numbers. b₂ belongs to W₂'s result, which has 512.",
    2_098_176: "you gave both biases 512 numbers. b₁ belongs to W₁'s result, which has 2,048.",
    525_312: "that is for d_ff = d_model. In the paper d_ff is four times as wide: 2,048.",
    524_288: "that is for d_ff = d_model, and without biases. In the paper d_ff is 2,048.",
    8_397_312: "that is for d_ff = 4 · 2,048. d_ff is 2,048, which is four times d_model already.",
    16_797_696: "attention's eight heads have no part here: there is one feed-forward network, for every word.",
}
WRONG_NORMS = {
    1_024: "that is one norm, or two that have a γ only. Each of the two has γ and β, 512 numbers each.",
    512: "that is one γ. Two norms, each with γ and β.",
    4: "γ and β aren't two numbers for a whole norm: each has one for every one of the 512 places.",
    2: "γ and β aren't two numbers: each has one for every one of the 512 places, and there are two norms.",
    0: "γ and β are learned.",
    5_120: "the norm after the feed-forward network works on its *result*, 512 numbers wide, not 2,048.",
    10_240: "the norm works on 512 numbers, outside the feed-forward network, not on its 2,048.",
}
WRONG_WHOLE = {
    3_150_336: "2,048 are missing: γ and β of both norms (2 · 2 · 512), or b₁, or the four biases of attention (4 · 512).",
    3_150_848: "1,536 are missing: b₁ has 2,048 numbers, not 512; or three of attention's four biases; or of γ and β in both norms.",
    3_151_872: "512 are missing: b₂, or one of attention's four biases, or one γ or β.",
    4_204_032: "that is a decoder layer, with attention twice and three norms (lesson 08). An encoder layer has one attention and two norms.",
    3_151_360: "there are two norms, one after each sub-layer: 1,024 more.",
    2_889_728: "attention has four matrices: W_O is one, too.",
    2_887_680: "attention has four matrices, W_O is one, too; and γ and β of both norms are missing.",
    3_145_728: "those are the matrices alone. Add the biases and the norms.",
    3_147_776: "the biases are missing: four of 512 in attention, one of 2,048 and one of 512 in the feed-forward network.",
    1_577_984: "that is for d_ff = d_model: 2,048, not 512.",
    1_575_936: "that is for d_ff = d_model, 2,048, and the norms are missing.",
    2_101_760: "attention is missing: 1,050,624 more.",
    2_099_712: "that is the feed-forward network alone.",
    1_052_672: "the feed-forward network is missing: 2,099,712 more.",
    3_149_824: "the feed-forward network's biases are missing: 2,048 and 512.",
    18_914_304: "that is six of them, the whole encoder. One is asked for.",
    10_506_752: "attention is in it eight times. The heads share its four matrices of 512 · 512: 1,050,624 in all.",
    3_154_432: "the norms are in it twice, as if there were four: 2,048 less.",
    3_153_408: "three norms are in it; an encoder layer has two: 1,024 less.",
    5_252_096: "the feed-forward network is in it twice: 2,099,712 less.",
    4_203_008: "attention is in it twice: 1,050,624 less.",
}


def that_follows() -> dict[float, str]:
    """The sums that are right for wrong parts: the sentences are those of the parts."""
    follows = {}
    for made, says in WRONG_FEED_FORWARD.items():
        follows[ATTENTION + made + NORMS] = f"in it the feed-forward network counts {made:,}: {says}"
        for norms, also in WRONG_NORMS.items():
            follows[ATTENTION + made + norms] = (
                f"in it the feed-forward network counts {made:,}: {says} And both norms count {norms:,}: {also}"
            )
    for norms, says in WRONG_NORMS.items():
        follows[ATTENTION + FEED_FORWARD + norms] = f"in it both norms count {norms:,}: {says}"
    follows.pop(ATTENTION + FEED_FORWARD + NORMS)  # 1,536 too many in one part, and too few in the other
    return follows


encoder_layer = Number(
    "06.encoder_layer",
    title="Count one layer",
    points=3,
    minutes=8,
    difficulty=2,
    answer={"feed-forward": FEED_FORWARD, "both norms": NORMS, "the whole layer": ATTENTION + FEED_FORWARD + NORMS},
    rtol=1e-7,
    wrong={
        "feed-forward": WRONG_FEED_FORWARD,
        "both norms": WRONG_NORMS,
        "the whole layer": that_follows() | WRONG_WHOLE,
    },
    hints=[
        "W₁ is (2,048, 512) and W₂ is (512, 2,048). A bias has one number for each row. γ and β have one for each of the 512 places.",
        "Attention is four times 512 · 512 + 512 (lesson 03). Add the feed-forward network and two norms.",
    ],
)
