"""Two attention layers whose weights are fixed, as one: by hand, from four small matrices."""

from course_lib.checking.kinds import Number

one_layer = Number(
    "06.one_layer",
    title="Two layers are one",
    points=2,
    minutes=6,
    difficulty=1,
    answer={"A[1, 0]": 0.55, "V[0, 1]": 13},
    wrong={
        "A[1, 0]": {
            0.425: "that is A₁A₂. The second layer takes the first one's output, so its matrix stands on the left: A₂A₁.",
            0.65: "that is A₁ + A₂. Layers follow each other; the second averages what the first has averaged.",
            0.325: "that is the mean of A₁ and A₂. Layers follow each other: multiply, A₂A₁.",
            0.1: "you multiply entry by entry. It is the matrix product, a row of A₂ times a column of A₁.",
            0.45: "that is A[1, 1]: how much of word 1 is in word 1. A[1, 0] is row 1, column 0.",
            0.375: "that is A[0, 1]: how much of word 1 is in word 0. A[1, 0] is row 1, column 0.",
            0.625: "that is A[0, 0]. A[1, 0] is row 1, column 0; both count from 0.",
            0.4: "that is A₂ alone, 0.4 · 1: how much of word 0's *new* vector word 1 takes. Word 1's new vector holds some of word 0, too: 0.6 · 0.25.",
            0.15: "that is 0.6 · 0.25 alone. Word 1 also takes 0.4 of word 0's new vector, which is word 0 itself.",
            0.25: "that is A₁ alone, what the first layer does.",
            0.3: "you multiply a column of A₁ by a column of A₂. Take row 1 of A₂ and column 0 of A₁.",
        },
        "V[0, 1]": {
            14: "that is V₂V₁. Here each word is a row, and the first layer's matrix meets it first: V₁V₂.",
            12: "that is row 1, column 0 of V₂V₁. Each word is a row, so V₁ comes first: row 0, column 1 of V₁V₂.",
            5: "that is V₁ + V₂. Layers follow each other: multiply, V₁V₂.",
            2.5: "that is the mean of V₁ and V₂. Layers follow each other: multiply, V₁V₂.",
            6: "you multiply entry by entry. It is the matrix product, a row of V₁ times a column of V₂.",
            17: "that is V[0, 0]. V[0, 1] is row 0, column 1.",
            11: "that is V[1, 0]. V[0, 1] is row 0, column 1.",
            7: "that is V[1, 1]. V[0, 1] is row 0, column 1; both count from 0.",
            15: "V₂ is turned: you multiply a row of V₁ by a row of V₂. Take row 0 of V₁ and column 1 of V₂.",
            10: "V₁ is turned: you multiply a column of V₁ by a column of V₂. Take row 0 of V₁ and column 1 of V₂.",
            4: "that is the first product alone, 2 · 2. A row times a column is a sum of two: 3 · 3 is missing.",
            9: "that is the second product alone, 3 · 3. A row times a column is a sum of two: 2 · 2 is missing.",
            3: "that is V₁[0, 1] alone, what the first layer does.",
            2: "that is V₂[0, 1] alone, what the second layer does.",
        },
    },
    hints=[
        "Put the first formula into the second: A₂ (A₁ X V₁) V₂. Move the brackets.",
        "A = A₂A₁ and V = V₁V₂. A[1, 0] is row 1 of A₂ times column 0 of A₁: 0.4 · 1 + 0.6 · 0.25.",
    ],
)
