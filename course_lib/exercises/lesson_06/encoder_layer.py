"""The parameters of one encoder layer of the paper's base model, counted by hand."""

from course_lib.checking.kinds import Number

encoder_layer = Number(
    "06.encoder_layer",
    title="Count one layer",
    points=3,
    minutes=8,
    difficulty=2,
    answer={"feed-forward": 2_099_712, "both norms": 2_048, "the whole layer": 3_152_384},
    rtol=1e-7,
    wrong={
        "feed-forward": {
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
        },
        "both norms": {
            1_024: "that is one norm, or two that have a γ only. Each of the two has γ and β, 512 numbers each.",
            512: "that is one γ. Two norms, each with γ and β.",
            4: "γ and β aren't two numbers for a whole norm: each has one for every one of the 512 places.",
            2: "γ and β aren't two numbers: each has one for every one of the 512 places, and there are two norms.",
            0: "γ and β are learned.",
            5_120: "the norm after the feed-forward network works on its *result*, 512 numbers wide, not 2,048.",
            10_240: "the norm works on 512 numbers, outside the feed-forward network, not on its 2,048.",
        },
        "the whole layer": {
            3_150_336: "γ and β of both norms are missing: 2 · 2 · 512 more.",
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
        },
    },
    hints=[
        "W₁ is (2,048, 512) and W₂ is (512, 2,048). A bias has one number for each row. γ and β have one for each of the 512 places.",
        "Attention is four times 512 · 512 + 512 (lesson 03). Add the feed-forward network and two norms.",
    ],
)
