"""What a text of 1000 words costs: the steps of a GRU, the layers of a convolution, the scores of attention."""

from course_lib.checking.kinds import Number

waiting = Number(
    "01.waiting",
    title="How long must it wait?",
    points=3,
    minutes=6,
    difficulty=1,
    answer={"GRU, steps in a row": 1000, "convolution, layers": 500, "attention, scores": 1_000_000},
    rtol=1e-9,
    wrong={
        "GRU, steps in a row": {
            999: "that is the distance from the first word to the last. The first word takes a step of its own, too.",
            1: "each state needs the state before it, so the words can't be read at the same time.",
            1_000_000: "that is the number of pairs. A GRU doesn't compare pairs: it takes one step a word.",
            64: "that was the text of the measurement above. This one has 1000 words.",
            2000: "two products at each word, but they don't wait for each other: a step is one new state.",
            1001: "the state before the first word is there already, all zeros: no step is needed for it.",
            500: "one direction, from the first word to the last: how many words are read on the way?",
        },
        "convolution, layers": {
            499: "499 layers reach back 998 words. The first word is 999 away.",
            499.5: "half a layer can't be built: round up.",
            999: "that would be a window of three: one word to the left in each layer. Here it is two.",
            1000: "each layer reaches further than one word. How many words lie to the left of the middle?",
            250: "you counted both sides of the window. Only the two words to the left bring you nearer to the first.",
            200: "you divided by the whole window. Only the two words to the left of its middle bring you nearer to the first.",
            333: "you divided by three. In a window of five, two words lie to the left of the middle.",
            334: "you divided by three. In a window of five, two words lie to the left of the middle.",
            4: "log₅ 1000 is for windows with growing gaps. Here every layer reaches two words further back, and no more.",
            5: "log₅ 1000 is for windows with growing gaps. Here every layer reaches two words further back, and no more.",
            501: "500 layers reach back 1000 words already, and the first word is 999 away.",
            199: "you divided by the whole window. Only the two words to the left of its middle bring you nearer to the first.",
            249: "you counted both sides of the window. Only the two words to the left bring you nearer to the first.",
        },
        "attention, scores": {
            1000: "that is what one word needs. All 1000 of them look.",
            2000: "not two for each word: each of the 1000 looks at each of the 1000.",
            499_500: "you counted each pair once. But A looking at B and B looking at A are two scores, and a word looks at itself as well.",
            999_000: "a word looks at itself as well.",
            500_500: "you counted each pair once. But A looking at B and B looking at A are two scores.",
            1: "all of them can be computed in one go. How many are they?",
            2_000_000: "each ordered pair is one score. A looking at B and B looking at A are two of them, and counted already.",
            998_001: "that is 999 times 999. All 1000 look, at all 1000.",
            999_999: "a table of 1000 rows and 1000 columns. No cell is left out.",
        },
    },
    hints=[
        "Three questions about one text: how many times does the GRU's state have to be computed? How far back does one layer of the convolution see? How many words does each word look at?",
        "A window of five has two words to the left of its middle, so each layer reaches two words further back. The first word is 999 words away from the last.",
    ],
)
