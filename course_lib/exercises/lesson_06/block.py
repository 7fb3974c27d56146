"""One encoder layer from its sublayers: post-norm as in the paper, or pre-norm as in most models since."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import Sublayer, integer, randn


def _block(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if pre_norm:
        x = x + attention(norm_1(x))
        return x + feed_forward(norm_2(x))
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


def _attend(x, W):
    """Mixes words by their likeness."""
    return (x @ x.mT / x.shape[-1]).softmax(-1) @ x @ W


def _bend(x, W_1, W_2):
    return (x @ W_1).relu() @ W_2


def _norm(x, gamma, beta):
    return torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta)


def _inputs(g, pre_norm, *shape, dtype=torch.float32):
    d_model = shape[-1]

    def matrix(*shape):
        return randn(g, *shape, dtype=dtype) / d_model**0.5

    def norm():
        return Sublayer(_norm, 1 + 0.3 * randn(g, d_model, dtype=dtype), 0.3 * randn(g, d_model, dtype=dtype))

    attention = Sublayer(_attend, matrix(d_model, d_model))
    feed_forward = Sublayer(_bend, matrix(d_model, 4 * d_model), matrix(4 * d_model, d_model))
    return randn(g, *shape, dtype=dtype, size=1.5), attention, feed_forward, norm(), norm(), pre_norm


POST, PRE = "post-norm", "pre-norm"

block = Code(
    "06.block",
    title="Four lines",
    points=4,
    minutes=12,
    difficulty=2,
    criteria={POST: 2, PRE: 2},
    reference=_block,
    axes=["... n d_model"],
    atol=1e-4,
    cases=[
        Case("three words", lambda g: _inputs(g, False, 3, 4), POST),
        Case("one word", lambda g: _inputs(g, False, 1, 6), POST),
        Case("a batch of two sentences", lambda g: _inputs(g, False, 2, 4, 8), POST),
        Case("any sizes", lambda g: _inputs(g, False, integer(g, 5, 8), integer(g, 6, 12)), POST),
        Case("double precision", lambda g: _inputs(g, False, 4, 6, dtype=torch.float64), POST),
        Case("three words, pre-norm", lambda g: _inputs(g, True, 3, 4), PRE),
        Case("one word, pre-norm", lambda g: _inputs(g, True, 1, 6), PRE),
        Case("a batch of two sentences, pre-norm", lambda g: _inputs(g, True, 2, 4, 8), PRE),
        Case("any sizes, pre-norm", lambda g: _inputs(g, True, integer(g, 5, 8), integer(g, 6, 12)), PRE),
        Case("double precision, pre-norm", lambda g: _inputs(g, True, 4, 6, dtype=torch.float64), PRE),
    ],
    differentiable=True,
    hints=[
        "Two sublayers, so two lines. The second line starts from the first one's result, not from x as it came in.",
        "Post-norm: the norm goes around the sum, norm_1(x + attention(x)). Pre-norm: it goes around the sublayer's input only, x + attention(norm_1(x)).",
        "if pre_norm: two lines and a return; else two lines and a return. norm_1 belongs to attention, norm_2 to the feed-forward network.",
    ],
)


def post_1(x, f, norm):
    return norm(x + f(x))


def pre_1(x, f, norm):
    return x + f(norm(x))


@block.variants
def steps(
    x,
    attention,
    feed_forward,
    norm_1,
    norm_2,
    pre_norm,
    *,
    post_first=post_1,
    post_second=lambda x, y, f, norm: norm(y + f(y)),
    pre_first=pre_1,
    pre_second=lambda x, y, f, norm: y + f(norm(y)),
    norms=lambda a, b: (a, b),
    sublayers=lambda a, b: (a, b),
    kind=lambda pre_norm: pre_norm,
):
    first, second = (pre_first, pre_second) if kind(pre_norm) else (post_first, post_second)
    (a, f), (n, m) = sublayers(attention, feed_forward), norms(norm_1, norm_2)
    return second(x, first(x, a, n), f, m)


def in_both(first, second):
    """The same wrong form, whatever pre_norm says."""
    return {"post_first": first, "pre_first": first, "post_second": second, "pre_second": second}


steps.mistake(
    "Your block is always post-norm. With pre_norm=True the norm goes on the sublayer's input: x + attention(norm_1(x)).",
    (PRE,),
    kind=lambda pre_norm: False,
)
steps.mistake(
    "Your block is always pre-norm. With pre_norm=False the norm goes around the sum: norm_1(x + attention(x)).",
    (POST,),
    kind=lambda pre_norm: True,
)
steps.mistake(
    "Pre- and post-norm have changed places. Post-norm, the paper's, is norm(x + sublayer(x)); pre-norm is x + sublayer(norm(x)).",
    kind=lambda pre_norm: not pre_norm,
)
steps.mistake(
    "In pre-norm your skip starts behind the norm: norm(x) + sublayer(norm(x)). Then the gradient through the skip isn't 1. It is x + sublayer(norm(x)).",
    (PRE,),
    pre_first=lambda x, f, norm: norm(x) + f(norm(x)),
    pre_second=lambda x, y, f, norm: norm(y) + f(norm(y)),
)
steps.mistake(
    "In pre-norm the first skip starts behind the norm, norm_1(x) + attention(norm_1(x)). It is x + attention(norm_1(x)).",
    (PRE,),
    pre_first=lambda x, f, norm: norm(x) + f(norm(x)),
)
steps.mistake(
    "In pre-norm the second skip starts behind the norm, norm_2(x) + feed_forward(norm_2(x)). It is x + feed_forward(norm_2(x)).",
    (PRE,),
    pre_second=lambda x, y, f, norm: norm(y) + f(norm(y)),
)
steps.mistake(
    "In post-norm you normalise the sublayer's result before it is added: x + norm(sublayer(x)). The norm goes around the sum.",
    (POST,),
    post_first=lambda x, f, norm: x + norm(f(x)),
    post_second=lambda x, y, f, norm: y + norm(f(y)),
)
steps.mistake(
    "In pre-norm you normalise the sublayer's result: x + norm(sublayer(x)). Its *input* is normalised: x + sublayer(norm(x)).",
    (PRE,),
    pre_first=lambda x, f, norm: x + norm(f(x)),
    pre_second=lambda x, y, f, norm: y + norm(f(y)),
)
steps.mistake(
    "You normalise the sublayer's result, x + norm(sublayer(x)), in both forms. Post-norm goes around the sum, pre-norm on the sublayer's input.",
    **in_both(lambda x, f, norm: x + norm(f(x)), lambda x, y, f, norm: y + norm(f(y))),
)
steps.mistake(
    "The second skip starts from x as it came in. It starts after the first sublayer: what attention added stays in the stream.",
    post_second=lambda x, y, f, norm: norm(x + f(y)),
    pre_second=lambda x, y, f, norm: x + f(norm(y)),
)
steps.mistake(
    "The second skip of post-norm starts from x as it came in. It starts after the first sublayer.",
    (POST,),
    post_second=lambda x, y, f, norm: norm(x + f(y)),
)
steps.mistake(
    "The second skip of pre-norm starts from x as it came in. It starts after the first sublayer.",
    (PRE,),
    pre_second=lambda x, y, f, norm: x + f(norm(y)),
)
steps.mistake(
    "The feed-forward network reads x as it came in: your sublayers stand side by side. It reads what attention has made.",
    post_second=lambda x, y, f, norm: norm(y + f(x)),
    pre_second=lambda x, y, f, norm: y + f(norm(x)),
)
steps.mistake(
    "The feed-forward network starts again from x, and what attention did is lost. Its line goes on from attention's result.",
    post_second=lambda x, y, f, norm: norm(x + f(x)),
    pre_second=lambda x, y, f, norm: x + f(norm(x)),
)
steps.mistake(
    "You use one norm for both sublayers, the first. Each has its own γ and β: norm_2 belongs to the feed-forward network.",
    norms=lambda a, b: (a, a),
)
steps.mistake(
    "You use one norm for both sublayers, the second. Each has its own γ and β: norm_1 belongs to attention.",
    norms=lambda a, b: (b, b),
)
steps.mistake(
    "The norms have changed places: norm_1 belongs to attention, norm_2 to the feed-forward network.",
    norms=lambda a, b: (b, a),
)
steps.mistake(
    "The feed-forward network comes first. Attention does: it gathers, then the feed-forward network works on what was gathered.",
    sublayers=lambda a, b: (b, a),
)
steps.mistake(
    "The skips are missing: nothing is added to x. Each sublayer adds its result to what came in.",
    post_first=lambda x, f, norm: norm(f(x)),
    post_second=lambda x, y, f, norm: norm(f(y)),
    pre_first=lambda x, f, norm: f(norm(x)),
    pre_second=lambda x, y, f, norm: f(norm(y)),
)
steps.mistake(
    "The skip around attention is missing: x + attention(…).",
    post_first=lambda x, f, norm: norm(f(x)),
    pre_first=lambda x, f, norm: f(norm(x)),
)
steps.mistake(
    "The skip around the feed-forward network is missing: x + feed_forward(…).",
    post_second=lambda x, y, f, norm: norm(f(y)),
    pre_second=lambda x, y, f, norm: f(norm(y)),
)
steps.mistake("There is no norm in your block.", **in_both(lambda x, f, norm: x + f(x), lambda x, y, f, norm: y + f(y)))
steps.mistake(
    "The second norm is missing in post-norm: norm_2(x + feed_forward(x)).",
    (POST,),
    post_second=lambda x, y, f, norm: y + f(y),
)
steps.mistake(
    "The first norm is missing in post-norm: norm_1(x + attention(x)).", (POST,), post_first=lambda x, f, norm: x + f(x)
)
steps.mistake(
    "The second norm is missing in both forms: it belongs to the feed-forward network, around the sum or on what it reads.",
    post_second=lambda x, y, f, norm: y + f(y),
    pre_second=lambda x, y, f, norm: y + f(y),
)
steps.mistake(
    "The first norm is missing in both forms: it belongs to attention, around the sum or on what it reads.",
    post_first=lambda x, f, norm: x + f(x),
    pre_first=lambda x, f, norm: x + f(x),
)
steps.mistake(
    "The second norm is missing in pre-norm: x + feed_forward(norm_2(x)).",
    (PRE,),
    pre_second=lambda x, y, f, norm: y + f(y),
)
steps.mistake(
    "The first norm is missing in pre-norm: x + attention(norm_1(x)).", (PRE,), pre_first=lambda x, f, norm: x + f(x)
)
steps.mistake(
    "Attention works twice, and the feed-forward network not at all. The second sublayer is feed_forward.",
    sublayers=lambda a, b: (a, a),
)
steps.mistake(
    "The feed-forward network works twice, and attention not at all. The first sublayer is attention.",
    sublayers=lambda a, b: (b, b),
)
steps.mistake(
    "x is added twice at the end: the second skip already carries what came in.",
    post_second=lambda x, y, f, norm: x + norm(y + f(y)),
    pre_second=lambda x, y, f, norm: x + y + f(norm(y)),
)
steps.mistake(
    "You stop after attention: the feed-forward network is the second half of the block.",
    post_second=lambda x, y, f, norm: y,
    pre_second=lambda x, y, f, norm: y,
)
steps.mistake(
    "There is a norm on both sides in pre-norm: the sum isn't normalised there. x + sublayer(norm(x)).",
    (PRE,),
    pre_first=lambda x, f, norm: norm(x + f(norm(x))),
    pre_second=lambda x, y, f, norm: norm(y + f(norm(y))),
)
steps.mistake(
    "There is a norm on both sides in post-norm: the sublayer reads x as it is there. norm(x + sublayer(x)).",
    (POST,),
    post_first=lambda x, f, norm: norm(x + f(norm(x))),
    post_second=lambda x, y, f, norm: norm(y + f(norm(y))),
)
steps.mistake(
    "At the end of pre-norm you normalise once more. A whole pre-norm model does that, once, after its last block; a block doesn't.",
    (PRE,),
    pre_second=lambda x, y, f, norm: norm(y + f(norm(y))),
)
steps.mistake(
    "The results are subtracted from x. They are added.",
    post_first=lambda x, f, norm: norm(x - f(x)),
    post_second=lambda x, y, f, norm: norm(y - f(y)),
    pre_first=lambda x, f, norm: x - f(norm(x)),
    pre_second=lambda x, y, f, norm: y - f(norm(y)),
)


@block.mistake("x comes back as it went in. Each sublayer adds its result.")
def unchanged(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    return x.clone()


@block.mistake(
    "One skip goes around both sublayers. Each has a skip of its own, the second from where the first has ended."
)
def one_skip(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if pre_norm:
        return x + feed_forward(norm_2(attention(norm_1(x))))
    return norm_2(x + feed_forward(norm_1(attention(x))))


@block.mistake("Both sublayers read x and both results are added at once. The second reads what the first has made.")
def side_by_side(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if pre_norm:
        return x + attention(norm_1(x)) + feed_forward(norm_2(x))
    return norm_2(norm_1(x + attention(x) + feed_forward(x)))
