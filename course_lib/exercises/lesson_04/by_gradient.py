"""The leak detector: which output of a layer depends on which input, asked of the gradient."""

import torch

from course_lib import masks
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.given import Sublayer
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_04.given import (
    attention,
    cancelling,
    difference,
    into_one_number,
    seeded,
    whispering,
    word_before,
    words_around,
)


def _inputs(g, n, d, d_out=None, layer=attention, causal=True, dtype=torch.float32):
    x, W = (0.5 * randn(g, *shape, dtype=dtype) for shape in ((n, d), (d, d_out or d)))
    return Sublayer(layer, W, masks.causal_mask(n) if causal else torch.ones(n, n, dtype=torch.bool)), x


# --- the exercise -----------------------------------------------------------------------------------------------------


def _mixed(one_output):
    return (one_output * torch.randn_like(one_output)).sum()


def _any(gradient):
    return (gradient != 0).any(-1)


def _by_gradient(layer, x, *, mixed=_mixed, seen=_any, table=lambda seen: seen):
    x = x.clone().requires_grad_()
    gradients = [torch.autograd.grad(mixed(one), x, retain_graph=True)[0] for one in layer(x)]
    return table(torch.stack([seen(gradient) for gradient in gradients]))


def reference(layer, x):
    return _by_gradient(layer, x)


by_gradient = Code(
    "04.by_gradient",
    title="A leak detector",
    points=4,
    minutes=12,
    difficulty=2,
    reference=reference,
    axes=["output input"],
    call=seeded,
    cases=[
        Case("causal attention", lambda g: _inputs(g, 5, 4)),
        Case("attention without a mask", lambda g: _inputs(g, 4, 3, causal=False)),
        Case("each word sees only the one before it", lambda g: _inputs(g, 5, 3, layer=word_before)),
        Case("each word sees its neighbours", lambda g: _inputs(g, integer(g, 6, 8), 4, layer=words_around)),
        Case("a longer output", lambda g: _inputs(g, 4, 3, d_out=6)),
        Case("numbers of an output that cancel", lambda g: _inputs(g, 4, 3, layer=cancelling)),
        Case("a leak into one number of the output", lambda g: _inputs(g, 4, 5, layer=into_one_number)),
        Case("a difference of two numbers of the input", lambda g: _inputs(g, 5, 4, layer=difference)),
        Case("a very small leak", lambda g: _inputs(g, 5, 3, layer=whispering)),
        Case("one word", lambda g: _inputs(g, 1, 3)),
        Case("double precision", lambda g: _inputs(g, 4, 3, dtype=torch.float64)),
    ],
    hints=[
        "One row for each output. A gradient is taken of one number: how do you make one number of output[i], so that nothing in it cancels?",
        "x = x.clone().requires_grad_() comes before output = layer(x). For each i: "
        "torch.autograd.grad(number, x, retain_graph=True)[0] is (n, d).",
        "The number is (output[i] * torch.randn_like(output[i])).sum(). A word is seen if any of its d gradients isn't 0: "
        "(gradient != 0).any(-1). Stack these rows.",
    ],
)

steps = by_gradient.variants(_by_gradient)

steps.mistake(
    "A plain sum, or a mean, of an output's numbers can cancel: then the gradient is 0, and the leak stays hidden. "
    "Give each number a random weight first: (output[i] * torch.randn_like(output[i])).sum().",
    mixed=torch.sum,
)
steps.mistake(
    "You ask for a single number of each output, the first or the last. A leak may be in any of them: mix all, with random weights.",
    mixed=lambda one: one[0],
)
steps.mistake(
    "Only positive gradients count in your version. A negative one is an influence, too: != 0.",
    seen=lambda gradient: (gradient > 0).any(-1),
)
steps.mistake(
    "In your version a word is seen only if all of its numbers have an influence. One is enough: any, not all.",
    seen=lambda gradient: (gradient != 0).all(-1),
)
steps.mistake(
    "You add up the gradients of a word's numbers, and they can cancel. Ask whether any of them isn't 0.",
    seen=lambda gradient: gradient.sum(-1) != 0,
)
steps.mistake(
    "You ask for the gradient of the word's first number alone. Any of its numbers may have an influence.",
    seen=lambda gradient: gradient[:, 0] != 0,
)
steps.mistake(
    "A very small influence goes unseen in your version: it falls below a bound, or is lost in rounding, as it is where words are exchanged and outputs compared. "
    "Where nothing is seen a gradient is exactly 0, so ask for != 0.",
    seen=lambda gradient: (gradient.abs() > 1e-6).any(-1),
)
steps.mistake(
    "You return how large the gradients are. The table should say whether there are any, True or False: (gradient != 0).any(-1).",
    seen=lambda gradient: gradient.norm(dim=-1),
)
steps.mistake(
    "You return how large the gradients are, added up. The table should say whether there are any, True or False: (gradient != 0).any(-1).",
    seen=lambda gradient: gradient.abs().sum(-1),
)
steps.mistake(
    "The table holds a row for each output and in it all d gradients of each word, (n, n, d). Is any of the d not 0? .any(-1).",
    seen=lambda gradient: gradient != 0,
)
steps.mistake(
    "You ask along the words, so a column stands for a number of the input, not for a word. Each row of the gradient, (n, d), is one word: .any(-1).",
    seen=lambda gradient: (gradient != 0).any(0),
)
steps.mistake(
    "You ask where a gradient is 0. An output depends on a word if any of its d gradients is *not* 0: (gradient != 0).any(-1).",
    seen=lambda gradient: (gradient == 0).any(-1),
)
steps.mistake(
    "Each output gives a single True or False: .any() without an axis asks all words at once. Ask each word: .any(-1).",
    seen=lambda gradient: (gradient != 0).any(),
)
steps.mistake(
    "Rows and columns have changed places: the row is the output, the column the input that it depends on.",
    table=lambda seen: seen.mT,
)
steps.mistake(
    "True and False have changed places: True where the output depends on the input, so where the gradient is != 0.",
    table=torch.logical_not,
)
steps.mistake(
    "You return the leaks alone, above the diagonal. Return the whole table of who sees whom; what is allowed there, others decide.",
    table=lambda seen: seen.triu(1),
)
steps.mistake(
    "You cut away what lies above the diagonal, and the leaks with it. Return the whole table of who sees whom.",
    table=lambda seen: seen.tril(),
)
steps.mistake(
    "The rows stand one behind the other, in a single one of n · n. Put them under each other: torch.stack, not torch.cat.",
    table=lambda seen: seen.flatten(),
)
steps.mistake(
    "Each row also holds what the rows before it saw: .grad adds up from one backward to the next. "
    "Set x.grad to None before each, or use torch.autograd.grad.",
    table=lambda seen: seen.cumsum(0) > 0,
)
steps.mistake(
    "Only the row of the first output comes back. Does `return` stand inside the loop? There is a row for each output: stack them.",
    table=lambda seen: seen[0],
)
steps.mistake(
    "The table has floats in it, 1.0 and 0.0. It should hold True and False.", table=lambda seen: seen.float()
)
steps.mistake(
    "The table has whole numbers in it, 1 and 0. It should hold True and False.", table=lambda seen: seen.long()
)


@by_gradient.mistake(
    "All rows are the same: you take the gradient of all outputs together. Take one output's at a time, row by row."
)
def all_outputs_together(layer, x):
    x = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(_mixed(layer(x)), x)
    return _any(gradient).expand(len(x), -1)


@by_gradient.mistake(
    "You take the gradient of all outputs together, and get one row. Each output needs a row of its own: (n, n)."
)
def one_row(layer, x):
    return all_outputs_together(layer, x)[0]


@by_gradient.mistake(
    "That is a single True. A comparison with a tensor's .grad gives it when .grad is None: backward fills it only "
    "in the tensor that went into the layer and had requires_grad."
)
def grad_is_none(layer, x):
    return True


@by_gradient.mistake(
    "Each output is asked for its own input alone. Its gradient, (n, d), tells of all words: keep all n rows of it, and ask each by .any(-1)."
)
def only_itself(layer, x):
    x = x.clone().requires_grad_()
    gradients = [torch.autograd.grad(_mixed(one), x, retain_graph=True)[0] for one in layer(x)]
    return torch.stack([gradient[i] != 0 for i, gradient in enumerate(gradients)])


@by_gradient.mistake(
    "Each word goes through the layer alone, so it can't see the others. Send all through at once, layer(x), and ask afterwards."
)
def word_by_word(layer, x):
    return torch.eye(len(x), dtype=torch.bool)


@by_gradient.mistake(
    "Your random numbers mix the words, one for each, and the outputs can't be told apart any more. "
    "Mix the d_out numbers of each output, output[i]."
)
def words_mixed(layer, x):
    x = x.clone().requires_grad_()
    mixed = torch.randn(len(x)) @ layer(x)  # in float32 only, as a first draft draws it
    return torch.stack([_any(torch.autograd.grad(mixed[i], x, retain_graph=True)[0]) for i in range(len(x))])


@by_gradient.mistake(
    "Your loop counts to d, the length of a word's vector. There is a row for each of the n words: range(len(x))."
)
def as_many_rows_as_numbers(layer, x):
    x = x.clone().requires_grad_()
    output = layer(x)
    gradients = [torch.autograd.grad(_mixed(output[i]), x, retain_graph=True)[0] for i in range(x.shape[1])]
    return torch.stack([_any(gradient) for gradient in gradients])


@by_gradient.mistake("That is the causal mask, whatever the layer does. Measure: run the layer, and ask for gradients.")
def causal_mask(layer, x):
    return torch.ones(len(x), len(x), dtype=torch.bool).tril()


@by_gradient.symptom(
    "The diagonal is wrong: does a word's output depend on the word itself? Ask for that pair like for any other."
)
def only_the_diagonal(inputs, answer):
    right = reference(*inputs)
    return torch.equal(
        answer | torch.eye(len(right), dtype=torch.bool), right | torch.eye(len(right), dtype=torch.bool)
    )


@by_gradient.symptom(
    "An output depends on an input there, and your table doesn't say so. Do numbers cancel, do only positive ones count, does a bound hide them, or are some left out?"
)
def misses(inputs, answer):
    return bool((reference(*inputs) & ~answer).any())


@by_gradient.symptom(
    "Your table holds an influence that doesn't exist there. Does each row start afresh, with the gradient of its own output alone?"
)
def invents(inputs, answer):
    return bool((answer & ~reference(*inputs)).any())
