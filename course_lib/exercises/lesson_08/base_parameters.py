"""The parameters of the base Transformer, counted by hand."""

from course_lib.checking.kinds import Number

D, D_FF, VOCAB, LAYERS = 512, 2048, 37_000, 6
ATTENTION = 4 * (D * D + D)
FEED_FORWARD = 2 * D * D_FF + D_FF + D
NORM = 2 * D
ENCODER_LAYER = ATTENTION + FEED_FORWARD + 2 * NORM
DECODER_LAYER = 2 * ATTENTION + FEED_FORWARD + 3 * NORM
TABLE = VOCAB * D
WHOLE = TABLE + LAYERS * (ENCODER_LAYER + DECODER_LAYER)


def _whole(attentions=3, tables=1, biases=1, norms=5, layers=LAYERS):
    """The whole count with something counted wrongly."""
    attention, feed_forward = 4 * (D * D + biases * D), 2 * D * D_FF + biases * (D_FF + D)
    return tables * TABLE + layers * (attentions * attention + 2 * feed_forward + norms * NORM)


MATRIX = D * D + D
SLIPS = {  # what is missing in one decoder layer, and in the whole model
    "the feed-forward networks are missing: 512 × 2048 and back, with biases.": (FEED_FORWARD, 12 * FEED_FORWARD),
    "a matrix of the cross-attention is missing. It has four, as every attention: W_Q, W_K, W_V and W_O.": (
        MATRIX,
        LAYERS * MATRIX,
    ),
    "the attentions' biases are missing: 512 for each of their matrices.": (8 * D, LAYERS * 12 * D),
}


base_parameters = Number(
    "08.base_parameters",
    title="63 million, by hand",
    points=4,
    minutes=12,
    difficulty=2,
    criteria={"one decoder layer": 2, "the whole model": 2},
    answer={"one decoder layer": DECODER_LAYER, "the whole model": WHOLE},
    rtol=1e-5,  # to the nearest thousand; a norm on top of each stack would be seen
    wrong={
        "one decoder layer": {
            ENCODER_LAYER: "that is an encoder layer. A decoder layer has a second attention, to the source, with a norm of its own.",
            ENCODER_LAYER + ATTENTION: "nearly: the cross-attention has a norm of its own, 2 × 512 more.",
            2 * ATTENTION + FEED_FORWARD: "the three norms are missing: each has γ and β, 2 × 512.",
            2 * (3 * (D * D + D)) + FEED_FORWARD + 3 * NORM: "three matrices an attention? W_O is one, too: four.",
            8 * D * D
            + 2 * D * D_FF
            + 3
            * NORM: "the biases are missing: 512 for each matrix of an attention, 2048 and 512 in the feed-forward network.",
            8 * D * D + 2 * D * D_FF: "biases and norms are missing.",
            DECODER_LAYER
            + ATTENTION
            + NORM: "three attentions? A decoder layer has two: one to itself, one to the source.",
            2 * ATTENTION
            + 2 * (D * D + D)
            + 3 * NORM: "the feed-forward network is 2048 numbers wide in the middle, not 512.",
            8
            * DECODER_LAYER: "eight times too much. The heads share the matrices: 8 heads of 64 numbers are 512 rows together.",
            2 * 8 * ATTENTION
            + FEED_FORWARD
            + 3 * NORM: "you counted each attention eight times. The heads share the matrices: 8 × 64 = 512 rows.",
            LAYERS * DECODER_LAYER: "that is all six of them. One is asked for here.",
            2 * ATTENTION + D * D_FF + D_FF + 3 * NORM: "the feed-forward network has two matrices, there and back.",
            2 * ATTENTION
            + 2 * D * D_FF
            + D_FF
            + 3 * NORM: "the second bias of the feed-forward network is missing: 512.",
            2 * ATTENTION + FEED_FORWARD + 3 * D: "a norm has γ *and* β: 2 × 512 each.",
            ENCODER_LAYER + NORM: "the second attention is missing; its norm is there.",
            DECODER_LAYER - D_FF - D: "the biases of the feed-forward network are missing: 2048 and 512.",
            DECODER_LAYER + FEED_FORWARD: "one feed-forward network too many: a layer has one, after both attentions.",
            2 * (3 * (D * 64 + 64) + MATRIX)
            + FEED_FORWARD
            + 3 * NORM: "you counted one head of each attention. Eight heads of 64 rows are 512 rows.",
            DECODER_LAYER / 1e6: "that is in millions: write the number itself.",
            4.2: "that is in millions: write the number itself, to the nearest thousand.",
            4_200_000: "nearly: rounded to 100,000. Give it to the nearest thousand at least.",
        }
        | {DECODER_LAYER - missing: says for says, (missing, _) in SLIPS.items()},
        "the whole model": {
            _whole(attentions=2, norms=4): "one attention a decoder layer? It has two: to itself, and to the source.",
            _whole(attentions=2): "one attention a decoder layer? It has two: to itself, and to the source.",
            _whole(tables=3): "three tables? They are one, 37,000 × 512: source, target and output share it.",
            _whole(tables=2): "two tables? They are one, 37,000 × 512: source, target and output share it.",
            _whole(biases=0): "the biases are missing: four in each attention, two in each feed-forward network.",
            _whole(
                norms=0
            ): "30,720 too few: the norms (two in each encoder layer, three in each decoder layer, 2 × 512 each), or the feed-forward networks' biases.",
            _whole(biases=0, norms=0): "biases and norms are missing.",
            _whole(tables=0): "the table of word vectors is missing: 37,000 × 512.",
            LAYERS
            * DECODER_LAYER: "those are the six decoder layers. The encoder and the table belong to the model as well.",
            TABLE + LAYERS * DECODER_LAYER: "the encoder's six layers are missing.",
            TABLE + LAYERS * ENCODER_LAYER: "the decoder's six layers are missing.",
            TABLE
            + 12
            * ENCODER_LAYER: "you counted twelve encoder layers. A decoder layer has a second attention and a third norm.",
            TABLE
            + 12
            * DECODER_LAYER: "you counted twelve decoder layers. An encoder layer has one attention and two norms.",
            TABLE + ENCODER_LAYER + DECODER_LAYER: "that is one layer of each. There are six.",
            _whole(layers=3): "that is three layers of each. The paper's N = 6 means six of each, twelve together.",
            63_100_000: "nearly: rounded to 100,000. Give it to the nearest thousand at least.",
            65_000_000: "that is what the paper says. Count what the model of this lesson has.",
            WHOLE + 512 * D: "positions learn nothing: sinusoids have no parameters.",
            WHOLE + LAYERS * FEED_FORWARD: "six feed-forward networks too many: a layer has one, in the decoder, too.",
            WHOLE - TABLE + VOCAB: "the table has 37,000 rows of 512 numbers each.",
            WHOLE - TABLE + D * D: "the table has a row for each of 37,000 tokens, not for each of 512.",
            WHOLE + VOCAB: "37,000 too many: the output has no bias. It is the table, turned.",
            WHOLE
            + 2
            * NORM: "2 × 1,024 too many: a norm on top of each stack? The paper's figure has none; `nn.Transformer` has.",
            WHOLE - LAYERS * 5 * D: "a norm has γ *and* β: 2 × 512 each.",
            WHOLE - LAYERS * FEED_FORWARD: "six feed-forward networks are missing: a decoder layer has one, too.",
            WHOLE - LAYERS * 3 * MATRIX: "three matrices an attention? W_O is one, too: four.",
            WHOLE - 12 * (D * D_FF + D): "the feed-forward network has two matrices, there and back.",
            WHOLE
            - LAYERS
            * NORM: "6,144 too few: a third norm in each decoder layer, or the second bias of each feed-forward network.",
            WHOLE
            + LAYERS
            * 3
            * 7
            * ATTENTION: "you counted each attention eight times. The heads share the matrices: 8 × 64 = 512 rows.",
            63_080_000: "nearly: you rounded before you multiplied by six and added. Round at the end.",
            WHOLE / 1e6: "that is in millions: write the number itself.",
            63.08: "that is in millions: write the number itself, to the nearest thousand.",
            63.1: "that is in millions: write the number itself, to the nearest thousand.",
        }
        | {WHOLE - missing: says for says, (_, missing) in SLIPS.items()},
    },
    hints=[
        "One attention: four matrices of 512 × 512 and four biases of 512. The feed-forward network: 512 × 2048 and back, with biases of 2048 and 512. One norm: γ and β.",
        "A decoder layer: two attentions, one feed-forward network, three norms. An encoder layer: one, one, two.",
        "The whole: six of each, and one table of 37,000 × 512, which serves source, target and output. Sinusoids have no parameters, and the softmax has none.",
    ],
)
