"""Perplexity, bits for each token, bits for each byte, from one loss."""

import math

from course_lib.checking.kinds import Number

LOSS, TOKENS, BYTES = 2.0, 300, 1250
PERPLEXITY, BITS = math.exp(LOSS), LOSS / math.log(2)
PER_BYTE = BITS * TOKENS / BYTES

bits_per_byte = Number(
    "13.bits_per_byte",
    title="Three names for one loss",
    points=3,
    minutes=8,
    difficulty=1,
    answer={"perplexity": PERPLEXITY, "bits a token": BITS, "bits a byte": PER_BYTE},
    rtol=5e-3,
    wrong={
        "perplexity": {
            2.0
            ** LOSS: "2 to the power of the loss goes with a loss in bits. This one is in nats: e to the power of it.",
            BITS: "those are the bits for each token. Perplexity is e to the power of the loss.",
            10.0**LOSS: "the base is e, not 10: the loss is a natural logarithm.",
            math.exp(-LOSS): "that is a probability. Perplexity is one over it.",
            LOSS: "that is the loss itself, in nats. Perplexity is e to the power of it.",
            math.exp(LOSS * TOKENS / BYTES): "that is for each byte. Perplexity is for each token here.",
            math.log(LOSS): "e to the power of the loss, not its logarithm.",
        },
        "bits a token": {
            LOSS: "that is in nats. A nat is 1/ln 2 bits: divide by ln 2.",
            LOSS * math.log(2): "divide by ln 2, don't multiply: a bit is the smaller unit, so there are more of them.",
            PERPLEXITY: "that is the perplexity. Bits are the loss divided by ln 2.",
            2 * BITS: "you divided twice? 2.0 / ln 2.",
            LOSS / math.log(10): "that would be decimal digits. A bit is a choice between 2: divide by ln 2.",
            math.log2(LOSS): "that is the logarithm of the loss. The loss is one already: divide it by ln 2.",
            BITS * TOKENS: "that is for the whole text. For one token, please.",
            PER_BYTE: "that is for each byte.",
        },
        "bits a byte": {
            LOSS * TOKENS / BYTES: "that is in nats. Divide by ln 2.",
            BITS: "that is for each token. For each byte: the whole text's bits, divided by its bytes.",
            BITS / (BYTES / TOKENS) ** 2: "you divide by the bytes of a token twice.",
            BITS * BYTES / TOKENS: "turned round: a token has several bytes, so each byte costs less than a token.",
            BITS / BYTES: "the loss is a mean over the tokens. The whole text costs 300 times as much.",
            BITS * TOKENS: "that is the whole text. Divide it by its bytes.",
            BITS
            / 8: "a byte has 8 bits, but that isn't asked. How many bits does the model need for each byte of *this* text?",
            PERPLEXITY * TOKENS / BYTES: "you took exp first: that is perplexity. Bits are the loss divided by ln 2.",
            LOSS * math.log(2) * TOKENS / BYTES: "divide by ln 2, don't multiply.",
            LOSS / math.log(10) * TOKENS / BYTES: "that would be decimal digits. Divide by ln 2.",
            PER_BYTE / 8: "bits are asked for, not bytes.",
            PER_BYTE
            * 8: "eight times too much: the text's bits, divided by its bytes, are bits a byte already. Nothing is left to convert.",
            2.0 ** (LOSS * TOKENS / BYTES): "that is a kind of perplexity. Bits are the loss divided by ln 2.",
        },
    },
    hints=[
        "The loss is a mean of −ln p over the tokens. Perplexity undoes the logarithm.",
        "One nat is 1/ln 2 = 1.443 bits.",
        "The whole text costs 300 times the bits of a token. Share them out among 1,250 bytes.",
    ],
)
