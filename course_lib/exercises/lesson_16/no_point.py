"""The lecture's question: is there no point in cheaper attention, or are better models to be had with more than 100,000 words?"""

from course_lib.checking.kinds import Choice

no_point = Choice(
    "16.no_point",
    title="Is there a point in cheaper attention?",
    points=1,
    minutes=4,
    difficulty=2,
    answer="c",
    options={
        "a": "At GPT-3's size and 2,048 words, yes: 2.7 % of a block's multiplications lie between words, so an attention that costs nothing would save 2.7 %. But n isn't fixed. With d = 1024 and 50,000 words it is 89 %.",
        "b": "n² is only one of the two costs. Up to n = 6 d most multiplications are paid for each word by itself, in projections and feed-forward networks, and cheaper attention leaves those as they are: at GPT-3's size they are 97 %.",
        "c": "n against 6 d decides what could be saved: 2.7 % at one end, 89 % at the other. And saving is half of the answer only. The other half is what the pattern no longer learns, and that you measured: a cheap pattern may be as good near by and lost far away.",
        "d": "Fused attention never stores the n² weights, so memory grows with n alone. But it still computes all n² of them: time is as quadratic as before.",
    },
    hints=[
        "What did the share between words depend on? Put in two texts, a short and a long one.",
        "Two questions are hidden in one: what would be saved, and what would be lost? You measured both.",
    ],
)
