"""Five layers are measured: how many words that come later does each of them see? The layers stand in planted.py."""

from course_lib.checking.kinds import Number

planted_leaks = Number(
    "04.planted_leaks",
    title="Which of these layers leak?",
    points=5,
    minutes=12,
    difficulty=2,
    answer={"A": 0, "B": 15, "C": 9, "D": 5, "E, sentences": 12},
    rtol=1e-9,
    wrong={
        "A": {
            1: "1 would be a single pair. Count the pairs that leak, not whether there are any; 0 if there are none.",
            6: "that is the diagonal, where a word sees itself. Count only what lies above it.",
            15: "that is another layer, or what lies below the diagonal. A looks suspicious, but measure it: rows are outputs, so what comes later lies above the diagonal.",
            21: "these are the pairs that may be seen, on and below the diagonal. Count what lies above it.",
            36: "that is every pair. Count those above the diagonal that are True.",
        },
        "B": {
            5: "that is how many outputs leak, or the pairs with the next word alone. Count all pairs: draw it.",
            30: "that is twice as many: both ways added up. A pair that both find counts once: by gradient | by change.",
            60: "that is 4 times too many: once for each sentence of the batch. Count in the table of words, (6, 6).",
            1: "1 would be a single pair. Count the pairs that leak, not whether there are any; 0 if there are none.",
            0: "its weights form a clean triangle, but you should measure its output.",
            36: "that is every pair. Those on and below the diagonal are allowed: count what lies above it.",
            21: "the diagonal is among them, where a word sees itself, and it may. Count only what lies above it.",
        },
        "C": {
            36: "that is every pair, or 4 times too many, once for each sentence. Count what is True above the diagonal of the table of words, (6, 6).",
            1: "1 would be a single pair. Count the pairs that leak, not whether there are any; 0 if there are none.",
            0: "its weights form a clean triangle, but something happens after the attention. Measure its output.",
            5: "that is how many outputs leak, or the pairs with the next word alone. Count all pairs: draw it.",
            15: "you counted the diagonal as well, where a word sees itself; or what lies below it; or all that comes later, seen or not. Draw it, and count what is True above the diagonal.",
            6: "that is the diagonal, where a word sees itself. Count what lies above it.",
            30: "these are all pairs that are seen. Those on and below the diagonal are allowed: count what lies above it.",
            18: "that is twice as many: both ways added up. A pair that both find counts once: by gradient | by change.",
        },
        "D": {
            20: "that is 4 times too many: once for each sentence of the batch. Count in the table of words, (6, 6).",
            1: "1 would be a single pair. Count the pairs that leak, not whether there are any; 0 if there are none.",
            0: 'the gradient finds nothing here. What kind of influence has no gradient? Look again with by="change".',
            11: "you counted the diagonal as well, where a word sees itself, and it may. Count only what lies above it.",
            15: "not everything that comes later is seen, and what lies below the diagonal comes before. Draw it.",
            6: "that is the diagonal, where a word sees itself. Count what lies above it.",
            26: "these are all pairs that are seen. Those on and below the diagonal are allowed: count what lies above it.",
        },
        "E, sentences": {
            3: "that is one sentence's share. Count for all four: pairs (sentence, other sentence).",
            1: "1 would be a single pair. Count the pairs that leak, not whether there are any.",
            0: "between words there is no leak. Ask about the sentences of the batch: axis=0.",
            16: "a sentence may see itself: leave the diagonal out.",
            4: "that is how many sentences leak, or the diagonal, where each sees itself. Count the pairs (sentence, other sentence).",
            24: "that is twice as many: both ways added up. A pair that both find counts once: by gradient | by change.",
            6: "you counted one side of the diagonal. No sentence may see another, before it or after it.",
        },
    },
    hints=[
        'seen = leaks(layers["B"], (4, 6, 8)) is (output, input). What lies above its diagonal is a leak: (seen & ~masks.causal_mask(6)).sum().',
        'The gradient can\'t see a step. Run all layers again with by="change".',
        'For E: leaks(layers["E"], (4, 6, 8), axis=0) is (4, 4), sentence by sentence. Only its diagonal should be True.',
    ],
)
