"""The parameters of BERT base and large, counted by hand."""

from course_lib.checking.kinds import Number

VOCAB, MAX_LEN, SEGMENTS = 30_522, 512, 2


def embeddings(d, vocab=VOCAB, max_len=MAX_LEN, segments=SEGMENTS, norm=1):
    return (vocab + max_len + segments) * d + norm * 2 * d


def layer(d, matrices=4, bias=1, d_ff=None, ff=2, norms=2):
    d_ff = d_ff or 4 * d
    feed_forward = ff * d * d_ff + bias * (d_ff + d if ff == 2 else d_ff)
    return matrices * (d * d + bias * d) + feed_forward + norms * 2 * d


def pooler(d):
    return d * d + d


def whole(d, layers, **changes):
    return embeddings(d) + layers * layer(d, **changes) + pooler(d)


BASE, LARGE = whole(768, 12), whole(1024, 24)
MILLIONS = "that is in millions: write the number itself, to the nearest thousand."


def _tempting(d, layers):
    """Wrong counts of a whole model; of both in the same way."""
    right, one, table = whole(d, layers), layer(d), embeddings(d)
    head = pooler(d) + 2 * d + VOCAB  # masked language modelling: a dense layer, its norm, the bias of each token
    return {
        right - pooler(d): "no pooler: on top of the last layer's [CLS] stands one more matrix with its bias.",
        right - MAX_LEN * d: "no table of positions: 512 rows.",
        right - 2 * d: f"2 × {d} are missing: the table of segments, or the norm behind the sum (γ and β).",
        right - VOCAB * d: "no table of tokens: 30,522 rows, by far the largest.",
        table + layers * one + pooler(d) + VOCAB * d: "the output is counted again. It is tied to the table of tokens: no new matrix.",
        right + head: "with the head for the blanks. It is put aside after pretraining, and isn't in the 110 or 340 million.",
        right + head + 2 * d + 2: "with the heads of both pretraining tasks. They are put aside after pretraining, and aren't counted.",
        right + 2 * d + 2: "with the head for next sentences. It isn't counted.",
        table + layers * one + pooler(d) - 2 * d - SEGMENTS * d: "no table of segments, and no norm behind the tables.",
        table + pooler(d) + one: "with one layer. There are more of them.",
        layers * one: "the layers alone. Tables and pooler come on top.",
        table + layers * one - 2 * d: "no pooler, and no norm behind the tables.",
        whole(d, layers, matrices=3): "three matrices an attention? W_O is one, too: four.",
        whole(d, layers, bias=0): "the layers' biases are missing.",
        whole(d, layers, norms=0): "the layers' norms are missing: two in each, with γ and β.",
        whole(d, layers, norms=1): "one norm a layer? There are two, one behind each sublayer.",
        whole(d, layers, ff=1): "the feed-forward network has two matrices, there and back.",
        whole(d, layers, d_ff=d): "the feed-forward network is four times as wide in the middle.",
        whole(d, layers, d_ff=2048): "2048 was lesson 08's. BERT's feed-forward network is four times as wide as d_model.",
        whole(d, layers // 2): "that is half the layers.",
        right + layers * (4 * (d * d + d) + 2 * d): "with cross-attention? BERT is an encoder: each layer has one attention.",
        layers * one + pooler(d): "the tables are missing, and the norm behind them.",
        right + (layers - 1) * pooler(d): "with a pooler in each layer. There is one, on top of the last.",
        right / 1e6: MILLIONS,
        round(right / 1e6, 1): MILLIONS,
        float(round(right / 1e6)): MILLIONS,
    }  # fmt: skip


base_parameters = Number(
    "11.base_parameters",
    title="110 million, by hand",
    points=4,
    minutes=12,
    difficulty=2,
    criteria={"embeddings": 1, "one layer": 1, "base": 1, "large": 1},
    answer={"embeddings": embeddings(768), "one layer": layer(768), "base": BASE, "large": LARGE},
    rtol=5e-6,  # about a thousand of a hundred million; the table of segments is 1,536
    wrong={
        "embeddings": {
            embeddings(768, max_len=0): "no table of positions: 512 × 768.",
            embeddings(
                768, norm=0
            ): "2 × 768 are missing: the table of segments, or the norm behind the sum (γ and β).",
            embeddings(768, norm=0, segments=0): "the segments, 2 × 768, and the norm are missing.",
            VOCAB * 768: "that is the table of tokens alone. Positions, segments and a norm come to it.",
            embeddings(768, segments=3): "three segments? There are two, A and B.",
            3 * VOCAB * 768: "each table has its own number of rows: 30,522, 512 and 2.",
            embeddings(768, norm=0.5): "a norm has γ *and* β, 768 each.",
            2 * embeddings(768): "twice too much.",
            embeddings(1024): "that is large's. Base has d_model = 768.",
            embeddings(768) / 1e6: MILLIONS,
            23.8: MILLIONS,
            VOCAB + MAX_LEN + SEGMENTS: "these are the rows of the three tables. Each has 768 numbers.",
        },
        "one layer": {
            layer(768, matrices=3): "three matrices an attention? W_O is one, too: four.",
            layer(
                768, bias=0
            ): "the biases are missing: 768 for each matrix of the attention, 3072 and 768 in the feed-forward network.",
            layer(
                768, norms=0
            ): "3,072 are missing: the two norms (γ and β, 768 each), or the biases of the attention's four matrices.",
            layer(
                768, norms=1
            ): "1,536 are missing: there are two norms, one behind each sublayer, and each has γ *and* β.",
            layer(768, bias=0, norms=0): "biases and norms are missing.",
            layer(768, ff=1): "the feed-forward network has two matrices, 768 × 3072 and back.",
            layer(768, d_ff=768): "the feed-forward network is 4 × 768 = 3072 numbers wide in the middle.",
            layer(768, d_ff=2048): "2048 was lesson 08's. Here it is 4 × 768 = 3072.",
            4 * (768 * 768 + 768) + 2 * 1536: "the feed-forward network is missing.",
            2 * 768 * 3072
            + 3072
            + 768
            + 2 * 1536: "the attention is missing: four matrices of 768 × 768, with biases.",
            4 * (768 * 768 + 768)
            + 2 * 768 * 3072
            + 2 * 1536: "the biases of the feed-forward network are missing: 3072 and 768.",
            layer(768)
            + 2304: "the second bias of the feed-forward network is 768 numbers: it is added behind the way back.",
            layer(768) - 2304: "the first bias of the feed-forward network is 3072 numbers: it is added in the middle.",
            layer(768)
            + 11
            * 3
            * (
                768 * 768 + 768
            ): "a whole W_Q, W_K and W_V for each head? The twelve heads share them: 12 × 64 = 768 rows.",
            layer(768) + 4 * (768 * 768 + 768): "two attentions? An encoder layer has one.",
            12 * layer(768): "that is all twelve. One is asked for.",
            12 * (4 * (768 * 768 + 768))
            + layer(768)
            - 4
            * (
                768 * 768 + 768
            ): "you counted the attention twelve times. The heads share the matrices: 12 × 64 = 768 rows.",
            3 * (768 * 64 + 64)
            + (768 * 768 + 768)
            + layer(768)
            - 4 * (768 * 768 + 768): "you counted one head. Twelve heads of 64 rows are 768 rows.",
            layer(1024): "that is large's. Base has d_model = 768.",
            layer(768) / 1e6: MILLIONS,
            7.1: MILLIONS,
        },
        "base": _tempting(768, 12)
        | {
            110.0: MILLIONS,
            BASE - 768: "the pooler has a bias as well: 768.",
            110e6: "that is the paper's figure, rounded. Count.",
            109.5e6: "nearly: to the nearest thousand, please.",
            LARGE: "that is large's.",
        },
        "large": _tempting(1024, 24)
        | {
            340e6: "that is the paper's figure, rounded. Count; you get less.",
            335e6: "nearly: to the nearest thousand, please.",
            BASE: "that is base's.",
            2 * BASE: "twice base? The width grows, too, and a matrix with its square.",
            340.0: MILLIONS,
            embeddings(768) + 24 * layer(1024) + pooler(1024): "the tables of large are 1024 wide, too.",
            whole(1024, 12): "large has 24 layers.",
            whole(768, 24): "large has d_model = 1024.",
        },
    },
    hints=[
        "Three tables, each with d_model numbers a row: 30,522 tokens, 512 positions, 2 segments. A norm has γ and β, d_model numbers each.",
        "A layer: four matrices d × d with biases; d × 4d and 4d × d with biases; two norms.",
        "Base is tables + 12 layers + pooler (768 × 768 + 768). Large the same with 1024 and 24. The number of heads doesn't matter.",
    ],
)
