"""Who hangs on whom? A graph as output, then as input, too: GraphToGraph on the treebank.

Trained on sentences to depth 2; tested on others, on deeper ones, and on pairs of verb and tool that no sentence of the
training has ("see … with the telescope" hangs on the verb, "catch … with the telescope" on the object). A model that
refines learns each batch twice: from the words alone, and from the words and the right graph with three tenths of the
parents wrong; asked, it reads the graph that it drew itself. `python -m course_lib.experiments.parser` remakes
data/parser_runs.json; its card is data/parser_runs.md.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from course_lib.corpora import agreement
from course_lib.corpora.batching import bucketed, pad
from course_lib.corpora.treebank import LABEL_IDS, LABELS, TOOLS, Sentence, sentences, vocabulary
from course_lib.experiments.agreement import Tree, accuracy, by_arc, own_trees
from course_lib.experiments.agreement import train as train_reader
from course_lib.experiments.stored import command, read_runs
from course_lib.graph_to_graph import Graph, GraphConfig, GraphToGraph, TreeBatch, attachment
from course_lib.support.paths import DATA
from course_lib.training import cosine_decay, fit, muon_and_adamw, scheduled

STORED = DATA / "parser_runs.json"
WRONG = 0.3  # of the parents that a model reads while it learns to refine
COUNT, STEPS, SIZE = 2_000, 300, 32


def batch_of(several: Sequence[Sentence], words: Sequence[Sequence[str]] | None = None) -> TreeBatch:
    """Sentences with their graphs in one batch; with other words, if given, such as a mask among them."""
    ids, lengths = pad([vocabulary().encode(said) for said in words or [s.words for s in several]])
    parents, _ = pad([s.parents for s in several])
    labels, _ = pad([[LABEL_IDS[label] for label in s.labels] for s in several])
    return TreeBatch(ids, lengths, Graph(parents, labels))


def new_model(seed: int = 0, num_layers: int = 2, positions: str = "sinusoidal") -> GraphToGraph:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sizes = dict(num_layers=num_layers, positions=positions, max_len=64)
        return GraphToGraph(GraphConfig(len(vocabulary()), len(LABELS), **sizes))


def train(
    model: GraphToGraph,
    data: TreeBatch,
    seed: int = 0,
    reads: str | None = None,
    wrong: float = WRONG,
    steps: int = STEPS,
    **options,
) -> list[float]:
    """Trains in place, on the words alone, and returns the losses; options are `fit`'s.

    If the model `reads` a graph, each batch counts a second time, with "its own", drawn the moment before, or with "the
    right" one as input; a share of the parents in it, `wrong`, are any words.
    """
    generator = torch.Generator().manual_seed(seed)

    def loss(batch: TreeBatch) -> Tensor:
        if reads is None:
            return model.loss(batch)
        graph = model.predict(batch.ids, batch.mask) if reads == "its own" else batch.graph
        graph = with_other_parents(graph, batch.lengths, wrong, generator)
        return model.loss(batch) + model.loss(batch, model.edges(graph))

    if model.config.num_layers:
        optimizer = muon_and_adamw(model, 0.02, 3e-3)
    else:  # nothing for Muon
        optimizer = torch.optim.AdamW(model.parameters(), 3e-3, betas=(0.9, 0.95), weight_decay=0.0)
    schedule = scheduled(optimizer, lambda step: cosine_decay(step, steps))
    options = dict(clip=1.0, seed=seed, name="parser") | options
    return fit(model, _batches(data, seed), loss, steps, optimizer, schedule, **options)


def _batches(data: TreeBatch, seed: int) -> Iterator[TreeBatch]:
    rng = random.Random(seed)
    while True:
        for rows in bucketed(range(len(data.ids)), SIZE, rng, length=lambda row: int(data.lengths[row])):
            yield _rows(data, rows)


def _rows(data: TreeBatch, rows: Sequence[int]) -> TreeBatch:
    lengths = data.lengths[list(rows)]
    ids, parents, labels = (x[list(rows), : lengths.max()] for x in (data.ids, *data.graph))
    return TreeBatch(ids, lengths, Graph(parents, labels))


def with_other_parents(graph: Graph, lengths: Int[Tensor, "batch"], share: float, generator: torch.Generator) -> Graph:
    """This share of the words gets any place as parent, and keeps its label. It need not be a tree any more."""
    n = graph.parents.shape[1]
    drawn = (torch.rand(graph.parents.shape, generator=generator) * lengths[:, None]).long()
    chosen = torch.rand(graph.parents.shape, generator=generator) < share
    chosen &= torch.arange(n) < lengths[:, None]
    chosen[:, 0] = False
    return Graph(drawn.where(chosen, graph.parents), graph.labels)


# --- without a model --------------------------------------------------------------------------------------------------


def by_word(seen: Sequence[Sentence]) -> dict[str, tuple[int, str]]:
    """For each word the commonest (parent's place − its own, label) of these sentences; (0, "root") means ROOT."""
    found: dict[str, Counter] = {}
    for sentence in seen:
        for place, word in enumerate(sentence.words[1:], start=1):
            label, parent = sentence.labels[place], sentence.parents[place]
            found.setdefault(word, Counter())[(parent - place if parent else 0, label)] += 1
    return {word: counter.most_common(1)[0][0] for word, counter in found.items()}


def baseline(rule: str, asked: Sequence[Sentence], seen: Sequence[Sentence]) -> Graph:
    """ "left neighbour", "right neighbour" or "by word", the labels by word throughout."""
    known, drawn = by_word(seen), []
    for sentence in asked:
        last = len(sentence.words) - 1
        parents, labels = [0], [0]
        for place, word in enumerate(sentence.words[1:], start=1):
            offset, label = known[word]
            offset = {"left neighbour": -1, "right neighbour": 1, "by word": offset}[rule]
            fits = offset and 0 <= place + offset <= last
            parents.append(place + offset if fits else 0)
            labels.append(LABEL_IDS[label])
        drawn.append((parents, labels))
    return Graph(pad([parents for parents, _ in drawn])[0], pad([labels for _, labels in drawn])[0])


# --- asked ------------------------------------------------------------------------------------------------------------

_TOOL_FORMS = {form for table in TOOLS.values() for pair in table.items() for form in pair}


@cache
def _tests() -> dict[str, tuple[list[Sentence], TreeBatch]]:
    tests = {
        "unseen": sentences(300, range(3), 1, test=True),
        "deep": sentences(300, range(3, 6), 1, test=True),
        "new pairs": sentences(300, range(3), 1, new_pairs=True),
    }
    return {name: (part, batch_of(part)) for name, part in tests.items()}


def tools(several: Sequence[Sentence], n: int) -> Bool[Tensor, "sentence {n}"]:
    """Where the nouns behind "with" stand."""
    return torch.tensor([[i < len(s.words) and s.words[i] in _TOOL_FORMS for i in range(n)] for s in several])


def scores(part: str, graph: Graph) -> dict[str, float]:
    """`attachment` of a graph drawn for one of the tests, and how many of the nouns behind "with" hang rightly."""
    several, batch = _tests()[part]
    right = (graph.parents == batch.graph.parents)[tools(several, batch.ids.shape[1])]
    found = attachment(graph, batch.graph, batch.mask) | {"tools": right.double().mean().item()}
    return {name: round(share, 4) for name, share in found.items()}


def measured(model: GraphToGraph) -> dict[str, dict[str, float]]:
    """The scores of its first round, by test."""
    return {part: scores(part, model.predict(batch.ids, batch.mask)) for part, (_, batch) in _tests().items()}


# --- the stored runs --------------------------------------------------------------------------------------------------


def _shuffled(graph: Graph, lengths: Int[Tensor, "batch"], seed: int) -> Graph:
    """Each sentence gets the graph of another one of the same length, where there is one."""
    rng, order = random.Random(seed), list(range(len(lengths)))
    for length in lengths.unique().tolist():
        rows = (lengths == length).nonzero()[:, 0].tolist()
        rng.shuffle(rows)
        for row, other in zip(rows, rows[1:] + rows[:1], strict=True):
            order[row] = other
    return Graph(graph.parents[order], graph.labels[order])


def _baselines() -> Iterator[dict]:
    """Without a model, and a model that has learned nothing."""
    for rule in ("left neighbour", "right neighbour", "by word"):
        seen = sentences(COUNT)
        yield {"kind": rule} | {part: scores(part, baseline(rule, _tests()[part][0], seen)) for part in _tests()}
    for seed in range(3):
        yield {"kind": "untrained", "seed": seed} | measured(new_model(seed))


KINDS = {
    "two blocks": {},
    "four blocks": {"num_layers": 4},
    "two blocks, relative": {"positions": "relative"},
    "no blocks": {"num_layers": 0},
    "no positions": {"positions": "none"},
    "trees of other sentences": {},
}


def _once(seeds: int, *kinds: str) -> Iterator[dict]:
    """On the words alone; sinusoids unless it says otherwise."""
    for kind in kinds:
        for seed in range(seeds):
            data = batch_of(sentences(COUNT, seed=seed))
            if kind == "trees of other sentences":
                data = TreeBatch(data.ids, data.lengths, _shuffled(data.graph, data.lengths, seed))
            model = new_model(seed, **KINDS[kind])
            train(model, data, seed, progress=False)
            size = sum(p.numel() for p in model.parameters())
            yield {"kind": kind, "seed": seed, "parameters": size} | measured(model)


def _refined(positions: str, reads: str, wrong: float, seeds: int) -> Iterator[dict]:
    """Trained on the words and on a graph, asked in four rounds; then round 2 reads other graphs than round 1's."""
    for seed in range(seeds):
        model = new_model(seed, positions=positions)
        train(model, batch_of(sentences(COUNT, seed=seed)), seed, reads, wrong, progress=False)
        for part, (_, batch) in _tests().items():
            rounds = model.refine(batch.ids, batch.mask, 4)
            read = {
                "another sentence's graph": _shuffled(rounds[0], batch.lengths, seed),
                "the right graph": batch.graph,
            }
            given = {f"round {i}": graph for i, graph in enumerate(rounds, start=1)}
            given["no graph again"] = model.predict(batch.ids, batch.mask)
            given |= {name: model.predict(batch.ids, batch.mask, model.edges(graph)) for name, graph in read.items()}
            about = {"positions": positions, "reads": reads, "wrong": wrong, "seed": seed, "test": part}
            yield about | {name: scores(part, graph) for name, graph in given.items()}


def mended(parents: Sequence[int]) -> list[int]:
    """The same where it is a tree. Where edges go in a circle, one word of it hangs on ROOT instead."""
    parents = list(parents)
    for word in range(1, len(parents)):
        seen, up = set(), word
        while up and up not in seen:
            seen.add(up)
            up = parents[up]
        if up:
            parents[up] = 0
    return parents


def drawn_trees(model: GraphToGraph, questions: Sequence[agreement.Question]) -> list[Tree]:
    """What a parser makes of sentences with a mask for a verb: trees, as the readers of agreement take them."""
    batch = batch_of([q.sentence for q in questions], [q.words for q in questions])
    graph = model.predict(batch.ids, batch.mask)
    rows = zip(graph.parents.tolist(), graph.labels.tolist(), batch.lengths.tolist(), strict=True)
    return [(mended(parents[:length]), labels[:length]) for parents, labels, length in rows]


def _predicted_arcs() -> Iterator[dict]:
    """Agreement with trees that a parser drew: it and the reader learn from the same 2 000 sentences, with the mask."""
    for seed in range(3):
        seen = agreement.training(COUNT, seed)
        parser = new_model(seed, positions="relative")  # these find more of the arcs in deeper sentences
        train(parser, batch_of([q.sentence for q in seen], [q.words for q in seen]), seed, progress=False)
        reader = train_reader("tree", seed, COUNT, progress=False)
        for hard in (False, True):
            run = {"seed": seed, "test": "hard" if hard else "all", "depths": {}}
            for depth, part in agreement.tests(300, hard).items():
                trees = drawn_trees(parser, part)
                arcs = [
                    (mine == right, mine_label == label)
                    for (parents, labels), (gold, gold_labels) in zip(trees, own_trees(part), strict=True)
                    for mine, right, mine_label, label in list(zip(parents, gold, labels, gold_labels, strict=True))[1:]
                ]
                shares = {
                    "unlabelled": sum(right for right, _ in arcs) / len(arcs),
                    "labelled": sum(right and label for right, label in arcs) / len(arcs),
                    "reader": accuracy(reader, part, trees),
                    "reader, right trees": accuracy(reader, part),
                    "nsubj arc": by_arc(part, trees),
                }
                run["depths"][depth] = {name: round(share, 4) for name, share in shares.items()}
            yield run


SECTIONS = {
    "baselines": _baselines,
    "refined": partial(_refined, "sinusoidal", "the right", WRONG, 3),
    "once": partial(_once, 3, "two blocks", "four blocks", "two blocks, relative"),
    "missing": partial(_once, 2, "no blocks", "trees of other sentences", "no positions"),
    "predicted_arcs": _predicted_arcs,
    "on_its_own": partial(_refined, "sinusoidal", "its own", 0.1, 2),
    "relative": partial(_refined, "relative", "its own", 0.1, 3),
}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/parser_runs.json, by section."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Train lesson 17's parsers and keep what was measured.", STORED, SECTIONS)
