"""The Transformer of "Attention Is All You Need" (Vaswani et al. 2017): an encoder reads, a decoder writes.

    model = Transformer(TransformerConfig(vocab_size=500, d_model=64, num_heads=4, d_ff=256, num_layers=2))
    logits, _ = model(source, target, padding_mask(source, pad_id))     # of the token after each token of target

    source → tokens · √d_model + positions → encoder layers → memory ─┐
    target → tokens · √d_model + positions → decoder layers ──────────┴→ states → logits

One table of token vectors serves source, target and logits (section 3.4).
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import KeyValueCache
from course_lib.decoding import OnlyNewTokens, check_eval_mode
from course_lib.errors import CourseError
from course_lib.layers import DecoderLayer, EncoderLayer, LayerNorm
from course_lib.masks import Mask, causal_mask, check_padding_mask, combine_masks
from course_lib.positions import SCHEMES, Positions, make_positions
from course_lib.support.inputs import check_ids
from course_lib.support.messages import one_of, whole_number

Source = Int[Tensor, "batch source"]
Target = Int[Tensor, "batch target"]
Memory = Float[Tensor, "batch source d_model"]
States = Float[Tensor, "batch target d_model"]


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of a Transformer. Unless told otherwise they are the paper's base model's."""

    vocab_size: int
    d_model: int = 512
    num_heads: int = 8
    d_ff: int = 2048
    num_layers: int = 6  # of the encoder, and as many of the decoder
    max_len: int = 512  # tokens, of source and of target
    dropout: float = 0.1
    pre_norm: bool = False
    positions: str = "sinusoidal"  # one of course_lib.positions.SCHEMES

    def __post_init__(self):
        for name in ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "max_len"):
            whole_number(name, getattr(self, name), low=1)
        one_of("positions", self.positions, SCHEMES)

    @classmethod
    def base(cls, vocab_size: int = 37_000, **changes) -> "TransformerConfig":
        """The first row of the paper's table 3: 63.1 M parameters here, where it says 65 M."""
        return cls(vocab_size, **changes)

    @classmethod
    def big(cls, vocab_size: int = 37_000, **changes) -> "TransformerConfig":
        """The last row of table 3: 214.2 M parameters here, where it says 213 M."""
        return cls(vocab_size, **dict(d_model=1024, num_heads=16, d_ff=4096, dropout=0.3) | changes)


class Weights(NamedTuple):
    """All attention weights of one call."""

    encoder: Float[Tensor, "batch layer head source source"]
    decoder: Float[Tensor, "batch layer head target key"]
    cross: Float[Tensor, "batch layer head target source"]


class Transformer(nn.Module):
    """Encoder and decoder. `positions`, if given, stand in place of those that the config names, in both of them."""

    def __init__(self, config: TransformerConfig, positions: Positions | None = None):
        super().__init__()
        self.config = config
        d, heads = config.d_model, config.num_heads
        self.positions = positions or make_positions(config.positions, d, heads, config.max_len)
        self.token = nn.Embedding(config.vocab_size, d)
        sizes = (d, heads, config.d_ff, config.dropout, config.pre_norm)
        compared = self.positions if self.positions.relative else None  # the others are in the stream already
        self.encoder = nn.ModuleList(EncoderLayer(*sizes, compared) for _ in range(config.num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes, compared) for _ in range(config.num_layers))
        self.dropout = nn.Dropout(config.dropout)
        # A pre-norm stream is a sum that nothing has normalised yet; post-norm layers end with their own norm.
        self.encoder_norm = LayerNorm(d) if config.pre_norm else nn.Identity()
        self.decoder_norm = LayerNorm(d) if config.pre_norm else nn.Identity()
        self._initialise()

    def _initialise(self) -> None:
        """The paper doesn't say how. Each matrix as Glorot and Bengio (2010) have it, so that numbers keep their size
        on the way through; no bias. Token vectors of length about 1: times √d_model they are as large as the positions
        at the input, and as they are they give logits of about ±1 at the output, so the first loss is near ln(vocab).
        """
        for module in [*self.encoder.modules(), *self.decoder.modules()]:
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        nn.init.normal_(self.token.weight, std=self.config.d_model**-0.5)

    def forward(
        self,
        source: Source,
        target: Target,
        source_mask: Mask | None = None,
        target_mask: Mask | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch target vocab"], Weights | None]:
        """Logits of the token that follows each token of `target`, given those up to it and the whole source.

        The masks are `masks.padding_mask(ids, pad_id)`; that no token sees a later one is the decoder's own affair.
        Where target's padding stands at its end, it is hidden by that already, and needs no mask.
        Raises CourseError for ids that are no token's, texts too long, a source without its target, a mask that's none.
        """
        memory, of_encoder = self.encode(source, source_mask, need_weights)
        states, of_decoder = self.decode(target, memory, source_mask, target_mask, need_weights)
        return self.logits(states), Weights(of_encoder, *of_decoder) if need_weights else None

    def encode(
        self, source: Source, source_mask: Mask | None = None, need_weights: bool = False
    ) -> tuple[Memory, Float[Tensor, "batch layer head source source"] | None]:
        """What the decoder may read of the source: a vector for each token, in the light of all others."""
        x, weights = self._embed("source", source), []
        check_padding_mask("source_mask", source_mask, *source.shape)
        for layer in self.encoder:
            x, of_layer = layer(x, source_mask, need_weights)
            weights.append(of_layer)
        return self.encoder_norm(x), torch.stack(weights, dim=1) if need_weights else None

    def decode(
        self,
        target: Target,
        memory: Memory,
        source_mask: Mask | None = None,
        target_mask: Mask | None = None,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[
        States,
        tuple[Float[Tensor, "batch layer head target key"], Float[Tensor, "batch layer head target source"]] | None,
    ]:
        """The decoder's state at each token of `target`, and its weights (own, cross) if asked for.

        With a `cache`, `target` holds only the tokens that follow those of the calls before.
        """
        past = cache.length(self.decoder[0].attention) if cache is not None else 0
        x, weights = self._embed("target", target, past), []
        batch, n = target.shape
        if batch != len(memory):
            raise CourseError(f"Each source needs its target, but there are {len(memory)} sources and {batch} targets.")
        check_padding_mask("source_mask", source_mask, *memory.shape[:2])  # it serves two attentions: of keys only
        check_padding_mask("target_mask", target_mask, batch, past + n)
        mask = combine_masks(causal_mask(n, past).to(target.device), target_mask)
        for layer in self.decoder:
            x, of_layer = layer(x, mask, need_weights, memory, source_mask, cache)
            weights.append(of_layer)
        own_and_cross = tuple(torch.stack(each, dim=1) for each in zip(*weights)) if need_weights else None
        return self.decoder_norm(x), own_and_cross

    def logits(self, states: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes vocab"]:
        """How well each token's vector fits: the table of the input again, not scaled."""
        return F.linear(states, self.token.weight)

    def next_token(self, source: Source, source_mask: Mask | None = None, cache: bool = True) -> "NextToken":
        """What `course_lib.decoding` asks for the next token of these sources' targets. The source is encoded once.

        Raises CourseError in training mode, where dropout would give another answer at each call.
        """
        check_eval_mode(self)
        return NextToken(self, source, source_mask, cache)

    def _embed(self, name: str, ids: Int[Tensor, "batch n"], start: int = 0) -> Float[Tensor, "batch n d_model"]:
        check_ids(name, ids, self.config.vocab_size, self.config.max_len, start)
        x = self.token(ids) * self.config.d_model**0.5
        return self.dropout(self.positions(x, start))


class NextToken(OnlyNewTokens):
    """The logits of what follows, for targets that grow; see `course_lib.decoding` for what it promises."""

    def __init__(self, model: Transformer, source: Source, source_mask: Mask | None, cache: bool):
        super().__init__(self._last_logits, cache)
        self.model = model
        with torch.no_grad():
            self.memory, _ = model.encode(source, source_mask)
        self.source_mask = None if source_mask is None else source_mask.expand(len(source), -1, -1, -1)

    def _last_logits(self, new: Target, cache: KeyValueCache | None) -> Float[Tensor, "rows vocab"]:
        states, _ = self.model.decode(new, self.memory, self.source_mask, cache=cache)
        return self.model.logits(states[:, -1])

    def select(self, rows: Int[Tensor, "new_rows"]) -> None:
        super().select(rows)
        self.memory = self.memory[rows]
        self.source_mask = None if self.source_mask is None else self.source_mask[rows]
