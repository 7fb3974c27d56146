"""BERT: the Transformer's encoder alone, trained to fill in blanks and to tell which sentence follows which.

Devlin, Chang, Lee and Toutanova (2019), "BERT: Pre-training of Deep Bidirectional Transformers".

    model = Bert(BertConfig(vocab_size=500, d_model=128, num_heads=4, d_ff=512, num_layers=3))
    output = model(ids, segments, padding_mask(ids, PAD_ID))     # .mlm, .nsp: logits; .states: a vector for each token
    loss = pretraining_loss(model, batch)                        # a batch of course_lib.corpora.cloze
    model = Bert.from_pretrained("google-bert/bert-base-uncased")

    ids, segments → token + segment + position → norm → blocks → states ┬→ transform → token table → which token?
                                                                        └→ [CLS] → pooler → is B the next sentence?
"""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib import hugging_face
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.cloze import BertBatch
from course_lib.errors import CourseError
from course_lib.layers import Block, LayerNorm
from course_lib.masks import Mask, check_padding_mask, length_mask
from course_lib.positions import SCHEMES, LearnedPositions, make_positions
from course_lib.support.inputs import check_ids
from course_lib.support.messages import described, one_of, whole_number

Ids = Int[Tensor, "batch n"]
States = Float[Tensor, "batch n d_model"]
AllWeights = Float[Tensor, "batch layer head n n"]


@dataclass(frozen=True)
class BertConfig:
    """The sizes of a BERT. Unless told otherwise they are the paper's base model's, uncased."""

    vocab_size: int = 30_522
    d_model: int = 768
    num_heads: int = 12
    d_ff: int = 3072
    num_layers: int = 12
    max_len: int = 512
    num_segments: int = 2
    dropout: float = 0.1
    eps: float = 1e-12  # of every norm
    pre_norm: bool = False
    positions: str = "learned"  # one of course_lib.positions.SCHEMES
    zero_init: bool = False  # each block begins by adding nothing: a small model learns faster so

    def __post_init__(self):
        for name in ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "max_len", "num_segments"):
            whole_number(name, getattr(self, name), low=1)
        one_of("positions", self.positions, SCHEMES)

    @classmethod
    def base(cls, **changes) -> "BertConfig":
        """Section 3: L = 12, H = 768, A = 12, "110M". That is encoder and pooler, 109.5 M; with both heads 110.1 M."""
        return cls(**changes)

    @classmethod
    def large(cls, **changes) -> "BertConfig":
        """L = 24, H = 1024, A = 16, "340M": 335.1 M to the nearest ten; with both heads 336.2 M."""
        return cls(**dict(d_model=1024, num_heads=16, d_ff=4096, num_layers=24) | changes)


class BertOutput(NamedTuple):
    """What one call gives."""

    mlm: Float[Tensor, "*axes vocab"]  # logits of the token at each place, or at the places asked for
    nsp: Float[Tensor, "batch 2"]  # logits of cloze.IS_NEXT and cloze.NOT_NEXT
    states: Float[Tensor, "*axes d_model"]  # a vector for each of these places
    weights: AllWeights | None


def input_sum(
    ids: Ids,
    segments: Ids,
    token: Float[Tensor, "vocab d_model"],
    segment: Float[Tensor, "segments d_model"],
    position: Float[Tensor, "max_len d_model"],
) -> Float[Tensor, "batch n d_model"]:
    """Figure 2 of the paper: each place gets the sum of three vectors, of its token, its segment and its position."""
    return F.embedding(ids, token) + F.embedding(segments, segment) + position[: ids.shape[1]]


class Bert(nn.Module):
    """Encoder, pooler and the two heads of pretraining."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.config = config
        d, dropout, eps = config.d_model, config.dropout, config.eps
        self.token = nn.Embedding(config.vocab_size, d)
        self.segment = nn.Embedding(config.num_segments, d)
        self.positions = make_positions(config.positions, d, config.num_heads, config.max_len)
        self.embedding_norm = LayerNorm(d, eps)
        compared = self.positions if self.positions.relative else None  # the others are in the sum already
        options = dict(pre_norm=config.pre_norm, positions=compared, eps=eps)
        self.blocks = nn.ModuleList(
            Block(d, config.num_heads, config.d_ff, dropout, **options) for _ in range(config.num_layers)
        )
        self.dropout = nn.Dropout(dropout)
        # A pre-norm stream is a sum that nothing has normalised yet; post-norm blocks end with their own norm.
        self.final_norm = LayerNorm(d, eps) if config.pre_norm else nn.Identity()
        self.pooler = nn.Linear(d, d)
        self.nsp_head = nn.Linear(d, 2)
        self.mlm_transform = nn.Linear(d, d)
        self.mlm_norm = LayerNorm(d, eps)
        self.mlm_bias = nn.Parameter(torch.zeros(config.vocab_size))
        self._initialise()

    def _initialise(self) -> None:
        """As the paper's code: every matrix and table normal with σ = 0.02, no bias."""
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
            if isinstance(module, LearnedPositions):
                nn.init.normal_(module.table, std=0.02)
        for block in self.blocks:
            block.feed_forward.dropout.p = 0.0  # BERT has none inside the feed-forward network
            if self.config.zero_init:
                nn.init.zeros_(block.attention.W_O.weight)
                nn.init.zeros_(block.feed_forward.W_2.weight)

    def forward(
        self,
        ids: Ids,
        segments: Ids | None = None,
        mask: Mask | None = None,
        places: Bool[Tensor, "batch n"] | None = None,
        need_weights: bool = False,
    ) -> BertOutput:
        """Logits of both tasks. `segments` are 0 throughout unless given; `mask` is a padding mask.

        With `places`, only these are asked for their token: mlm is (place, vocab), states (place, d_model), row by row.
        In pretraining that is one place in seven, and neither the last block's feed-forward network nor the table of
        all tokens works for the others.
        Raises CourseError for ids that are no token's, texts too long, segments, masks and places that don't fit.
        """
        if places is None:
            states, weights = self.encode(ids, segments, mask, need_weights)
            return BertOutput(self.mlm_logits(states), self.nsp_logits(states[:, 0]), states, weights)
        if not isinstance(places, Tensor) or places.dtype != torch.bool or places.shape != ids.shape:
            raise CourseError(
                f"places should be boolean and of the ids' shape {tuple(ids.shape)}, True where a token is asked for; "
                f"got {described(places)}."
            )
        first = torch.zeros_like(places)  # [CLS], which the other head asks
        first[:, 0] = True
        needed = places | first
        states, weights = self.encode(ids, segments, mask, need_weights, only=needed)
        asked = states[places[needed]]
        return BertOutput(self.mlm_logits(asked), self.nsp_logits(states[first[needed]]), asked, weights)

    def encode(
        self,
        ids: Ids,
        segments: Ids | None = None,
        mask: Mask | None = None,
        need_weights: bool = False,
        only: Bool[Tensor, "batch n"] | None = None,
    ) -> tuple[States | Float[Tensor, "token d_model"], AllWeights | None]:
        """A vector for each token, or for `only` these, in the light of all others; all weights if asked for."""
        check_ids("ids", ids, self.config.vocab_size, self.config.max_len)
        check_padding_mask("mask", mask, *ids.shape)
        segments = torch.zeros_like(ids) if segments is None else self._checked(segments, ids)
        position = self.positions(self.token.weight.new_zeros(1, ids.shape[1], self.config.d_model))[0]
        x = input_sum(ids, segments, self.token.weight, self.segment.weight, position)
        x, weights = self.dropout(self.embedding_norm(x)), []
        for block in self.blocks:
            x, of_block = block(x, mask, need_weights, only=only if block is self.blocks[-1] else None)
            weights.append(of_block)
        return self.final_norm(x), torch.stack(weights, dim=1) if need_weights else None

    def mlm_logits(self, states: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes vocab"]:
        """How well each token fits: one more layer, then the table of the input again, and a bias for each token."""
        return F.linear(self.mlm_norm(F.gelu(self.mlm_transform(states))), self.token.weight, self.mlm_bias)

    def pooled(self, first: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
        """One vector for the whole text: the state of [CLS], the first token, through a layer with tanh."""
        return self.pooler(first).tanh()

    def nsp_logits(self, first: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch 2"]:
        """Whether B follows A (cloze.IS_NEXT) or not (cloze.NOT_NEXT), by the state of [CLS]."""
        return self.nsp_head(self.pooled(first))

    def _checked(self, segments: Tensor, ids: Tensor) -> Tensor:
        most = self.config.num_segments - 1
        fits = isinstance(segments, Tensor) and segments.shape == ids.shape and not segments.is_floating_point()
        if not fits or (segments.numel() and not (segments.min() >= 0 and segments.max() <= most)):
            found = f", from {segments.min()} to {segments.max()}" if fits else ""
            raise CourseError(
                f"segments should be whole numbers from 0 to {most}, 0 in A and 1 in B, of the ids' shape "
                f"{tuple(ids.shape)}; got {described(segments)}{found}."
            )
        return segments

    # --- Hugging Face's form ------------------------------------------------------------------------------------------

    @classmethod
    def from_pretrained(cls, name_or_path: str | Path) -> "Bert":
        """A checkpoint of transformers' BertForPreTraining, BertForMaskedLM or BertModel, in eval mode.

        A folder here, or a name on Hugging Face's hub. Heads that the checkpoint doesn't have begin untrained, and a
        warning says so; heads of other tasks are left out. Raises CourseError where it can't be read or is no BERT.
        """
        said, weights = hugging_face.read(name_or_path, "bert")
        config, weights = _config_from(said, name_or_path), _names_of_today(weights)
        with torch.random.fork_rng():
            model = cls(config)
        own = {theirs: ours for ours, theirs in _their_names(model).items()}
        missing = [head for head in HEADS if not any(name.startswith(head) for name in weights)]
        own = {theirs: ours for theirs, ours in own.items() if not theirs.startswith(tuple(missing))}
        hugging_face.load_into(model, own, weights, name_or_path)
        if missing:
            untrained = ", ".join(HEADS[head] for head in missing)
            warnings.warn(f"{name_or_path} doesn't have everything: untrained here are {untrained}.", stacklevel=2)
        return model.eval()

    def save_pretrained(self, folder: str | Path) -> None:
        """A folder that transformers' BertForPreTraining loads, and from_pretrained.

        Raises CourseError where it can't be written, or there is no such BERT: pre-norm, or other positions.
        """
        config = self.config
        if config.pre_norm or config.positions != "learned":
            raise CourseError(
                "Hugging Face's BERT is post-norm with learned positions, but this model has "
                f"pre_norm = {config.pre_norm} and positions = {config.positions!r}. checkpoints.save_model keeps it."
            )
        said = {theirs: getattr(config, ours) for ours, theirs in CONFIG.items()}
        said |= FIXED | {"attention_probs_dropout_prob": config.dropout, "architectures": ["BertForPreTraining"]}
        names, state = _their_names(self), self.state_dict()
        hugging_face.write(folder, said | {"model_type": "bert"}, {names[ours]: state[ours] for ours in names})


def pretraining_loss(model: Bert, batch: BertBatch) -> Float[Tensor, ""]:
    """The paper's loss: the mean over the places asked for, plus the mean over the pairs (appendix A.2)."""
    asked = batch.labels != IGNORE_INDEX
    padded = int(batch.lengths.min()) < batch.ids.shape[1]  # without padding, no mask: attention is faster so
    mask = length_mask(batch.lengths, batch.ids.shape[1]) if padded else None
    output = model(batch.ids, batch.segments, mask, places=asked)
    return _mean(output.mlm, batch.labels[asked]) + _mean(output.nsp, batch.next_sentence)


def _mean(logits: Float[Tensor, "place classes"], labels: Int[Tensor, "place"]) -> Float[Tensor, ""]:
    """Cross-entropy in float32; 0 where nothing is asked for, and then the head still has a gradient, of zeros."""
    total = F.cross_entropy(logits.float(), labels, ignore_index=IGNORE_INDEX, reduction="sum")
    return total / (labels != IGNORE_INDEX).sum().clamp(min=1)


# --- what Hugging Face calls it ---------------------------------------------------------------------------------------

CONFIG = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "num_heads": "num_attention_heads",
    "d_ff": "intermediate_size",
    "num_layers": "num_hidden_layers",
    "max_len": "max_position_embeddings",
    "num_segments": "type_vocab_size",
    "dropout": "hidden_dropout_prob",
    "eps": "layer_norm_eps",
}
FIXED = {
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}
ONCE = {
    "token": "bert.embeddings.word_embeddings",
    "segment": "bert.embeddings.token_type_embeddings",
    "positions": "bert.embeddings.position_embeddings",
    "embedding_norm": "bert.embeddings.LayerNorm",
    "pooler": "bert.pooler.dense",
    "nsp_head": "cls.seq_relationship",
    "mlm_transform": "cls.predictions.transform.dense",
    "mlm_norm": "cls.predictions.transform.LayerNorm",
    "mlm_bias": "cls.predictions",
}
IN_BLOCK = {
    "attention.W_Q": "attention.self.query",
    "attention.W_K": "attention.self.key",
    "attention.W_V": "attention.self.value",
    "attention.W_O": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed_forward.W_1": "intermediate.dense",
    "feed_forward.W_2": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}
HEADS = {
    "bert.pooler": "the pooler",
    "cls.predictions": "the head for masked tokens",
    "cls.seq_relationship": "the head for the next sentence",
}
NOT_OURS = ("classifier.", "qa_outputs.")  # heads of other tasks


def _their_names(model: Bert) -> dict[str, str]:
    names = {}
    for ours in model.state_dict():
        module, _, kind = ours.rpartition(".")
        if module.startswith("blocks."):
            _, layer, part = module.split(".", 2)
            names[ours] = f"bert.encoder.layer.{layer}.{IN_BLOCK[part]}.{kind}"
        else:
            names[ours] = f"{ONCE[module or ours]}.{'weight' if kind == 'table' else kind.removeprefix('mlm_')}"
    return names


def _names_of_today(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """BertForPreTraining's names now, each weight once: old files say gamma and beta, BertModel leaves out bert."""
    inside = any(name.startswith("bert.") for name in weights)
    kept = {}
    for name, tensor in weights.items():
        name = name if inside else f"bert.{name}"
        name = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        name = name.replace("cls.predictions.decoder.bias", "cls.predictions.bias")
        if not name.startswith(NOT_OURS) and name != "bert.embeddings.position_ids":
            kept[name] = tensor
    table, output = kept.get(ONCE["token"] + ".weight"), kept.pop("cls.predictions.decoder.weight", None)
    if table is not None and output is not None and not torch.equal(table, output):
        raise CourseError("The checkpoint's output layer isn't its table of tokens, but in a BERT these are one.")
    return kept


def _config_from(said: dict, source: str | Path) -> BertConfig:
    for name, value in FIXED.items():
        if said.get(name, value) != value:
            raise CourseError(f"{source} has {name} = {said[name]!r}, but the BERT of the paper has {value!r}.")
    return BertConfig(**{ours: said[theirs] for ours, theirs in CONFIG.items() if theirs in said})
