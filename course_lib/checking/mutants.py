"""The right answer with one of torch's operations replaced: another axis of the softmax, a sum for a mean, sin for cos.

Nobody lists these: the exercise's own reference is run, and on the way one operation is exchanged for what is often
written in its place.
"""

import contextlib
from collections.abc import Callable, Iterator

import torch
from torch.overrides import TorchFunctionMode

from course_lib.checking.kinds import Code
from course_lib.checking.limits import torch_function_mode
from course_lib.checking.suspects import both

MOST = 4  # as many calls of one operation are replaced one by one


def mutants(exercise: Code, inputs: tuple) -> Iterator[tuple[str, Callable]]:
    """A sentence and a function of a case's inputs for each replacement that the reference allows."""
    return _mutants(exercise, exercise.reference, inputs)


def mistake_and_mutant(exercise: Code, inputs: tuple) -> Iterator[tuple[str, Callable]]:
    """The same for each listed mistake: two at once."""
    for mistake in exercise.mistakes:
        with contextlib.suppress(Exception):  # a mistake may stop with an error, and so may its mutants' first run
            for says, makes in _mutants(exercise, mistake.wrong, inputs):
                yield both(mistake.sentence, says), makes


def _mutants(exercise: Code, function: Callable, inputs: tuple) -> Iterator[tuple[str, Callable]]:
    seen = _Count()
    with torch_function_mode(seen):
        exercise.run(function, *inputs)
    for operation, number in seen.calls.items():
        for says, change in CHANGES.get(operation, ()):
            for which in (0, *range(1, min(number, MOST) + 1)) if number > 1 else (0,):
                place = f" (The {ORDINALS[which]} of {number} such steps, as we would write it.)" if which else ""
                yield says + place, _run_with(exercise, function, operation, which, change)


ORDINALS = ("", "first", "second", "third", "fourth")


def _run_with(exercise: Code, function: Callable, operation: str, which: int, change: Callable) -> Callable:
    def run(*inputs):
        with torch_function_mode(_Replaced(operation, which, change)):
            return exercise.run(function, *inputs)

    return run


def _name(function) -> str:
    name = getattr(function, "__name__", "").strip("_")
    return {"rmul": "mul", "truediv": "div", "true_divide": "div", "and": "logical_and", "or": "logical_or"}.get(
        name, name
    )


class _Count(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.calls: dict[str, int] = {}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.calls[_name(function)] = self.calls.get(_name(function), 0) + 1
        return function(*args, **(kwargs or {}))


class _Replaced(TorchFunctionMode):
    """`which` of the calls of an operation does something else; 0 for all."""

    def __init__(self, operation: str, which: int, change: Callable):
        super().__init__()
        self.operation, self.which, self.change, self.count = operation, which, change, 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if _name(function) == self.operation:
            self.count += 1
            if self.which in (0, self.count):
                return self.change(function, *args, **(kwargs or {}))
        return function(*args, **(kwargs or {}))


# --- what is written in place of what: change(operation, *arguments) --------------------------------------------------


def _weights(of: Callable) -> Callable:
    """Another function of the scores in place of the softmax, over the same axis."""
    return lambda f, x, dim=-1, **_: of(x, dim)


def _shared(of: Callable) -> Callable:
    """Another function of the scores, divided by its sum."""
    return _weights(lambda x, dim: of(x) / of(x).sum(dim, keepdim=True))


def _hidden(seen: Callable) -> Callable:
    def change(f, x, dim=-1, **_):
        return x.masked_fill(~seen(torch.ones(x.shape[-2:], dtype=torch.bool)), float("-inf")).softmax(dim)

    return change


def _instead(other: Callable) -> Callable:
    return lambda f, *arguments, **options: other(*arguments, **options)


def _left_out(f, x, *arguments, **options):
    return x


def _compared(by: Callable) -> Callable:
    """Every row of the first compared with every column of the second, otherwise than by a dot product."""

    def change(f, a, b):
        if b.dim() == 1:
            return by(a, b[None]).squeeze(-1)
        return by(a[None], b.mT).squeeze(-2) if a.dim() == 1 else by(a, b.mT)

    return change


def _plus_one(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / (1 + e.sum(dim, keepdim=True))


def _best(n: int) -> Callable:
    return lambda x, dim: x.masked_fill(
        x < x.topk(min(n, x.shape[dim]), dim).values.amin(dim, keepdim=True), float("-inf")
    ).softmax(dim)


SOFTMAX = [
    ("The softmax is missing.", _left_out),
    ("The softmax runs over the last axis but one, where the last is meant.", _weights(lambda x, dim: x.softmax(-2))),
    ("The softmax runs over the first axis.", _weights(lambda x, dim: x.softmax(0))),
    ("The softmax runs over everything at once.", _weights(lambda x, dim: x.flatten().softmax(0).reshape(x.shape))),
    ("The softmax is taken twice.", _weights(lambda x, dim: x.softmax(dim).softmax(dim))),
    ("exp is taken, but it isn't divided by the sum.", _weights(lambda x, dim: x.exp())),
    ("A logarithm is left on the softmax: log_softmax gives logarithms of weights.", _weights(lambda x, dim: x.log_softmax(dim))),
    ("A sigmoid stands where the softmax should: each weight is found alone, and they don't sum to 1.", _weights(lambda x, dim: x.sigmoid())),
    ("The weights are a sigmoid divided by its sum; a softmax takes exp.", _shared(torch.sigmoid)),
    ("Negative scores are cut off at 0 (relu) before they are divided by their sum; a softmax takes exp.", _shared(torch.relu)),
    ("The weights are the scores' sizes divided by their sum, without their sign and without exp.", _shared(torch.abs)),
    ("The weights are the scores' squares divided by their sum; a softmax takes exp.", _shared(torch.square)),
    ("The weights are powers of 2 divided by their sum; a softmax takes powers of e: exp.", _shared(torch.exp2)),
    ("The weights are the scores divided by their sum, without exp.", _shared(lambda x: x)),
    ("Softmax of the scores' sizes: their sign is lost.", _weights(lambda x, dim: x.abs().softmax(dim))),
    ("The scores have the wrong sign: the softmax favours what fits worst.", _weights(lambda x, dim: (-x).softmax(dim))),
    ("exp is taken before the softmax, which takes exp itself.", _weights(lambda x, dim: x.exp().softmax(dim))),
    ("The weights are hard: all on the best.", _weights(lambda x, dim: (x == x.amax(dim, keepdim=True)).to(x.dtype))),
    ("All weights are equal: the scores make no difference.", _weights(lambda x, dim: torch.full_like(x, 1 / x.shape[dim]))),
    ("1 is added below the line of the softmax: then the weights sum to less than 1.", _weights(_plus_one)),
    ("1 is added below the line of the softmax: then the weights sum to less than 1.", _weights(lambda x, dim: x.exp() / (1 + x.exp().sum(dim, keepdim=True)))),
    ("The weights are transposed after the softmax: each column sums to 1, where each row should.", _weights(lambda x, dim: x.softmax(dim).mT)),
    ("1 minus the softmax is taken: what fits worst gets the most.", _weights(lambda x, dim: 1 - x.softmax(dim))),
    ("Only the best two keep a weight. All of them share.", _weights(_best(2))),
    ("Only the best three keep a weight. All of them share.", _weights(_best(3))),
    ("The scores are twice as large as they should be.", _weights(lambda x, dim: (x * 2).softmax(dim))),
    ("The scores are half as large as they should be.", _weights(lambda x, dim: (x / 2).softmax(dim))),
    ("The scores are divided by the number of keys, which they shouldn't be.", _weights(lambda x, dim: (x / x.shape[-1]).softmax(dim))),
    ("The scores are divided by the root of the number of keys, which they shouldn't be.", _weights(lambda x, dim: (x / x.shape[-1] ** 0.5).softmax(dim))),
    ("Later keys are hidden, as by a causal mask. That isn't asked for here.", _hidden(torch.tril)),
    ("The diagonal is hidden: no word looks at itself. That isn't asked for here.", _hidden(lambda x: ~torch.eye(*x.shape, dtype=torch.bool))),
]  # fmt: skip
for _size in (2, 4, 8, 64):
    SOFTMAX.append(
        (
            f"The scores are divided by {_size}, which they shouldn't be, or not by this.",
            _weights(lambda x, dim, n=_size: (x / n).softmax(dim)),
        )
    )


def _other_axis(axis: int) -> Callable:
    return lambda f, x, dim=None, **options: f(x, axis, **options)


CHANGES = {
    "softmax": SOFTMAX,
    "matmul": [
        ("A product of two tables comes out transposed.", lambda f, a, b: f(a, b).mT),
        ("In a product the second table is to be turned, or is turned and shouldn't be.", lambda f, a, b: f(a, b.mT)),
        ("In a product the first table is to be turned, or is turned and shouldn't be.", lambda f, a, b: f(a.mT, b)),
        ("In a product the two sides have changed places.", lambda f, a, b: f(b, a)),
        ("In a product the shape of the second table is right, but it is cut anew, not turned.", lambda f, a, b: f(a, b.mT.reshape(b.shape))),
        ("A product that sums is left out: it stays what it was before.", lambda f, a, b: a),
        ("A product is divided by the number of terms that it sums: a mean where a sum is meant.", lambda f, a, b: f(a, b) / a.shape[-1]),
        ("Vectors are compared by their distance where the dot product is meant.", lambda f, a, b: -torch.cdist(a, b.mT)),
        ("Vectors are compared by their squared distance where the dot product is meant.", lambda f, a, b: -torch.cdist(a, b.mT) ** 2),
        ("Vectors are compared by the sum of absolute differences where the dot product is meant.", _compared(lambda a, b: -torch.cdist(a, b, p=1))),
        ("Vectors are compared by the sum of absolute differences where the dot product is meant.", _compared(lambda a, b: torch.cdist(a, b, p=1))),
        ("Numbers are added in pairs where a dot product multiplies them.", _compared(lambda a, b: (a.unsqueeze(-2) + b.unsqueeze(-3)).sum(-1))),
        ("The first one's vectors are brought to length 1: leave the lengths in.", lambda f, a, b: f(a / a.norm(dim=-1, keepdim=True), b)),
        ("The second one's vectors are brought to length 1: leave the lengths in.", lambda f, a, b: f(a, b / b.norm(dim=-2 if b.dim() > 1 else 0, keepdim=True))),
        ("The largest of the products is taken where their sum is meant.", _compared(lambda a, b: (a.unsqueeze(-2) * b.unsqueeze(-3)).amax(-1))),
        ("The lengths of the vectors are divided out (the cosine), where the dot product is meant.", lambda f, a, b: f(a / a.norm(dim=-1, keepdim=True), b / b.norm(dim=-2, keepdim=True))),
    ],
    "linear": [
        ("The bias is left out.", lambda f, x, weight, bias=None: f(x, weight)),
        ("A matrix is used the wrong way round: x @ W.mT is meant, not x @ W.", lambda f, x, weight, bias=None: f(x, weight.mT, bias)),
        ("A projection is left out.", _left_out),
    ],
    "div": [
        ("A division is left out.", _left_out),
        ("You multiply where a division is meant.", lambda f, x, y: x * y),
        ("You divide by the square of what is meant: is a root missing?", lambda f, x, y: x / y**2),
        ("You divide by the root of what is meant: the root is one too many.", lambda f, x, y: x / y**0.5),
        ("You divide twice by the same.", lambda f, x, y: x / y / y),
        ("You divide by twice as much as is meant.", lambda f, x, y: x / y / 2),
        ("You round down when dividing: // where / is meant.", lambda f, x, y: x // y),
    ],
    "mul": [
        ("A factor is left out.", _left_out),
        ("You divide where a product is meant.", lambda f, x, y: x / y),
        ("You add where a product is meant.", lambda f, x, y: x + y),
    ],
    "add": [
        ("A summand is left out.", _left_out),
        ("You subtract where a sum is meant.", lambda f, x, y: x - y),
        ("You multiply where a sum is meant.", lambda f, x, y: x * y),
        ("You take the mean where a sum is meant.", lambda f, x, y: (x + y) / 2),
    ],
    "sub": [
        ("What should be taken off isn't.", _left_out),
        ("You add where a difference is meant.", lambda f, x, y: x + y),
        ("A difference has the wrong sign.", lambda f, x, y: y - x),
    ],
    "tanh": [
        ("The tanh is missing.", _left_out),
        ("A sigmoid stands where tanh is meant.", _instead(torch.sigmoid)),
        ("relu stands where tanh is meant.", _instead(torch.relu)),
        ("gelu stands where tanh is meant.", _instead(torch.nn.functional.gelu)),
        ("softsign stands where tanh is meant.", _instead(torch.nn.functional.softsign)),
        ("The softmax stands where tanh is meant.", lambda f, x: x.softmax(-1)),
        ("The tanh is taken twice.", lambda f, x: f(f(x))),
        ("The tanh is taken of half of what is meant: a mean of the two where their sum is meant.", lambda f, x: f(x / 2)),
        ("The tanh is taken without the sign.", lambda f, x: f(x.abs())),
    ],
    "sin": [("cos stands where sin is meant.", _instead(torch.cos)), ("A sine has the wrong sign.", lambda f, x: -f(x)), ("Degrees are taken for radians, or the reverse.", lambda f, x: f(torch.deg2rad(x)))],
    "cos": [("sin stands where cos is meant.", _instead(torch.sin)), ("A cosine has the wrong sign.", lambda f, x: -f(x))],
    "exp": [("exp is missing.", _left_out), ("Powers of 2 stand where exp is meant.", _instead(torch.exp2)), ("The sign in front of exp's argument is wrong.", lambda f, x: f(-x))],
    "log": [("A logarithm is missing.", _left_out), ("The logarithm has another base: log is the natural one.", _instead(torch.log10)), ("The logarithm has another base: log is the natural one.", _instead(torch.log2))],
    "pow": [("A power is left out.", _left_out), ("A power has the wrong sign.", lambda f, x, y: f(x, -y)), ("A third power stands where a square is meant.", lambda f, x, y: f(x, 3)), ("The size stands where a square is meant.", lambda f, x, y: x.abs())],
    "square": [("A square is missing.", _left_out), ("The size stands where a square is meant.", _instead(torch.abs)), ("A third power stands where a square is meant.", lambda f, x: x**3)],
    "sum": [("The mean is taken where a sum is meant.", _instead(torch.mean)), ("The largest is taken where a sum is meant.", _instead(torch.amax)), ("A sum runs over the first axis.", _other_axis(0)), ("A sum runs over the last axis.", _other_axis(-1)), ("A sum runs over the last axis but one.", _other_axis(-2))],
    "mean": [("The sum is taken where a mean is meant.", _instead(torch.sum)), ("A mean runs over the first axis.", _other_axis(0)), ("A mean runs over the last axis but one.", _other_axis(-2)), ("The mean is left out: 0 stands in its place.", lambda f, x, *a, **o: 0 * f(x, *a, **o))],
    "std": [("A standard deviation runs over the first axis.", _other_axis(0)), ("A standard deviation runs over the last axis but one.", _other_axis(-2)), ("The variance stands where its root, the standard deviation, is meant.", _instead(torch.var)), ("The root mean square stands where the standard deviation is meant: the mean isn't taken off.", lambda f, x, dim, **o: x.square().mean(dim, keepdim=True).sqrt())],
    "tril": [("The triangle is the other one: triu where tril is meant.", _instead(torch.triu)), ("The diagonal is left out of the triangle.", lambda f, x, diagonal=0: f(x, diagonal - 1)), ("The triangle reaches one diagonal too far.", lambda f, x, diagonal=0: f(x, diagonal + 1)), ("The triangle is missing.", _left_out), ("Of the triangle only the diagonal is left: each sees itself alone.", lambda f, x, diagonal=0: f(x, diagonal).triu()), ("Of the triangle only two diagonals are left: each sees itself and the one before, and nothing further back.", lambda f, x, diagonal=0: f(x, diagonal).triu(-1))],
    "triu": [("The triangle is the other one: tril where triu is meant.", _instead(torch.tril)), ("The diagonal isn't as it should be: diagonal=1 leaves it out.", lambda f, x, diagonal=0: f(x, diagonal - 1)), ("The triangle begins one diagonal too late.", lambda f, x, diagonal=0: f(x, diagonal + 1)), ("The triangle is missing.", _left_out)],
    "logical_and": [("“Or” stands where “and” is meant.", _instead(torch.logical_or)), ("Only the first of two conditions is asked.", lambda f, a, b: a & torch.ones_like(b)), ("Only the second of two conditions is asked.", lambda f, a, b: torch.ones_like(a) & b)],
    "logical_or": [("“And” stands where “or” is meant.", _instead(torch.logical_and))],
    "masked_fill": [("The mask is left out.", _left_out), ("The mask is the wrong way round.", lambda f, x, mask, value: f(x, ~mask, value)), ("The mask is the wrong way round.", lambda f, x, mask, value: f(x, ~mask, -1e9)), ("The mask is the wrong way round.", lambda f, x, mask, value: x + -1e9 * ~mask), ("What is hidden is filled with 0, not with −∞.", lambda f, x, mask, value: f(x, mask, 0.0)), ("What is hidden is filled with too small a number: only −∞ is surely gone.", lambda f, x, mask, value: f(x, mask, -10.0))],
    "where": [("The two cases of a choice have changed places.", lambda f, c, a, b: f(~c, a, b))],
    "clamp": [("The clip is left out.", _left_out), ("The clip is one-sided: only what is too large is cut.", lambda f, x, low=None, high=None, **o: f(x, max=o.get("max", high))), ("The clip is one-sided: only what is too small is cut.", lambda f, x, low=None, high=None, **o: f(x, min=o.get("min", low)))],
    "arange": [("Counting starts at 1, not at 0.", lambda f, *a, **o: f(*a, **o) + 1), ("Counting goes the wrong way.", lambda f, *a, **o: f(*a, **o).flip(0))],
    "flatten": [("Axes change places where they are joined.", lambda f, x, *a: f(x.mT, *a))],
    "amax": [("The largest of all is taken, where that of each row is meant.", lambda f, x, *a, **o: x.max()), ("The smallest is taken where the largest is meant.", _instead(torch.amin)), ("What is taken off first isn't the largest.", lambda f, x, dim=-1, keepdim=True: x.mean(dim, keepdim=keepdim))],
}  # fmt: skip
