"""Fine-tuning BERT: one output layer more, and then every parameter learns the task.

Devlin, Chang, Lee and Toutanova (2019), "BERT", section 3.2, section 4 and figure 4.

    model = Classifier(bert, num_classes=2)                          # or Tagger(bert, 4), or SpanReader(bert)
    logits = model(ids, segments, padding_mask(ids, PAD_ID))         # (batch, 2)
    batches = labelled_batches(examples, size=16, seed=0)            # of Example(ids, segments, label)
    fit(model, batches, model.loss, steps, AdamW(model.parameters(), lr=5e-5))    # training.fit

    ids, segments → BERT ┬→ C, of [CLS] → W ────→ Classifier: which class has the text, or the pair of texts?
                         └→ all states ┬→ W ────→ Tagger: which tag has each word?
                                       └→ S, E ─→ SpanReader: where does the answer begin, and where does it end?
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import NamedTuple, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.bert import Bert
from course_lib.corpora.batching import IGNORE_INDEX, bucketed, pad
from course_lib.errors import CourseError
from course_lib.masks import Mask, length_mask
from course_lib.support.messages import whole_number

Ids = Int[Tensor, "batch n"]
Tag = TypeVar("Tag")
MARKS = ("[CLS]", "[SEP]", "[PAD]")  # tokens that are no word's piece
MAX_SPAN = 30  # tokens of an answer at most, as in the authors' code

# --- labelled texts ---------------------------------------------------------------------------------------------------


class Example(NamedTuple):
    """A text or a pair as `cloze.pair_input` makes it, and what is asked of it.

    label: a class; or a list with a label for each token, IGNORE_INDEX where none is asked; or the first and the last
    place of an answer, a tuple.
    """

    ids: list[int]
    segments: list[int]
    label: int | list[int] | tuple[int, int]


@dataclass(frozen=True)
class LabelledBatch:
    """What a model's `loss` takes. Padding stands at the end of each row."""

    ids: Ids
    segments: Ids
    lengths: Int[Tensor, "batch"]
    labels: Int[Tensor, "batch *each"]  # (batch) classes, (batch, n) tags, (batch, 2) spans

    @property
    def num_tokens(self) -> int:
        """Tokens with their marks, without padding."""
        return int(self.lengths.sum())

    @property
    def mask(self) -> Bool[Tensor, "batch 1 1 n"] | None:
        """The padding mask; None where nothing is padded: attention is faster so."""
        n = self.ids.shape[1]
        return length_mask(self.lengths, n) if int(self.lengths.min()) < n else None


def collate(examples: Sequence[Example]) -> LabelledBatch:
    """These examples as one batch; their labels are all of one kind."""
    ids, segments, labels = zip(*examples, strict=True)
    (ids, lengths), (segments, _) = pad(ids), pad(segments)
    tags = isinstance(labels[0], list)
    return LabelledBatch(ids, segments, lengths, pad(labels, IGNORE_INDEX)[0] if tags else torch.tensor(labels))


def labelled_batches(examples: Sequence[Example], size: int, seed: int) -> Iterator[LabelledBatch]:
    """Batches without end, of texts that are about equally long. Each round has all examples once.

    Raises CourseError where there are no examples.
    """
    whole_number("size", size, low=1)
    if not examples:
        raise CourseError("Batches are made of labelled examples, but there are none.")
    rng = random.Random(seed)
    rounds = (bucketed(examples, size, rng, length=lambda example: len(example.ids)) for _ in repeat(None))
    return map(collate, chain.from_iterable(rounds))


def longest_first(first: Sequence[int], second: Sequence[int], most: int) -> tuple[list[int], list[int]]:
    """A pair cut to `most` tokens together, marks not counted: one after the other is taken from the end of the longer.

    Where both are equally long, the second loses one, as in the authors' code.

    >>> longest_first([1, 2, 3, 4, 5], [6, 7], most=5)
    ([1, 2, 3], [6, 7])
    """
    first, second = list(first), list(second)
    most = whole_number("most", most)
    while len(first) + len(second) > most:
        (first if len(first) > len(second) else second).pop()
    return first, second


# --- tags: one for each word, asked at the word's first piece ---------------------------------------------------------


def first_pieces(pieces: Sequence[str]) -> list[int]:
    """The places where words begin: no mark, and no ## in front.

    >>> first_pieces(["[CLS]", "jim", "hen", "##son", "sings", "[SEP]"])
    [1, 2, 4]
    """
    return [i for i, piece in enumerate(pieces) if piece not in MARKS and not piece.startswith("##")]


def tags_on_pieces(pieces: Sequence[str], tags: Sequence[int]) -> list[int]:
    """A label for each piece: a word's tag at its first piece, IGNORE_INDEX at its others and at marks (section 5.3).

    Raises CourseError unless there are as many tags as words.

    >>> tags_on_pieces(["[CLS]", "jim", "hen", "##son", "sings", "[SEP]"], [1, 1, 0])
    [-100, 1, 1, -100, 0, -100]
    """
    places = first_pieces(pieces)
    if len(places) != len(tags):
        raise CourseError(f"Each word has a tag, but there are {len(places)} words and {len(tags)} tags.")
    labels = [IGNORE_INDEX] * len(pieces)
    for place, tag in zip(places, tags, strict=True):
        labels[place] = tag
    return labels


def tags_of_words(pieces: Sequence[str], predicted: Sequence[Tag]) -> list[Tag]:
    """The way back: of what is predicted for each piece, what counts, one tag for each word."""
    return [predicted[place] for place in first_pieces(pieces)]


# --- the heads --------------------------------------------------------------------------------------------------------


class _OneLayerMore(nn.Module):
    """A pretrained BERT, dropout, and a new layer: all that a task needs."""

    def __init__(self, bert: Bert, num_outputs: int):
        super().__init__()
        self.bert = bert
        self.dropout = nn.Dropout(bert.config.dropout)
        self.head = nn.Linear(bert.config.d_model, num_outputs)  # weight: W, (K, h); a bias as in the authors' code
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def states(self, ids: Ids, segments: Ids | None, mask: Mask | None) -> Float[Tensor, "batch n d_model"]:
        """BERT's last layer. Raises CourseError for what `Bert.encode` can't read."""
        return self.bert.encode(ids, segments, mask)[0]

    def freeze(self) -> "_OneLayerMore":
        """BERT stays as it is, without dropout, and the new layer alone learns: "feature-based", section 5.3."""
        self.bert.requires_grad_(False).eval()
        return self

    def train(self, mode: bool = True) -> "_OneLayerMore":
        """As ever, but a frozen BERT gives the same vectors in training as after it."""
        super().train(mode)
        if not any(parameter.requires_grad for parameter in self.bert.parameters()):
            self.bert.eval()
        return self


class Classifier(_OneLayerMore):
    """Which of K classes a text has, or a pair of texts: softmax(C Wᵀ), C the pooled state of [CLS]. Figure 4, a and b.

    As in the authors' code C has been through the pooler, and each logit has a bias.
    """

    def __init__(self, bert: Bert, num_classes: int):
        super().__init__(bert, whole_number("num_classes", num_classes, low=2))

    def forward(
        self, ids: Ids, segments: Ids | None = None, mask: Mask | None = None
    ) -> Float[Tensor, "batch classes"]:
        """Logits of the classes."""
        first = self.states(ids, segments, mask)[:, 0]  # (batch, h)
        return self.head(self.dropout(self.bert.pooled(first)))

    def loss(self, batch: LabelledBatch) -> Float[Tensor, ""]:
        """The mean of −log p(class), in nats."""
        return F.cross_entropy(self(batch.ids, batch.segments, batch.mask), batch.labels)


class Tagger(_OneLayerMore):
    """Which of K tags each word has: the same layer at each state. Figure 4, d; no tag sees its neighbours' tags."""

    def __init__(self, bert: Bert, num_tags: int):
        super().__init__(bert, whole_number("num_tags", num_tags, low=2))

    def forward(self, ids: Ids, segments: Ids | None = None, mask: Mask | None = None) -> Float[Tensor, "batch n tags"]:
        """Logits of the tags at each place; those at a word's first piece count."""
        return self.head(self.dropout(self.states(ids, segments, mask)))

    def loss(self, batch: LabelledBatch) -> Float[Tensor, ""]:
        """The mean of −log p(tag) over all first pieces of the batch, in nats."""
        asked = batch.labels != IGNORE_INDEX
        return F.cross_entropy(self(batch.ids, batch.segments, batch.mask)[asked], batch.labels[asked])


class SpanReader(_OneLayerMore):
    """Where in B the answer to A stands. Two new vectors, S and E: place i is the start with softmax(S·T_i), and the
    end with softmax(E·T_i), over the places of B. Figure 4, c, and section 4.2."""

    def __init__(self, bert: Bert):
        super().__init__(bert, 2)

    def forward(
        self, ids: Ids, segments: Ids | None = None, mask: Mask | None = None
    ) -> tuple[Float[Tensor, "batch n"], Float[Tensor, "batch n"]]:
        """Each place's score as start, and as end; `answer_places` says which places may be asked."""
        start, end = self.head(self.dropout(self.states(ids, segments, mask))).unbind(-1)
        return start, end

    def loss(self, batch: LabelledBatch) -> Float[Tensor, ""]:
        """The mean over texts of −log p(start) − log p(end), in nats."""
        allowed = answer_places(batch.segments, batch.lengths)
        scores = self(batch.ids, batch.segments, batch.mask)
        hidden = (each.masked_fill(~allowed, -torch.inf) for each in scores)
        return sum(F.cross_entropy(each, label) for each, label in zip(hidden, batch.labels.unbind(1), strict=True))


def answer_places(segments: Ids, lengths: Int[Tensor, "batch"]) -> Bool[Tensor, "batch n"]:
    """Where an answer may stand: the tokens of B, without its [SEP]."""
    places = torch.arange(segments.shape[1], device=segments.device)
    return (segments == 1) & (places < lengths[:, None] - 1)


def best_span(
    start: Float[Tensor, "*batch n"],
    end: Float[Tensor, "*batch n"],
    allowed: Bool[Tensor, "*batch n"],
    max_len: int = MAX_SPAN,
) -> tuple[Int[Tensor, "*batch"], Int[Tensor, "*batch"]]:
    """The first and the last place, both included, of the span with the largest start[i] + end[j].

    Both ends are `allowed`, it doesn't end before it begins, and has `max_len` tokens at most. Of equal ones the first
    counts. Raises CourseError where a text has no such span.
    """
    n, max_len = start.shape[-1], whole_number("max_len", max_len, low=1)
    if not bool(allowed.any(-1).all()):
        raise CourseError("A span stands at allowed places, but there is a text where no place is allowed.")
    forwards = torch.ones(n, n, dtype=torch.bool, device=start.device).triu().tril(max_len - 1)  # i ≤ j < i + max_len
    possible = forwards & allowed[..., :, None] & allowed[..., None, :]
    score = start[..., :, None] + end[..., None, :]  # (*batch, start, end)
    best = score.masked_fill(~possible, -torch.inf).flatten(-2).argmax(-1)
    return best // n, best % n
