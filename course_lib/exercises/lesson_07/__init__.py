"""Lesson 07, Subwords: byte-pair encoding, learnt and applied; WordPiece."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_07.count_pairs import count_pairs
from course_lib.exercises.lesson_07.encode_word import encode_word
from course_lib.exercises.lesson_07.learn_merges import learn_merges
from course_lib.exercises.lesson_07.longest_match import longest_match
from course_lib.exercises.lesson_07.merge_pair import merge_pair
from course_lib.exercises.lesson_07.pair_scores import pair_scores
from course_lib.exercises.lesson_07.predictions import first_merge, other_languages, twice_the_vocabulary, unknown_words
from course_lib.exercises.lesson_07.Tokenizer import Tokenizer

LESSON = Lesson(
    name="07_subwords",
    title="Subwords",
    promise="learn byte-pair encoding from a text, fast and slow; watch tokens fuse; WordPiece",
    exercises=(count_pairs, merge_pair, learn_merges, encode_word, pair_scores, longest_match, Tokenizer),
    predictions=(unknown_words, first_merge, twice_the_vocabulary, other_languages),
)
