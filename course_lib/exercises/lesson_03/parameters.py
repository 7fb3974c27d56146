"""How many numbers a layer of multi-head attention learns: with 8 heads, with 16, with bias."""

from course_lib.checking.kinds import Number

parameters = Number(
    "03.parameters",
    title="Count the parameters",
    points=3,
    minutes=6,
    difficulty=2,
    answer={"8 heads, without bias": 1_048_576, "16 heads, without bias": 1_048_576, "8 heads, with bias": 1_050_624},
    rtol=1e-9,
    wrong={
        "8 heads, without bias": {
            786_432: "you counted W_Q, W_K and W_V. W_O is a matrix as well.",
            262_144: "that is one of the four matrices.",
            8_388_608: "a head has a (64, 512) matrix, not a (512, 512) one: the heads share the 512 rows.",
            2_359_296: "that is for d_model = 768, as in the cell above. Here it is 512.",
            131_072: "that is a single head's share.",
            1_050_624: "that is with bias.",
        },
        "16 heads, without bias": {
            16_777_216: "a head has a (32, 512) matrix, not a (512, 512) one: the heads share the 512 rows.",
            2_359_296: "that is for d_model = 768, as in the cell above. Here it is 512.",
            262_144: "that is one of the four matrices.",
            65_536: "that is a single head's share.",
            1_050_624: "that is with bias.",
            2_097_152: "twice the heads, but each half as wide: 16 · 32 is 512 again.",
            524_288: "the matrices keep their size: 16 · 32 is 512 again.",
            786_432: "you counted W_Q, W_K and W_V. W_O is a matrix as well.",
        },
        "8 heads, with bias": {
            1_048_576: "that is without. Each of the four matrices gets 512 more numbers.",
            1_048_832: "you added 64 for each matrix, one head's share. Each matrix has 512 rows, and a bias for each.",
            2_362_368: "that is for d_model = 768, as in the cell above. Here it is 512.",
            8_390_656: "a head has a (64, 512) matrix, not a (512, 512) one: the heads share the 512 rows.",
            1_048_580: "you added one number for each matrix. A bias has one for each of the 512 rows.",
            1_048_577: "you added one number. Each of the four matrices has a bias, one number for each of its 512 rows.",
            1_049_088: "you added one bias. Each of the four matrices has one.",
            1_050_112: "you added three biases. W_O has one as well.",
            1_064_960: "the bias belongs to a matrix's 512 rows, not to each head again.",
            787_968: "you counted three matrices. W_O is one as well.",
        },
    },
    hints=[
        "How many rows and columns does W_Q have if its 8 heads have 64 rows each?",
        "Four matrices of 512 × 512. A bias is one number for each row.",
    ],
)
