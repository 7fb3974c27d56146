"""What students predict in lesson 07."""

from course_lib.checking.kinds import Prediction

unknown_words = Prediction(
    "07.unknown_words",
    title="Unknown words",
    question="A vocabulary holds every word of Python's manual. Now it reads other texts by the same people about the same things, the docstrings of the standard library. What share of the different words in them does it not know?",
    options=["below 5 %", "about 15 %", "about 35 %", "more than half"],
    answer="more than half",
    why="Most of the different words of a text occur once or twice, and other texts have other rare words.",
)
first_merge = Prediction(
    "07.first_merge",
    title="The first merge",
    question="Byte-pair encoding over bytes reads Python's manual, the text as it stands. Which pair of bytes does it merge first?",
    options=["t and h", "a space and t", "e and a space", "a space and a space"],
    answer="a space and a space",
    why="The manual is full of indented code and lists. Counting knows nothing of what is interesting.",
)
twice_the_vocabulary = Prediction(
    "07.twice_the_vocabulary",
    title="Twice the vocabulary",
    question="A tokenizer of 2,000 tokens cuts the manual into some number of tokens. Another one has 4,000. How many tokens does it make of the same text?",
    options=["half as many", "about a third fewer", "about an eighth fewer", "just as many"],
    answer="about an eighth fewer",
    why="The frequent words are whole tokens already. Each further token is rarer than those before it and saves less.",
)
other_languages = Prediction(
    "07.other_languages",
    title="Other languages",
    question="A tokenizer over bytes has learnt from English. The same names of countries, months and currencies are written in 17 languages. How many times as many tokens as English does the most expensive language need?",
    options=["as many", "about twice as many", "about 5 times as many", "about 20 times as many"],
    answer="about 5 times as many",
    why="Letters of Hindi and Thai take three bytes each, and no merge was learnt for any of them.",
)
