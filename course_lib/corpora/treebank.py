"""Sentences with their dependency trees, from a small grammar of ours.

    ROOT the dogs near the man that the girls see wait today

Every word has one parent, and an edge from it with a label: *dogs* is the subject (nsubj) of *wait*, *man* belongs to
*dogs* (nmod), *see* describes *man* (acl), and *wait* hangs on ROOT, which stands at place 0 and is its own parent.
Trees and labels follow Universal Dependencies (Nivre et al. 2016): a preposition hangs on its noun, not the noun on it.

Every noun could stand in every place, and is singular or plural by itself, so that nothing but the sentence's
structure tells whose verb is whose. Two things are decided otherwise: what follows a noun belongs to that noun, and
after an object "with the telescope" belongs to the verb if that is what one does it with (see, watch), else to the
object (catch … the dogs with the telescope). The papers call a parent head, a child dependent, and an edge arc.
"""

import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from course_lib.corpora.vocabulary import MASK, PAD, Vocabulary
from course_lib.errors import CourseError

ROOT = "ROOT"
LABELS = ("root", "det", "amod", "nsubj", "obj", "nmod", "obl", "case", "acl", "advcl", "mark", "punct")
LABEL_IDS = {label: i for i, label in enumerate(LABELS)}
# Each with its plural. Who does what could be anyone.
REGULAR = ("boy", "girl", "farmer", "teacher", "guard", "doctor", "king", "nurse", "dog", "cat", "horse", "cow")
NOUNS = {noun: f"{noun}s" for noun in REGULAR} | {
    "man": "men",
    "woman": "women",
    "child": "children",
    "thief": "thieves",
}
# What one does something with, for the verbs under it; a hat is no tool. Each verb with its singular.
TOOLS = {
    "sight": {"telescope": "telescopes", "camera": "cameras", "mirror": "mirrors", "lamp": "lamps"},
    "force": {"hammer": "hammers", "rope": "ropes", "net": "nets", "stick": "sticks"},
    "none": {"hat": "hats", "coat": "coats", "bag": "bags", "scarf": "scarves"},
}
TRANSITIVE = {
    "sight": {"see": "sees", "watch": "watches", "find": "finds", "follow": "follows"},
    "force": {"catch": "catches", "hold": "holds", "stop": "stops", "pull": "pulls"},
}
INTRANSITIVE = {verb: f"{verb}s" for verb in ("wait", "sleep", "fall", "sing", "run", "dream")}
ADJECTIVES = ("old", "small", "tall", "quiet", "brown", "tired")
PREPOSITIONS = ("near", "behind", "beside", "before")
CONJUNCTIONS = ("when", "while", "because")
TIMES = ("today", "again", "now")
PLURAL_OF = {noun: plural for table in (NOUNS, *TOOLS.values()) for noun, plural in table.items()}  # dog → dogs
PLURALS = {plural: noun for noun, plural in PLURAL_OF.items()}  # dogs → dog
SINGULAR_OF = {verb: form for table in (*TRANSITIVE.values(), INTRANSITIVE) for verb, form in table.items()}
SINGULAR = {form: verb for verb, form in SINGULAR_OF.items()}  # sees → see
MOST_CLAUSES = 2  # relative clauses in a subject: more than two, one in the other, nobody reads


@dataclass(frozen=True)
class Sentence:
    """Words, and for each its parent's place and its label. Place 0 is ROOT, its own parent.

    verbs are the places of all verbs, from left to right; subjects the places of their subjects, in the same order.
    """

    words: tuple[str, ...]
    parents: tuple[int, ...]
    labels: tuple[str, ...]
    verbs: tuple[int, ...]
    subjects: tuple[int, ...]

    def __str__(self) -> str:
        return " ".join(self.words[1:])

    @property
    def nouns(self) -> tuple[int, ...]:
        """The places of all nouns."""
        return tuple(i for i, word in enumerate(self.words) if is_noun(word))

    def depth(self, verb: int) -> int:
        """How many nouns stand between this verb, a place, and its subject."""
        subject = self.subjects[self.verbs.index(verb)]
        return sum(subject < noun < verb for noun in self.nouns)


def is_noun(word: str) -> bool:
    return word in PLURALS or word in PLURAL_OF


def is_plural(word: str) -> bool:
    """Of a noun or a verb: dogs, wait. Raises CourseError for other words."""
    if word in PLURALS or word in SINGULAR_OF:
        return True
    if not is_noun(word) and word not in SINGULAR:
        raise CourseError(f"Nouns and verbs of the treebank are singular or plural, but {word!r} is neither.")
    return False


def held_out(verb: str, tool: str) -> bool:
    """A quarter of all pairs such as see, telescope (plural verb, singular noun), which training doesn't have."""
    return zlib.crc32(f"{verb} {tool}".encode()) % 4 == 0


def for_tests(sentence: Sentence) -> bool:
    """Whether it is in the fifth of all sentences that training never has."""
    return zlib.crc32(str(sentence).encode()) % 5 == 0


def with_numbers(sentence: Sentence, plural: Callable[[int], bool]) -> Sentence:
    """The same sentence, the noun at each place singular or plural as told, and the verbs in agreement with it."""
    words = list(sentence.words)
    for noun in sentence.nouns:
        single = PLURALS.get(words[noun], words[noun])
        words[noun] = PLURAL_OF[single] if plural(noun) else single
    for verb, subject in zip(sentence.verbs, sentence.subjects, strict=True):
        many = SINGULAR.get(words[verb], words[verb])
        words[verb] = many if plural(subject) else SINGULAR_OF[many]
    return replace(sentence, words=tuple(words))


@cache
def vocabulary() -> Vocabulary:
    """Every word that a sentence can have, ROOT and the mask among the special tokens."""
    words = {*ADJECTIVES, *PREPOSITIONS, *CONJUNCTIONS, *TIMES, "the", "that", ",", "with"}
    words |= {*PLURALS, *PLURAL_OF, *SINGULAR, *SINGULAR_OF}
    return Vocabulary(sorted(words), special_tokens=(PAD, MASK, ROOT))


def sentences(
    count: int,
    depths: Sequence[int] = range(3),
    seed: int = 0,
    test: bool = False,
    objects: bool = True,
    new_pairs: bool = False,
) -> list[Sentence]:
    """So many sentences; `depths`, each as often, are how many nouns stand between the main verb and its subject.

    Half of them begin with an adverbial, of which half are clauses. With `objects` half of the main verbs have one,
    with "with" and a noun behind it. test: they are out of the fifth of all sentences that training never has.
    new_pairs: all have an object, and a verb and a tool that no other sentence has together.
    """
    if not depths or min(depths) < 0:
        raise CourseError(f"Depths are numbers of nouns, 0 or more, such as range(3); got {depths!r}.")
    rng = random.Random(seed)
    made = []
    while len(made) < count:
        sentence = _read_off(_main_clause(rng, rng.choice(depths), objects, new_pairs))
        if new_pairs or for_tests(sentence) == test:
            made.append(sentence)
    return made


# --- the grammar ------------------------------------------------------------------------------------------------------


@dataclass
class _Node:
    """A word, and the children on its left and on its right."""

    word: str
    label: str
    before: list["_Node"] = field(default_factory=list)
    after: list["_Node"] = field(default_factory=list)


def _main_clause(rng: random.Random, depth: int, objects: bool, new_pairs: bool) -> _Node:
    front = []
    if rng.random() < 0.5:
        inside = rng.randint(0, min(depth, 1))
        front = [_clause(rng, inside) if rng.random() < 0.5 else _with_preposition(rng, inside, "obl")]
        front.append(_Node(",", "punct"))
    subject = _noun_phrase(rng, depth, "nsubj")
    if new_pairs or (objects and rng.random() < 0.5):
        use = rng.choice(list(TRANSITIVE))
        verb = rng.choice(list(TRANSITIVE[use]))
        kind, tool = rng.choice(
            [(kind, tool) for kind in TOOLS for tool in TOOLS[kind] if held_out(verb, tool) == new_pairs]
        )
        thing = _noun(rng, TOOLS[kind], tool, "obl" if kind == use else "nmod", "with")
        object_ = _noun_phrase(rng, 0, "obj")
        if kind == use:
            after = [object_, thing]
        else:
            object_.after.append(thing)
            after = [object_]
        node = _agreeing(TRANSITIVE[use], verb, subject, "root", front)
        node.after = after
    else:
        node = _agreeing(INTRANSITIVE, rng.choice(list(INTRANSITIVE)), subject, "root", front)
        if rng.random() < 0.5:
            node.after = [_Node(rng.choice(TIMES), "obl")]
    return node


def _clause(rng: random.Random, depth: int) -> _Node:
    """when the dogs near the man wait"""
    front = [_Node(rng.choice(CONJUNCTIONS), "mark")]
    return _agreeing(INTRANSITIVE, rng.choice(list(INTRANSITIVE)), _noun_phrase(rng, depth, "nsubj"), "advcl", front)


def _noun_phrase(
    rng: random.Random, inside: int, label: str, preposition: str | None = None, clauses: int = MOST_CLAUSES
) -> _Node:
    """A noun with `inside` more nouns behind it, each in a phrase or a clause that belongs to the one before."""
    node = _noun(rng, NOUNS, rng.choice(list(NOUNS)), label, preposition)
    if inside and clauses and rng.random() < 0.4:
        subject = _noun_phrase(rng, inside - 1, "nsubj", clauses=clauses - 1)
        table = TRANSITIVE[rng.choice(list(TRANSITIVE))]
        node.after = [_agreeing(table, rng.choice(list(table)), subject, "acl", [_Node("that", "obj")])]
    elif inside:
        node.after = [_with_preposition(rng, inside - 1, "nmod", clauses)]
    return node


def _with_preposition(rng: random.Random, inside: int, label: str, clauses: int = MOST_CLAUSES) -> _Node:
    return _noun_phrase(rng, inside, label, rng.choice(PREPOSITIONS), clauses)


def _noun(rng: random.Random, table: dict[str, str], noun: str, label: str, preposition: str | None) -> _Node:
    before = [_Node(preposition, "case")] if preposition else []
    before.append(_Node("the", "det"))
    if rng.random() < 0.3:
        before.append(_Node(rng.choice(ADJECTIVES), "amod"))
    return _Node(table[noun] if rng.random() < 0.5 else noun, label, before)


def _agreeing(table: dict[str, str], verb: str, subject: _Node, label: str, front: list[_Node]) -> _Node:
    """The verb in the number of its subject, which stands before it, behind `front`."""
    return _Node(verb if is_plural(subject.word) else table[verb], label, [*front, subject])


def _read_off(top: _Node) -> Sentence:
    def in_order(node: _Node) -> Iterator[_Node]:
        for child in node.before:
            yield from in_order(child)
        yield node
        for child in node.after:
            yield from in_order(child)

    nodes = list(in_order(top))
    parent_of = {id(child): place for place, node in enumerate(nodes, start=1) for child in (*node.before, *node.after)}
    words = [ROOT, *(node.word for node in nodes)]
    parents = [0, *(parent_of.get(id(node), 0) for node in nodes)]
    labels = ["root", *(node.label for node in nodes)]
    by_verb = sorted((parents[place], place) for place, label in enumerate(labels) if label == "nsubj")
    verbs, subjects = zip(*by_verb, strict=True)
    return Sentence(tuple(words), tuple(parents), tuple(labels), verbs, subjects)
