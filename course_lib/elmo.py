"""ELMo: a word's vector in its context (Peters et al. 2018, "Deep contextualized word representations").

    model = BiLM(BiLMConfig(vocab_size=800))
    ids, lengths = pad(texts)                                                           # of course_lib.corpora.batching
    model.loss(ids, lengths)                     # two language models learn together: one reads forwards, one backwards
    vectors = mixture(model.states(ids, lengths), s, gamma)        # what a task gets; it learns s and γ with its labels

    word → its vector → LSTM → LSTM, and once more from the text's end; at each layer forward ‖ backward

The two never read each other's states: at a place, one has read what stands before it, the other what stands after it,
so that neither has seen the word it is asked for. (torch's LSTM with bidirectional=True and two layers lets its second
layer read both directions of the first, and would see it.) The paper makes a word's first vector of its letters, by
convolution; here it is a row of a table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.support.inputs import check_ids
from course_lib.support.messages import described, whole_number

Ids = Int[Tensor, "batch n"]
Lengths = Int[Tensor, " batch"]
Reader = Callable[[Tensor], Tensor]  # (batch, n, d) → (batch, n, d_state); its state at a place has read up to there


# --- two directions ---------------------------------------------------------------------------------------------------


def turned(x: Shaped[Tensor, "batch n *axes"], lengths: Lengths) -> Shaped[Tensor, "batch n *axes"]:
    """Each text from its last word to its first. Padding stays at the end; turned twice, all is as it was.

    >>> turned(torch.tensor([[5, 6, 7], [8, 9, 0]]), torch.tensor([3, 2])).tolist()
    [[7, 6, 5], [9, 8, 0]]
    """
    place = torch.arange(x.shape[1], device=x.device)
    other = lengths[:, None] - 1 - place  # (batch, n)
    other = torch.where(other >= 0, other, place)
    return x[torch.arange(len(x), device=x.device)[:, None], other]


def forward_and_backward(
    before: Float[Tensor, "batch n d"],
    after: Float[Tensor, "batch n d"],
    lengths: Lengths,
    forward: Reader,
    backward: Reader,
) -> tuple[Float[Tensor, "batch n d_state"], Float[Tensor, "batch n d_state"]]:
    """Two states a place: one has read from the text's start up to it, the other from the text's end down to it.

    `before` and `after` are what each of them reads: the words' vectors, or its own states of the layer below.
    Both readers read left to right; the second is given each text turned round, and its states are turned back.
    What stands at padding means nothing.
    """
    return forward(before), turned(backward(turned(after, lengths)), lengths)


def before_and_after(states: Float[Tensor, "batch n two_d"]) -> Float[Tensor, "batch n two_d"]:
    """Of forward ‖ backward what may guess each word: the state of the place before it ‖ of the place after it.

    Where nothing stands there, zeros: the state that an LSTM begins with. States at padding should be zeros.
    """
    forward, backward = states.chunk(2, dim=-1)
    nothing = torch.zeros_like(forward[:, :1])
    return torch.cat([torch.cat([nothing, forward[:, :-1]], 1), torch.cat([backward[:, 1:], nothing], 1)], dim=-1)


# --- the model --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BiLMConfig:
    """The sizes of the two language models. The paper's have d_model = 512, inside of them 4096, and two layers."""

    vocab_size: int
    d_model: int = 128  # of a word's vector, and of each direction's state
    num_layers: int = 2

    def __post_init__(self):
        for name in ("vocab_size", "d_model", "num_layers"):
            whole_number(name, getattr(self, name), low=1)


class LSTM(nn.LSTM):
    """torch's LSTM (Hochreiter and Schmidhuber 1997), one layer; its states alone come out, (batch, n, d)."""

    def __init__(self, d: int):
        super().__init__(d, d, batch_first=True)

    def forward(self, x: Float[Tensor, "batch n d"]) -> Float[Tensor, "batch n d"]:
        return super().forward(x)[0]


class BiLM(nn.Module):
    """A forward and a backward language model. They share the words' vectors, which serve as output table, too."""

    def __init__(self, config: BiLMConfig):
        super().__init__()
        self.config = config
        d, layers = config.d_model, range(config.num_layers)
        self.token = nn.Embedding(config.vocab_size, d)
        self.forwards = nn.ModuleList(LSTM(d) for _ in layers)
        self.backwards = nn.ModuleList(LSTM(d) for _ in layers)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        nn.init.normal_(self.token.weight, std=0.1)

    def states(self, ids: Ids, lengths: Lengths) -> Float[Tensor, "layer batch n two_d"]:
        """All layers' vectors of each word, num_layers + 1 of them; zeros at padding. Each has read its own word.

        Layer 0 is the word's own vector, twice; layer j is forward_j ‖ backward_j. From the second LSTM on, what a
        layer reads is added to what it says (the paper's residual connection).
        Raises CourseError for ids that are no word's, and lengths that don't fit.
        """
        real = self._real(ids, lengths)[..., None]
        forward = backward = self.token(ids)
        states = [torch.cat([forward, backward], dim=-1)]
        for j, readers in enumerate(zip(self.forwards, self.backwards)):
            read = forward, backward
            forward, backward = forward_and_backward(*read, lengths, *readers)
            if j > 0:
                forward, backward = forward + read[0], backward + read[1]
            states.append(torch.cat([forward, backward], dim=-1))
        return torch.stack(states) * real

    def logits(self, ids: Ids, lengths: Lengths) -> Float[Tensor, "2 batch n vocab"]:
        """Of the word *at* each place: first by the words before it, then by the words after it."""
        return self._logits(before_and_after(self.states(ids, lengths)[-1]))

    def loss(self, ids: Ids, lengths: Lengths) -> Float[Tensor, ""]:
        """The mean of −log p(word), in nats, over all words of the texts and both directions (section 3.1)."""
        real = self._real(ids, lengths)
        logits = self._logits(before_and_after(self.states(ids, lengths)[-1])[real])  # (2, word, vocab)
        return F.cross_entropy(logits.flatten(0, 1), ids[real].repeat(2))

    def _logits(self, states: Float[Tensor, "*axes two_d"]) -> Float[Tensor, "2 *axes vocab"]:
        return F.linear(torch.stack(states.chunk(2, dim=-1)), self.token.weight, self.bias)

    def _real(self, ids: Ids, lengths: Lengths) -> Bool[Tensor, "batch n"]:
        """True at words, False at padding."""
        check_ids("ids", ids, self.config.vocab_size, max_len=inf)
        n = ids.shape[1]
        fits = isinstance(lengths, Tensor) and lengths.shape == ids.shape[:1] and not lengths.is_floating_point()
        if not fits or not len(ids) or lengths.min() < 1 or lengths.max() > n:
            found = f", {lengths.tolist()}" if isinstance(lengths, Tensor) and lengths.numel() < 10 else ""
            raise CourseError(
                f"lengths should be one whole number from 1 to n = {n} for each of the {len(ids)} texts; "
                f"got {described(lengths)}{found}."
            )
        return torch.arange(n, device=ids.device) < lengths[:, None]


def mixture(
    states: Float[Tensor, "layer *axes d"], s: Float[Tensor, " layer"], gamma: float | Float[Tensor, ""] = 1.0
) -> Float[Tensor, "*axes d"]:
    """γ Σⱼ softmax(s)ⱼ hⱼ, equation 1: the layers in shares that sum to 1, and a length. A task learns s and γ."""
    return gamma * torch.einsum("j,j...->...", s.softmax(0), states)
