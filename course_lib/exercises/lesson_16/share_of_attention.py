"""What share of a block's products is between words: n / (n + 6 d), counted by hand."""

from course_lib.checking.kinds import Number


def share(n, d, inside=12, between=2):
    """In per cent: `between` · n² d of the products against `inside` · n d²; 3 + 1 projections and 2 · 4 of the FF make 12."""
    return 100 * between * n / (between * n + inside * d)


def half(d, inside=12, between=2):
    """The n at which both are equal."""
    return inside / between * d


# What may be forgotten: the products inside the words in n d², those between words in n² d, and the sentence.
FORGOTTEN = [
    (3, 2, "you left out W_O and the feed-forward network. A block has four projections, d² each, and 8 d² in the FF."),
    (4, 2, "you left out the feed-forward network: with d_ff = 4 d it costs 8 d² a word, twice the four projections."),
    (8, 2, "four of the twelve d² are missing: W_Q, W_K, W_V and W_O if you counted the FF alone; or one of the FF's two matrices."),
    (11, 2, "one projection is missing: W_Q, W_K, W_V, and W_O, too."),
    (6, 2, "with d_ff = d? Here the feed-forward network is 4 d wide in the middle: 2 · d · 4 d products a word."),
    (12, 1, "one product between words is missing. There are two: queries with keys, and weights with values, n² d each."),
    (8, 1, "both sides lack something: there are two products between words, n² d each, and twelve of n d² for each word by itself."),
    (2, 2, "that leaves all constants out. Count them: two products of n² d between words, twelve of n d² for each word by itself."),
]  # fmt: skip


def _shares(n, d):
    right = share(n, d)
    return {
        **{share(n, d, inside, between): sentence for inside, between, sentence in FORGOTTEN},
        100 * n / (6 * d): "that is the ratio of the two, n / 6 d. The share is of *all* products: n / (n + 6 d).",
        n
        / (6 * d): "that is the ratio of the two, and not in per cent. The share is of *all* products: n / (n + 6 d).",
        right / 100: "that is the share itself. Per cent are asked for: 100 times as much.",
        100 - right: "that is what is paid for each word by itself. The products between words are asked for.",
        share(d, n): "n and d have changed places: n words, vectors of d numbers.",
    }


share_of_attention = Number(
    "16.share_of_attention",
    title="What share is attention?",
    points=3,
    minutes=6,
    difficulty=1,
    answer={"half": half(1024), "today": share(2048, 12_288), "long": share(50_000, 1024)},
    rtol=4e-3,
    wrong={
        "half": {
            **{half(1024, inside, between): sentence for inside, between, sentence in FORGOTTEN},
            6000.0: "that is with d = 1000. Here d is 1024.",
            6.0: "6 d, and d is 1024.",
            half(12_288): "that is for d = 12,288. Here d is 1024.",
            half(512): "that is for d = 512. Here d is 1024.",
            2 * half(1024, 4): "that is d_ff, 4 d, or the FF's share alone. Set 2 n² d equal to all of 12 n d².",
        },
        "today": {**_shares(2048, 12_288), share(2048, 1024): "that is with d = 1024. This model's d is 12,288."},
        "long": {**_shares(50_000, 1024), share(50_000, 12_288): "that is with d = 12,288. Here d is 1024."},
    },
    hints=[
        "Per word and layer: four projections of d² each, and the feed-forward network's 2 · d · 4 d. Between words: n products of d numbers for the scores, and as many for the values.",
        "Between words 2 n² d, for each word by itself 12 n d². Divide both by 2 n d: the share is n / (n + 6 d).",
    ],
)
