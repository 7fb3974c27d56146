"""Sentences with their trees, and questions about the number of a verb: sound trees, no shortcuts, no sentence twice."""

import pytest
import torch

from course_lib.corpora import agreement, treebank
from course_lib.corpora.agreement import RULES, by_rule
from course_lib.corpora.treebank import LABELS, ROOT, TOOLS, TRANSITIVE, is_noun, is_plural, sentences, vocabulary
from course_lib.corpora.vocabulary import MASK
from course_lib.errors import CourseError
from course_lib.trees import is_tree


@pytest.fixture(scope="module")
def many():
    return sentences(400, range(6), seed=1)


def test_every_sentence_is_a_tree_in_the_style_of_universal_dependencies(many):
    words = set(vocabulary().words)
    for sentence in many:
        assert is_tree(torch.tensor(sentence.parents)) and words.issuperset(sentence.words)
        assert sentence.words[0] == ROOT and sentence.parents.count(0) == 2  # ROOT itself and the main verb
        for word, parent, label in list(zip(sentence.words, sentence.parents, sentence.labels, strict=True))[1:]:
            above = sentence.words[parent]
            assert label in LABELS
            if label in ("case", "det", "amod", "nmod", "acl"):
                assert is_noun(above) and (label != "nmod" or is_noun(word))
            else:
                assert label in ("root", "punct") or not is_noun(above)


def test_no_edges_cross(many):
    for sentence in many:
        edges = [sorted(edge) for edge in enumerate(sentence.parents)]
        assert not any(a < c < b < d for a, b in edges for c, d in edges)


def test_verbs_agree_with_their_subjects(many):
    for sentence in many:
        for verb, subject in zip(sentence.verbs, sentence.subjects, strict=True):
            assert sentence.parents[subject] == verb and sentence.labels[subject] == "nsubj" and subject < verb
            assert is_plural(sentence.words[verb]) == is_plural(sentence.words[subject])
    assert is_plural("see") and not is_plural("sees") and is_plural("thieves") and not is_plural("thief")
    with pytest.raises(CourseError, match="singular or plural"):
        is_plural("near")


def test_depth_counts_the_nouns_between_the_main_verb_and_its_subject():
    for depth in range(6):
        for sentence in sentences(20, [depth], seed=depth):
            main = next(verb for verb in sentence.verbs if sentence.parents[verb] == 0)
            assert sentence.depth(main) == depth == max(map(sentence.depth, sentence.verbs))
    with pytest.raises(CourseError, match="range"):
        sentences(3, [])


def test_with_belongs_to_the_verb_only_where_one_does_it_so():
    use_of = {tool: use for use, tools in TOOLS.items() for pair in tools.items() for tool in pair}
    verbs = {verb: use for use, table in TRANSITIVE.items() for pair in table.items() for verb in pair}
    labels = set()
    for sentence in sentences(300, seed=2):
        for place, word in enumerate(sentence.words):
            if word in use_of:
                main = sentence.parents.index(0, 1)
                fits = use_of[word] == verbs[sentence.words[main]]
                assert (sentence.parents[place] == main) == fits
                assert sentence.labels[sentence.parents[place]] == ("root" if fits else "obj")
                labels.add(sentence.labels[place])
    assert labels == {"obl", "nmod"}


def test_the_same_seed_gives_the_same_sentences_and_tests_are_never_trained_on():
    assert sentences(50, seed=3) == sentences(50, seed=3) != sentences(50, seed=4)
    seen = {str(sentence) for sentence in sentences(2000, seed=0)}
    assert not seen & {str(sentence) for sentence in sentences(200, seed=0, test=True)}


def test_new_pairs_of_verb_and_tool_are_in_no_other_sentence():
    tools = {form for table in TOOLS.values() for pair in table.items() for form in pair}

    def pairs(several):
        found = set()
        for sentence in several:
            verb = sentence.words[sentence.parents.index(0, 1)]
            found |= {(verb, word) for word in sentence.words if word in tools}
        return found

    new = pairs(sentences(400, seed=0, new_pairs=True))
    assert len(new) > 20 and not new & pairs(sentences(3000, seed=0))


def test_with_numbers_turns_nouns_and_their_verbs():
    sentence = sentences(1, [3], seed=5)[0]
    first = sentence.subjects[-1]
    turned = treebank.with_numbers(sentence, lambda noun: noun == first)
    assert [noun for noun in turned.nouns if is_plural(turned.words[noun])] == [first]
    assert turned.parents == sentence.parents and turned.nouns == sentence.nouns
    assert treebank.with_numbers(turned, lambda noun: is_plural(sentence.words[noun])) == sentence


# --- agreement --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asked():
    return {hard: agreement.tests(200, hard) for hard in (False, True)}


def test_questions_hide_the_verb_and_have_its_depth(asked):
    for hard, by_depth in asked.items():
        for depth, questions in by_depth.items():
            assert len(questions) == 200 and all(q.depth == depth for q in questions)
            for q in questions:
                assert q.words[q.verb] == MASK and q.words.count(MASK) == 1
                assert q.plural == is_plural(q.sentence.words[q.subject])
                assert q.hard or not hard


def test_tests_are_out_of_sentences_that_no_training_has(asked):
    seen = {str(q.sentence) for q in agreement.training(2000)}
    assert not seen & {str(q.sentence) for tests in asked.values() for part in tests.values() for q in part}
    assert max(q.sentence.depth(verb) for q in agreement.training(300) for verb in q.sentence.verbs) == 2


def test_no_rule_but_the_trees_answers_all(asked):
    deep = [q for depth in (3, 4, 5) for q in asked[False][depth]]
    hard = [q for depth in (3, 4, 5) for q in asked[True][depth]]
    for rule in (*RULES, "commoner number"):
        if rule == "noun on the nsubj arc":
            assert by_rule(rule, deep) == by_rule(rule, hard) == 1
        else:
            assert 0.4 < by_rule(rule, deep) < 0.95 and by_rule(rule, hard) < 0.9
    assert by_rule("commoner number", hard) == by_rule("last noun before it", hard) == 0
    assert 0.4 < sum(q.plural for q in deep) / len(deep) < 0.6
