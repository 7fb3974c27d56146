"""A small trained Transformer that reads a sentence and says what *it* stands for.

    reader = PronounReader.pretrained()
    reader.stands_for("The animal did not cross the street because it was too tired.")   # [("animal", 0.99), ...]
    tokens, weights = reader.attention("The animal did not cross ...")                    # (layer, head, query, key)

It learned from the sentences of `course_lib.corpora.pronouns`; its card is data/pronoun_reader.md, and
`python -m course_lib.experiments.pronoun_reader` trains it again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.checkpoints import load_model, save_model
from course_lib.corpora.vocabulary import MASK, PAD, PAD_ID, Vocabulary
from course_lib.errors import CourseError
from course_lib.layers import Block
from course_lib.masks import padding_mask
from course_lib.positions import LearnedPositions
from course_lib.support.paths import DATA

CHECKPOINT = DATA / "pronoun_reader.safetensors"

Weights = Float[Tensor, "batch layer head query key"]


@dataclass(frozen=True)
class ReaderConfig:
    words: tuple[str, ...]  # the vocabulary, without its special tokens
    d_model: int = 64
    num_heads: int = 4
    num_layers: int = 2
    max_len: int = 32


@dataclass(frozen=True)
class HeadInputs:
    """All that one head computes with: softmax((x W_Qᵀ)(x W_Kᵀ)ᵀ / √d_k) is `weights`, exactly. No biases."""

    tokens: list[str]
    x: Float[Tensor, "n d_model"]  # one vector for each word as it enters the head, after the layer norm
    W_Q: Float[Tensor, "d_k d_model"]
    W_K: Float[Tensor, "d_k d_model"]
    W_V: Float[Tensor, "d_k d_model"]
    W_O: Float[Tensor, "d_model d_k"]  # what this head's output adds to the word's vector
    weights: Float[Tensor, "n n"]  # (query, key)


class PronounReader(nn.Module):
    """Word and position vectors, two layers of multi-head attention, and at each word a guess: which word belongs here?

    At <mask> that is the word that was hidden; at *it* the noun that *it* stands for. There is no feed-forward layer:
    with one, the words in *it* are mixed by the first layer and told apart there, and no head has to choose. With
    attention alone the choice must be made by attention, where it can be seen (Elhage et al. 2021, "A Mathematical
    Framework for Transformer Circuits", study such models).
    """

    def __init__(self, config: ReaderConfig):
        super().__init__()
        self.config = config
        self.vocabulary = Vocabulary(config.words, special_tokens=(PAD, MASK))
        self.word = nn.Embedding(len(self.vocabulary), config.d_model)
        self.positions = LearnedPositions(config.d_model, config.max_len)
        self.layers = nn.ModuleList(
            Block(config.d_model, config.num_heads, bias=False) for _ in range(config.num_layers)
        )
        self.norm = nn.LayerNorm(config.d_model)

    @classmethod
    def pretrained(cls, path: str | Path = CHECKPOINT) -> "PronounReader":
        """The trained model, ready to read. Raises CourseError where the file is missing."""
        if not Path(path).is_file():
            raise CourseError(
                f"The trained reader should be at {path}, but there is no such file. "
                "Make it with: python -m course_lib.experiments.pronoun_reader"
            )
        reader = load_model(path, lambda config: cls(ReaderConfig(**config | {"words": tuple(config["words"])})))
        return reader.requires_grad_(False)

    @property
    def ids(self) -> dict[str, int]:
        return self.vocabulary.ids

    def save(self, path: str | Path = CHECKPOINT) -> None:
        save_model(self, path)

    def tokens(self, text: str | Sequence[str]) -> list[str]:
        """Lower-case words and marks: 'It broke.' → ['it', 'broke', '.']. '<mask>' stays whole."""
        if not isinstance(text, str):
            return list(text)
        return re.findall(rf"{MASK}|[\w'’-]+|[^\w\s]", text.lower())

    def encode(self, text: str | Sequence[str]) -> Int[Tensor, "n"]:
        """The words' ids. Raises CourseError if the text is empty or too long, or has a word that isn't known."""
        tokens = self.tokens(text)
        if len(tokens) > self.config.max_len:
            raise CourseError(
                f"The reader takes at most {self.config.max_len} words and marks, "
                f"but this text has {len(tokens)}. Take a shorter one."
            )
        return torch.tensor(self.vocabulary.encode(tokens))

    def forward(
        self, ids: Int[Tensor, "batch n"], need_weights: bool = False
    ) -> tuple[Float[Tensor, "batch n vocab"], Weights | None]:
        """Logits of each word of the vocabulary at each position, and all attention weights if asked for."""
        x, mask, weights = self.positions(self.word(ids)), padding_mask(ids, PAD_ID), []
        for layer in self.layers:
            x, of_layer = layer(x, mask, need_weights)
            weights.append(of_layer)
        logits = F.linear(self.norm(x), self.word.weight)
        return logits, torch.stack(weights, dim=1) if need_weights else None

    @torch.no_grad()
    def attention(self, text: str | Sequence[str]) -> tuple[list[str], Float[Tensor, "layer head n n"]]:
        """The words, and how much each one (query) attends to each other (key) in every head of every layer."""
        _, weights = self(self.encode(text)[None], need_weights=True)
        return self.tokens(text), weights[0]

    @torch.no_grad()
    def stands_for(
        self, text: str | Sequence[str], top: int = 3, added: Float[Tensor, "d_model"] | None = None
    ) -> list[tuple[str, float]]:
        """The likeliest nouns for the first *it*, with their probabilities; 'it' itself means: for nothing.

        added: to the vector of *it* after the last layer. What would the answer be, had a head said something else?
        """
        tokens = self.tokens(text)
        if "it" not in tokens:
            raise CourseError("The reader says what 'it' stands for, but there is no 'it' in this sentence.")
        x = self.positions(self.word(self.encode(tokens)[None]))
        for layer in self.layers:
            x, _ = layer(x)
        of_it = x[0, tokens.index("it")] + (0 if added is None else added)
        best = F.linear(self.norm(of_it), self.word.weight).softmax(-1).topk(top)
        return [(self.vocabulary.words[i], p) for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)]

    @torch.no_grad()
    def head_inputs(self, text: str | Sequence[str], layer: int, head: int) -> HeadInputs:
        """What enters one head, and its matrices. Layers and heads count from 0."""
        shape = (self.config.num_layers, self.config.num_heads)
        if not (0 <= layer < shape[0] and 0 <= head < shape[1]):
            raise CourseError(
                f"The reader has layers 0 to {shape[0] - 1}, each with heads 0 to {shape[1] - 1}, "
                f"but you asked for layer {layer}, head {head}."
            )
        tokens, weights = self.attention(text)
        x = self.positions(self.word(self.encode(text)[None]))
        for below in self.layers[:layer]:
            x, _ = below(x)
        block = self.layers[layer]
        rows = slice(head * (d_k := self.config.d_model // self.config.num_heads), (head + 1) * d_k)
        return HeadInputs(
            tokens=tokens,
            x=block.attention_norm(x)[0],
            W_Q=block.attention.W_Q.weight[rows],
            W_K=block.attention.W_K.weight[rows],
            W_V=block.attention.W_V.weight[rows],
            W_O=block.attention.W_O.weight[:, rows],
            weights=weights[layer, head],
        )
