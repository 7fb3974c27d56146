"""Which of its two forms a verb has, when other nouns stand between it and its subject.

    the dogs near the man that the girls see <mask> today       wait or waits?

After Linzen, Dupoux and Goldberg (2016), "Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies". Any
verb of a sentence may be asked for. The sentences are the treebank's, without objects: a subject and what hangs on it.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.corpora import treebank
from course_lib.corpora.treebank import Sentence, is_plural
from course_lib.corpora.vocabulary import MASK

DEPTHS = range(6)
TRAINED = range(3)


@dataclass(frozen=True)
class Question:
    """A sentence, and the place of the verb that is asked for."""

    sentence: Sentence
    verb: int

    @property
    def words(self) -> tuple[str, ...]:
        """The sentence with a mask in place of the verb."""
        return (*self.sentence.words[: self.verb], MASK, *self.sentence.words[self.verb + 1 :])

    @property
    def plural(self) -> bool:
        """The answer."""
        return is_plural(self.sentence.words[self.verb])

    @property
    def subject(self) -> int:
        return self.sentence.subjects[self.sentence.verbs.index(self.verb)]

    @property
    def depth(self) -> int:
        """Nouns between subject and verb."""
        return self.sentence.depth(self.verb)

    @property
    def hard(self) -> bool:
        """Whether there are other nouns, and all of them in the other number."""
        others = [is_plural(self.sentence.words[i]) for i in self.sentence.nouns if i != self.subject]
        return bool(others) and all(other != self.plural for other in others)


def training(count: int = 400, seed: int = 0, depths: Sequence[int] = TRAINED) -> list[Question]:
    """Sentences of these depths, any verb of theirs asked."""
    rng = random.Random(seed)
    return [
        Question(s, rng.choice(s.verbs)) for s in treebank.sentences(count, depths, seed, test=False, objects=False)
    ]


def tests(count: int = 300, hard: bool = False, seed: int = 0, depths: Sequence[int] = DEPTHS) -> dict[int, list]:
    """{depth: questions}: that many nouns between the verb asked for and its subject, in sentences not trained on.

    To depth 2 they are out of sentences as in training; deeper ones out of sentences of their depth or one more.
    """
    return {depth: _of_depth(count, depth, hard, 1000 * seed + depth) for depth in depths}


def _of_depth(count: int, depth: int, hard: bool, seed: int) -> list[Question]:
    rng, found = random.Random(seed), []
    within = range(depth, max(TRAINED) + 1) if depth in TRAINED else range(depth, depth + 2)
    while len(found) < count:
        for sentence in treebank.sentences(count, within, rng.randrange(2**32), test=True, objects=False):
            fitting = [Question(sentence, verb) for verb in sentence.verbs if sentence.depth(verb) == depth]
            if fitting:
                question = rng.choice(fitting)
                question = _made_hard(question) if hard else question
                if len(question.sentence.nouns) > hard and treebank.for_tests(question.sentence):
                    found.append(question)
    return found[:count]


def _made_hard(question: Question) -> Question:
    """All other nouns in the other number than the subject."""
    numbers = lambda noun: question.plural == (noun == question.subject)  # noqa: E731
    return Question(treebank.with_numbers(question.sentence, numbers), question.verb)


# --- rules that need no model -----------------------------------------------------------------------------------------


def _after_the_comma(question: Question) -> int:
    words = question.sentence.words
    start = words.index(",") if "," in words else 0
    return next(noun for noun in question.sentence.nouns if noun > start)


def on_the_arc(question: Question, parents: Sequence[int], labels: Sequence[str]) -> int | None:
    """The noun that this tree calls the verb's subject; None where it has none."""
    arcs = enumerate(zip(parents, labels, strict=True))
    return next((place for place, arc in arcs if arc == (question.verb, "nsubj")), None)


RULES = {
    "first noun": lambda q: q.sentence.nouns[0],
    "last noun before it": lambda q: max(noun for noun in q.sentence.nouns if noun < q.verb),
    "first noun after the comma": _after_the_comma,
    "noun on the nsubj arc": lambda q: on_the_arc(q, q.sentence.parents, q.sentence.labels),
}


def by_rule(rule: str, questions: Sequence[Question]) -> float:
    """The share of these that the rule answers rightly; "commoner number" is half right where both are as common."""
    return sum(_right(rule, question) for question in questions) / len(questions)


def _right(rule: str, question: Question) -> float:
    words = question.sentence.words
    if rule == "commoner number":
        plural = sum(is_plural(words[i]) for i in question.sentence.nouns) / len(question.sentence.nouns)
        return 0.5 if plural == 0.5 else float((plural > 0.5) == question.plural)
    return float(is_plural(words[RULES[rule](question)]) == question.plural)
