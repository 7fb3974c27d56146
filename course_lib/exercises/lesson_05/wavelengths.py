"""The wavelengths of the fastest and the slowest pair of sinusoids, worked out by hand."""

import math

from course_lib.checking.kinds import Number

TURN = 2 * math.pi  # in radians

wavelengths = Number(
    "05.wavelengths",
    title="The hands of the clock",
    points=2,
    minutes=5,
    difficulty=1,
    answer={"fastest pair": TURN, "slowest pair": TURN * 10_000 ** (62 / 64)},
    rtol=1e-2,
    wrong={
        "fastest pair": {
            1.0: "that is its frequency, in radians a step. A full turn is 2π radians: how many steps is that?",
            math.pi: "that is half a turn.",
            64.0: "that is d_model. Of the pairs' speeds it says nothing yet: pair 0 turns by 1 radian at each step.",
            TURN * 10_000 ** (62 / 64): "that is the slowest pair's. The fastest is pair 0, with frequency 1.",
            360.0: "that is in degrees. The angles are radians: a full turn is 2π of them.",
            TURN * 10_000 ** (2 / 64): "you counted from i = 1. The first pair is i = 0, with frequency 1.",
            1 / TURN: "that is the part of a turn made in one step. How many steps make a whole turn?",
        },
        "slowest pair": {
            TURN: "that is the fastest pair's. The slowest is the last, i = 31.",
            360 * 10_000 ** (62 / 64): "that is in degrees. The angles are radians: a full turn is 2π of them.",
            10_000 ** (-62 / 64): "that is its frequency, in radians a step. How many steps make a full turn of 2π?",
            10_000 ** (62 / 64)
            / TURN: "you divide by 2π. A step turns by 1/10 000^(62/64) radians: how many steps make 2π of them?",
            10_000 ** (-62 / 64)
            / TURN: "that is the part of a turn made in one step. How many steps make a whole turn?",
            math.pi * 10_000 ** (62 / 64): "that is half a turn.",
            TURN * 10_000 ** (60 / 64): "that is the last pair but one. 64 numbers are 32 pairs, i = 0 to 31.",
            TURN
            * 10_000
            ** (32 / 64): "you took i/d_model, and i up to 32. The exponent is 2i/d_model, and the last i is 31.",
            TURN
            * 10_000
            ** (
                124 / 64
            ): "the 2 stands twice in your exponent: 2i is 62, and it is divided by 64, not by the 32 pairs.",
            TURN * 10_000 ** (126 / 64): "the last column is 63, but the exponent counts pairs: 2i = 62.",
            TURN
            * 10_000: "that would be an exponent of 1. The last pair has i = 31, so its exponent is 62/64. (A slide that counts i from 1 ends at 1; the paper counts from 0.)",
            10_000 ** (62 / 64): "that is one over its frequency. A full turn is 2π of that.",
            TURN
            * 10_000 ** (63 / 64): "the last column is 63, a cosine. It shares the exponent of its sine, column 62.",
            TURN * 10_000 ** (31 / 64): "you took i/d_model. The exponent is 2i/d_model, and the last i is 31.",
            TURN * 10_000 ** (-62 / 64): "the sign of the exponent: a slow pair needs many steps for a turn.",
            TURN * 10_000 ** (6 / 8): "that is for d_model = 8, the eight numbers printed above. Here it is 64.",
            10_000.0: "nearly: it is 2π times 10 000 to the power of 62/64.",
        },
    },
    hints=[
        "Pair i turns by base^(−2i/d_model) radians at each step. How many steps make 2π?",
        "d_model = 64 has pairs i = 0 to 31. The wavelength is 2π · base^(2i/d_model).",
    ],
)
