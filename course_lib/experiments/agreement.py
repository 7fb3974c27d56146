"""Wait or waits? Readers that hear of the words' order, and readers that hear of the sentence's tree.

Trained on sentences in which at most two nouns stand between verb and subject, tested with up to five
(course_lib/corpora/agreement.py). A reader is a Transformer of one or two blocks; what differs is what attention is
told about each pair of words: how far apart they stand (Shaw et al. 2018), or how many edges up and down the tree lie
between them. `python -m course_lib.experiments.agreement` remakes data/agreement_runs.json; its card is
data/agreement_runs.md.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.corpora import agreement, treebank
from course_lib.corpora.agreement import DEPTHS, Question
from course_lib.corpora.batching import pad
from course_lib.corpora.treebank import LABEL_IDS, vocabulary
from course_lib.errors import CourseError
from course_lib.experiments.stored import command, read_runs
from course_lib.graph_positions import DepthPositions, Edges, GraphPositions
from course_lib.layers import Block, LayerNorm
from course_lib.masks import length_mask
from course_lib.positions import Positions, SinusoidalPositions, clipped_distances
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.training import cosine_decay, fit, muon_and_adamw, scheduled
from course_lib.trees import edge_labels, step_labels, tree_distances, tree_steps, with_wrong_arcs

STORED = DATA / "agreement_runs.json"
Tree = tuple[Sequence[int], Sequence[int]]  # parents and labels, as numbers, of one sentence
D_MODEL, HEADS, LONGEST = 32, 4, 64
FARTHEST = 16  # words; what is farther away counts as that far
MOST_STEPS = 4  # edges up, or down


# --- batches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Questions, each with a tree over its words: the sentence's own, or another one."""

    ids: Int[Tensor, "batch n"]
    lengths: Int[Tensor, "batch"]
    parents: Int[Tensor, "batch n"]
    labels: Int[Tensor, "batch n"]
    verbs: Int[Tensor, "batch"]
    plural: Int[Tensor, "batch"]

    def __getitem__(self, rows) -> "Batch":
        lengths = self.lengths[rows]
        cut = {name: getattr(self, name)[rows, : lengths.max()] for name in ("ids", "parents", "labels")}
        return Batch(lengths=lengths, verbs=self.verbs[rows], plural=self.plural[rows], **cut)


def own_trees(questions: Sequence[Question]) -> list[Tree]:
    """The trees of the sentences themselves."""
    return [(q.sentence.parents, [LABEL_IDS[label] for label in q.sentence.labels]) for q in questions]


def batch_of(questions: Sequence[Question], trees: Sequence[Tree] | None = None) -> Batch:
    """All of these in one batch, with these trees, one a question; with their own unless given."""
    trees = own_trees(questions) if trees is None else trees
    for question, tree in zip(questions, trees, strict=True):
        if len(tree[0]) != len(question.words):
            raise CourseError(
                f"A tree has a parent for each word and for ROOT, {len(question.words)} here, but got {len(tree[0])}."
            )
    ids, lengths = pad([vocabulary().encode(q.words) for q in questions])
    parents, _ = pad([list(map(int, parents)) for parents, _ in trees])
    labels, _ = pad([list(map(int, labels)) for _, labels in trees])
    verbs, plural = torch.tensor([q.verb for q in questions]), torch.tensor([int(q.plural) for q in questions])
    return Batch(ids, lengths, parents, labels, verbs, plural)


# --- what a reader is told --------------------------------------------------------------------------------------------


def _distances(batch: Batch) -> Edges:
    return (clipped_distances(batch.ids.shape[1], FARTHEST) + FARTHEST)[None]


def _steps(batch: Batch) -> Edges:
    return step_labels(tree_steps(batch.parents), MOST_STEPS)


def _path(batch: Batch) -> Edges:
    return tree_distances(batch.parents).clamp(max=2 * MOST_STEPS)


def _labels(batch: Batch) -> Edges:
    return edge_labels(batch.parents, batch.labels, len(LABEL_IDS))


@dataclass(frozen=True)
class Kind:
    """Of pairs: labels, and how many there are. Of places: what is added to the embeddings."""

    edges: Callable[[Batch], Edges] | None = None
    num_labels: int = 0
    places: str = "none"  # one of PLACES


PLACES: Mapping[str, Callable[[], Positions | DepthPositions]] = {
    "none": Positions,
    "sinusoids": lambda: SinusoidalPositions(D_MODEL, LONGEST),
    "depth": lambda: DepthPositions(D_MODEL, LONGEST),
}
TREE = Kind(_steps, (MOST_STEPS + 1) ** 2)
LINEAR = Kind(_distances, 2 * FARTHEST + 1)
KINDS: Mapping[str, Kind] = {
    "tree": TREE,  # (up, down) for each pair
    "linear": LINEAR,  # Shaw's distances
    "sinusoids": Kind(places="sinusoids"),
    "linear and sinusoids": replace(LINEAR, places="sinusoids"),
    "tree and sinusoids": replace(TREE, places="sinusoids"),
    "no positions": Kind(),
    "labelled edges": Kind(_labels, 2 * len(LABEL_IDS) + 1),  # only a word's own edges, with their labels
    "depth": Kind(places="depth"),  # the place in the sentence and the depth in the tree, after Wang et al. (2019)
    "path": Kind(_path, 2 * MOST_STEPS + 1),  # up and down together
    "depth and path": Kind(_path, 2 * MOST_STEPS + 1, places="depth"),
}


class AgreementReader(nn.Module):
    """Words, blocks, and at the mask two logits: singular, plural."""

    def __init__(self, kind: str, blocks: int = 2):
        super().__init__()
        self.kind = KINDS[one_of("kind", kind, KINDS)]
        self.token = nn.Embedding(len(vocabulary()), D_MODEL)
        nn.init.normal_(self.token.weight, std=0.5)
        self.places = PLACES[self.kind.places]()
        self.graph = GraphPositions(D_MODEL // HEADS, self.kind.num_labels) if self.kind.edges else None
        self.blocks = nn.ModuleList(Block(D_MODEL, HEADS, 4 * D_MODEL) for _ in range(blocks))
        self.norm = LayerNorm(D_MODEL)
        self.number = nn.Linear(D_MODEL, 2)

    def forward(self, batch: Batch) -> Float[Tensor, "batch 2"]:
        return self.read(batch)[0]

    def read(
        self, batch: Batch, need_weights: bool = False
    ) -> tuple[Float[Tensor, "batch 2"], list[Float[Tensor, "batch head n n"] | None]]:
        """The logits, and each block's weights if asked for."""
        places = self.places.of(batch.parents) if isinstance(self.places, DepthPositions) else self.places
        graph = self.graph and self.graph.of(self.kind.edges(batch))
        x, all_weights = places(self.token(batch.ids)), []
        for block in self.blocks:
            x, weights = block(x, length_mask(batch.lengths, batch.ids.shape[1]), need_weights, graph=graph)
            all_weights.append(weights)
        return self.number(self.norm(x[torch.arange(len(x)), batch.verbs])), all_weights

    @torch.no_grad()
    def weights(self, question: Question, tree: Tree | None = None) -> Float[Tensor, "block head n n"]:
        """Where each word of one question looks; with another tree, if given."""
        return torch.cat(self.read(batch_of([question], tree and [tree]), need_weights=True)[1])


# --- trained and asked ------------------------------------------------------------------------------------------------

STEPS = {400: 120, 2_000: 250, 8_000: 500}  # of 64 questions, by the number of sentences; 250 for other numbers
RATE = 0.02  # Muon's; AdamW's is a seventh


def train(
    kind: str,
    seed: int = 0,
    count: int = 2_000,
    blocks: int = 2,
    steps: int | None = None,
    rate: float = RATE,
    depths: Sequence[int] = agreement.TRAINED,
    trees: Callable[[Sequence[Question]], Sequence[Tree]] = own_trees,
    **options,
) -> AgreementReader:
    """A reader, trained on so many sentences. `trees` gives each question its tree; options go to `training.fit`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AgreementReader(kind, blocks)
    questions = agreement.training(count, seed, depths)
    everything = batch_of(questions, trees(questions))
    steps = STEPS.get(count, 250) if steps is None else steps
    optimizer = muon_and_adamw(model, rate, rate * 0.15)
    fit(
        model,
        _batches(everything, 64, seed),
        lambda batch: F.cross_entropy(model(batch), batch.plural),
        steps,
        optimizer,
        scheduled(optimizer, lambda step: cosine_decay(step, steps)),
        **dict(clip=1.0, seed=seed, name=kind) | options,
    )
    return model


def _batches(everything: Batch, size: int, seed: int) -> Iterator[Batch]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        order = torch.randperm(len(everything.ids), generator=generator)
        for start in range(0, len(order) - size + 1, size):
            yield everything[order[start : start + size]]


@torch.no_grad()
def accuracy(model: AgreementReader, questions: Sequence[Question], trees: Sequence[Tree] | None = None) -> float:
    """The share of right answers, with the questions' own trees or with others, one for each."""
    batch = batch_of(questions, trees)
    return (model.eval()(batch).argmax(-1) == batch.plural).double().mean().item()


# --- other trees ------------------------------------------------------------------------------------------------------


def wrong_arcs(questions: Sequence[Question], share: float, seed: int = 0) -> list[Tree]:
    """Their trees with this share of the words on other parents, at random; the labels stay."""
    generator = torch.Generator().manual_seed(seed)
    return [
        (with_wrong_arcs(torch.tensor(parents), share, generator).tolist(), labels)
        for parents, labels in own_trees(questions)
    ]


def trees_of_others(questions: Sequence[Question], seed: int = 0) -> list[Tree]:
    """Each gets the tree of another sentence of the same length; a length of its own, a tree drawn at random."""
    rng, trees = random.Random(seed), own_trees(questions)
    same: dict[int, list[int]] = {}
    for i, question in enumerate(questions):
        same.setdefault(len(question.words), []).append(i)
    given = random_trees(questions, seed)
    for rows in same.values():
        rng.shuffle(rows)
        for row, other in zip(rows, rows[1:] + rows[:1], strict=True):
            given[row] = trees[other] if row != other else given[row]
    return given


def random_trees(questions: Sequence[Question], seed: int = 0) -> list[Tree]:
    """The words in any order, each hung on one before it, or on ROOT."""
    rng, trees = random.Random(seed), []
    for parents, labels in own_trees(questions):
        order = [0, *rng.sample(range(1, len(parents)), len(parents) - 1)]
        drawn = [0] * len(order)
        for rank, word in enumerate(order[1:], start=1):
            drawn[word] = order[rng.randrange(rank)]
        trees.append((drawn, labels))
    return trees


def by_arc(questions: Sequence[Question], trees: Sequence[Tree]) -> float:
    """The rule without a model: the number of the noun on the nsubj arc; where there is none, half right."""
    right = 0.0
    for question, (parents, labels) in zip(questions, trees, strict=True):
        noun = agreement.on_the_arc(question, parents, [treebank.LABELS[label] for label in labels])
        words = question.sentence.words
        known = noun is not None and treebank.is_noun(words[noun])
        right += float(treebank.is_plural(words[noun]) == question.plural) if known else 0.5
    return right / len(questions)


# --- the stored runs --------------------------------------------------------------------------------------------------

SHARES = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)  # of wrong arcs


@cache
def _tests() -> dict[str, dict[int, list[Question]]]:
    return {name: agreement.tests(300, hard=name == "hard") for name in ("all", "hard")}


def measured(model: AgreementReader, trees: Callable[[Sequence[Question]], Sequence[Tree]] = own_trees) -> dict:
    """{"all": {depth: share of right answers}, "hard": the same}"""
    return {
        name: {depth: round(accuracy(model, part, trees(part)), 4) for depth, part in tests.items()}
        for name, tests in _tests().items()
    }


def _run(kind: str, seed: int, count: int = 2_000, blocks: int = 2, **options) -> dict:
    model = train(kind, seed, count, blocks, progress=False, **options)
    trees = options.get("trees", own_trees)
    seen = agreement.training(count, seed, options.get("depths", agreement.TRAINED))[:400]
    about = {"kind": kind, "count": count, "blocks": blocks, "seed": seed}
    about |= {name: options[name] for name in ("rate", "steps") if name in options}
    return about | {"trained": round(accuracy(model, seen, trees(seen)), 4)} | measured(model, trees)


def _rules() -> Iterator[dict]:
    """Rules without a model, and readers that learned nothing."""
    for rule in (*agreement.RULES, "commoner number"):
        yield {"kind": rule} | {
            name: {depth: round(agreement.by_rule(rule, part), 4) for depth, part in tests.items()}
            for name, tests in _tests().items()
        }
    for kind in ("tree", "linear"):
        for seed in range(5):
            yield {"kind": f"untrained {kind}", "seed": seed} | measured(
                train(kind, seed, 400, steps=0, progress=False)
            )


def _kinds() -> Iterator[dict]:
    """What is told; 2 000 sentences, two blocks."""
    for kind, seeds in (("tree", 5), ("linear", 5), ("labelled edges", 5), ("linear and sinusoids", 5)):
        for seed in range(seeds):
            yield _run(kind, seed)


def _sentences() -> Iterator[dict]:
    """How many sentences; 2 000 are in `kinds`."""
    for kind, count, seeds in (
        ("linear", 8_000, 5),
        ("tree", 400, 3),
        ("linear", 400, 3),
        ("linear and sinusoids", 8_000, 3),
        ("tree", 8_000, 3),
    ):
        for seed in range(seeds):
            yield _run(kind, seed, count)


def _deeper() -> Iterator[dict]:
    """Trained on sentences of all depths, 0 to 5."""
    for kind in ("linear", "linear and sinusoids"):
        for seed in range(3):
            yield _run(kind, seed, 8_000, depths=DEPTHS)


def _longer() -> Iterator[dict]:
    """8 000 sentences, four times as many steps: of all depths, and of the first three."""
    for depths, seeds in ((DEPTHS, 2), (agreement.TRAINED, 1)):
        for kind in ("linear and sinusoids", "linear"):
            for seed in range(seeds):
                yield {"depths": len(depths)} | _run(kind, seed, 8_000, steps=2_000, depths=depths)


def _other_trees() -> Iterator[dict]:
    """Trained and tested with trees that aren't the sentences' own."""
    for name, trees in (("of another sentence", trees_of_others), ("drawn at random", random_trees)):
        for seed in range(3):
            yield {"trees": name} | _run("tree", seed, trees=trees)


def _controls() -> Iterator[dict]:
    """Neither order nor tree; both; one block; the linear reader at two other rates."""
    for kind in ("no positions", "tree and sinusoids"):
        for seed in range(3):
            yield _run(kind, seed)
    for kind in ("tree", "linear"):
        for seed in range(3):
            yield _run(kind, seed, blocks=1)
    for rate in (RATE / 2, RATE * 2):
        yield _run("linear", 0, 8_000, rate=rate)


def _wrong_arcs() -> Iterator[dict]:
    """Trained with a share of wrong arcs, tested with others, at depths 3 to 5; beside it the rule without a model."""
    deep = {name: [q for depth in (3, 4, 5) for q in tests[depth]] for name, tests in _tests().items()}
    tested = {share: {name: wrong_arcs(part, share) for name, part in deep.items()} for share in SHARES}

    def curves(answered: Callable[[Sequence[Question], Sequence[Tree]], float]) -> dict:
        return {
            name: {share: round(answered(deep[name], trees[name]), 4) for share, trees in tested.items()}
            for name in deep
        }

    yield {"kind": "noun on the nsubj arc"} | curves(by_arc)
    for trained in (0.0, 0.1, 0.3):
        for seed in range(3):
            model = train("tree", seed, trees=partial(wrong_arcs, share=trained, seed=seed), progress=False)
            yield {"kind": "tree", "trained with": trained, "seed": seed} | curves(partial(accuracy, model))


def _depth_or_path() -> Iterator[dict]:
    """Absolute, relative, both."""
    for kind in ("depth", "path", "depth and path"):
        for seed in range(3):
            yield _run(kind, seed)


SECTIONS = {
    "rules": _rules,
    "kinds": _kinds,
    "sentences": _sentences,
    "wrong_arcs": _wrong_arcs,
    "deeper": _deeper,
    "other_trees": _other_trees,
    "controls": _controls,
    "depth_or_path": _depth_or_path,
    "longer": _longer,
}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/agreement_runs.json, by section. Depths and shares are strings there, as JSON has them."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Train lesson 17's readers of agreement and keep what was measured.", STORED, SECTIONS)
