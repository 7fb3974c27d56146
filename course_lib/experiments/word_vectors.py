"""What lesson 10 measures: one vector a word (skip-gram), one a use (two LSTMs), and what is left for labels to teach.

    sentences, uses = homographs.corpus(seed=0)
    words = Vocabulary.of_texts(sentences)
    vectors, _ = skip_gram(sentences, words)                        # (vocab, d), in seconds of one CPU core
    model = pretrained()                                            # a BiLM that read for a minute; `train` makes one
    layers_at(model, words, uses)                                   # (use, layer, 2 d): a vector for each use

`python -m course_lib.experiments.word_vectors` remakes data/word_vectors_runs.json and data/bilm.safetensors, the model
of seed 0; their cards are data/word_vectors_runs.md and data/bilm.md.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.checkpoints import load_model, save_model
from course_lib.corpora import homographs
from course_lib.corpora.batching import pad
from course_lib.corpora.homographs import HOMOGRAPHS, KINDS, SENSES, Use
from course_lib.corpora.tiny_world import tiny_world
from course_lib.corpora.tiny_world import words as world
from course_lib.corpora.tiny_world.scenes import DISPLEASED, PLEASED
from course_lib.corpora.vocabulary import Vocabulary
from course_lib.elmo import BiLM, BiLMConfig, mixture
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.support.paths import DATA
from course_lib.training import fit, linear_decay, scheduled
from course_lib.word2vec import SkipGram, nearest, training_batches

STORED, CHECKPOINT = DATA / "word_vectors_runs.json", DATA / "bilm.safetensors"
SEEDS = range(3)
Sentences = Sequence[Sequence[str]]

# --- one vector a word ------------------------------------------------------------------------------------------------

D, WINDOW, SKIP_STEPS, SKIP_RATE = 64, 3, 500, 0.02


def skip_gram(
    sentences: Sentences, words: Vocabulary, steps: int = SKIP_STEPS, seed: int = 0, **options
) -> tuple[Float[Tensor, "vocab d"], list[float]]:
    """The vectors of all words, and the loss of each step. `options` are `training.fit`'s."""
    model = _new_skip_gram(words, seed)
    losses = _train_skip_gram(model, sentences, words, steps, seed, **options)
    return model.word.weight.detach(), losses


def _new_skip_gram(words: Vocabulary, seed: int) -> SkipGram:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return SkipGram(len(words), D)


def _train_skip_gram(
    model: SkipGram, sentences: Sentences, words: Vocabulary, steps: int, seed: int, **options
) -> list[float]:
    batches = training_batches([words.encode(s) for s in sentences], len(words), WINDOW, seed=seed)
    optimizer = torch.optim.Adam(model.parameters(), SKIP_RATE)
    schedule = scheduled(optimizer, lambda step: linear_decay(step, steps))
    return fit(model, batches, model.loss, steps, optimizer, schedule, seed=seed, **options)


@cache
def classes() -> dict[str, tuple[str, ...]]:
    """Words that belong together, by what the corpus is told from. No homograph is among them, and none is in two."""
    every = {
        "people": world.PEOPLE, "towns": world.TOWNS, "lands": world.LANDS, "rooms": world.ROOMS, "jobs": world.JOBS,
        "things": tuple(world.THINGS), "plurals": tuple(world.THINGS.values()), "praise": world.GOOD,
        "blame": world.BAD, "numbers": tuple(map(str, range(1, 31))),
        **{category.place: category.members for category in world.CATEGORIES},
        "modals": homographs.MODALS, **{kind: parts.others for kind, parts in KINDS.items()},
    }  # fmt: skip
    taken = set(HOMOGRAPHS)
    kept = {}
    for name, members in every.items():
        kept[name] = tuple(word for word in members if word not in taken)
        taken |= set(members)
    return kept


def of_the_same_class(vectors: Float[Tensor, "vocab d"], words: Vocabulary, k: int = 5) -> dict[str, float]:
    """For each class of two words or more: how many of each word's k nearest (by cosine) are of that class, too."""
    unit = F.normalize(vectors, dim=-1)
    cosine = (unit @ unit.T).fill_diagonal_(-torch.inf)
    cosine[:, : len(words.special_tokens)] = -torch.inf
    shares = {}
    for name, members in classes().items():
        ids = torch.tensor([words.ids[word] for word in members if word in words.ids])
        if len(ids) < 2:
            continue
        near = cosine[ids].topk(min(k, len(ids) - 1)).indices
        shares[name] = round(torch.isin(near, ids).float().mean().item(), 3)
    return shares


# --- one vector a use -------------------------------------------------------------------------------------------------

STEPS, RATE, WORDS_A_BATCH = 1400, 4e-3, 768


def new_model(words: Vocabulary, seed: int = 0) -> BiLM:
    """Untrained; about 0.6 million parameters."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return BiLM(BiLMConfig(len(words)))


def pretrained() -> BiLM:
    """The one of seed 0, STEPS steps; data/bilm.md is its card. Its words are those of `homographs.corpus(0)`."""
    return load_model(CHECKPOINT, lambda config: BiLM(BiLMConfig(**config)))


def batches_of_one_length(sentences: Sentences, words: Vocabulary, seed: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
    """(ids, lengths) without end: sentences equally long, so that no padding is paid for, WORDS_A_BATCH at most."""
    by_length = {}
    for sentence in sentences:
        by_length.setdefault(len(sentence), []).append(words.encode(sentence))
    rng = random.Random(seed)
    while True:
        made = []
        for length, rows in by_length.items():
            rng.shuffle(rows)
            size = max(1, WORDS_A_BATCH // length)
            made += [rows[i : i + size] for i in range(0, len(rows), size)]
        rng.shuffle(made)
        for rows in made:
            yield torch.tensor(rows), torch.full((len(rows),), len(rows[0]))


def train(model: BiLM, sentences: Sentences, words: Vocabulary, steps: int = STEPS, seed: int = 0, **options):
    """AdamW, a short warm-up, then down to 0 in a line; the loss of each step. `options` are `training.fit`'s."""
    optimizer = torch.optim.AdamW(model.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    schedule = scheduled(optimizer, lambda step: linear_decay(step, steps, warmup=steps // 20))
    batches = batches_of_one_length(sentences, words, seed)
    return fit(model, batches, lambda b: model.loss(*b), steps, optimizer, schedule, clip=1.0, seed=seed, **options)


@torch.no_grad()
def layers_at(model: BiLM, words: Vocabulary, uses: Sequence[Use]) -> Float[Tensor, "use layer two_d"]:
    """Each layer's vector of each use."""
    found = []
    for start in range(0, len(uses), 256):
        part = uses[start : start + 256]
        states = model.states(*pad([words.encode(use.words) for use in part]))  # (layer, batch, n, 2 d)
        found.append(states[:, range(len(part)), [use.place for use in part]].transpose(0, 1))
    return torch.cat(found)


# --- which sense? -----------------------------------------------------------------------------------------------------


def beside(words: Vocabulary, uses: Sequence[Use], reach: int = 1) -> Int[Tensor, "use neighbour"]:
    """The ids of the `reach` words before each use and of those after it, in order; <s> beyond the sentence."""
    edge = [words.ids["<s>"]] * reach
    rows = []
    for use in uses:
        ids = [*edge, *words.encode(use.words), *edge]
        rows.append(ids[use.place : use.place + reach] + ids[use.place + reach + 1 : use.place + 2 * reach + 1])
    return torch.tensor(rows)


def without_order(vectors: Float[Tensor, "vocab d"], words: Vocabulary, uses: Sequence[Use]) -> dict[str, Tensor]:
    """Five ways to make a vector of a use from vectors of words; each is blind to something."""
    sides = beside(words, uses)
    neighbours = vectors[sides].flatten(1)
    ids = [words.encode(use.words) for use in uses]
    others = [[*each[: use.place], *each[use.place + 1 :]] for each, use in zip(ids, uses, strict=True)]
    mean = torch.stack([vectors[each].mean(0) for each in others])
    return {
        "its one vector": vectors[words.encode([use.word for use in uses])],
        "which neighbours": F.one_hot(sides, len(words)).flatten(1).float(),
        "neighbours' vectors": neighbours,
        "the sentence's mean": mean,
        "neighbours and mean": torch.cat([neighbours / neighbours.std(), mean / mean.std()], 1),
    }


def by_word(uses: Sequence[Use]) -> dict[str, tuple[list[int], Tensor]]:
    """For each homograph, which uses are its own, and 0 or 1 for each: the first or the second of its senses."""
    found = {}
    for word in HOMOGRAPHS:
        mine = [i for i, use in enumerate(uses) if use.word == word]
        if mine:
            found[word] = mine, torch.tensor([SENSES[word].index(uses[i].sense) for i in mine])
    return found


def probe(x: Float[Tensor, "use d"], y: Tensor, steps: int = 150) -> Callable[[Tensor], Tensor]:
    """Logistic regression on x; gives a function that says 0 or 1 for each row of another x."""
    mean, scale = x.mean(0), x.std(0).mean() + 1e-6
    line = nn.Linear(x.shape[1], 1)
    nn.init.zeros_(line.weight)
    nn.init.zeros_(line.bias)
    optimizer = torch.optim.AdamW(line.parameters(), 0.03, weight_decay=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(line((x - mean) / scale)[:, 0], y.float()).backward()
        optimizer.step()
    return lambda other: (line((other - mean) / scale)[:, 0] > 0).long().detach()


def nearest_centre(x: Float[Tensor, "use d"], y: Tensor) -> Callable[[Tensor], Tensor]:
    """Says which of the two senses' mean vectors is nearer."""
    centres = torch.stack([x[y == 0].mean(0), x[y == 1].mean(0)])
    exact = "donot_use_mm_for_euclid_dist"  # equal rows get equal answers
    return lambda other: torch.cdist(other, centres, compute_mode=exact).argmin(1)


def two_clouds(x: Float[Tensor, "use d"], y: Tensor, tries: int = 8) -> float:
    """2-means without any label: the share that lies in its sense's cloud (0.5: the clouds aren't the senses)."""
    best, where = torch.inf, None
    for seed in range(tries):
        centres = x[torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))[:2]]
        for _ in range(25):
            near = torch.cdist(x, centres).argmin(1)
            centres = torch.stack([x[near == j].mean(0) if (near == j).any() else x[0] for j in (0, 1)])
        cost = (x - centres[near]).pow(2).sum().item()
        if cost < best:
            best, where = cost, near
    share = (where == y).float().mean().item()
    return max(share, 1 - share)


def sense_accuracy(
    known: Float[Tensor, "use d"], uses: Sequence[Use], tested: dict[str, tuple[Tensor, Sequence[Use]]],
    method: Callable = probe,
) -> dict[str, dict[str, float]]:  # fmt: skip
    """How often the senses of each test set are told right, homograph by homograph.

    known: a vector for each of the uses whose senses are given. tested: of each set, the vectors and the uses.
    method: `probe` or `nearest_centre`, once a homograph.
    """
    learned = {word: method(known[mine], y) for word, (mine, y) in by_word(uses).items()}
    return {
        name: {
            word: round((learned[word](vectors[mine]) == y).float().mean().item(), 3)
            for word, (mine, y) in by_word(asked).items()
        }
        for name, (vectors, asked) in tested.items()
    }


def learn_mixture(layers: Float[Tensor, "use layer d"], uses: Sequence[Use], steps: int = 150) -> tuple[Tensor, float]:
    """s, before its softmax, and γ, learned together with one line for each homograph."""
    s, gamma = nn.Parameter(torch.zeros(layers.shape[1])), nn.Parameter(torch.ones(()))
    lines, biases = (
        nn.Parameter(torch.zeros(len(HOMOGRAPHS), layers.shape[2])),
        nn.Parameter(torch.zeros(len(HOMOGRAPHS))),
    )
    which = torch.tensor([HOMOGRAPHS.index(use.word) for use in uses])
    y = torch.tensor([float(SENSES[use.word].index(use.sense)) for use in uses])
    optimizer = torch.optim.AdamW([s, gamma, lines, biases], 0.03, weight_decay=0.01)
    for _ in range(steps):
        mixed = mixture(layers.transpose(0, 1), s, gamma)
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits((mixed * lines[which]).sum(-1) + biases[which], y).backward()
        optimizer.step()
    return s.detach(), gamma.item()


# --- what is left for labels ------------------------------------------------------------------------------------------

ALL_SENSES = tuple(dict.fromkeys(sense for senses in SENSES.values() for sense in senses))
START_FROM = ("from nothing", "word vectors, frozen", "with untrained ELMo's", "with ELMo's, frozen")
LABELS, RATES = (20, 100, 500), (5e-3, 2e-3)
TASKS = ("both senses", "two clauses")  # of the test sets; beside them sentiment


class SmallReader(nn.Module):
    """A task's own model as around 2017: a small bidirectional LSTM over vectors, and one answer a text."""

    def __init__(
        self, vectors: Float[Tensor, "vocab d"], learn_vectors: bool, layers: int, d_layers: int, answers: int
    ):
        super().__init__()
        self.token = nn.Embedding.from_pretrained(vectors.clone(), freeze=not learn_vectors)
        self.reader = nn.LSTM(vectors.shape[1] + d_layers, 32, batch_first=True, bidirectional=True)
        self.head, self.drop = nn.Linear(64, answers), nn.Dropout(0.3)
        self.s, self.gamma = nn.Parameter(torch.zeros(max(1, layers))), nn.Parameter(torch.ones(()))

    def forward(self, ids: Tensor, states: Tensor | None, place: Tensor | None) -> Float[Tensor, "batch answers"]:
        """place: whose vector is read; None for the largest of all places, number by number."""
        x = self.token(ids)
        if states is not None:
            x = torch.cat([x, mixture(states, self.s, self.gamma)], -1)
        h = self.reader(self.drop(x))[0]
        h = h[torch.arange(len(h)), place] if place is not None else h.masked_fill((ids == 0)[..., None], -9).amax(1)
        return self.head(self.drop(h))


def learn_task(train, test, words, vectors, model: BiLM, start: str, answers: int, seed: int, rate=5e-3, steps=120):
    """(accuracy on the test, parameters that labels taught). train, test: rows of (words, place or None, answer).

    model: whose states the reader gets beside the word vectors, where it starts with ELMo's, trained or not.
    """

    def inputs(rows):
        ids, lengths = pad([words.encode(row[0]) for row in rows])
        with torch.no_grad():
            states = model.states(ids, lengths) if "ELMo" in start else None
        if states is not None:
            states = states / states.std(dim=(1, 2, 3), keepdim=True)
        place = None if rows[0][1] is None else torch.tensor([row[1] for row in rows])
        return ids, states, place, torch.tensor([row[2] for row in rows])

    torch.manual_seed(seed)
    from_nothing = start == START_FROM[0]
    table = torch.randn_like(vectors) if from_nothing else vectors / vectors[3:].std()
    ids, states, place, y = inputs(train)
    d_layers = 0 if states is None else states.shape[-1]
    reader = SmallReader(table, from_nothing, 0 if states is None else len(states), d_layers, answers)
    learned = [p for p in reader.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, rate, weight_decay=0.01)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        some = torch.randperm(len(y), generator=generator)[:64]
        out = reader(ids[some], None if states is None else states[:, some], None if place is None else place[some])
        optimizer.zero_grad()
        F.cross_entropy(out, y[some]).backward()
        optimizer.step()
    reader.eval()
    with torch.no_grad():
        ids, states, place, y = inputs(test)
        right = (reader(ids, states, place).argmax(1) == y).float().mean().item()
    return round(right, 4), sum(p.numel() for p in learned)


def reviews(seed: int, new_words: bool = False) -> tuple[list, list]:
    """Rows for sentiment, to train on and to test: what was said before the verdict, and 1 for praise.

    The test's combinations of words stand in no text that anything was trained on. new_words: the labels have one half
    of the words of praise and blame, and the test has nothing but the other half to go by.
    """
    told = tiny_world(seed + 50, 12_000, probes=1200 if new_words else 300)
    half = {*world.GOOD[::2], *world.BAD[::2]}
    other = {*world.GOOD, *world.BAD} - half
    hints = {*PLEASED, *DISPLEASED, "not"}
    train = [
        (" ".join(p.sentences[:-1]).split(), None, int(p.blanks[-1][-1].word in world.GOOD))
        for p in told.train
        if p.scene == "review"
    ]
    test = [
        ([*p.before.rsplit(" . ", 1)[0].split(), "."], None, int(p.answer in world.GOOD))
        for p in told.probes["sentiment"]
    ]
    if new_words:
        train = [row for row in train if not other & {*row[0]}]
        test = [row for row in test if not (half | hints) & {*row[0]}]
    return train, test[:300]


# --- the stored runs: about ten minutes of one CPU thread -------------------------------------------------------------


@cache
def _all(seed: int):
    sentences, uses = homographs.corpus(seed)
    words = Vocabulary.of_texts(sentences)
    vectors, _ = skip_gram(sentences, words, seed=seed, progress=False)
    return sentences, uses, words, vectors


@cache
def _bilm(seed: int):
    sentences, _, words, _ = _all(seed)
    model = new_model(words, seed)
    other = [words.encode(use.words) for use in homographs.tests()["new neighbours"]]

    def measure():
        with torch.no_grad():
            return {"loss": round(model.loss(*pad(other)).item(), 4)}

    watch = Watch((0, 100, 200, 400, 700, 1000, STEPS), measure)
    train(model, sentences, words, seed=seed, between=watch, progress=False)
    return model, watch.rows


def _words() -> Iterator[dict]:
    """Skip-gram: which words are near each other, while it learns."""
    for seed in SEEDS:
        sentences, _ = homographs.corpus(seed)
        words = Vocabulary.of_texts(sentences)
        model = _new_skip_gram(words, seed)
        watch = Watch(
            (0, 50, 100, 200, 300, 400, SKIP_STEPS),
            lambda model=model, words=words: {"same class": of_the_same_class(model.word.weight.detach(), words)},
        )
        _train_skip_gram(model, sentences, words, SKIP_STEPS, seed, between=watch, progress=False)
        vectors = model.word.weight.detach()
        near = {
            word: [words.words[i] for i in nearest(vectors, words.ids[word], 8)]
            for word in (*HOMOGRAPHS, "june", "wonderful", "nora", "kitchen")
        }
        yield {"seed": seed, "history": watch.rows, "nearest": near}


def _senses() -> Iterator[dict]:
    """The four test sets, told by word vectors, by LSTMs that have read nothing, and by those that have read."""
    for seed in SEEDS:
        _, uses, words, vectors = _all(seed)
        model, history = _bilm(seed)
        untrained, uses, tests = new_model(words, seed), uses[:1600], homographs.tests()
        s, gamma = learn_mixture(layers_at(model, words, uses), uses)

        def ways(some, words=words, vectors=vectors, model=model, untrained=untrained, s=s, gamma=gamma):
            layers = layers_at(model, words, some)
            return without_order(vectors, words, some) | {
                "five words a side": vectors[beside(words, some, 5)].flatten(1),
                "untrained, layer 2": layers_at(untrained, words, some)[:, 2],
                "layer 1": layers[:, 1],
                "layer 2": layers[:, 2],
                "mixture": mixture(layers.transpose(0, 1), s, gamma),
            }

        shares = [round(x, 4) for x in s.softmax(0).tolist()]
        yield {"seed": seed, "history": history, "s": shares, "gamma": round(gamma, 3)}
        few = [i for mine, _ in by_word(uses).values() for i in mine[:10]]
        asked = {name: (ways(some), some) for name, some in tests.items()}
        for way, x in ways(uses).items():
            tested = {name: (vectors_of[way], some) for name, (vectors_of, some) in asked.items()}
            yield {
                "seed": seed, "way": way,
                "probe": sense_accuracy(x, uses, tested),
                "centre": sense_accuracy(x, uses, tested, nearest_centre),
                "ten labels": sense_accuracy(x[few], [uses[i] for i in few], tested),
                "clouds": {name: {word: round(two_clouds(v[mine], y), 3) for word, (mine, y) in by_word(t).items()}
                           for name, (v, t) in tested.items()},
            }  # fmt: skip


def _labels() -> Iterator[dict]:
    """A small reader learns a task from few labels, over three kinds of vectors, at two rates."""
    tests = homographs.tests(each=20)
    for seed in SEEDS:
        _, uses, words, vectors = _all(seed)
        model, untrained = _bilm(seed)[0], new_model(words, seed)
        rng = random.Random(seed)
        rows = lambda some: [(use.words, use.place, ALL_SENSES.index(use.sense)) for use in some]  # noqa: E731
        drawn = rows(rng.sample(uses, 500))
        tasks = {f"sense, {name}": (drawn, rows(tests[name]), len(ALL_SENSES)) for name in TASKS}
        tasks["sentiment"] = (*reviews(seed), 2)
        tasks["sentiment, words without labels"] = (*reviews(seed, new_words=True), 2)
        for task, (train_rows, test_rows, answers) in tasks.items():
            for labels in LABELS:
                for start in START_FROM:
                    for rate in RATES:
                        read = untrained if "untrained" in start else model
                        right, parameters = learn_task(
                            train_rows[:labels], test_rows, words, vectors, read, start, answers, seed, rate
                        )
                        yield {"seed": seed, "task": task, "labels": labels, "start": start, "rate": rate,
                               "right": right, "parameters": parameters}  # fmt: skip


def _shipped() -> Iterator[dict]:
    """The model of seed 0, written to data/."""
    model, history = _bilm(0)
    save_model(model, CHECKPOINT, {"loss on other sentences": history[-1]["loss"]})
    yield {"seed": 0, "steps": STEPS, "parameters": sum(p.numel() for p in model.parameters())}


SECTIONS = {"words": _words, "senses": _senses, "labels": _labels, "shipped": _shipped}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/word_vectors_runs.json, by section: words, senses, labels."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Measure lesson 10's word vectors and keep what was measured.", STORED, SECTIONS)
