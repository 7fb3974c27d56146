"""Using a pretrained GPT for tasks: Radford, Narasimhan, Salimans and Sutskever (2018), sections 3.2, 3.3 and 5.

    marks = TaskMarks(start=1, delimiter=4, extract=3)
    runs = entailment(premise, hypothesis, marks)      # what GPT reads; here one run: [s] premise [$] hypothesis [e]
    model = TaskGPT(gpt, num_classes=2)
    losses = fit(model, task_batches(examples, 16, seed=0), partial(task_loss, model), …)  # examples: (runs, label)
    label_word_scores(gpt, prompts, labels)            # without any training: with which label would it write on?

    texts → runs → GPT → h at each run's last token ┬→ summed over the runs → W_y → a logit for each class
                                                    └→ multiple choice: W_y  → a logit for each run

The model stays as it is; only the input's form, one matrix and the vectors of two marks are new with a task.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.corpora.batching import bucketed, pad
from course_lib.corpora.vocabulary import PAD_ID
from course_lib.decoding import check_eval_mode
from course_lib.errors import CourseError
from course_lib.gpt import GPT
from course_lib.support.messages import whole_number

Token = int | str  # an id; the forms take words, too, for a look at them
Text = Sequence[Token]
Run = list[Token]  # one text that GPT reads from left to right
Example = tuple[list[Run], int]  # its runs and its label

# --- four forms of input (figure 1 of the paper) ----------------------------------------------------------------------


class TaskMarks(NamedTuple):
    """The three marks. A pretrained GPT knows the first; the others get their meaning in fine-tuning."""

    start: Token
    delimiter: Token  # between two texts; the paper's is "$"
    extract: Token  # at the end: here the model is read


def classification(text: Text, marks: TaskMarks) -> list[Run]:
    """One run: [s] text [e]."""
    return [[marks.start, *text, marks.extract]]


def entailment(premise: Text, hypothesis: Text, marks: TaskMarks) -> list[Run]:
    """One run: [s] premise [$] hypothesis [e]."""
    return [[marks.start, *premise, marks.delimiter, *hypothesis, marks.extract]]


def similarity(a: Text, b: Text, marks: TaskMarks) -> list[Run]:
    """Two runs, as neither text comes first by nature: [s] a [$] b [e] and [s] b [$] a [e]."""
    return entailment(a, b, marks) + entailment(b, a, marks)


def multiple_choice(context: Text, answers: Sequence[Text], marks: TaskMarks) -> list[Run]:
    """A run for each answer: [s] context [$] answer [e]. The context is a story, or a passage and a question."""
    return [run for answer in answers for run in entailment(context, answer, marks)]


@dataclass(frozen=True)
class TaskBatch:
    """Examples with equally many runs. Padding stands at a run's end, where no token of it can see it."""

    ids: Int[Tensor, "example run n"]
    lengths: Int[Tensor, "example run"]  # tokens, marks counted: the extract mark stands at length − 1
    labels: Int[Tensor, "example"]


def task_batch(examples: Sequence[Example]) -> TaskBatch:
    """Raises CourseError where the examples don't have equally many runs, as with two answers and with three."""
    counts = sorted({len(runs) for runs, _ in examples})
    if len(counts) != 1 or counts == [0]:
        found = f"these have {' or '.join(map(str, counts))}" if counts else "there are no examples"
        raise CourseError(f"The examples of a batch should have equally many runs, at least one; {found}.")
    ids, lengths = pad([run for runs, _ in examples for run in runs])
    labels = torch.tensor([label for _, label in examples])
    return TaskBatch(ids.unflatten(0, (-1, counts[0])), lengths.unflatten(0, (-1, counts[0])), labels)


def task_batches(examples: Sequence[Example], size: int, seed: int) -> Iterator[TaskBatch]:
    """Batches without end, of at most `size` examples of about equal length; each example once in each round."""
    rng = random.Random(seed)
    while True:
        for part in bucketed(examples, size, rng, length=lambda example: max(map(len, example[0]))):
            yield task_batch(part)


# --- the model and its loss -------------------------------------------------------------------------------------------


class TaskGPT(nn.Module):
    """P(y | x¹ … xᵐ) = softmax(h_l^m W_y): a GPT whose last layer is read at one place only.

    num_classes: of the labels; 1 for multiple choice, where each run gets one logit and the softmax is over the runs.
    dropout falls on what is read (section 4.1).
    """

    def __init__(self, gpt: GPT, num_classes: int, dropout: float = 0.1):
        super().__init__()
        self.gpt = gpt
        self.dropout = nn.Dropout(dropout)
        self.W_y = nn.Linear(gpt.config.d_model, whole_number("num_classes", num_classes, low=1), bias=False)
        nn.init.normal_(self.W_y.weight, std=0.02)

    def forward(self, batch: TaskBatch) -> Float[Tensor, "example classes"]:
        """The logits of each example's classes; with multiple choice those of its runs."""
        return self.logits(self.states(batch), batch)

    def states(self, batch: TaskBatch) -> Float[Tensor, "example run n d_model"]:
        """GPT's last layer, every run by itself: h_l in the paper."""
        return self.gpt.states(batch.ids.flatten(0, 1))[0].unflatten(0, batch.lengths.shape)

    def logits(self, states: Float[Tensor, "example run n d_model"], batch: TaskBatch) -> Tensor:
        """`forward` for states that are computed already."""
        place = (batch.lengths - 1)[..., None, None].expand(*batch.lengths.shape, 1, states.shape[-1])
        read = self.dropout(states.gather(2, place).squeeze(2))  # (example, run, d_model): h_l^m
        if self.W_y.out_features == 1:
            return self.W_y(read).squeeze(-1)  # (example, run)
        return self.W_y(read.sum(1))  # one run, or both orders added


def task_loss(
    model: TaskGPT, batch: TaskBatch, lam: float = 0.5, plain: Int[Tensor, "row n"] | None = None
) -> Float[Tensor, ""]:
    """L₃ = L₂ + λ L₁, as means of −log P: both are minimised (the paper writes sums of log P, and maximises).

    L₂ is of the labels. L₁ is of the next token, in the runs themselves as in the paper: at each of their tokens but
    the padding (the authors' code counts the marks, too); or, where `plain` texts are given, in these.
    """
    states = model.states(batch)
    loss = F.cross_entropy(model.logits(states, batch).float(), batch.labels)
    if not lam:
        return loss
    if plain is not None:
        return loss + lam * language_loss(model.gpt, plain)
    return loss + lam * language_loss(model.gpt, batch.ids.flatten(0, 1), states.flatten(0, 1))


def language_loss(
    gpt: GPT, ids: Int[Tensor, "row n"], states: Float[Tensor, "row n d_model"] | None = None
) -> Float[Tensor, ""]:
    """L₁: the mean of −log P(next token) in nats, padding left out. `states`: GPT's, where they are known already."""
    states = gpt.states(ids[:, :-1])[0] if states is None else states[:, :-1]
    wanted = ids[:, 1:]
    kept = wanted != PAD_ID
    return F.cross_entropy(gpt.logits(states[kept]).float(), wanted[kept])  # no logits are made for padding


# --- without training -------------------------------------------------------------------------------------------------


@torch.no_grad()
def label_word_scores(gpt: GPT, prompts: Sequence[Text], labels: Sequence[Text]) -> Float[Tensor, "prompt label"]:
    """How probable each label is after each prompt: the mean of log P over the label's tokens (section 5, "Zero-shot").

    The mean, as a label of more tokens has a smaller probability by its length alone. A prompt's own tokens don't
    count, and begin with the start mark. Raises CourseError in training mode, and for an empty prompt or label.
    """
    check_eval_mode(gpt)
    if not (prompts and labels and all(prompts) and all(labels)):
        raise CourseError("Each prompt and each label should have at least one token; a prompt begins with <s>.")
    ids, lengths = pad([[*prompt, *label] for prompt in prompts for label in labels])
    log_p = gpt(ids[:, :-1])[0].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)  # (prompt · label, n − 1)
    begins = torch.tensor([len(prompt) for prompt in prompts for _ in labels])
    place = torch.arange(1, ids.shape[1])
    of_label = (place >= begins[:, None]) & (place < lengths[:, None])
    return ((log_p * of_label).sum(1) / of_label.sum(1)).view(len(prompts), len(labels))
