"""The feed-forward network: two matrices with a bend between them, at each word by itself."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _feed_forward(x, W_1, b_1, W_2, b_2):
    return (x @ W_1.mT + b_1).relu() @ W_2.mT + b_2


def _inputs(g, n, d_model, d_ff, leading=(), **kwargs):
    return (
        randn(g, *leading, n, d_model, **kwargs),
        randn(g, d_ff, d_model, **kwargs),
        randn(g, d_ff, **kwargs),
        randn(g, d_model, d_ff, **kwargs),
        randn(g, d_model, **kwargs),
    )


feed_forward = Code(
    "06.feed_forward",
    title="The feed-forward network",
    points=3,
    minutes=8,
    difficulty=1,
    reference=_feed_forward,
    axes=["... n d_model"],
    forbidden=("feedforward", "feed_forward"),
    atol=1e-4,
    cases=[
        Case("three words", lambda g: _inputs(g, 3, 4, 8)),
        Case("as many words as numbers", lambda g: _inputs(g, 4, 4, 4)),
        Case("one word", lambda g: _inputs(g, 1, 3, 6)),
        Case("a batch of two sentences", lambda g: _inputs(g, 3, 4, 16, leading=(2,))),
        Case("narrower in the middle", lambda g: _inputs(g, 5, 6, 2)),
        Case("any sizes", lambda g: _inputs(g, integer(g, 5, 9), integer(g, 6, 9), integer(g, 10, 20))),
        Case("two leading axes", lambda g: _inputs(g, 2, 4, 8, leading=(3, 2))),
        Case("double precision", lambda g: _inputs(g, 3, 5, 20, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(randn(g, 5, 4)), *_inputs(g, 1, 4, 8)[1:])),
    ],
    differentiable=True,
    hints=[
        "From inside to outside: first W_1 and b_1, then ReLU, then W_2 and b_2.",
        "The formula's W₁x is for one column. Each word here is a row of x: x @ W_1.mT is (..., n, d_ff).",
        "ReLU keeps what is above 0: .relu(), torch.relu(…) or .clamp(min=0).",
    ],
)


@feed_forward.variants
def steps(
    x,
    W_1,
    b_1,
    W_2,
    b_2,
    *,
    into=lambda x, W, b: x @ W.mT + b,
    bend=torch.relu,
    back=lambda h, W, b: h @ W.mT + b,
    result=lambda y, x: y,
):
    return result(back(bend(into(x, W_1, b_1)), W_2, b_2), x)


steps.mistake(
    "The bend is missing. Without ReLU, W₂(W₁x + b₁) + b₂ is one matrix and one bias, whatever d_ff is.",
    bend=common.unchanged,
)
steps.mistake(
    "ReLU comes last in your code, and nothing bends in the middle. What comes out can't be negative any more. It belongs between the matrices.",
    bend=common.unchanged,
    result=lambda y, x: y.relu(),
)
steps.mistake(
    "There is a second ReLU at the end: what comes out can't be negative any more. One, between the matrices.",
    result=lambda y, x: y.relu(),
)
steps.mistake(
    "There is a second ReLU, before b₂ is added. One, between the matrices.", back=lambda h, W, b: (h @ W.mT).relu() + b
)
steps.mistake(
    "You add x at the end. That is the skip connection; it belongs to the block, not to the feed-forward network.",
    result=lambda y, x: x + y,
)
steps.mistake(
    "b₁ comes after the bend. It belongs before it: it says where each number bends.",
    into=lambda x, W, b: (x @ W.mT).relu() + b,
    bend=common.unchanged,
)
steps.mistake("b₁ is missing.", into=lambda x, W, b: x @ W.mT)
steps.mistake("b₂ is missing.", back=lambda h, W, b: h @ W.mT)
steps.mistake("b₁ is subtracted. The formula adds it.", into=lambda x, W, b: x @ W.mT - b)
steps.mistake(
    "ReLU bends already at the input: each number of x below 0 is lost. First W₁ and b₁, then ReLU.",
    into=lambda x, W, b: x.relu() @ W.mT + b,
    bend=common.unchanged,
)
steps.mistake("You take tanh. The paper's bend is ReLU: max(0, ·).", bend=torch.tanh)
steps.mistake("You take the sigmoid. The paper's bend is ReLU: max(0, ·).", bend=torch.sigmoid)
steps.mistake(
    "You take GELU. BERT and GPT do; the formula here is the paper's, with ReLU.", bend=torch.nn.functional.gelu
)
steps.mistake(
    "You take GELU in its tanh form. The formula here is the paper's, with ReLU.",
    bend=lambda h: torch.nn.functional.gelu(h, approximate="tanh"),
)
steps.mistake(
    "You take leaky ReLU, which lets a little through below 0. The paper's bend is ReLU: max(0, ·).",
    bend=torch.nn.functional.leaky_relu,
)
steps.mistake("You take ELU. The paper's bend is ReLU: max(0, ·).", bend=torch.nn.functional.elu)
steps.mistake(
    "You take softplus, ReLU's smooth cousin. The paper's bend is ReLU: max(0, ·).", bend=torch.nn.functional.softplus
)
steps.mistake(
    "You square what ReLU keeps. Some later models do; the formula here has ReLU alone.", bend=lambda h: h.relu() ** 2
)
steps.mistake(
    "ReLU bends twice, already at the input and then in the middle. Numbers of x below 0 are lost: only in the middle.",
    into=lambda x, W, b: x.relu() @ W.mT + b,
)
steps.mistake("You take SiLU. The formula here is the paper's, with ReLU.", bend=torch.nn.functional.silu)
steps.mistake("You take the absolute value. ReLU makes 0 of what is negative.", bend=torch.abs)
steps.mistake("You keep what is below 0. ReLU keeps what is above: max(0, ·).", bend=lambda h: h.clamp(max=0))
steps.mistake(
    "You keep 0 or 1 for each number, not the number itself: ReLU is max(0, h), not h > 0.",
    bend=lambda h: (h > 0).to(h.dtype),
)
steps.mistake(
    "You cut at 1, too (min and max have changed places?). ReLU is max(0, h), without an upper end.",
    bend=lambda h: h.clamp(0, 1),
)
steps.mistake(
    "max(0, ·) takes the largest number of each word. ReLU looks at each number by itself: .relu() or .clamp(min=0).",
    bend=lambda h: torch.zeros_like(h) + h.amax(-1, keepdim=True).clamp(min=0),
)
steps.mistake(
    "You take a softmax in the middle: that is attention's. Here each number bends by itself, with ReLU.",
    bend=lambda h: h.softmax(-1),
)
steps.mistake(
    "The matrices aren't turned. The formula's W₁x is for one column; for the rows here it is x @ W_1.mT, and W_2.mT after it.",
    into=lambda x, W, b: x @ W + b,
    back=lambda h, W, b: h @ W + b,
)
steps.mistake("W_1 isn't turned: for rows it is x @ W_1.mT.", into=lambda x, W, b: x @ W + b)
steps.mistake("W_2 isn't turned: for rows it is h @ W_2.mT.", back=lambda h, W, b: h @ W + b)
steps.mistake(
    "Your network mixes words: the matrices act along the words. That is attention's work. They act on each word's own numbers, x @ W_1.mT.",
    into=lambda x, W, b: (x.mT @ W.mT + b).mT,
    back=lambda h, W, b: (h.mT @ W.mT + b).mT,
)
steps.mistake("You stop after ReLU. W₂ leads back to d_model numbers.", back=lambda h, W, b: h)


steps.mistake(
    "The formula is for columns: W_1 @ x takes your words for columns, but each is a row of x. For rows it is x @ W_1.mT, then @ W_2.mT.",
    into=lambda x, W, b: W @ x + b,
    back=lambda h, W, b: W @ h + b,
)
steps.mistake(
    "The biases stand along the wrong axis: each number meets a word, not a place. With words as rows it is x @ W_1.mT + b_1; with words as columns W_1 @ x.mT + b_1[:, None].",
    into=lambda x, W, b: x @ W.mT + b[:, None],
    back=lambda h, W, b: h @ W.mT + b[:, None],
)
steps.mistake(
    "Your words are still columns at the end: (..., d_model, n). Turn the result once more with .mT.",
    result=lambda y, x: y.mT,
)
steps.mistake(
    "The matrices are cut anew (reshape, view), not turned: the shape is right, but the numbers stand elsewhere. W_1.mT turns.",
    into=lambda x, W, b: x @ W.reshape(W.shape[::-1]) + b,
    back=lambda h, W, b: h @ W.reshape(W.shape[::-1]) + b,
)
steps.mistake(
    "W_1 is cut anew (reshape, view), not turned: the shape is right, but the numbers stand elsewhere. W_1.mT turns.",
    into=lambda x, W, b: x @ W.reshape(W.shape[::-1]) + b,
)
steps.mistake(
    "W_2 is cut anew (reshape, view), not turned: the shape is right, but the numbers stand elsewhere. W_2.mT turns.",
    back=lambda h, W, b: h @ W.reshape(W.shape[::-1]) + b,
)
steps.mistake("b₁ is multiplied. The formula adds it.", into=lambda x, W, b: x @ W.mT * b)
steps.mistake(
    "Python's max can't compare a whole tensor with 0. The paper's max(0, ·) looks at each number by itself: .relu() or .clamp(min=0).",
    bend=lambda h: max(0, h),
)
steps.mistake(
    "torch.max(h, 0) takes 0 for an axis: the largest of each column, and where it is. ReLU is torch.relu(h) or h.clamp(min=0).",
    bend=lambda h: torch.max(h, 0),
)
steps.mistake(
    "You return what is inside, too. Only the output is asked for, (..., n, d_model).",
    back=lambda h, W, b: (h, h @ W.mT + b),
)


def by_loop(bend=torch.relu):
    """A loop over the first axis, as in the lesson: right for (n, d_model) alone."""

    def wrong(x, W_1, b_1, W_2, b_2):
        return torch.stack([W_2 @ bend(W_1 @ word + b_1) + b_2 for word in x])

    return wrong


LEADING = "Right for one sentence, (n, d_model): a loop over x runs over its words, and x.T turns it. With a batch in front the first axis is the sentences."


@feed_forward.mistake(LEADING + " And torch.zeros makes float32 of whatever comes: x @ W_1.mT needs no loop.")
def filled_by_loop(x, W_1, b_1, W_2, b_2):
    out = torch.zeros(x.shape)
    for i in range(len(x)):
        out[i] = W_2 @ torch.relu(W_1 @ x[i] + b_1) + b_2
    return out


feed_forward.mistake(LEADING + " x @ W_1.mT takes any leading axes.")(by_loop())
feed_forward.mistake(LEADING + " And the bend is missing: ReLU between the matrices.")(by_loop(bend=common.unchanged))


for _axis, _which in {0: "the first axis", -1: "the last axis", -2: "the words"}.items():
    steps.mistake(
        f"max along {_which} takes the largest of many numbers, and one is left of them. ReLU looks at each number by itself and keeps the shape: .relu() or .clamp(min=0).",
        bend=lambda h, axis=_axis: h.amax(axis),
    )
steps.mistake(
    "What is below 0 becomes 1. ReLU makes 0 of it: max(0, h).",
    bend=lambda h: torch.where(h > 0, h, torch.ones_like(h)),
)


@feed_forward.mistake(
    "b_1 is added at the end, too. It has d_ff numbers, one for each in the middle; at the end it is b_2."
)
def first_bias_twice(x, W_1, b_1, W_2, b_2):
    return steps(x, W_1, b_1, W_2, b_1)


@feed_forward.mistake(
    "A list of words comes back, and the bend is missing. Compute all at once: (x @ W_1.mT + b_1).relu() is (..., n, d_ff)."
)
def list_of_words_without_a_bend(x, W_1, b_1, W_2, b_2):
    made = by_loop(bend=common.unchanged)(x, W_1, b_1, W_2, b_2)
    return list(made) if x.dim() == 2 else made


@feed_forward.mistake("b_1 and b_2 have changed places: b_1 belongs to W_1, inside, and b_2 to W_2.")
def biases_changed(x, W_1, b_1, W_2, b_2):
    return steps(x, W_1, b_2, W_2, b_1)


@feed_forward.mistake(
    "W_1 and W_2 have changed places, and the bend is missing. For rows it is x @ W_1.mT + b_1, then ReLU, then @ W_2.mT + b_2."
)
def matrices_changed_and_no_bend(x, W_1, b_1, W_2, b_2):
    return (x @ W_2 + b_1) @ W_1 + b_2


@feed_forward.mistake(
    "A list of words comes back. Put them together, or compute all at once: x @ W_1.mT is (..., n, d_ff)."
)
def list_of_words(x, W_1, b_1, W_2, b_2):
    return list(by_loop()(x, W_1, b_1, W_2, b_2)) if x.dim() == 2 else by_loop()(x, W_1, b_1, W_2, b_2)


@feed_forward.mistake("You average the words first, and one vector is left. The network sees each word by itself.")
def the_mean_alone(x, W_1, b_1, W_2, b_2):
    return steps(x.mean(-2, keepdim=True), W_1, b_1, W_2, b_2)


@feed_forward.mistake("You average the words first, so that all get the same. The network sees each word by itself.")
def of_the_mean(x, W_1, b_1, W_2, b_2):
    return steps(x.mean(-2, keepdim=True).expand_as(x), W_1, b_1, W_2, b_2)


@feed_forward.mistake("Only the first word goes through; the same network serves every word.")
def first_word(x, W_1, b_1, W_2, b_2):
    return steps(x[..., :1, :].expand_as(x), W_1, b_1, W_2, b_2)


@feed_forward.mistake(
    "W_1 and W_2 have changed places: x @ W_2 fits in shape, but W_1 comes first. For rows it is x @ W_1.mT, then @ W_2.mT."
)
def matrices_changed(x, W_1, b_1, W_2, b_2):
    return (x @ W_2 + b_1).relu() @ W_1 + b_2


@feed_forward.mistake(
    "Bend and biases are missing: what is left is one matrix, W₂W₁. First W₁ and b₁, then ReLU, then W₂ and b₂."
)
def matrices_alone(x, W_1, b_1, W_2, b_2):
    return x @ W_1.mT @ W_2.mT


@feed_forward.mistake("The biases have no part, and ReLU comes last. First W₁ and b₁, then ReLU, then W₂ and b₂.")
def matrices_and_a_late_bend(x, W_1, b_1, W_2, b_2):
    return (x @ W_1.mT @ W_2.mT).relu()
