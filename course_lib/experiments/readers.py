"""The readers that lesson 01 compares: recurrent, convolution, attention. And a task: name a text's first word."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention

WIDTH = 64  # numbers in a word's vector, and in a state
WORDS = 16  # of the recall task
Reader = Callable[[Float[Tensor, "batch n d"]], Float[Tensor, "batch n d"]]


class Convolution(nn.Module):
    """In each layer a word sees itself and one neighbour on either side: three layers reach three words."""

    def __init__(self, width: int = WIDTH, layers: int = 3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(width, width, 3, padding=1) for _ in range(layers))

    def forward(self, x: Float[Tensor, "batch n d"]) -> Float[Tensor, "batch n d"]:
        x = x.mT  # Conv1d wants (batch, d, n)
        for layer in self.layers:
            x = F.relu(layer(x))
        return x.mT


def fresh_readers(seed: int = 0) -> dict[str, Reader]:
    """Four untrained networks, by name."""
    torch.manual_seed(seed)
    rnn, gru = (kind(WIDTH, WIDTH, batch_first=True) for kind in (nn.RNN, nn.GRU))
    convolution, one_head = Convolution(), MultiHeadAttention(WIDTH, num_heads=1)
    return {
        "RNN": lambda x: rnn(x)[0],
        "GRU": lambda x: gru(x)[0],
        "convolution": convolution,
        "attention": lambda x: one_head(x)[0],
    }


class Recall(nn.Module):
    """Reads a text and names its first word from what comes out at the last. kind: "GRU" or "attention"."""

    def __init__(self, kind: str, length: int):
        super().__init__()
        self.word, self.place = nn.Embedding(WORDS, WIDTH), nn.Embedding(length, WIDTH)
        gru, one_head = nn.GRU(WIDTH, WIDTH, batch_first=True), MultiHeadAttention(WIDTH, 1)
        self.reader = gru if kind == "GRU" else one_head
        self.output = nn.Linear(WIDTH, WORDS)

    def forward(self, text: Int[Tensor, "batch n"]) -> Float[Tensor, "batch words"]:
        x = self.word(text) + self.place.weight[: text.shape[1]]
        return self.output(self.reader(x)[0][:, -1])


def recalled(kind: str, length: int, steps: int = 200, seed: int = 0) -> float:
    """The share of new random texts whose first word is named after so many steps of training; 1/16 by chance."""
    torch.manual_seed(seed)
    model = Recall(kind, length)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(steps):
        text = torch.randint(WORDS, (32, length))
        loss = F.cross_entropy(model(text), text[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    text = torch.randint(WORDS, (1000, length))
    with torch.no_grad():
        return (model(text).argmax(-1) == text[:, 0]).float().mean().item()
