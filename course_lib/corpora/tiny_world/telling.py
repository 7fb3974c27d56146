"""How a scene is told: sentences from wordings, and blanks that remember why their word is the right one."""

import random
import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import product
from typing import NamedTuple

HELD_OUT = 0.12  # the share of all combinations that no training text contains

Combination = tuple[str, ...]  # the phenomenon, then the words that stand together


@cache
def held_out(combination: Combination) -> bool:
    """Whether no training text may contain this combination. It depends on the words alone: no seed changes it."""
    return sha256(" ".join(combination).encode()).digest()[0] < 256 * HELD_OUT


class Blank(NamedTuple):
    """A word that can be left out and asked for.

    needs: the combinations that this answer rests on. Where all of them are held out, the answer can't be remembered.
    antecedent: the word that decides. left_to_right: whether the words before the blank are enough.
    """

    word: str
    phenomenon: str
    accepted: Sequence[str]
    needs: Sequence[Combination]
    antecedent: str
    left_to_right: bool = True


class Wordings(tuple):
    """Ways to say one thing: '{who} [lives|works] in {town} .' is two, each with two words to be filled in.

    >>> Wordings("{who} [lives|works] in {town} .").sentences
    ('{who} lives in {town} .', '{who} works in {town} .')
    """

    sentences: tuple[str, ...]

    def __new__(cls, *templates: str):
        sentences = tuple(sentence for template in templates for sentence in _alternatives(template))
        wordings = super().__new__(cls, (tuple(map(_part, sentence.split())) for sentence in sentences))
        wordings.sentences = sentences
        return wordings

    @property
    def words(self) -> set[str]:
        """The words that are always the same."""
        return {part for parts in self for part, is_slot in parts if not is_slot}


def _alternatives(template: str) -> list[str]:
    pieces = [piece.split("|") for piece in re.split(r"[\[\]]", template)]
    return [" ".join("".join(choice).split()) for choice in product(*pieces)]


def _part(word: str) -> tuple[str, bool]:
    return (word[1:-1], True) if word[0] == "{" else (word, False)


class Story:
    """What a scene writes into: `say` adds a sentence, and the blanks in it."""

    def __init__(self, rng: random.Random, scene: str):
        self.random = rng
        self.scene = scene
        self.sentences: list[str] = []
        self.blanks: list[tuple[int, int, Blank]] = []  # which sentence, which word of it
        self.combinations: list[Combination] = []  # all that is told

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def one_of(self, things: Sequence):
        return things[int(self.random.random() * len(things))]  # random.choice takes three times as long

    def some_of(self, things: Sequence, count: int) -> list:
        return self.random.sample(things, count)

    def say(self, wordings: Wordings, **filled: str | Blank) -> None:
        """One sentence: any of these wordings, its {slots} filled with words or blanks."""
        words = []
        for part, is_slot in self.one_of(wordings):
            if not is_slot:
                words.append(part)
                continue
            filling = filled[part]
            if isinstance(filling, Blank):
                self.blanks.append((len(self.sentences), len(words), filling))
                self.combinations += filling.needs
                words.append(filling.word)
            else:
                words += filling.split()
        self.sentences.append(" ".join(words))

    def tells(self, *combinations: Combination) -> None:
        """These are told too, beyond what a blank rests on: a held-out one must not stand anywhere in training."""
        self.combinations += combinations
