"""The gate of a mixture of experts: a softmax over the k largest logits, exactly 0 for all others."""

import torch

from course_lib import experts
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, randn


def _logits(g, tokens, num_experts, k, **kwargs):
    return randn(g, tokens, num_experts, **kwargs), k


top_k_gate = Code(
    "16.top_k_gate",
    title="Which experts, and how much of each?",
    points=3,
    minutes=10,
    difficulty=2,
    reference=experts.top_k_gate,
    axes=["token expert"],
    forbidden=("top_k_gate", "experts"),
    cases=[
        Case("four tokens, five experts, two of them", lambda g: _logits(g, 4, 5, 2)),
        Case("more tokens", lambda g: _logits(g, integer(g, 6, 11), 8, 3)),
        Case("one expert a token", lambda g: _logits(g, 5, 4, 1)),
        Case("all experts", lambda g: _logits(g, 4, 3, 3)),
        Case("all but one", lambda g: _logits(g, 3, 6, 5)),
        Case("one token", lambda g: _logits(g, 1, 6, 2)),
        Case("as many tokens as experts", lambda g: _logits(g, 4, 4, 2)),
        Case("large logits", lambda g: _logits(g, 6, 6, 2, size=60.0)),
        Case("all logits negative", lambda g: (-randn(g, 5, 6).abs() - 2, 2)),
        Case("double precision", lambda g: _logits(g, 3, 5, 2, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (randn(g, 5, 4).mT, 3)),
    ],
    differentiable=True,
    hints=[
        "logits.topk(k, dim=-1) gives the k largest numbers of each row and where they stand. Which number before a softmax becomes exactly 0 after it?",
        "Start from a table full of −∞, torch.full_like(logits, float('-inf')), and put the k largest back in their places: .scatter(-1, which, largest). Then the softmax.",
    ],
)


def largest(logits, k):
    """True for the k largest of each row."""
    chosen = torch.zeros_like(logits, dtype=torch.bool)
    return chosen.scatter(-1, logits.topk(k, -1).indices, True)


def largest_of_all(logits, k):
    """True for the k largest of the whole table."""
    chosen = torch.zeros(logits.numel(), dtype=torch.bool)
    return chosen.scatter(0, logits.flatten().topk(k).indices, True).view_as(logits)


def one_fewer(logits, k):
    return largest(logits, k - 1) if k > 1 else torch.zeros_like(logits, dtype=torch.bool)


def others_at_minus_infinity(logits, chosen):
    return logits.masked_fill(~chosen, float("-inf"))


@top_k_gate.variants
def steps(
    logits,
    k,
    *,
    chosen=largest,
    closed=others_at_minus_infinity,
    shares=lambda s, logits, chosen: s.softmax(-1),
    given=lambda shares, logits, k: shares,
):
    which = chosen(logits, k)
    return given(shares(closed(logits, which), logits, which), logits, k)


def left_open(logits, chosen):
    return logits


def shares_or_none(s, logits, chosen):
    """Zeros for a token that has no expert, in place of NaN."""
    return s.softmax(-1).nan_to_num()


steps.mistake(
    "You take the softmax over all experts and then cut: the chosen shares don't sum to 1. Close the others before the softmax, with −∞.",
    closed=left_open,
    shares=lambda s, logits, chosen: s.softmax(-1) * chosen,
)
steps.mistake(
    "Nothing is exactly 0: with you all experts run, and nothing was saved. All but the k largest logits become −∞ before the softmax.",
    closed=left_open,
)
steps.mistake(
    "Only the largest logit is kept. Its expert gets 1 whatever the logits are, so the gate gets no gradient. Keep k of them, and let a softmax share out the 1.",
    closed=left_open,
    shares=lambda s, logits, chosen: common.all_on_the_best(s),
)
steps.mistake(
    "You put 0 in place of the others' logits, and e⁰ is 1: they get a share, too. Put −∞.",
    closed=lambda logits, chosen: logits * chosen,
)
steps.mistake(
    "Your softmax runs over the tokens. Each token shares out its 1 among the experts: dim=-1.",
    shares=lambda s, logits, chosen: s.softmax(0).nan_to_num(),
)
steps.mistake(
    "Your softmax runs over the tokens, and where no token has chosen an expert it is NaN. Each token shares out its 1 among the experts: dim=-1.",
    shares=lambda s, logits, chosen: s.softmax(0),
)
steps.mistake(
    "You choose the k largest of each column: so each expert picks its tokens. Each token picks its experts, dim=-1.",
    chosen=lambda logits, k: largest(logits.mT, min(k, len(logits))).mT,
)
steps.mistake(
    "topk runs over the tokens: so each expert picks k tokens, if there are so many. Each token picks its experts, dim=-1.",
    chosen=lambda logits, k: largest(logits.mT, k).mT,
)
steps.mistake(
    "You keep the k logits that are largest in *size*: −5 comes before 2. The largest are asked for, signs and all.",
    chosen=lambda logits, k: largest(logits.abs(), k),
)
steps.mistake(
    "You choose the k largest of the whole batch, so that some tokens have more experts and some have none. Each token has k of its own: dim=-1.",
    chosen=largest_of_all,
)
steps.mistake(
    "You choose the k largest of the whole batch, so that some tokens have more experts and some only zeros. Each token has k of its own: dim=-1.",
    chosen=largest_of_all,
    shares=shares_or_none,
)
steps.mistake(
    "All tokens have the experts that are best on average. Each token has k of its own.",
    chosen=lambda logits, k: largest(logits.mean(0, keepdim=True), k).expand_as(logits),
)
steps.mistake(
    "All tokens have the experts of the first one. Each token has k of its own.",
    chosen=lambda logits, k: largest(logits[:1], k).expand_as(logits),
)
steps.mistake(
    "You keep the k *smallest* logits. The largest say which experts fit.", chosen=lambda logits, k: largest(-logits, k)
)
steps.mistake(
    "You keep the first k experts, whatever the logits say. Keep the k largest logits.",
    chosen=lambda logits, k: (torch.arange(logits.shape[-1]) < k).expand_as(logits),
)
steps.mistake(
    "One expert too many is left: your threshold lets the next one in as well. Is it the (k + 1)-th largest? Then > and not ≥.",
    chosen=lambda logits, k: largest(logits, min(k + 1, logits.shape[-1])),
)
steps.mistake("One expert too few is left: the k-th largest belongs to the chosen ones. ≥, not >.", chosen=one_fewer)
steps.mistake(
    "Two are kept, whatever k is. Keep k of them.", chosen=lambda logits, k: largest(logits, min(2, logits.shape[-1]))
)
steps.mistake(
    "argsort says *who* stands at each rank, not which rank each expert has. Compare with the k-th largest logit, or put the k largest back by scatter.",
    chosen=lambda logits, k: logits.argsort(-1, descending=True) < k,
)
steps.mistake(
    "Your threshold is the smallest of all tokens' k largest, one for the whole batch: others get in. Each token has its own: keep the axis, [:, -1:].",
    chosen=lambda logits, k: logits >= logits.topk(k, -1).values.min(),
)
steps.mistake(
    "kthvalue counts from the *smallest*: too many experts are left. topk(k) gives the largest.",
    chosen=lambda logits, k: logits >= logits.kthvalue(k, -1, keepdim=True).values,
)
steps.mistake(
    "x[:, which] opens every token's chosen experts to *all* tokens. Row t of `which` is for token t: scatter or gather along dim=-1.",
    chosen=lambda logits, k: largest(logits, k).any(0).expand_as(logits),
)
steps.mistake(
    "The mask is the wrong way round: the chosen get −∞, and the others share the 1.",
    chosen=lambda logits, k: ~largest(logits, k),
)
steps.mistake(
    "You keep what lies above the row's mean, however many these are. Keep the k largest.",
    chosen=lambda logits, k: logits >= logits.mean(-1, keepdim=True),
)
steps.mistake(
    "Each chosen expert gets 1/k. How much of each is for the logits to say: a softmax over the k largest.",
    shares=lambda s, logits, chosen: chosen.to(logits.dtype) / chosen.sum(-1, keepdim=True),
)
steps.mistake(
    "Each chosen expert gets a whole 1. They share it: a softmax over the k largest.",
    shares=lambda s, logits, chosen: chosen.to(logits.dtype),
)
steps.mistake(
    "You say which experts are chosen, True or False. How much of each is asked for: a softmax over the k largest.",
    shares=lambda s, logits, chosen: chosen,
)
steps.mistake(
    "You divide the chosen logits by their sum. Without exp a negative logit becomes a negative share: use a softmax.",
    shares=lambda s, logits, chosen: logits * chosen / (logits * chosen).sum(-1, keepdim=True),
)
steps.mistake(
    "You divide the chosen logits by the sum of *all* logits. The softmax over the k largest shares out the 1.",
    shares=lambda s, logits, chosen: logits * chosen / logits.sum(-1, keepdim=True),
)
steps.mistake(
    "Those are the chosen logits themselves. A softmax makes shares of them.",
    shares=lambda s, logits, chosen: logits * chosen,
)
for _name, _closed in {"−∞": float("-inf"), "a large negative number": -1e9}.items():
    steps.mistake(
        f"The softmax is over all experts, and the others get {_name} *after* it: close them before, and they become exactly 0.",
        closed=left_open,
        shares=lambda s, logits, chosen, closed=_closed: s.softmax(-1).masked_fill(~chosen, closed),
    )
steps.mistake("The −∞ are still there: the softmax is missing.", shares=lambda s, logits, chosen: s)
steps.mistake(
    "The shares of the chosen are taken among all and then put through a second softmax. Once is enough: put −∞ on the others, then one softmax.",
    closed=lambda logits, chosen: logits.softmax(-1).masked_fill(~chosen, float("-inf")),
)
steps.mistake(
    "You take the softmax twice: the second one flattens the shares, and gives the others some. Once is enough.",
    shares=lambda s, logits, chosen: s.softmax(-1).softmax(-1),
)
steps.mistake(
    "Each chosen logit goes through a sigmoid by itself. The chosen share a 1 among them: a softmax.",
    shares=lambda s, logits, chosen: logits.sigmoid() * chosen,
)
steps.mistake(
    "exp of a large logit is infinite, and infinity over infinity is NaN. Use softmax, which takes the maximum off first.",
    shares=lambda s, logits, chosen: s.exp() / s.exp().sum(-1, keepdim=True),
)
steps.mistake(
    "The shares are exp alone: divide them by their row's sum, or use softmax.",
    shares=lambda s, logits, chosen: s.exp(),
)
steps.mistake(
    "These are the logarithms of the shares. Use softmax, not log_softmax.",
    shares=lambda s, logits, chosen: s.log_softmax(-1),
)
steps.mistake(
    "All shares sum to 1 together. Those of each token should, by themselves: dim=-1.",
    shares=lambda s, logits, chosen: s.flatten().softmax(0).view_as(s),
)
steps.mistake(
    "You divide by the sum over the whole batch: the sum lost its axis. Each token's shares sum to 1, sum(-1, keepdim=True).",
    shares=lambda s, logits, chosen: s.softmax(-1) / len(logits),
)
steps.mistake(
    "You divide by the sum over the whole batch, and of shares among all experts. Each token's shares sum to 1: sum(-1, keepdim=True).",
    closed=left_open,
    shares=lambda s, logits, chosen: s.softmax(-1) * chosen / (s.softmax(-1) * chosen).sum(),
)
steps.mistake(
    "The signs are turned round: of the chosen, the one that fits least gets most.",
    closed=lambda logits, chosen: (-logits).masked_fill(~chosen, float("-inf")),
)
steps.mistake(
    "Yours is turned round: a row for each expert. Rows are tokens, columns are experts.",
    given=lambda shares, logits, k: shares.mT,
)


def _by_rank(logits, k):
    """The shares of the k largest, largest first."""
    return logits.topk(k, -1).values.softmax(-1)


@top_k_gate.mistake(
    "Your shares stand in order of rank, the largest first. Column i belongs to expert i: put them back to where topk found them, with scatter."
)
def in_order_of_rank(logits, k):
    return torch.zeros_like(logits).index_copy(1, torch.arange(k), _by_rank(logits, k))


@top_k_gate.mistake(
    "The softmax of the k largest runs over the tokens. Each token shares out its 1 among its experts: dim=-1."
)
def chosen_shares_over_tokens(logits, k):
    return torch.zeros_like(logits).scatter(-1, logits.topk(k, -1).indices, logits.topk(k, -1).values.softmax(0))


@top_k_gate.mistake(
    "k shares a token come back, and nobody knows whose. A column for each expert is asked for: scatter puts the shares to where topk found them."
)
def shares_alone(logits, k):
    return _by_rank(logits, k)


@top_k_gate.mistake("Shares and places come back. One table is asked for: scatter puts the shares into their columns.")
def shares_and_places(logits, k):
    return _by_rank(logits, k), logits.topk(k, -1).indices


@top_k_gate.mistake("You return *which* experts are chosen. How much of each is asked for: a column for each expert.")
def places_alone(logits, k):
    return logits.topk(k, -1).indices


@top_k_gate.mistake(
    "The k largest logits are right, but they are put into the first rows' places: is the scatter along dim=0? Experts are the last axis, dim=-1."
)
def scattered_along_tokens(logits, k):
    return torch.zeros_like(logits).scatter(0, logits.topk(k, -1).indices, _by_rank(logits, k))


@top_k_gate.mistake(
    "The places that topk found are counted along the row of k, not of experts: gather takes numbers from there, scatter puts them there. You want scatter."
)
def gathered(logits, k):
    return logits.gather(-1, logits.topk(k, -1).indices).softmax(-1).gather(-1, logits.topk(k, -1).indices)


@top_k_gate.mistake(
    "The softmax of the k largest is right, but the others have −∞ in place of 0: they were closed after it as well. Start from zeros, or close before the softmax only."
)
def minus_infinity_after(logits, k):
    return torch.full_like(logits, float("-inf")).scatter(-1, logits.topk(k, -1).indices, _by_rank(logits, k))


@top_k_gate.mistake(
    "You divide by a sum over all experts, not only over the chosen ones: the shares of the chosen sum to less than 1. Divide by the sum of what is kept."
)
def divided_by_k(logits, k):
    return logits.softmax(-1) * largest(logits, k) / k


@top_k_gate.symptom("")
def what_the_rows_show(inputs, answer):
    """How many experts a token has, which ones, and whether they share a 1."""
    logits, k = inputs
    if not answer.is_floating_point():
        return False
    right, open_ = largest(logits, k), answer != 0
    if answer.isnan().any():
        return "There are NaNs among your shares: a row of −∞ alone, or ∞ / ∞."
    counts = open_.sum(-1)
    if (counts > k).any():
        return f"Some token has {int(counts.max())} experts that aren't exactly 0, for k = {k}: that many would run."
    if (answer < 0).any():
        return "Some of your shares are negative. A softmax makes none."
    if (open_ & ~right).any():
        return "Some token gives a share to an expert that isn't among its k largest logits."
    if not common.rows_sum_to_one(answer):
        return "The shares of a token don't sum to 1. A softmax over its k largest logits alone makes them do so."
    return "The right experts are chosen, and each token's shares sum to 1, but they aren't the softmax of the chosen logits."
