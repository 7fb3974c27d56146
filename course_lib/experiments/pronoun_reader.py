"""A small trained Transformer that reads a sentence and says what *it* stands for.

    reader = PronounReader.pretrained()
    reader.stands_for("The animal did not cross the street because it was too tired.")   # [("animal", 0.99), ...]
    tokens, weights = reader.attention("The animal did not cross ...")                    # (layer, head, query, key)

It learned from the sentences of `course_lib.corpora.pronouns`; its card is data/pronoun_reader.md.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.layers import SelfAttentionLayer
from course_lib.masks import padding_mask
from course_lib.support.paths import DATA

CHECKPOINT = DATA / "pronoun_reader.safetensors"
PAD, MASK = "[pad]", "[mask]"
PAD_ID, MASK_ID = 0, 1


@dataclass(frozen=True)
class ReaderConfig:
    words: tuple[str, ...]  # the vocabulary, without [pad] and [mask]
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

    At [mask] that is the word that was hidden; at *it* the noun that *it* stands for. There is no feed-forward layer:
    with one, the words in *it* are mixed by the first layer and told apart there, and no head has to choose. With
    attention alone the choice must be made by attention, where it can be seen (Elhage et al. 2021, "A Mathematical
    Framework for Transformer Circuits", study such models).
    """

    def __init__(self, config: ReaderConfig):
        super().__init__()
        self.config = config
        self.vocabulary = (PAD, MASK, *config.words)
        self.ids = {word: i for i, word in enumerate(self.vocabulary)}
        self.word = nn.Embedding(len(self.vocabulary), config.d_model)
        self.position = nn.Embedding(config.max_len, config.d_model)
        self.layers = nn.ModuleList(
            SelfAttentionLayer(config.d_model, config.num_heads, bias=False) for _ in range(config.num_layers)
        )
        self.norm = nn.LayerNorm(config.d_model)

    @classmethod
    def pretrained(cls, path: str | Path = CHECKPOINT) -> "PronounReader":
        """The trained model, ready to read. Raises CourseError where the file is missing."""
        if not Path(path).is_file():
            raise CourseError(f"The trained reader should be at {path}, but there is no such file. "
                              "Make it with: python data/train_pronoun_reader.py")  # fmt: skip
        with safe_open(path, framework="pt") as file:
            config = json.loads(file.metadata()["config"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}
        with torch.random.fork_rng(devices=[]):  # loading a model must not move the caller's random numbers
            reader = cls(ReaderConfig(**config | {"words": tuple(config["words"])}))
        reader.load_state_dict(tensors)
        return reader.eval().requires_grad_(False)

    def save(self, path: str | Path = CHECKPOINT) -> None:
        save_file(self.state_dict(), path, metadata={"config": json.dumps(asdict(self.config))})

    def tokens(self, text: str | Sequence[str]) -> list[str]:
        """Lower-case words and marks: 'It broke.' → ['it', 'broke', '.']. '[mask]' stays whole."""
        if not isinstance(text, str):
            return list(text)
        return re.findall(r"\[mask\]|[\w'’-]+|[^\w\s]", text.lower())

    def encode(self, text: str | Sequence[str]) -> Int[Tensor, "n"]:
        """The words' numbers. Raises CourseError for no words, too many words, or a word that isn't known."""
        tokens = self.tokens(text)
        if not tokens:
            raise CourseError("The reader needs a sentence, but this text has no words.")
        if len(tokens) > self.config.max_len:
            raise CourseError(f"The reader takes at most {self.config.max_len} words and marks, "
                              f"but this text has {len(tokens)}. Take a shorter one.")  # fmt: skip
        for token in tokens:
            if token not in self.ids:
                near = ", ".join(f"'{word}'" for word in get_close_matches(token, self.config.words, 3, cutoff=0.5))
                advice = f"The nearest words that it knows: {near}." if near else "No word that it knows is near."
                raise CourseError(f"The reader doesn't know the word '{token}'. {advice} "
                                  f"`reader.config.words` lists all {len(self.config.words)}.")  # fmt: skip
        return torch.tensor([self.ids[token] for token in tokens])

    def forward(
        self, ids: Int[Tensor, "batch n"], need_weights: bool = False
    ) -> tuple[Float[Tensor, "batch n vocab"], Float[Tensor, "batch layer head n n"] | None]:
        """Scores for each word of the vocabulary at each position, and if asked for all weights, (…, query, key)."""
        x, mask, weights = self._embed(ids), padding_mask(ids, PAD_ID), []
        for layer in self.layers:
            x, seen = layer(x, mask, need_weights)
            weights.append(seen)
        logits = F.linear(self.norm(x), self.word.weight)
        return logits, torch.stack(weights, dim=1) if need_weights else None

    @torch.no_grad()
    def attention(self, text: str | Sequence[str]) -> tuple[list[str], Float[Tensor, "layer head n n"]]:
        """The words, and how much each one (query) looks at each other (key) in every head of every layer."""
        _, weights = self(self.encode(text)[None], need_weights=True)
        return self.tokens(text), weights[0]

    @torch.no_grad()
    def stands_for(self, text: str | Sequence[str], top: int = 3) -> list[tuple[str, float]]:
        """The likeliest nouns for the first *it*, with their probabilities; 'it' itself means: for nothing."""
        tokens = self.tokens(text)
        if "it" not in tokens:
            raise CourseError("The reader says what 'it' stands for, but there is no 'it' in this sentence.")
        logits, _ = self(self.encode(tokens)[None])
        best = logits[0, tokens.index("it")].softmax(-1).topk(top)
        return [(self.vocabulary[i], p) for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)]

    @torch.no_grad()
    def head_inputs(self, text: str | Sequence[str], layer: int, head: int) -> HeadInputs:
        """What enters one head, and its matrices. Layers and heads count from 0."""
        shape = (self.config.num_layers, self.config.num_heads)
        if not (0 <= layer < shape[0] and 0 <= head < shape[1]):
            raise CourseError(f"The reader has layers 0 to {shape[0] - 1}, each with heads 0 to {shape[1] - 1}, "
                              f"but you asked for layer {layer}, head {head}.")  # fmt: skip
        tokens, weights = self.attention(text)
        x = self._embed(self.encode(text)[None])
        for below in self.layers[:layer]:
            x, _ = below(x)
        block = self.layers[layer]
        rows = slice(head * (d_k := self.config.d_model // self.config.num_heads), (head + 1) * d_k)
        return HeadInputs(
            tokens=tokens,
            x=block.norm(x)[0],
            W_Q=block.attention.W_Q.weight[rows],
            W_K=block.attention.W_K.weight[rows],
            W_V=block.attention.W_V.weight[rows],
            W_O=block.attention.W_O.weight[:, rows],
            weights=weights[layer, head],
        )

    def _embed(self, ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n d_model"]:
        return self.word(ids) + self.position.weight[: ids.shape[-1]]
