"""What an exercise is. One object holds it whole: feedback, grading, hints and the grader's own tests follow from it.

    scaled_dot_product_attention = Code(
        "02.scaled_dot_product_attention",
        title="Scaled dot-product attention", points=4, minutes=15, difficulty=2,
        reference=attention.scaled_dot_product_attention,
        axes=["... query d_v", "... query key"],
        cases=[Case("two words", lambda g: qkv(g, 2, 4)), ...],
        hints=["Which two shapes does the product of queries and keys join?", ...],
    )

Most mistakes are the right answer with one step replaced. The exercise names its steps once, a mistake replaces some by
keyword:

    @scaled_dot_product_attention.variants
    def steps(query, key, value, *, scores=scaled_dot_scores, weights=softmax_over_keys):
        w = weights(scores(query, key))
        return w @ value, w

    steps.mistake("Your scores grow with d_k. Divide them by √d_k before the softmax.", scores=dot_scores)

A wrong answer of another build is a whole function:

    @scaled_dot_product_attention.mistake("The two results are in the wrong order: the output first, then the weights.")
    def order_of_results(query, key, value):
        ...
"""

import hashlib
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch

from course_lib.checking import calls
from course_lib.checking.task import Signature, Task, copied
from course_lib.checking.usual_state import usual_state


@dataclass(frozen=True)
class Case:
    """One call of the student's code: `inputs(generator)` makes its arguments, fresh for every seed."""

    name: str
    inputs: Callable[[torch.Generator], tuple]
    criterion: str = ""


@dataclass(frozen=True)
class Mistake:
    """What somebody might write, and the sentence that helps them. `breaks`: the criteria it fails, None for all.

    `steps`: what it replaces in `build`, where it is made by Variants; two such mistakes can be made at once.
    """

    sentence: str
    wrong: Callable
    breaks: tuple[str, ...] | None = None
    build: Callable | None = None
    steps: dict[str, Callable] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.wrong.__name__


@dataclass(kw_only=True)
class Exercise:
    """What all kinds share. `key`, such as "02.attend", is lesson and name: exercises/lesson_02/attend.py holds it.

    `criteria` are what the points are given for, each with its share; by default there is one, "", for the whole.
    """

    key: str = field(kw_only=False)
    title: str
    points: int
    minutes: int
    difficulty: int
    hints: list[str]
    criteria: dict[str, int] = field(default_factory=dict)

    kind = "exercise"
    graded = True
    start = None  # the code that a student is given in place of a stub

    def __post_init__(self):
        self.criteria = self.criteria or {"": self.points}
        if sum(self.criteria.values()) != self.points:
            raise ValueError(
                f"The criteria of {self.key} give {sum(self.criteria.values())} points, not {self.points}."
            )

    @property
    def lesson(self) -> str:
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        return self.key.partition(".")[2]

    def task(self, seed: str) -> Task:
        """All of it that the student's side needs; `checking.collect` gives back the answers."""
        return Task(self.key)


def as_returned(value, *inputs):
    return value


@dataclass(kw_only=True)
class Code(Exercise):
    """Write a function. `reference` is right; `axes` names the axes of each output, `...` for any leading ones.

    `forbidden`: words, in small letters, in the names of finished functions that would do the work ("softmax").
    `differentiable`: gradients must flow from the output to the inputs that are floating point.
    `results`: what the outputs are called in sentences, where there are several: ("output", "weights").
    `broadcastable`: an output counts as right where it broadcasts to the right one, or is that one, expanded.
    `calculates`: what is compared is what the student's code calculates; False where it is what comes of it in use, so
    that only listed mistakes and symptoms can say why.
    `refuses_reference`: the reference itself is no answer, whatever it is called or wrapped in. Tests switch it off.
    `call(submission, *inputs)`: what happens beside the student's code, a function of a module `calls` or `given`.
    `settle(value, *inputs)`: what of the returned value counts; Misnamed if it isn't what was asked for. The judge's.
    `buggy`: in a find-the-bug exercise the code that the student is given; `unchanged`: said while it is as it was.
    """

    reference: Callable
    cases: list[Case]
    axes: list[str] = field(default_factory=list)
    results: tuple[str, ...] = ()
    broadcastable: bool = False
    calculates: bool = True
    refuses_reference: bool = True
    forbidden: tuple[str, ...] = ()
    differentiable: bool = False
    rtol: float = 1e-4
    atol: float = 1e-5
    call: Callable = calls.plain
    settle: Callable = as_returned
    buggy: Callable | None = None
    unchanged: str = ""
    mistakes: list[Mistake] = field(default_factory=list, init=False)
    symptoms: list[tuple[str, Callable]] = field(default_factory=list, init=False)

    kind = "code"
    wanted = "function"

    def __post_init__(self):
        super().__post_init__()
        if self.buggy:
            self.mistakes.append(Mistake(self.unchanged, self.buggy))

    @property
    def start(self) -> str | None:
        """The source of `buggy` as the student gets it."""
        return textwrap.dedent(inspect.getsource(self.buggy)).rstrip() if self.buggy else None

    def mistake(self, sentence: str, breaks: tuple[str, ...] | None = None):
        """Decorator: a wrong implementation, and the sentence for whoever writes it."""

        def add(wrong):
            self.mistakes.append(Mistake(sentence, wrong, breaks))
            return wrong

        return add

    def variants(self, build: Callable) -> "Variants":
        """Decorator: the right answer, its steps as keyword-only arguments with the right ones as defaults."""
        return Variants(self, build)

    def symptom(self, sentence: str, any_shape: bool = False):
        """Decorator: `f(inputs, answer)` is true of a wrong answer that no listed mistake explains, or a sentence.

        any_shape: it can say something of an answer that hasn't the right shape, too.
        """

        def add(test):
            test.any_shape = any_shape
            self.symptoms.append((sentence, test))
            return test

        return add

    def with_steps(self, build: Callable, steps: dict) -> Callable:
        """What a student would have written who takes these steps."""
        return lambda *inputs: build(*inputs, **steps)

    def input_names(self) -> list[str]:
        """What the arguments of a case are called."""
        return list(inspect.signature(self.reference).parameters)

    def signatures(self, *inputs) -> list[Signature]:
        """What the student's code must accept, for the inputs of a case."""
        return [Signature("", tuple(self.input_names()[: len(inputs)]))]

    def run(self, submission, *inputs):
        """What counts of that which code returns."""
        return self.settle(self.call(submission, *inputs), *inputs)

    def expected(self, case_index: int, seed: str):
        """What the reference returns in this case."""
        return self.run(self.reference, *self.inputs(case_index, seed))

    def gradient(self, seed: str) -> list[torch.Tensor]:
        """Of the reference in the first case, with respect to each of its floating-point inputs."""
        return calls.gradient(self.call, self.reference, self.inputs(0, seed))

    def inputs(self, case_index: int, seed: str) -> tuple:
        """The arguments of one case; the same seed gives the same arguments, each time as new objects."""
        digest = hashlib.sha256(f"{seed}/{self.key}/{case_index}".encode()).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
        with torch.device("cpu"):  # the student's code may have set another
            made = self.cases[case_index].inputs(generator)
        return copied(made)  # a case may hold a constant, and code may change it

    def task(self, seed: str) -> Task:
        with usual_state():
            cases = tuple(self.inputs(index, seed) for index in range(len(self.cases)))
        return Task(
            self.key,
            wanted=self.wanted,
            start=self.start,
            signatures=tuple(self.signatures(*cases[0])),
            forbidden=self.forbidden,
            reference=self._place_of_reference() if self.refuses_reference else "",
            call=self.call,
            cases=cases,
            names=tuple(self.input_names()),
            differentiable=self.differentiable,
        )

    def _place_of_reference(self) -> str:
        """As "module:name": where anybody can import it from, or else in this exercise."""
        module, name = (getattr(self.reference, each, "") for each in ("__module__", "__qualname__"))
        if module.startswith("course_lib.exercises."):
            return f"course_lib.exercises.lesson_{self.lesson}.{self.name}:{self.name}.reference"
        return f"{module}:{name}"


class Variants:
    """The right answer with named steps. `mistake` lists it with some of them replaced; calls take steps by keyword."""

    def __init__(self, exercise: Code, build: Callable):
        self.exercise, self.build = exercise, build
        parameters = inspect.signature(build).parameters.values()
        self.steps = [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]

    def __call__(self, *inputs, **steps):
        return self.build(*inputs, **steps)

    def mistake(self, sentence: str, breaks: tuple[str, ...] | None = None, **steps) -> None:
        """A wrong answer with these steps in place of the right ones, and the sentence for whoever writes it."""
        unknown = [name for name in steps if name not in self.steps]
        if unknown or not steps:
            raise ValueError(
                f"A mistake of {self.exercise.key} replaces some of the steps {self.steps}; got {list(steps)}."
            )
        wrong = self.exercise.with_steps(self.build, steps)
        wrong.__name__ = f"{'_and_'.join(steps)}_{len(self.exercise.mistakes)}"
        self.exercise.mistakes.append(Mistake(sentence, wrong, breaks, self.build, steps))


@dataclass(kw_only=True)
class ClassCode(Code):
    """Write a class of plain Python. A case's inputs are the arguments of __init__, then one for each of `methods`.

    Its answer is a tuple: what each method returns, in turn, of one object; `another`: see `calls.of_class`.
    Variants are called with steps alone and return a class.
    """

    methods: tuple[str, ...]
    another: tuple

    wanted = "class"

    def __post_init__(self):
        super().__post_init__()
        self.call = partial(calls.of_class, methods=self.methods, another=self.another)

    def with_steps(self, build: Callable, steps: dict) -> type:
        return build(**steps)

    @property
    def to_make_it(self) -> list[str]:
        """The names of the arguments of __init__."""
        return list(inspect.signature(self.reference).parameters)

    def input_names(self) -> list[str]:
        methods = [inspect.signature(getattr(self.reference, name)) for name in self.methods]
        return self.to_make_it + [list(each.parameters)[1] for each in methods]

    def signatures(self, *inputs) -> list[Signature]:
        made, own = Signature("", tuple(self.to_make_it)), self.input_names()[len(self.to_make_it) :]
        return [made, *(Signature(method, ("self", name)) for method, name in zip(self.methods, own))]


@dataclass(kw_only=True)
class ModuleCode(Code):
    """Write an nn.Module. A case's inputs are (arguments of __init__, weights by name, *arguments of forward).

    It runs in training mode, see `calls.of_module`. Its variants are called with steps alone and return a class.
    """

    call: Callable = calls.of_module

    wanted = "class"

    def with_steps(self, build: Callable, steps: dict) -> type:
        return build(**steps)

    def input_names(self) -> list[str]:
        return ["config", "weights", *list(inspect.signature(self.reference.forward).parameters)[1:]]

    def signatures(self, config, weights, *inputs) -> list[Signature]:
        names = self.input_names()[2 : 2 + len(inputs)]
        return [Signature("", tuple(config), by_keyword=True), Signature("forward", ("self", *names))]


@dataclass(kw_only=True)
class Number(Exercise):
    """One number, or one for each criterion. `wrong` maps a tempting number to the sentence that explains it."""

    answer: float | dict[str, float]
    wrong: dict[float, str] | dict[str, dict[float, str]] = field(default_factory=dict)
    rtol: float = 1e-3

    kind = "number"

    def __post_init__(self):
        if isinstance(self.answer, dict) and not self.criteria:
            self.criteria = dict.fromkeys(self.answer, 1)
        super().__post_init__()

    def answers(self) -> dict[str, float]:
        return self.answer if isinstance(self.answer, dict) else {"": self.answer}

    def wrong_for(self, criterion: str) -> dict[float, str]:
        return self.wrong.get(criterion, {}) if isinstance(self.answer, dict) else self.wrong


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
