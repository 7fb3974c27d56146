"""word2vec: skip-gram with negative sampling (Mikolov et al. 2013, "Distributed Representations of Words and Phrases").

    model = SkipGram(len(vocabulary), d=64)
    batches = training_batches(sentences, len(vocabulary), window=3, seed=0)         # sentences: lists of words' ids
    losses = fit(model, batches, model.loss, 1000, torch.optim.Adam(model.parameters(), 0.01))    # course_lib.training
    nearest(model.word.weight, vocabulary.ids["june"], k=5)

    sentences → pairs (word, company) → σ(word · company) towards 1, σ(word · stranger) towards 0

A word has two vectors: one for when it is asked about, and one for when it is company. The first is kept.
"""

from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.support.messages import described, whole_number

Sentences = Sequence[Sequence[int]]
Pairs = Int[Tensor, "pair 2"]
Strangers = Int[Tensor, "pair k"]


# --- what a word keeps company with -----------------------------------------------------------------------------------


def window_pairs(sentences: Sentences, window: int) -> Pairs:
    """Each word with each word at most `window` places away, on both sides, never across a sentence's end.

    In the text's order: word after word, its company from left to right.

    >>> window_pairs([[5, 6, 7], [8, 9]], window=1).tolist()
    [[5, 6], [6, 5], [6, 7], [7, 6], [8, 9], [9, 8]]
    """
    whole_number("window", window, low=1)
    words = torch.tensor([word for sentence in sentences for word in sentence], dtype=torch.long)
    sentence = torch.tensor([i for i, sentence in enumerate(sentences) for _ in sentence], dtype=torch.long)
    gaps = torch.tensor([*range(-window, 0), *range(1, window + 1)])
    beside = torch.arange(len(words))[:, None] + gaps  # (word, 2 window): the places that company may stand at
    inside = (beside >= 0) & (beside < len(words))
    beside = torch.where(inside, beside, 0)
    together = inside & (sentence[beside] == sentence[:, None])
    return torch.stack([words[:, None].expand_as(beside)[together], words[beside[together]]], dim=1)


def noise(counts: Tensor, power: float = 0.75) -> Float[Tensor, " vocab"]:
    """How probable each word is to be drawn as a stranger: its count to the power ¾, as a share (section 2.2).

    1 would draw words as often as the text has them, 0 all alike.

    >>> noise(torch.tensor([0, 16, 81]))
    tensor([0.0000, 0.2286, 0.7714])
    """
    if counts.dim() != 1 or not bool((counts >= 0).all()) or not bool((counts > 0).any()):
        raise CourseError(f"counts should be one number from 0 up for each word, not all 0; got {described(counts)}.")
    raised = torch.where(counts > 0, counts.float() ** power, 0.0)  # 0 to the power 0 is 1
    return raised / raised.sum()


# --- the model --------------------------------------------------------------------------------------------------------


def negative_sampling_loss(
    words: Float[Tensor, "pair d"], company: Float[Tensor, "pair d"], strangers: Float[Tensor, "pair k d"]
) -> Float[Tensor, ""]:
    """The mean over the pairs of −log σ(w · c) − Σₖ log σ(−w · sₖ), in nats: equation 4.

    Company is asked "did these two stand together?" and should get a yes, each of the k strangers a no.
    """
    yes = F.logsigmoid((words * company).sum(-1))  # (pair)
    no = F.logsigmoid(-torch.einsum("pd,pkd->pk", words, strangers))
    return -(yes + no.sum(-1)).mean()


class SkipGram(nn.Module):
    """Two tables of vectors, and nothing else."""

    def __init__(self, vocab_size: int, d: int):
        super().__init__()
        self.word = nn.Embedding(whole_number("vocab_size", vocab_size, 1), whole_number("d", d, 1))
        self.company = nn.Embedding(vocab_size, d)
        nn.init.normal_(self.word.weight, std=0.1)
        nn.init.zeros_(self.company.weight)  # at first every answer is σ(0) = ½

    def loss(self, batch: tuple[Pairs, Strangers]) -> Float[Tensor, ""]:
        """Of pairs (word, company), and of strangers for each of them; all are ids."""
        pairs, strangers = batch
        return negative_sampling_loss(self.word(pairs[:, 0]), self.company(pairs[:, 1]), self.company(strangers))


def training_batches(
    sentences: Sentences,
    vocab_size: int,
    window: int = 5,
    strangers: int = 5,
    size: int = 4096,
    threshold: float = 1e-3,
    seed: int = 0,
) -> Iterator[tuple[Pairs, Strangers]]:
    """Batches without end: `size` pairs, and so many strangers for each, drawn by `noise`.

    A word whose share f of the text is above the threshold t stays with the probability √(t/f), drawn anew in each
    round: *the* stands beside everything and says little (section 2.3, where a huge text has t = 1e-5). What is left
    moves together, so that windows reach further. Raises CourseError where no two words stand together.
    """
    generator = torch.Generator().manual_seed(seed)
    words = torch.tensor([word for sentence in sentences for word in sentence], dtype=torch.long)
    counts = words.bincount(minlength=vocab_size)
    if not any(len(sentence) > 1 for sentence in sentences):
        raise CourseError("Pairs are made of words that stand together, but no sentence has two words.")
    if len(counts) > vocab_size:
        raise CourseError(f"vocab_size is {vocab_size}, but the sentences have the id {len(counts) - 1}.")
    drawn, stays = noise(counts), (threshold / (counts / len(words))).sqrt()
    while True:
        kept = iter((torch.rand(len(words), generator=generator) < stays[words]).tolist())
        thinned = [[word for word in sentence if next(kept)] for sentence in sentences]
        pairs = window_pairs(thinned, window)
        pairs = pairs[torch.randperm(len(pairs), generator=generator)]
        for part in pairs.split(size) if len(pairs) else ():
            ids = drawn.multinomial(len(part) * strangers, replacement=True, generator=generator)
            yield part, ids.view(len(part), strangers)


# --- what it has learned ----------------------------------------------------------------------------------------------


def cosines(vectors: Float[Tensor, "vocab d"], word: int) -> Float[Tensor, " vocab"]:
    """The cosine of each vector's angle with that of `word`; −1 to 1, whatever their lengths."""
    unit = F.normalize(vectors, dim=-1)
    return unit @ unit[word]


def nearest(vectors: Float[Tensor, "vocab d"], word: int, k: int) -> Int[Tensor, " k"]:
    """The ids of the k words nearest to `word` by cosine, the nearest first; the word itself isn't one of them."""
    if not (0 <= word < len(vectors) and 1 <= k < len(vectors)):
        raise CourseError(
            f"Of {len(vectors)} words, word should be an id from 0 to {len(vectors) - 1}, and k from 1 to "
            f"{len(vectors) - 1}; got word = {word}, k = {k}."
        )
    near = cosines(vectors, word)
    near[word] = -torch.inf
    return near.topk(k).indices
