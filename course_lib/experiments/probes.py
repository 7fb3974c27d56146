"""A linear probe: can a word's class be read from its vector? And what that has to be compared with.

    places = adjectives(seed=0)                                   # "the plot was superb .", and its like
    vectors = states(tiny_bert.pretrained(), places, layer=3)     # (place, d)
    read(vectors, places, places.labels)                          # {"seen words": 1.0, "unseen words": 0.9}
    read(vectors, places, another_labelling(places, seed=0))      # the control: a coin for each word

Alain and Bengio (2017), "Understanding intermediate layers using linear classifier probes"; Hewitt and Liang (2019),
"Designing and Interpreting Probes with Control Tasks".
"""

import random
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.bert import Bert
from course_lib.corpora.batching import pad
from course_lib.corpora.cloze import pair_input
from course_lib.corpora.tiny_world import world_vocabulary
from course_lib.corpora.tiny_world.words import BAD, GOOD, PEOPLE, TOPICS
from course_lib.experiments import tiny_bert
from course_lib.masks import length_mask

SPLITS, LEARNED = 20, 16  # times that the words are divided; so many of the 24 are learned from each time


@dataclass(frozen=True)
class Places:
    """Adjectives in sentences that say nothing else of good or bad, each of the 24 equally often."""

    texts: list[str]
    places: list[int]  # the adjective's among the words of its text
    words: Int[Tensor, "place"]  # which adjective, 0 to 23
    labels: Int[Tensor, "place"]  # 1: it is a good one


def adjectives(each: int = 16, seed: int = 0) -> Places:
    """Each adjective in so many sentences."""
    rng, names = random.Random(seed), [*GOOD, *BAD]
    texts, words = [], []
    for word, name in enumerate(names):
        for _ in range(each):
            topic = rng.choice(TOPICS)
            texts.append(
                f"{rng.choice(PEOPLE)} {topic.did} a {topic.name} . the {rng.choice(topic.aspects)} was {name} ."
            )
            words.append(word)
    words = torch.tensor(words)
    return Places(texts, [len(text.split()) - 2 for text in texts], words, (words < len(GOOD)).long())


def another_labelling(places: Places, seed: int = 0) -> Int[Tensor, "place"]:
    """A control task: half of the words, drawn by chance, are 1. What a word is called decides, and nothing else."""
    order = torch.randperm(len(GOOD) + len(BAD), generator=torch.Generator().manual_seed(seed))
    return (order < len(GOOD)).long()[places.words]


@torch.no_grad()
def states(model: Bert, places: Places, layer: int) -> Float[Tensor, "place d_model"]:
    """The vector of each adjective after so many layers; 0: what goes into the first."""
    marks, encode = tiny_bert.marks(), world_vocabulary().encode
    ids, lengths = pad([pair_input(encode(text.split()), [], marks.cls, marks.sep)[0] for text in places.texts])
    lower = deepcopy(model)
    lower.blocks = nn.ModuleList(lower.blocks[:layer])
    x, _ = lower.encode(ids, mask=length_mask(lengths, ids.shape[1]))
    return x[range(len(ids)), [place + 1 for place in places.places]]  # [CLS] stands in front


def read(
    vectors: Float[Tensor, "place d"],
    places: Places,
    labels: Int[Tensor, "place"],
    splits: Sequence[int] = range(SPLITS),
) -> dict[str, float]:
    """The accuracy of a linear probe, the mean over ways to divide the words.

    It learns from 16 words, at half of their places; then it is asked at the other half of these words' places, and at
    the 8 words that it has never seen. Eight of the sixteen are of each class.
    """
    seen, unseen = [], []
    for split in splits:
        generator = torch.Generator().manual_seed(split)
        learned = [
            words[torch.randperm(len(words), generator=generator)[: LEARNED // 2]]
            for words in (places.words[labels == label].unique() for label in (0, 1))
        ]
        known = torch.isin(places.words, torch.cat(learned))
        half = torch.rand(len(known), generator=generator) < 0.5
        weights = _fitted(vectors[known & half], labels[known & half])
        right = (_with_one(vectors) @ weights > 0).long() == labels
        seen.append(right[known & ~half].float().mean().item())
        unseen.append(right[~known].float().mean().item())
    return {"seen words": sum(seen) / len(seen), "unseen words": sum(unseen) / len(unseen)}


def _fitted(x: Float[Tensor, "place d"], labels: Int[Tensor, "place"]) -> Float[Tensor, "d1"]:
    """Ridge regression of −1 and 1."""
    x = _with_one(x)
    return torch.linalg.solve(x.mT @ x + torch.eye(x.shape[1]), x.mT @ (2.0 * labels - 1))


def _with_one(x: Float[Tensor, "place d"]) -> Float[Tensor, "place d1"]:
    return torch.cat([x, torch.ones(len(x), 1)], dim=1)
