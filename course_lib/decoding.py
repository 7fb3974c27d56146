"""From probabilities to a text: greedy, beam search, sampling. They drive any model that scores the next token.

    next_token = model.next_token(source, source_mask)
    start = torch.full((len(source), 1), START_ID)
    texts = [tokenizer.decode(text.ids) for text in greedy(next_token, start, END_ID, max_len=64)]

Nothing here knows a model: a table of probabilities will do, and a GPT, whose prompt takes the start token's place.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.attention import KeyValueCache
from course_lib.errors import CourseError
from course_lib.support.messages import described, whole_number

Ids = Int[Tensor, "rows n"]
Logits = Float[Tensor, "rows vocab"]


@runtime_checkable
class NextToken(Protocol):
    """What is decoded from. It may remember what it computed (a cache), so each run needs a fresh one.

    A plain function ids → logits will do where nothing is remembered and no row has a source of its own.
    """

    def __call__(self, ids: Ids) -> Logits:
        """Logits of the token after these ids, which hold all that came so far, the prefix too."""

    def select(self, rows: Int[Tensor, "new_rows"]) -> None:
        """From now on row i is what row rows[i] was: rows are dropped, reordered or duplicated."""


@dataclass(frozen=True)
class Decoded:
    """One decoded text.

    ids              without prefix, without end token
    log_probability  that the model gives to these ids after the prefix, in nats, with the end token where there is one
    ended            True: it stopped at the end token. False: at max_len, which may be in the middle of a word
    """

    ids: list[int]
    log_probability: float
    ended: bool

    def score(self, alpha: float = 0.6) -> float:
        """What beam search compares in the end: log P / lp, lp = ((5 + n) / 6)^α. Wu et al. (2016), equation 14.

        n counts the end token, too. α = 0 favours short texts, since each further token makes a text less probable.
        """
        n = len(self.ids) + self.ended
        return self.log_probability / ((5 + n) / 6) ** alpha


class OnlyNewTokens:
    """A `NextToken` that sends through its model only what is new since the last call: logits(new_ids, cache).

    The cache never changes an answer: ids that don't continue those of the last call are computed from their beginning.
    Without one, all ids are new at each call.
    """

    def __init__(self, logits: Callable[[Ids, KeyValueCache | None], Logits], cache: bool = True):
        self.logits, self.cached = logits, cache
        self._forget()

    def _forget(self) -> None:
        self.cache, self.ids = KeyValueCache() if self.cached else None, None  # the ids whose keys are in the cache

    @torch.inference_mode()  # as no_grad, with less to keep account of: a tenth of the time of small steps
    def __call__(self, ids: Ids) -> Logits:
        """Logits of the token after the whole of `ids`."""
        past = 0 if self.ids is None else self.ids.shape[1]
        if past and not (past < ids.shape[1] and torch.equal(ids[:, :past], self.ids)):
            self._forget()
            past = 0
        logits = self.logits(ids[:, past:], self.cache)
        if self.cached:
            self.ids = ids
        return logits

    def select(self, rows: Int[Tensor, "new_rows"]) -> None:
        """Go on with these rows, in this order: some may be left out, some stand there twice."""
        if self.ids is not None:
            self.ids = self.ids[rows]
            self.cache.select(rows)


def check_eval_mode(model) -> None:
    """Raises CourseError in training mode, where dropout would give another answer at each call."""
    if model.training and model.config.dropout:
        raise CourseError("The model is in training mode: dropout makes each answer a random one. Call model.eval().")


# --- one hypothesis: greedy and sampling ------------------------------------------------------------------------------


def greedy(next_token: NextToken | Callable, prefix: Ids, end: int | None, max_len: int) -> list[Decoded]:
    """The likeliest token each time, among equals the lowest id, until the end token or `max_len` tokens, end counted.

    prefix: start tokens, (rows, 1), or prompts of the same length. end None: nothing ends a text before max_len.
    Raises CourseError where an argument can't be, or the model's logits aren't such.
    """
    return _one_by_one(next_token, prefix, end, max_len, lambda ids, logits, log_p: log_p.argmax(dim=-1))


def sample(
    next_token: NextToken | Callable,
    prefix: Ids,
    end: int | None,
    max_len: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
    repetition: float = 1.0,
) -> list[Decoded]:
    """Each token drawn from `sampling_probabilities`; the rest is as in `greedy`.

    A `repetition` above 1 makes tokens less likely that the row holds already, its prompt too: `penalise_repetition`.
    Log probabilities are the model's own. The same state of the generator gives the same texts for the same rows.
    """

    def draw(ids: Ids, logits: Logits, log_p: Logits) -> Int[Tensor, "rows"]:
        logits = log_p if repetition == 1 else penalise_repetition(logits, ids, repetition)
        shares = sampling_probabilities(logits, temperature, top_k, top_p)
        return torch.multinomial(shares, 1, generator=generator).squeeze(-1)

    return _one_by_one(next_token, prefix, end, max_len, draw)


def sampling_probabilities(
    logits: Float[Tensor, "*rows vocab"], temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Float[Tensor, "*rows vocab"]:
    """softmax(logits / temperature), cut in this order, and made to sum to 1 again after each cut:

    top_k  only the k likeliest tokens stay (Fan, Lewis and Dauphin 2018)
    top_p  only the fewest likeliest that hold this share stay: the nucleus (Holtzman et al. 2020)

    Among equally likely tokens the lower id stays. Raises CourseError where one of the three is out of range.
    """
    vocab = logits.shape[-1]
    top_k = vocab if top_k is None else whole_number("top_k", top_k, low=1)
    if not 0 < temperature < math.inf:
        raise CourseError(f"temperature should be above 0; got {temperature!r}. Near 0 is what `greedy` does.")
    if top_k > vocab:
        raise CourseError(f"top_k should be at most the size of the vocabulary, {vocab}; got {top_k}.")
    if not 0 < top_p <= 1:
        raise CourseError(f"top_p should be a share above 0, up to 1; got {top_p!r}.")
    logits, order = logits.sort(dim=-1, descending=True, stable=True)
    logits = (logits - logits[..., :1]) / temperature  # 0 is the highest: no temperature makes an overflow of that
    shares = logits[..., :top_k].softmax(dim=-1)
    before = shares.cumsum(dim=-1) - shares  # what the likelier tokens hold
    shares = shares.masked_fill((before >= top_p) & (top_p < 1), 0.0)
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return torch.zeros_like(logits).scatter(-1, order[..., :top_k], shares)


def penalise_repetition(logits: Logits, ids: Ids, penalty: float = 1.2) -> Logits:
    """The logit of each token that is among its row's `ids`: divided by the penalty, or times it where it is below 0.

    Keskar et al. (2019), "CTRL", section 4.1, who found 1.2 good; they divide alone, which would reward a token with a
    logit below 0. Raises CourseError for a penalty under 1.

    >>> penalise_repetition(torch.tensor([[3.0, 3.0, -2.0]]), torch.tensor([[0, 2]]), penalty=1.5)
    tensor([[ 2.,  3., -3.]])
    """
    if not 1 <= penalty < math.inf:
        raise CourseError(f"repetition should be a penalty from 1 (none) up, such as 1.2; got {penalty!r}.")
    found = logits.gather(-1, ids.long())  # (rows, n)
    return logits.scatter(-1, ids.long(), torch.where(found > 0, found / penalty, found * penalty))


@torch.no_grad()
def _one_by_one(next_token, prefix: Ids, end: int | None, max_len: int, choose: Callable) -> list[Decoded]:
    _check(prefix, max_len)
    ids, n = prefix, prefix.shape[1]
    rows = torch.arange(len(ids), device=ids.device)  # which text each row is: rows that have ended are dropped
    total = torch.zeros(len(ids), dtype=torch.float64, device=ids.device)
    done = {}
    while len(rows) and ids.shape[1] < n + max_len:
        logits, log_p = _log_probabilities(next_token, ids, end)
        token = choose(ids, logits, log_p)
        total = total + log_p.gather(1, token[:, None]).squeeze(1)
        ids = torch.cat([ids, token[:, None]], dim=1)
        ended = token == (-1 if end is None else end)
        if ended.any():
            for i in ended.nonzero().flatten().tolist():
                done[int(rows[i])] = Decoded(ids[i, n:-1].tolist(), total[i].item(), ended=True)
            left = (~ended).nonzero().flatten()
            rows, ids, total = rows[left], ids[left], total[left]
            _select(next_token, left)
    for row, text, log_probability in zip(rows.tolist(), ids[:, n:].tolist(), total.tolist(), strict=True):
        done[row] = Decoded(text, log_probability, ended=False)
    return [done[row] for row in range(len(prefix))]


# --- k hypotheses: beam search ----------------------------------------------------------------------------------------


class Candidate(NamedTuple):
    """One continuation that a step of beam search compared: plain data, which `viz.beam_tree` draws."""

    token: int
    parent: int | None  # the candidate of the step before that it continues, by its place there; None at the first step
    log_probability: float  # of this token after its parent
    total: float  # of this token and all before it: what the step compares
    kept: bool
    ended: bool  # it is the end token


@dataclass(frozen=True)
class Beam:
    """What beam search found for one row: its hypotheses, the best by `score(alpha)` first, and how it came to them.

    steps: for each step its 2k best candidates (fewer, where fewer are possible), the best first.
    """

    hypotheses: list[Decoded]
    steps: list[list[Candidate]]
    alpha: float

    @property
    def best(self) -> Decoded:
        return self.hypotheses[0]


class _Hypothesis(NamedTuple):  # one that still grows; its tokens are a row of `ids`
    row: int
    total: float
    place: int | None  # among the candidates of the last step


@torch.no_grad()
def beam_search(
    next_token: NextToken | Callable, prefix: Ids, end: int | None, max_len: int, k: int = 4, alpha: float = 0.6
) -> list[Beam]:
    """Keep the k likeliest beginnings at each step instead of one; k = 4 and α = 0.6 as in Vaswani et al. (2017).

    A step compares all continuations of a row's live hypotheses by their log probability; among equals the one of the
    better hypothesis, then the lower id goes first. A hypothesis that takes the end token is finished: it grows no more
    (Sutskever, Vinyals and Le 2014, section 3.2) and keeps its place, so that one place less is left for the others.
    A row stops when all k are finished, or at `max_len` tokens, end counted. Only then the finished ones are compared
    by `Decoded.score(alpha)`; those that max_len cut off come after them, whatever their score.

    With k = 1 this is `greedy`. What has probability 0 is never kept. Other arguments and errors as in `greedy`.
    """
    _check(prefix, max_len)
    whole_number("k", k, low=1)
    ids, n = prefix, prefix.shape[1]  # (live hypotheses of all rows, length)
    live = [_Hypothesis(row, 0.0, None) for row in range(len(ids))]
    finished, steps = [[] for _ in live], [[] for _ in live]
    while live and ids.shape[1] < n + max_len:
        _, log_p = _log_probabilities(next_token, ids, end)
        totals = log_p + log_p.new_tensor([hypothesis.total for hypothesis in live])[:, None]  # (live, vocab)
        parents, tokens, grown = [], [], []
        for row, members in groupby(range(len(live)), key=lambda i: live[i].row):
            own, places, candidates = list(members), k - len(finished[row]), []
            for at in _largest(totals[own].flatten(), 2 * k):
                parent, token = own[at // log_p.shape[1]], at % log_p.shape[1]
                total, kept = totals[parent, token].item(), len(candidates) < places
                if kept and token == end:
                    finished[row].append(Decoded(ids[parent, n:].tolist(), total, ended=True))
                elif kept:
                    parents.append(parent)
                    tokens.append(token)
                    grown.append(_Hypothesis(row, total, len(candidates)))
                here = log_p[parent, token].item()
                candidates.append(Candidate(token, live[parent].place, here, total, kept, token == end))
            steps[row].append(candidates)
        live = grown
        chosen = torch.tensor(parents, dtype=torch.long, device=ids.device)
        ids = torch.cat([ids[chosen], ids.new_tensor(tokens)[:, None]], dim=1)
        _select(next_token, chosen)
    for hypothesis, text in zip(live, ids[:, n:].tolist(), strict=True):
        finished[hypothesis.row].append(Decoded(text, hypothesis.total, ended=False))
    for texts in finished:
        texts.sort(key=lambda text: (text.ended, text.score(alpha)), reverse=True)
    return [Beam(texts, path, alpha) for texts, path in zip(finished, steps, strict=True)]


def _largest(scores: Float[Tensor, " n"], count: int) -> list[int]:
    """Places of the largest above −∞, the largest first; of equals the one in front: topk alone leaves that open."""
    least = scores.topk(min(count, len(scores))).values[-1]
    places = ((scores >= least) & (scores > -math.inf)).nonzero().flatten()
    return places[scores[places].argsort(descending=True, stable=True)][:count].tolist()


# --- what all of them ask ---------------------------------------------------------------------------------------------


def _check(prefix: Tensor, max_len: int) -> None:
    tensor = isinstance(prefix, Tensor)
    if not tensor or prefix.dim() != 2 or not prefix.shape[1] or prefix.dtype not in (torch.long, torch.int):
        raise CourseError(
            "prefix should be a tensor of token ids, whole numbers with the axes (rows, n), at least the start token "
            f"in each row; got {described(prefix)}." + " prefix[None] makes one row." * (tensor and prefix.dim() == 1)
        )
    whole_number("max_len", max_len, low=1)


def _log_probabilities(next_token, ids: Ids, end: int | None) -> tuple[Logits, Logits]:
    """Logits, and log probabilities in float64: sums over long texts stay exact.

    Raises CourseError where the model's answer can't be used.
    """
    logits = next_token(ids)
    if logits.dim() != 2 or len(logits) != len(ids):
        raise CourseError(
            f"next_token should give the logits of one next token for each of the {len(ids)} rows, (rows, vocab); got "
            f"the shape {tuple(logits.shape)}." + " Of all positions take the last: [:, -1]." * (logits.dim() == 3)
        )
    if end is not None and not 0 <= end < logits.shape[1]:
        raise CourseError(f"end should be an id of the vocabulary, from 0 to {logits.shape[1] - 1}; got {end!r}.")
    log_p = logits.double().log_softmax(dim=-1)
    if log_p.isnan().any():
        row = int(log_p.isnan().any(dim=-1).nonzero()[0])
        raise CourseError(
            f"No probabilities can be made of the logits in row {row}, after {ids.shape[1]} tokens: they hold NaN or "
            "+∞, or −∞ alone. Has the training diverged, or does a mask hide everything?"
        )
    return logits, log_p


def _select(next_token, rows: Int[Tensor, " new_rows"]) -> None:
    if len(rows) and hasattr(next_token, "select"):
        next_token.select(rows)
