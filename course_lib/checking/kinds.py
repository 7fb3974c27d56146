"""What an exercise is. One object holds it whole: feedback, grading, hints and the grader's own tests follow from it.

scaled_dot_product_attention = Code(
    title="Scaled dot-product attention", points=4, minutes=15, difficulty=2,
    reference=attention.scaled_dot_product_attention,
    axes=["... query d_v", "... query key"],
    cases=[Case("two words", lambda g: qkv(g, 2, 4)), ...],
    hints=["Which two shapes does the product of queries and keys join?", ...],
)

@scaled_dot_product_attention.mistake("Your scores grow with d_k. Divide them by √d_k before the softmax.")
def no_scale(query, key, value):
    ...
"""

import copy
import hashlib
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class Case:
    """One call of the student's code: `inputs(generator)` makes its arguments, fresh for every seed."""

    name: str
    inputs: Callable[[torch.Generator], tuple]
    part: str = ""


@dataclass(frozen=True)
class Mistake:
    """What somebody might write, and the sentence that helps them. `breaks` names the parts it gets wrong."""

    sentence: str
    answer: object
    breaks: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return getattr(self.answer, "__name__", str(self.answer))


@dataclass(kw_only=True)
class Exercise:
    """What all kinds share. `lesson` and `name` are filled in from the module and the variable that hold it."""

    title: str
    points: int
    minutes: int
    difficulty: int
    hints: list[str]
    parts: dict[str, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    lesson: str = ""
    name: str = ""

    kind = "exercise"
    graded = True
    start: str | None = None

    def __post_init__(self):
        self.parts = self.parts or {"": self.points}
        if sum(self.parts.values()) != self.points:
            raise ValueError(f"The parts of {self.title!r} give {sum(self.parts.values())} points, not {self.points}.")

    @property
    def key(self) -> str:
        return f"{self.lesson}.{self.name}"


@dataclass(kw_only=True)
class Code(Exercise):
    """Write a function. `reference` is right; `axes` names the axes of each output, `...` for any leading ones.

    `forbidden` are words in the names of finished functions that would do the exercise's work ("softmax"), in small letters.
    `differentiable`: gradients must flow from the output to the inputs that are floating point.
    """

    reference: Callable
    cases: list[Case]
    axes: list[str] = field(default_factory=list)
    forbidden: tuple[str, ...] = ()
    differentiable: bool = False
    rtol: float = 1e-4
    atol: float = 1e-5
    symptoms: list[tuple[str, Callable]] = field(default_factory=list)

    kind = "code"

    def mistake(self, sentence: str, breaks: tuple[str, ...] | None = None):
        """Decorator: a wrong implementation, and the sentence for whoever writes it."""

        def add(wrong):
            self.mistakes.append(Mistake(sentence, wrong, breaks))
            return wrong

        return add

    def symptom(self, sentence: str):
        """Decorator: `f(inputs, answer) -> bool` tells a wrong answer that no listed mistake explains."""

        def add(test):
            self.symptoms.append((sentence, test))
            return test

        return add

    def starts_from(self, buggy: Callable):
        """Decorator: the broken code that the student is given in a find-the-bug exercise."""
        lines = textwrap.dedent(inspect.getsource(buggy)).splitlines()
        self.start = "\n".join(lines[next(i for i, line in enumerate(lines) if line.startswith(("def ", "class "))) :])
        return buggy

    def run(self, submission, *inputs):
        """Call the student's code. Kinds that need more than a call do it here."""
        return submission(*inputs)

    def inputs(self, case_index: int, seed: str) -> tuple:
        """The arguments of one case; the same seed gives the same arguments, each time as new objects."""
        digest = hashlib.sha256(f"{seed}/{self.key}/{case_index}".encode()).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
        return copy.deepcopy(
            tuple(self.cases[case_index].inputs(generator))
        )  # a case may hold a constant, and code may change it


class Misnamed(Exception):
    """The student's module lacks a parameter that the exercise asks for; the message is for the student."""


@dataclass(kw_only=True)
class Module(Code):
    """Write an nn.Module. A case's inputs are (arguments of __init__, weights by name, *arguments of forward)."""

    def run(self, submission, config, weights, *inputs):
        module = submission(**config)
        own = module.state_dict()
        for name, weight in weights.items():
            if name not in own:
                raise Misnamed(
                    f"Your module has no parameter {name}. Its parameters are: {', '.join(own) or 'none'}. "
                    "The check copies weights in by name, so the layers need the names that the exercise gives."
                )
            if own[name].shape != weight.shape:
                raise Misnamed(
                    f"{name} should have shape {tuple(weight.shape)} for {_call(config)}, yours has {tuple(own[name].shape)}."
                )
        extra = sorted(set(own) - set(weights))
        if extra:
            raise Misnamed(f"Your module has parameters that aren't asked for: {', '.join(extra)}.")
        module.load_state_dict(weights)
        return module.to(next(iter(weights.values())).dtype).eval()(*inputs)


def _call(config: dict) -> str:
    return ", ".join(f"{name}={value}" for name, value in config.items())


@dataclass(kw_only=True)
class Number(Exercise):
    """One number, or one for each part. `wrong` maps a tempting number to the sentence that explains it."""

    answer: float | dict[str, float]
    wrong: dict[float, str] | dict[str, dict[float, str]] = field(default_factory=dict)
    rtol: float = 1e-3

    kind = "number"

    def __post_init__(self):
        if isinstance(self.answer, dict) and not self.parts:
            self.parts = dict.fromkeys(self.answer, 1)
        super().__post_init__()

    def answers(self) -> dict[str, float]:
        return self.answer if isinstance(self.answer, dict) else {"": self.answer}

    def wrong_for(self, part: str) -> dict[float, str]:
        return self.wrong.get(part, {}) if isinstance(self.answer, dict) else self.wrong


@dataclass(kw_only=True)
class Choice(Exercise):
    """Choose one letter. Every option has its explanation, the right one too. The question stands in the lesson."""

    options: dict[str, str]
    answer: str

    kind = "choice"


@dataclass(kw_only=True)
class Prediction(Exercise):
    """A guess before a measurement: kept, never graded, answered after the next cell has run."""

    question: str
    options: list[str]
    answer: str
    why: str
    points: int = 0
    minutes: int = 1
    difficulty: int = 1
    hints: list[str] = field(default_factory=list)

    kind = "prediction"
    graded = False

    def __post_init__(self):
        super().__post_init__()
        if self.answer not in self.options:
            raise ValueError(f"The answer {self.answer!r} is none of the options of {self.title!r}.")
