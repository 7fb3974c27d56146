"""A translator made of two GRUs, with Bahdanau's attention between them or without.

Without: Cho et al. (2014), "Learning Phrase Representations using RNN Encoder–Decoder": the encoder's last state is
all that the decoder ever sees of the source. With: Bahdanau, Cho and Bengio (2015), "Neural Machine Translation by
Jointly Learning to Align and Translate": at every step the decoder attends to all source words again. The rest of the
two models is the same.

    corpus = number_lists("en", "de")
    model = Seq2Seq(Seq2SeqConfig(len(corpus.source_vocabulary), len(corpus.target_vocabulary), attention=True))
    train(model, corpus, steps=750, seed=0)

`python -m course_lib.experiments.seq2seq` remakes data/seq2seq_runs.json; its card is data/seq2seq_runs.md.
"""

import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention import softmax_over_keys
from course_lib.corpora.batching import Batch, batches, collate, pad
from course_lib.corpora.parallel import Pair, ParallelCorpus, number_lists
from course_lib.corpora.vocabulary import END, END_ID, PAD_ID, START_ID
from course_lib.errors import CourseError
from course_lib.experiments.stored import command
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.training import cross_entropy, fit

# The state after the word; the word's own vector added to it (the course's); the states of two readers, one of whom
# reads backwards, side by side (Bahdanau et al.).
ANNOTATIONS = ("state", "state + word", "both directions")
LONGEST = 60  # words that a translation may have
STORED = DATA / "seq2seq_runs.json"

Source = Int[Tensor, "batch n"]
Lengths = Int[Tensor, "batch"]
State = Float[Tensor, "batch d_hidden"]
Annotations = Float[Tensor, "batch n d_key"]


@dataclass(frozen=True)
class Seq2SeqConfig:
    """Vocabulary sizes, special tokens among them; dimensions of word vectors, of states and of what scores compare.

    annotations: what attention finds at a source word, of ANNOTATIONS.
    """

    source_vocab_size: int
    target_vocab_size: int
    attention: bool = True
    annotations: str = "state + word"
    d_embedding: int = 64
    d_hidden: int = 96
    d_score: int = 32

    def __post_init__(self):
        one_of("annotations", self.annotations, ANNOTATIONS, CourseError)


class AdditiveAttention(nn.Module):
    """score(q, k) = w₃ · tanh(W₁ q + W₂ k); then softmax, then the weighted sum of the keys."""

    def __init__(self, d_query: int, d_key: int, d_score: int):
        super().__init__()
        self.W_1 = nn.Linear(d_query, d_score, bias=False)
        self.W_2 = nn.Linear(d_key, d_score, bias=False)
        self.w_3 = nn.Linear(d_score, 1, bias=False)

    def forward(
        self,
        query: Float[Tensor, "batch d_query"],
        keys: Float[Tensor, "batch key d_key"],
        projected_keys: Float[Tensor, "batch key d_score"],
        mask: Bool[Tensor, "batch key"],
    ) -> tuple[Float[Tensor, "batch d_key"], Float[Tensor, "batch key"]]:
        """The context and the weights. W₂ k is the same for every query, so it is passed in, computed once."""
        scores = self.w_3(torch.tanh(self.W_1(query)[:, None] + projected_keys)).squeeze(-1)
        weights = softmax_over_keys(scores, mask)
        return (weights[:, None] @ keys).squeeze(1), weights


class Encoder(nn.Module):
    """One vector for each source word, its *annotation*, and one for all of them together, the last state."""

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        kind, d_embedding, d_hidden = (
            config.annotations if config.attention else "state",
            config.d_embedding,
            config.d_hidden,
        )
        self.word = nn.Embedding(config.source_vocab_size, d_embedding, padding_idx=PAD_ID)
        self.gru = nn.GRU(d_embedding, d_hidden, batch_first=True)
        self.W_word = nn.Linear(d_embedding, d_hidden, bias=False) if kind == "state + word" else None
        self.backward_gru = nn.GRU(d_embedding, d_hidden, batch_first=True) if kind == "both directions" else None

    def forward(self, source: Source, lengths: Lengths) -> tuple[Annotations, State]:
        """The annotations and the last state. A state alone tells what was read so far, not which word it stands at."""
        words = self.word(source)
        states, _ = self.gru(words)
        last = states[torch.arange(len(source)), lengths - 1]  # the state after the end mark, before any padding
        if self.W_word:
            states = states + self.W_word(words)
        if self.backward_gru:
            turned = _turned(words, lengths)
            states = torch.cat([states, _turned(self.backward_gru(turned)[0], lengths)], dim=-1)
        return states, last


def _turned(x: Float[Tensor, "batch n d"], lengths: Lengths) -> Float[Tensor, "batch n d"]:
    """Each text back to front, its padding still at the end."""
    place = torch.arange(x.shape[1])
    place = torch.where(place < lengths[:, None], lengths[:, None] - 1 - place, place)
    return x.gather(1, place[..., None].expand_as(x))


@dataclass
class EncoderOutput:
    """What the decoder may see of a batch of source texts."""

    annotations: Annotations
    last: State
    mask: Bool[Tensor, "batch n"]
    projected_keys: Float[Tensor, "batch n d_score"] | None


class Decoder(nn.Module):
    """One step a word: attend (or don't), update the state, score the next word."""

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        d = config.d_hidden
        d_key = 2 * d if config.attention and config.annotations == "both directions" else d
        self.word = nn.Embedding(config.target_vocab_size, config.d_embedding, padding_idx=PAD_ID)
        self.initial_state = nn.Linear(d, d)
        self.attention = AdditiveAttention(d, d_key, config.d_score) if config.attention else None
        self.cell = nn.GRUCell(config.d_embedding + d_key, d)
        self.output = nn.Sequential(nn.Linear(d + d_key, d), nn.Tanh(), nn.Linear(d, config.target_vocab_size))

    def step(
        self, word: Float[Tensor, "batch d_embedding"], state: State, encoded: EncoderOutput
    ) -> tuple[State, Float[Tensor, "batch d_key"], Float[Tensor, "batch n"] | None]:
        """The next state, the context that went into it, and, with attention, the weights."""
        context, weights = encoded.last, None
        if self.attention:
            context, weights = self.attention(state, encoded.annotations, encoded.projected_keys, encoded.mask)
        return self.cell(torch.cat([word, context], dim=-1), state), context, weights


class Seq2Seq(nn.Module):
    """Encoder and decoder. `config.attention` decides what lies between them: one vector, or all of them."""

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)

    def encode(self, source: Source, lengths: Lengths) -> EncoderOutput:
        """The encoder's work, done once for all steps of the decoder."""
        annotations, last = self.encoder(source, lengths)
        projected_keys = self.decoder.attention.W_2(annotations) if self.decoder.attention else None
        return EncoderOutput(annotations, last, source != PAD_ID, projected_keys)

    def forward(
        self, source: Source, lengths: Lengths, target: Int[Tensor, "batch m"]
    ) -> tuple[Float[Tensor, "batch m vocab"], Float[Tensor, "batch m n"] | None]:
        """Teacher forcing: whatever the model would have said, the next input is the true word.

        Returns each step's logits of the next word, and its weights (query: target word, key: source word).
        """
        encoded = self.encode(source, lengths)
        state = torch.tanh(self.decoder.initial_state(encoded.last))
        states, contexts, attention_weights = [], [], []
        for word in self.decoder.word(target).unbind(dim=1):  # (batch, d_embedding), one word after the other
            state, context, weights = self.decoder.step(word, state, encoded)
            states.append(state)
            contexts.append(context)
            attention_weights.append(weights)
        logits = self.decoder.output(torch.cat([torch.stack(states, 1), torch.stack(contexts, 1)], dim=-1))
        return logits, torch.stack(attention_weights, 1) if self.config.attention else None

    @torch.no_grad()
    def greedy(
        self, source: Source, lengths: Lengths, longest: int = LONGEST
    ) -> tuple[Int[Tensor, "batch m"], Float[Tensor, "batch m n"] | None]:
        """Take the likeliest word, feed it back in, and so on until each text has its end mark or `longest` words."""
        encoded = self.encode(source, lengths)
        state = torch.tanh(self.decoder.initial_state(encoded.last))
        word = source.new_full((len(source),), START_ID)
        ended = torch.zeros_like(word, dtype=torch.bool)
        output_ids, attention_weights = [], []
        while len(output_ids) < longest and not ended.all():
            state, context, weights = self.decoder.step(self.decoder.word(word), state, encoded)
            word = self.decoder.output(torch.cat([state, context], dim=-1)).argmax(dim=-1).masked_fill(ended, PAD_ID)
            ended |= word == END_ID
            output_ids.append(word)
            attention_weights.append(weights)
        return torch.stack(output_ids, 1), torch.stack(attention_weights, 1) if self.config.attention else None


def train(
    model: Seq2Seq, corpus: ParallelCorpus, steps: int = 750, batch_size: int = 64, lr: float = 5e-3, seed: int = 0
) -> list[float]:
    """Adam with a learning rate that rises for a tenth of the steps, then falls to zero. Returns every step's loss."""

    def loss(batch: Batch) -> Tensor:
        logits, _ = model(batch.source, batch.source_lengths, batch.target[:, :-1])
        return cross_entropy(logits, batch.target[:, 1:], ignore_index=PAD_ID)

    optimizer = torch.optim.Adam(model.parameters(), lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, steps, pct_start=0.1)
    stream = batches(corpus.encoded(corpus.train), batch_size, seed)
    name = "with attention" if model.config.attention else "without attention"
    return fit(model, stream, loss, steps, optimizer, schedule, clip=1.0, seed=seed, name=name)


@dataclass(frozen=True)
class Translation:
    """What came in, what came out, and, with attention, how much each target word (row) took from each source word."""

    source: list[str]
    target: list[str]
    weights: Float[Tensor, "query key"] | None


def translate(model: Seq2Seq, corpus: ParallelCorpus, text: str) -> Translation:
    """What the model makes of a text in the source language.

    Raises CourseError if the text is empty, or has a word that isn't in the vocabulary.
    """
    source = corpus.tokens(text)
    ids, lengths = pad([[*corpus.source_vocabulary.encode(source), END_ID]])
    output_ids, weights = model.greedy(ids, lengths)
    target = corpus.target_vocabulary.decode(output_ids[0].tolist())
    return Translation([*source, END], target, weights[0, : len(target)] if weights is not None else None)


def written(
    model: Seq2Seq, corpus: ParallelCorpus, pairs: list[Pair], longest: int = LONGEST, chunk: int = 150
) -> list[list[str]]:
    """The greedy translation of each pair's source, in words; one of `longest` words has found no end."""
    texts = []
    for start in range(0, len(pairs), chunk):
        batch = collate(corpus.encoded(pairs[start : start + chunk]))
        output_ids, _ = model.greedy(batch.source, batch.source_lengths, longest)
        texts += [corpus.target_vocabulary.decode(row) for row in output_ids.tolist()]
    return texts


def exact_match(model: Seq2Seq, corpus: ParallelCorpus, pairs: list[Pair], chunk: int = 150) -> dict[int, float]:
    """For each length of a list, the share of lists that greedy translation gets right to the last word."""
    by_length = defaultdict(list)
    for pair in pairs:
        by_length[len(pair.value)].append(pair)
    shares = {}
    for length, group in sorted(by_length.items()):
        longest = 2 * max(len(pair.target) + 2 for pair in group)
        texts = written(model, corpus, group, longest, chunk)
        shares[length] = sum(text == list(pair.target) for text, pair in zip(texts, group, strict=True)) / len(group)
    return shares


@torch.no_grad()
def aligned(model: Seq2Seq, corpus: ParallelCorpus, pairs: list[Pair]) -> tuple[int, int]:
    """Of the target words whose source word is known (`Pair.alignment`): how many attend to it most, and how many.

    The model reads the true translation (teacher forcing), so that every target word has its place.
    """
    batch = collate(corpus.encoded(pairs))
    _, weights = model(batch.source, batch.source_lengths, batch.target[:, :-1])
    strongest = weights.argmax(dim=-1).tolist()
    known = [
        (strongest[row][i], j) for row, pair in enumerate(pairs) for i, j in enumerate(pair.alignment) if j is not None
    ]
    return sum(found == j for found, j in known), len(known)


# --- the stored runs: about twelve minutes of one CPU thread ---------------------------------------------------------


def _runs(annotations: str | None, seeds: int, steps: int = 750) -> Iterator[dict]:
    """Models trained and measured. annotations: None without attention."""
    corpus = number_lists("en", "de")
    trained_lengths = [pair for pair in corpus.test if len(pair.value) <= 8]
    sizes = len(corpus.source_vocabulary), len(corpus.target_vocabulary)
    for seed in range(seeds):
        torch.manual_seed(seed)
        model = Seq2Seq(Seq2SeqConfig(*sizes, True, annotations) if annotations else Seq2SeqConfig(*sizes, False))
        start = time.process_time()
        losses = train(model, corpus, steps, seed=seed)
        seconds = time.process_time() - start
        run = {"seed": seed, "cpu_seconds": round(seconds, 1), "last_loss": round(statistics.mean(losses[-20:]), 4)}
        shares = exact_match(model, corpus, corpus.test)
        run["exact_match"] = {length: round(share, 4) for length, share in shares.items()}
        if annotations:
            run["aligned"] = aligned(model, corpus, trained_lengths)
        yield run


SECTIONS = {
    "no attention": lambda: _runs(None, seeds=5),
    "no attention, 2000 steps": lambda: _runs(None, seeds=3, steps=2000),  # what a bottleneck costs: training time
    "state": lambda: _runs("state", seeds=3),
    "state + word": lambda: _runs("state + word", seeds=5),
    "both directions": lambda: _runs("both directions", seeds=3),
}

if __name__ == "__main__":
    command("Train the translators of lesson 01 and keep how often they are right.", STORED, SECTIONS)
