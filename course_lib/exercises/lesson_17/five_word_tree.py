"""A tree of five words, with a pencil: a depth, a number of edges, and how many of them go down."""

from course_lib.checking.kinds import Number

# ROOT keys near doors rust today: keys → rust, near → doors, doors → keys, rust → ROOT, today → rust
five_word_tree = Number(
    "17.five_word_tree",
    title="Five words and a tree",
    points=3,
    minutes=6,
    difficulty=1,
    answer={"depth of near": 4, "edges from doors to today": 3, "down, from near to today": 1},
    wrong={
        "depth of near": {
            5: "you count words, with ROOT: near, doors, keys, rust, ROOT. Between five words there are four edges.",
            3: "one edge is missing. Two things can be the reason: ROOT has depth 0, so “rust” has 1; and “near” hangs on its noun, “doors”, not on “keys”.",
            2: "that is its place in the sentence. Go from parent to parent instead, until you are at ROOT.",
            1: "the first edge goes to its parent, “doors”. Go on from there, until you are at ROOT.",
            0: "only ROOT has depth 0: there nothing is left to climb.",
            6: "that is how many places there are. Go from “near” to its parent, and on, until you are at ROOT; count the edges.",
            10: "you add depths up. How many edges lead from “near” alone to ROOT?",
        },
        "edges from doors to today": {
            2: "in the sentence “today” stands two places further. In the tree it is two edges up, to “rust”, and then there is the way down.",
            4: "you count words: doors, keys, rust, today. Count the edges between them.",
            5: "you go up to ROOT and down again: the sum of the two depths. They meet sooner, at “rust”.",
            1: "that is the difference of their depths, or the way down alone. The way up, from “doors” to “rust”, belongs to it.",
            6: "you go up to ROOT and count the words on the way. They meet at “rust”; count edges, not words.",
            0: "that would be one word. Which edges lead from “doors” up, and where do they meet the way from “today”?",
        },
        "down, from near to today": {
            3: "that is the way up, near → doors → keys → rust. How many edges go down from there?",
            4: "that is the whole way, up and down. Down is what comes after “rust”.",
            2: "that is the way down from ROOT. They meet at “rust” already.",
            5: "you count the words of the whole way. Asked for are the edges that go down.",
            0: "then “today” would be above “near”. Go up from “near” until “today” lies below you: how many edges down is it?",
            6: "that is the way by ROOT, up and down. They meet at “rust”; count what goes down from there.",
        },
    },
    hints=[
        "Draw it: ROOT at the top, “rust” under it. Under “rust” hang “keys” and “today”, under “keys” hangs “doors”, under “doors” hangs “near”.",
        "Edges are the lines between words. From one word to another you go up until the other lies below you, and then down.",
    ],
)
