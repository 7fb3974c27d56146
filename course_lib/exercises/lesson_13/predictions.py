"""What students predict in lesson 13."""

from course_lib.checking.kinds import Prediction

after_a_month = Prediction(
    "13.after_a_month",
    title="A hundred words later",
    question="A GRU reads a month, then a hundred words in which it doesn't matter, then “soon it was …”. It has been trained on such stories for half a minute. Which probability does it give the right one of six feasts?",
    options=["about 1/6: the month is long forgotten", "about a half", "nearly 1"],
    answer="nearly 1",
    why="One word is little to remember, and a GRU can learn to keep a part of its state unchanged for as long as it has to. Learning that takes longer the further the words are apart.",
)
first_learned = Prediction("13.first_learned", title="x", question="x", options=["a", "b"], answer="a", why="x")
untrained = Prediction("13.untrained", title="x", question="x", options=["a", "b"], answer="a", why="x")
loops = Prediction("13.loops", title="x", question="x", options=["a", "b"], answer="a", why="x")
times_faster = Prediction("13.times_faster", title="x", question="x", options=["a", "b"], answer="a", why="x")
