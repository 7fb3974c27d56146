"""A translator made of two GRUs, with Bahdanau's attention between them or without.

Without: Cho et al. (2014), "Learning Phrase Representations using RNN Encoder–Decoder": the encoder's last state is all that
the decoder ever sees of the source. With: Bahdanau, Cho and Bengio (2015), "Neural Machine Translation by Jointly Learning to
Align and Translate": at every step the decoder looks at all source words again. The rest of the two models is the same.

    corpus = number_lists("en", "de")
    model = Seq2Seq(Seq2SeqConfig(len(corpus.source_vocabulary), len(corpus.target_vocabulary), attention=True))
    train(model, corpus, steps=750, seed=0)
"""

from collections import defaultdict
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from tqdm.auto import tqdm

from course_lib.attention import softmax_over_keys
from course_lib.corpora.batching import batches, collate, pad
from course_lib.corpora.parallel import Pair, ParallelCorpus
from course_lib.corpora.vocabulary import END, END_ID, PAD_ID, START_ID

LONGEST = 60  # words that a translation may have


@dataclass(frozen=True)
class Seq2SeqConfig:
    """Vocabulary sizes with the three marks in them; lengths of a word vector, of a state and of what a score compares."""

    source_vocab_size: int
    target_vocab_size: int
    attention: bool = True
    d_word: int = 64
    d_state: int = 96
    d_score: int = 32


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
        compared: Float[Tensor, "batch key d_score"],
        mask: Bool[Tensor, "batch key"],
    ) -> tuple[Float[Tensor, "batch d_key"], Float[Tensor, "batch key"]]:
        """The context and the weights. `compared` is W₂ k for every key, made once: the keys stay, only the query moves."""
        scores = self.w_3(torch.tanh(self.W_1(query)[:, None] + compared)).squeeze(-1)
        weights = softmax_over_keys(scores, mask)
        return (weights[:, None] @ keys).squeeze(1), weights


class Encoder(nn.Module):
    """One vector for each source word, its *annotation*, and one for all of them together, the last state."""

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        self.word = nn.Embedding(config.source_vocab_size, config.d_word, padding_idx=PAD_ID)
        self.gru = nn.GRU(config.d_word, config.d_state, batch_first=True)
        self.W_word = nn.Linear(config.d_word, config.d_state, bias=False) if config.attention else None

    def forward(
        self, source: Int[Tensor, "batch n"], lengths: Int[Tensor, "batch"]
    ) -> tuple[Float[Tensor, "batch n d_state"], Float[Tensor, "batch d_state"]]:
        """A state tells what was read so far; for attention the word itself is added, so that a key says which word it stands for."""
        words = self.word(source)
        states, _ = self.gru(words)
        last = states[torch.arange(len(source)), lengths - 1]  # the state after the end mark, before any padding
        return (states + self.W_word(words) if self.W_word else states), last


@dataclass
class Source:
    """What the decoder may see of a batch of source texts."""

    annotations: Float[Tensor, "batch key d_state"]
    last: Float[Tensor, "batch d_state"]
    mask: Bool[Tensor, "batch key"]
    compared: Float[Tensor, "batch key d_score"] | None


class Decoder(nn.Module):
    """One step a word: look (or don't), update the state, name the next word."""

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        d = config.d_state
        self.word = nn.Embedding(config.target_vocab_size, config.d_word, padding_idx=PAD_ID)
        self.W_start = nn.Linear(d, d)
        self.attention = AdditiveAttention(d, d, config.d_score) if config.attention else None
        self.cell = nn.GRUCell(config.d_word + d, d)
        self.output = nn.Sequential(nn.Linear(2 * d, d), nn.Tanh(), nn.Linear(d, config.target_vocab_size))

    def step(
        self, word: Float[Tensor, "batch d_word"], state: Float[Tensor, "batch d_state"], source: Source
    ) -> tuple[Float[Tensor, "batch d_state"], Float[Tensor, "batch d_state"], Float[Tensor, "batch key"] | None]:
        """The next state, the context that went into it, and, with attention, the weights."""
        context, weights = source.last, None
        if self.attention:
            context, weights = self.attention(state, source.annotations, source.compared, source.mask)
        return self.cell(torch.cat([word, context], dim=-1), state), context, weights


class Seq2Seq(nn.Module):
    """Encoder and decoder. `config.attention` decides what lies between them: one vector, or a look at all."""

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)

    def read(self, source: Int[Tensor, "batch n"], lengths: Int[Tensor, "batch"]) -> Source:
        """The encoder's work, done once for all steps of the decoder."""
        annotations, last = self.encoder(source, lengths)
        compared = self.decoder.attention.W_2(annotations) if self.decoder.attention else None
        return Source(annotations, last, source != PAD_ID, compared)

    def forward(
        self, source: Int[Tensor, "batch n"], lengths: Int[Tensor, "batch"], target: Int[Tensor, "batch m"]
    ) -> tuple[Float[Tensor, "batch m vocab"], Float[Tensor, "batch m n"] | None]:
        """Teacher forcing: whatever the model would have said, the next input is the true word.

        Returns the scores of the next word at every step, and the weights of every step (query: target word, key: source word).
        """
        seen = self.read(source, lengths)
        state = torch.tanh(self.decoder.W_start(seen.last))
        states, contexts, looks = [], [], []
        for word in self.decoder.word(target).unbind(dim=1):  # (batch, d_word), one word after the other
            state, context, weights = self.decoder.step(word, state, seen)
            states.append(state), contexts.append(context), looks.append(weights)
        logits = self.decoder.output(torch.cat([torch.stack(states, 1), torch.stack(contexts, 1)], dim=-1))
        return logits, torch.stack(looks, 1) if self.config.attention else None

    @torch.no_grad()
    def greedy(
        self, source: Int[Tensor, "batch n"], lengths: Int[Tensor, "batch"], longest: int = LONGEST
    ) -> tuple[Int[Tensor, "batch m"], Float[Tensor, "batch m n"] | None]:
        """Say the likeliest word, read it back in, and so on until every text has its end mark or is `longest` words long."""
        seen = self.read(source, lengths)
        state = torch.tanh(self.decoder.W_start(seen.last))
        word = source.new_full((len(source),), START_ID)
        ended = torch.zeros_like(word, dtype=torch.bool)
        said, looks = [], []
        while len(said) < longest and not ended.all():
            state, context, weights = self.decoder.step(self.decoder.word(word), state, seen)
            word = self.decoder.output(torch.cat([state, context], dim=-1)).argmax(dim=-1).masked_fill(ended, PAD_ID)
            ended |= word == END_ID
            said.append(word), looks.append(weights)
        return torch.stack(said, 1), torch.stack(looks, 1) if self.config.attention else None


def train(
    model: Seq2Seq, corpus: ParallelCorpus, steps: int = 750, batch_size: int = 64, lr: float = 5e-3, seed: int = 0
) -> list[float]:
    """Adam with a learning rate that rises for a tenth of the steps and then falls to zero. Returns the loss of every step."""
    optimiser = torch.optim.Adam(model.parameters(), lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, lr, steps, pct_start=0.1)
    stream, losses = batches(corpus.encoded(corpus.train), batch_size, seed), []
    bar = tqdm(range(steps), desc="with attention" if model.config.attention else "without attention", delay=1)
    model.train()
    for _ in bar:
        batch = next(stream)
        logits, _ = model(batch.source, batch.source_lengths, batch.target[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch.target[:, 1:].flatten(), ignore_index=PAD_ID)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        bar.set_postfix(loss=f"{losses[-1]:.2f}", refresh=False)
    model.eval()
    return losses


@dataclass(frozen=True)
class Translation:
    """What came in, what came out, and, with attention, how much each target word (row) took from each source word."""

    source: list[str]
    target: list[str]
    weights: Float[Tensor, "query key"] | None


def translate(model: Seq2Seq, corpus: ParallelCorpus, text: str) -> Translation:
    """What the model makes of a text in the source language. Raises CourseError for no words, or words that it doesn't know."""
    source = corpus.tokens(text)
    ids, lengths = pad([[*corpus.source_vocabulary.encode(source), END_ID]])
    said, weights = model.greedy(ids, lengths)
    target = corpus.target_vocabulary.decode(said[0].tolist())
    return Translation([*source, END], target, weights[0, : len(target)] if weights is not None else None)


def exact_match(model: Seq2Seq, corpus: ParallelCorpus, pairs: list[Pair], chunk: int = 150) -> dict[int, float]:
    """For each number of values in a pair (the length of a list): the share that greedy translation gets right to the last word."""
    by_length = defaultdict(list)
    for pair in pairs:
        by_length[len(pair.value)].append(pair)
    shares = {}
    for length, group in sorted(by_length.items()):
        right = 0
        for start in range(0, len(group), chunk):
            part = group[start : start + chunk]
            batch = collate(corpus.encoded(part))
            said, _ = model.greedy(batch.source, batch.source_lengths, 2 * batch.target.shape[1])
            right += sum(
                corpus.target_vocabulary.decode(row) == list(pair.target)
                for row, pair in zip(said.tolist(), part, strict=True)
            )
        shares[length] = right / len(group)
    return shares


@torch.no_grad()
def aligned(model: Seq2Seq, corpus: ParallelCorpus, pairs: list[Pair]) -> tuple[int, int]:
    """Of the target words whose source word is known (`Pair.alignment`), how many look at it most; and how many there are.

    The model reads the true translation (teacher forcing), so that every target word has its place.
    """
    batch = collate(corpus.encoded(pairs))
    _, weights = model(batch.source, batch.source_lengths, batch.target[:, :-1])
    strongest = weights.argmax(dim=-1).tolist()
    known = [
        (strongest[row][i], j) for row, pair in enumerate(pairs) for i, j in enumerate(pair.alignment) if j is not None
    ]
    return sum(found == j for found, j in known), len(known)
