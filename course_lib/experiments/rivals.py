"""What a GPT is compared with: a trigram, which counts, and a GRU, which carries all it has read in one vector.

All three are asked in the same way: `model(ids)` gives a pair, as GPT does, whose first is the logits of the next token
at every place.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.corpora.vocabulary import PAD_ID

SHARES = (0.6, 0.3, 0.1)  # of three words, of two, of one; the last with a tenth of a count for every word


class Trigram:
    """P(w | u v) = .6 count(u v w) / count(u v) + .3 count(v w) / count(v) + .1 count(w) / all; counted once, no steps.

    Jelinek and Mercer (1980) mix so ("interpolation"): three words that were never seen together still get something.
    """

    def __init__(self, rows: Iterable[Sequence[int]], vocab_size: int):
        one, self.two, self.three = torch.full((vocab_size,), 0.1), defaultdict(Counter), defaultdict(Counter)
        for row in rows:
            for u, v, w in zip([PAD_ID, *row], row, row[1:]):
                one[w] += 1
                self.two[v][w] += 1
                self.three[u, v][w] += 1
        self.one = one / one.sum()

    def probabilities(self, row: Sequence[int]) -> Float[Tensor, "n vocab"]:
        """Of the next token, after each of these."""
        return torch.stack([self._next(u, v) for u, v in zip([PAD_ID, *row], row)])

    def __call__(self, ids: Int[Tensor, "batch n"]) -> tuple[Float[Tensor, "batch n vocab"], None]:
        """Logarithms of probabilities are logits, too."""
        return torch.stack([self.probabilities(row) for row in ids.tolist()]).log(), None

    def _next(self, u: int, v: int) -> Float[Tensor, " vocab"]:
        """What was never followed by anything leaves its share to the shorter context."""
        of_one, of_two, of_three = SHARES[::-1]
        two, three = self.two.get(v), self.three.get((u, v))
        if three is None:
            of_two, of_three = of_two + of_three, 0.0
        if two is None:
            of_one, of_two = of_one + of_two, 0.0
        p = of_one * self.one
        for share, counts in ((of_two, two), (of_three, three)):
            if share:
                at = torch.tensor(list(counts))
                p[at] += share * torch.tensor(list(counts.values())) / counts.total()
        return p


class RecurrentLM(nn.Module):
    """Embedding, GRU, and a linear map back to the embedding's width; the output table is the input's (tied)."""

    def __init__(self, vocab_size: int, d_model: int = 128, hidden: int = 256):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token.weight, std=0.1)
        self.gru = nn.GRU(d_model, hidden, batch_first=True)
        self.out = nn.Linear(hidden, d_model)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, ids: Int[Tensor, "batch n"]) -> tuple[Float[Tensor, "batch n vocab"], None]:
        states, _ = self.gru(self.token(ids))
        return F.linear(self.out(states), self.token.weight, self.bias), None
