"""GPT: a decoder alone, which writes on (Radford et al. 2018; GPT-2, Radford et al. 2019).

    model = GPT(GPTConfig(vocab_size=500, d_model=128, num_heads=4, d_ff=512, num_layers=3, max_len=128))
    logits, _ = model(ids)                                      # at each token, of the one that follows it
    texts = sample(model.eval().next_token(), prompt, END_ID, max_len=64)                   # course_lib.decoding

    ids → tokens + positions → blocks, causal → states → logits

Both papers have the same model but for the norms: GPT's stand behind each sum (post-norm), GPT-2's in front of each
sublayer, with one more at the end (pre-norm). One table of token vectors serves input and logits.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib import hugging_face
from course_lib.attention import KeyValueCache
from course_lib.decoding import OnlyNewTokens, check_eval_mode
from course_lib.errors import CourseError
from course_lib.layers import Block, LayerNorm
from course_lib.masks import causal_mask
from course_lib.positions import LearnedPositions
from course_lib.support.inputs import check_ids
from course_lib.support.messages import one_of, whole_number

# Hendrycks and Gimpel (2016) give both forms of GELU, and the papers don't say which. The authors' code has the one
# with tanh, an approximation; the names are those of Hugging Face's configs.
ACTIVATIONS = {"gelu_new": partial(nn.GELU, approximate="tanh"), "gelu": nn.GELU}

Ids = Int[Tensor, "batch n"]
States = Float[Tensor, "batch n d_model"]
Weights = Float[Tensor, "batch layer head n key"]


@dataclass(frozen=True)
class GPTConfig:
    """The sizes of a GPT. Unless told otherwise they are those of the smallest GPT-2."""

    vocab_size: int
    d_model: int = 768
    num_heads: int = 12
    d_ff: int = 3072
    num_layers: int = 12
    max_len: int = 1024  # tokens: for each position there is a learned vector
    dropout: float = 0.1
    pre_norm: bool = True
    activation: str = "gelu_new"  # one of ACTIVATIONS
    eps: float = 1e-5  # of the norms

    def __post_init__(self):
        for name in ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "max_len"):
            whole_number(name, getattr(self, name), low=1)
        one_of("activation", self.activation, ACTIVATIONS)

    @classmethod
    def gpt(cls, **changes) -> "GPTConfig":
        """The first GPT: 40 000 merges of BPE and 478 tokens beside them, 512 positions; 116.5 M parameters (117 M)."""
        return cls(**dict(vocab_size=40_478, max_len=512, pre_norm=False) | changes)

    @classmethod
    def gpt2(cls, **changes) -> "GPTConfig":
        """The smallest GPT-2: 124.4 M parameters, where the paper's table 2 says 117 M, which its authors corrected."""
        return cls(**dict(vocab_size=50_257) | changes)


class GPT(nn.Module):
    """Tokens in, the logits of their successors out."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = LearnedPositions(config.d_model, config.max_len)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            Block(
                config.d_model,
                config.num_heads,
                config.d_ff,
                config.dropout,
                pre_norm=config.pre_norm,
                activation=ACTIVATIONS[config.activation],
                eps=config.eps,
            )
            for _ in range(config.num_layers)
        )
        # A pre-norm stream is a sum that nothing has normalised yet; post-norm blocks end with their own norm.
        self.norm = LayerNorm(config.d_model, config.eps) if config.pre_norm else nn.Identity()
        self._initialise()

    def _initialise(self) -> None:
        """N(0, 0.02²), no bias. In GPT-2 (section 2.3) the layers that write to the stream begin smaller by √N, where
        N counts them: there are two in each block, and their sum keeps its size."""
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
        for block in self.blocks:
            block.feed_forward.dropout.p = 0.0  # GPT has none inside the feed-forward network
            if self.config.pre_norm:
                for layer in (block.attention.W_O, block.feed_forward.W_2):
                    nn.init.normal_(layer.weight, std=0.02 / (2 * len(self.blocks)) ** 0.5)

    def forward(
        self, ids: Ids, need_weights: bool = False, cache: KeyValueCache | None = None
    ) -> tuple[Float[Tensor, "batch n vocab"], Weights | None]:
        """Logits of the token that follows each token of `ids`, given those up to it; the weights if asked for.

        Padding at a text's end needs no mask: no token sees a later one. With a `cache`, `ids` holds only the tokens
        that follow those of the calls before. Raises CourseError for ids that are no token's, and texts too long.
        """
        states, weights = self.states(ids, need_weights, cache)
        return self.logits(states), weights

    def states(
        self, ids: Ids, need_weights: bool = False, cache: KeyValueCache | None = None
    ) -> tuple[States, Weights | None]:
        """What `logits` turns into logits: a training spares those of padding, generation those of all but the last."""
        past = cache.length(self.blocks[0].attention) if cache is not None else 0
        check_ids("ids", ids, self.config.vocab_size, self.config.max_len, past)
        x, weights = self.dropout(self.positions(self.token(ids), past)), []
        n = ids.shape[1]
        mask = causal_mask(n, past).to(ids.device) if n > 1 else None  # a single token may see all that came before
        for block in self.blocks:
            x, of_block = block(x, mask, need_weights, cache=cache)
            weights.append(of_block)
        return self.norm(x), torch.stack(weights, dim=1) if need_weights else None

    def logits(self, states: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes vocab"]:
        """How well each token's vector fits: the table of the input again."""
        return F.linear(states, self.token.weight)

    def next_token(self, cache: bool = True) -> OnlyNewTokens:
        """What `course_lib.decoding` asks for the token after each prompt; made anew for each run.

        Raises CourseError in training mode, where dropout would give another answer at each call.
        """
        check_eval_mode(self)

        def last_logits(new: Ids, cache: KeyValueCache | None) -> Float[Tensor, "batch vocab"]:
            return self.logits(self.states(new, cache=cache)[0][:, -1])

        return OnlyNewTokens(last_logits, cache)

    # --- Hugging Face's form ------------------------------------------------------------------------------------------

    @classmethod
    def from_pretrained(cls, name_or_path: str | Path) -> "GPT":
        """A GPT-2 in Hugging Face's form, of a local folder or of their hub ("openai-community/gpt2"), in eval mode.

        Raises CourseError where it can't be had, and where it is a GPT-2 that this class can't be.
        """
        theirs, weights = hugging_face.read(name_or_path, "gpt2")
        for name, value in _ALWAYS.items():
            if theirs.get(name, value) != value:
                raise CourseError(f"{name_or_path} is a GPT-2 with {name} = {theirs[name]!r}; this GPT has {value!r}.")
        one_of(f"activation_function in {name_or_path}", theirs.get("activation_function", "gelu_new"), ACTIVATIONS)
        sizes = {own: theirs[name] for name, own in _SIZES.items() if theirs.get(name) is not None}
        model = cls(GPTConfig(**{"vocab_size": 50_257, "d_ff": 4 * sizes.get("d_model", 768)} | sizes))
        own_names, found = _names(model), {}
        for name, tensor in weights.items():
            name = name.removeprefix("transformer.")  # which older files lack
            if name.endswith((".attn.bias", ".masked_bias")) or name == "lm_head.weight":
                continue  # the causal mask, and the tied table once more
            owns = own_names.get(name, [name])
            tensor = tensor.T if _transposed(name) else tensor
            found |= zip(owns, tensor.chunk(len(owns)))
        hugging_face.load_into(model, {own: own for own in model.state_dict()}, found, name_or_path)
        return model.eval()

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the folder that `from_pretrained` reads, here and in transformers. Raises CourseError if it can't."""
        if not self.config.pre_norm:
            raise CourseError("Hugging Face's GPT-2 has its norms in front: a GPT with pre_norm=False isn't one.")
        state, weights = self.state_dict(), {}
        for name, owns in _names(self).items():
            tensor = torch.cat([state[own] for own in owns])
            weights[f"transformer.{name}"] = tensor.T if _transposed(name) else tensor
        config = {name: getattr(self.config, own) for name, own in _SIZES.items()}
        config |= {"attn_pdrop": self.config.dropout, "embd_pdrop": self.config.dropout} | _ALWAYS
        if self.config.vocab_size < 50_257:  # GPT-2's end mark, which transformers would look for
            config |= {"bos_token_id": None, "eos_token_id": None}
        hugging_face.write(folder, {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]} | config, weights)


_SIZES = {
    "vocab_size": "vocab_size",
    "n_embd": "d_model",
    "n_head": "num_heads",
    "n_inner": "d_ff",
    "n_layer": "num_layers",
    "n_positions": "max_len",
    "resid_pdrop": "dropout",
    "activation_function": "activation",
    "layer_norm_epsilon": "eps",
}
_ALWAYS = {"tie_word_embeddings": True, "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False}
_PARTS = {
    "ln_1": ["attention_norm"],
    "attn.c_attn": ["attention.W_Q", "attention.W_K", "attention.W_V"],
    "attn.c_proj": ["attention.W_O"],
    "ln_2": ["feed_forward_norm"],
    "mlp.c_fc": ["feed_forward.W_1"],
    "mlp.c_proj": ["feed_forward.W_2"],
}


def _names(model: GPT) -> dict[str, list[str]]:
    """What Hugging Face calls each tensor, and which of ours it holds, one below the other."""
    names = {"wte.weight": ["token.weight"], "wpe.weight": ["positions.table"]}
    for i in range(len(model.blocks)):
        for theirs, owns in _PARTS.items():
            for kind in ("weight", "bias"):
                names[f"h.{i}.{theirs}.{kind}"] = [f"blocks.{i}.{own}.{kind}" for own in owns]
    return names | {"ln_f.weight": ["norm.weight"], "ln_f.bias": ["norm.bias"]}


def _transposed(name: str) -> bool:
    """x W instead of x Wᵀ: OpenAI's code took these for convolutions of width 1."""
    return ".c_" in name and name.endswith("weight")
