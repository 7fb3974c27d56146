"""Lesson 17, trees and graphs: edges in place of distances, as an input of attention and as its output."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_17.five_word_tree import five_word_tree
from course_lib.exercises.lesson_17.graph_scores import graph_scores
from course_lib.exercises.lesson_17.parent_probabilities import parent_probabilities
from course_lib.exercises.lesson_17.predictions import (
    deeper,
    more_sentences,
    nearest_word,
    second_round,
    shuffled_trees,
    ten_per_cent,
)
from course_lib.exercises.lesson_17.tree_steps import tree_steps
from course_lib.exercises.lesson_17.which_edges import which_edges

LESSON = Lesson(
    name="17_trees_and_graphs",
    title="Trees and graphs",
    promise="give attention a tree in place of a sequence, and let it draw one",
    exercises=(five_word_tree, tree_steps, graph_scores, which_edges, parent_probabilities),
    predictions=(nearest_word, deeper, more_sentences, shuffled_trees, ten_per_cent, second_round),
)
