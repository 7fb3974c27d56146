"""One encoder layer from its sublayers: post-norm as in the paper, or pre-norm as in most models since."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.given import Sublayer, bend, norm
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_06.given import attend


def _block(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if pre_norm:
        x = x + attention(norm_1(x))
        return x + feed_forward(norm_2(x))
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


def _inputs(g, pre_norm, *shape, dtype=torch.float32):
    d_model = shape[-1]

    def matrix(*shape):
        return randn(g, *shape, dtype=dtype) / d_model**0.5

    def a_norm():
        return Sublayer(norm, 1 + 0.3 * randn(g, d_model, dtype=dtype), 0.3 * randn(g, d_model, dtype=dtype))

    attention = Sublayer(attend, matrix(d_model, d_model))
    feed_forward = Sublayer(bend, matrix(d_model, 4 * d_model), matrix(4 * d_model, d_model))
    return randn(g, *shape, dtype=dtype, size=1.5), attention, feed_forward, a_norm(), a_norm(), pre_norm


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


def own_line(pre, x, s, f, n):
    """One line as it should be: x came into the block, s into the line; f is the sublayer, n its norm."""
    return s + f(n(s)) if pre else n(s + f(s))


@block.variants
def steps(
    x,
    attention,
    feed_forward,
    norm_1,
    norm_2,
    pre_norm,
    *,
    first=own_line,
    second=own_line,
    norms=lambda pre, a, b: (a, b),
    sublayers=lambda pre, a, b: (a, b),
    kind=lambda pre_norm: pre_norm,
    result=lambda x, y: y,
):
    pre = kind(pre_norm)
    (a, f), (n, m) = sublayers(pre, attention, feed_forward), norms(pre, norm_1, norm_2)
    return result(x, second(pre, x, first(pre, x, x, a, n), f, m))


def only(kind, line):
    """A line that is wrong in one of the two forms."""
    return lambda pre, *rest: line(*rest) if pre == (kind == PRE) else own_line(pre, *rest)


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

# --- a line in another form -------------------------------------------------------------------------------------------

RIGHT = {POST: "norm(x + sublayer(x))", PRE: "x + sublayer(norm(x))"}
FORMS = {  # what is written, what that means, and the line itself
    "norm(x + sublayer(x))": ("the norm is on the sum", lambda x, s, f, n: n(s + f(s))),
    "x + sublayer(norm(x))": ("the norm is on what the sublayer reads", lambda x, s, f, n: s + f(n(s))),
    "norm(x) + sublayer(x)": ("the norm is on the skip alone", lambda x, s, f, n: n(s) + f(s)),
    "norm(x) + sublayer(norm(x))": (
        "the skip starts behind the norm, and x as it came in is lost",
        lambda x, s, f, n: n(s) + f(n(s)),
    ),
    "x + norm(sublayer(x))": ("the norm is on the sublayer's result", lambda x, s, f, n: s + n(f(s))),
    "norm(x) + norm(sublayer(x))": ("both summands are normalised, not their sum", lambda x, s, f, n: n(s) + n(f(s))),
    "norm(x + sublayer(norm(x)))": ("there is a norm on both sides", lambda x, s, f, n: n(s + f(n(s)))),
    "x + sublayer(x)": ("the norm is missing", lambda x, s, f, n: s + f(s)),
    "norm(sublayer(x))": ("the skip is missing", lambda x, s, f, n: n(f(s))),
    "sublayer(norm(x))": ("the skip is missing, nothing is added to x", lambda x, s, f, n: f(n(s))),
    "sublayer(x)": ("skip and norm are missing", lambda x, s, f, n: f(s)),
    "norm(x - sublayer(x))": ("the result is taken off, where it is added", lambda x, s, f, n: n(s - f(s))),
    "x - sublayer(norm(x))": ("the sublayer's result is subtracted, where it is added", lambda x, s, f, n: s - f(n(s))),
    "norm((x + sublayer(x)) / 2)": ("the mean is taken, where the sum is meant", lambda x, s, f, n: n((s + f(s)) / 2)),
    "(x + sublayer(norm(x))) / 2": ("you halve the sum", lambda x, s, f, n: (s + f(n(s))) / 2),
    "norm(x * sublayer(x))": ("a product stands where the sum is meant", lambda x, s, f, n: n(s * f(s))),
    "norm(cat(x, sublayer(x)))": (
        "the two are put side by side, not added",
        lambda x, s, f, n: n(torch.cat([s, f(s)])),
    ),
    "cat(x, sublayer(norm(x)))": ("both are put side by side, not added", lambda x, s, f, n: torch.cat([s, f(n(s))])),
    "x * sublayer(norm(x))": ("a product stands in place of the sum", lambda x, s, f, n: s * f(n(s))),
}


def named(form, sublayer, norm):
    return form.replace("sublayer", sublayer).replace("norm", norm)


for kind in (POST, PRE):
    right = RIGHT[kind]
    for form, (says, line) in FORMS.items():
        if form == right:
            continue
        wrong = only(kind, line)
        one, two = named(form, "attention", "norm_1"), named(form, "feed_forward", "norm_2")
        if form not in RIGHT.values():  # else it is always the other kind
            steps.mistake(
                f"In {kind} your lines are {form}: {says}. It is {right}.", (kind,), first=wrong, second=wrong
            )
        steps.mistake(
            f"In {kind} your first line is {one}: {says}. It is {named(right, 'attention', 'norm_1')}.",
            (kind,),
            first=wrong,
        )
        steps.mistake(
            f"In {kind} your second line is {two}: {says}. It is {named(right, 'feed_forward', 'norm_2')}.",
            (kind,),
            second=wrong,
        )


def in_both(post, pre):
    """A line that is wrong in both forms, each in its own way."""
    return lambda is_pre, *rest: FORMS[pre if is_pre else post][1](*rest)


BOTH = f"Post-norm is {RIGHT[POST]}, pre-norm is {RIGHT[PRE]}."
for form in (
    "x + sublayer(x)",
    "sublayer(x)",
    "x + norm(sublayer(x))",
    "norm(x) + sublayer(x)",
    "norm(x) + sublayer(norm(x))",
    "norm(x) + norm(sublayer(x))",
    "norm(x + sublayer(norm(x)))",
):
    line = in_both(form, form)
    steps.mistake(f"Your lines are {form} in both forms: {FORMS[form][0]}. {BOTH}", first=line, second=line)
for says, post, pre in (
    ("The skip{0} is missing: nothing is added to x.", "norm(sublayer(x))", "sublayer(norm(x))"),
    ("The result{0} is subtracted from x. It is added.", "norm(x - sublayer(x))", "x - sublayer(norm(x))"),
    ("You take the mean of x and the result{0}. It is the sum.", "norm((x + sublayer(x)) / 2)", "(x + sublayer(norm(x))) / 2"),
    ("torch.cat puts x and the result{0} one behind the other. The skip is a sum, x + …", "norm(cat(x, sublayer(x)))", "cat(x, sublayer(norm(x)))"),
    ("You multiply x by the result{0}. It is the sum.", "norm(x * sublayer(x))", "x * sublayer(norm(x))"),
):  # fmt: skip
    line = in_both(post, pre)
    steps.mistake(says.format("") + " In both lines.", first=line, second=line)
    steps.mistake(says.format(" of attention") + " That is the first line.", first=line)
    steps.mistake(says.format(" of the feed-forward network") + " That is the second line.", second=line)
no_norm = in_both("x + sublayer(x)", "x + sublayer(x)")
steps.mistake(
    "The first norm is missing in both forms: norm_1, around the sum or on what attention reads.", first=no_norm
)
steps.mistake(
    "The second norm is missing in both forms: norm_2, around the sum or on what the feed-forward network reads.",
    second=no_norm,
)

# --- what the second line starts from, and what stands where: in both forms, or in one --------------------------------


def in_one(kind, says):
    """The sentence, for one of the two forms alone."""
    return f"In {kind} {says[0].lower()}{says[1:]}"


STARTS = {
    "The second skip starts from x as it came in. It starts after the first line: what attention added stays in the stream.": (
        lambda x, s, f, n: n(x + f(s)),
        lambda x, s, f, n: x + f(n(s)),
    ),
    "The feed-forward network reads x as it came in: your sublayers stand side by side. It reads what attention has made.": (
        lambda x, s, f, n: n(s + f(x)),
        lambda x, s, f, n: s + f(n(x)),
    ),
    "The feed-forward network starts again from x, and what attention did is lost. Its line goes on from attention's result.": (
        lambda x, s, f, n: n(x + f(x)),
        lambda x, s, f, n: x + f(n(x)),
    ),
    "x is added once more at the end: the second skip already carries what came in.": (
        lambda x, s, f, n: n(x + s + f(s)),
        lambda x, s, f, n: x + s + f(n(s)),
    ),
    "You stop after attention: the feed-forward network is the second half of the block.": (
        lambda x, s, f, n: s,
        lambda x, s, f, n: s,
    ),
}
for says, (post, pre) in STARTS.items():
    steps.mistake(says, second=lambda is_pre, *rest, post=post, pre=pre: (pre if is_pre else post)(*rest))
    steps.mistake(in_one(POST, says), (POST,), second=only(POST, post))
    steps.mistake(in_one(PRE, says), (PRE,), second=only(PRE, pre))

NORMS = {
    "The norms have changed places: norm_1 belongs to attention, norm_2 to the feed-forward network.": lambda a, b: (b, a),
    "You use one norm for both sublayers, the first. Each has its own γ and β: norm_2 belongs to the feed-forward network.": lambda a, b: (a, a),
    "You use one norm for both sublayers, the second. Each has its own γ and β: norm_1 belongs to attention.": lambda a, b: (b, b),
}  # fmt: skip
for says, norms in NORMS.items():
    steps.mistake(says, norms=lambda pre, a, b, norms=norms: norms(a, b))
    steps.mistake(in_one(POST, says), (POST,), norms=lambda pre, a, b, norms=norms: (a, b) if pre else norms(a, b))
    steps.mistake(in_one(PRE, says), (PRE,), norms=lambda pre, a, b, norms=norms: norms(a, b) if pre else (a, b))

ORDER = "The feed-forward network comes first. Attention does: it gathers, then the feed-forward network works on what was gathered."
for says, turned in {
    f"{ORDER} (Each with the norm of its line.)": lambda a, b: (a, b),
    f"{ORDER} (Each with its own norm.)": lambda a, b: (b, a),
}.items():
    steps.mistake(says, sublayers=lambda pre, a, b: (b, a), norms=lambda pre, a, b, turned=turned: turned(a, b))
    for kind in (POST, PRE):
        steps.mistake(
            in_one(kind, says),
            (kind,),
            sublayers=lambda pre, a, b, which=kind == PRE: (b, a) if pre == which else (a, b),
            norms=lambda pre, a, b, which=kind == PRE, turned=turned: turned(a, b) if pre == which else (a, b),
        )
SUBLAYERS = {
    "Attention works twice, and the feed-forward network not at all. The second sublayer is feed_forward.": (
        lambda a, b: (a, a)
    ),
    "The feed-forward network works twice, and attention not at all. The first sublayer is attention.": (
        lambda a, b: (b, b)
    ),
    "Attention is applied to its own result in the first line. Once: x + attention(…).": (
        lambda a, b: (lambda y: a(a(y)), b)
    ),
}
for says, sublayers in SUBLAYERS.items():
    steps.mistake(says, sublayers=lambda pre, a, b, made=sublayers: made(a, b))
    steps.mistake(
        in_one(POST, says), (POST,), sublayers=lambda pre, a, b, made=sublayers: (a, b) if pre else made(a, b)
    )
    steps.mistake(in_one(PRE, says), (PRE,), sublayers=lambda pre, a, b, made=sublayers: made(a, b) if pre else (a, b))
steps.mistake(
    "x is added behind the last norm, once more. The second skip already carries it.",
    (POST,),
    second=only(POST, lambda x, s, f, n: x + n(s + f(s))),
)
steps.mistake("x comes back as it went in. Each sublayer adds its result.", result=lambda x, y: x.clone())


@block.mistake(
    "One skip goes around both sublayers. Each has a skip of its own, the second from where the first has ended."
)
def one_skip(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if pre_norm:
        return x + feed_forward(norm_2(attention(norm_1(x))))
    return norm_2(x + feed_forward(norm_1(attention(x))))


@block.mistake(
    "In pre-norm the feed-forward network reads what norm_1 made for attention. It reads the new sum, under its own norm: norm_2(x).",
    (PRE,),
)
def one_norm_read_twice(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if not pre_norm:
        return _block(x, attention, feed_forward, norm_1, norm_2, pre_norm)
    read = norm_1(x)
    return x + attention(read) + feed_forward(read)


def side_by_side(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if pre_norm:
        return x + attention(norm_1(x)) + feed_forward(norm_2(x))
    return norm_2(norm_1(x + attention(x) + feed_forward(x)))


SIDE_BY_SIDE = "Both sublayers read x and both results are added at once. The second reads what the first has made."
block.mistake(SIDE_BY_SIDE)(side_by_side)
block.mistake(in_one(POST, SIDE_BY_SIDE), (POST,))(
    lambda *inputs: _block(*inputs) if inputs[-1] else side_by_side(*inputs)
)


@block.mistake("You normalise without norm_1 and norm_2, so their γ and β have no part. Call them.")
def norms_of_ones_own(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    plain = lambda y: torch.nn.functional.layer_norm(y, y.shape[-1:])  # noqa: E731
    return _block(x, attention, feed_forward, plain, plain, pre_norm)


@block.mistake(
    "After the pre-norm lines the post-norm ones run as well: an else is missing, or a return at the end of the first two.",
    (PRE,),
)
def both_forms(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    x = _block(x, attention, feed_forward, norm_1, norm_2, True) if pre_norm else x
    return _block(x, attention, feed_forward, norm_1, norm_2, False)


# --- attention as it is in lesson 03 ----------------------------------------------------------------------------------


def with_attention(call):
    """The right block, but that attention is called, or its result taken, in another way."""
    return lambda x, attention, *rest: _block(x, lambda y: call(attention, y), *rest)


def unpacked(attention, y):
    out, _ = attention(y)
    return out


block.mistake(
    "You take [0] of what attention gives. It is no pair here: attention(x) is the output alone, and [0] is its first word or sentence."
)(with_attention(lambda attention, y: attention(y)[0]))
block.mistake(
    "You unpack what attention gives. It is no pair here: attention(x) is the output alone, without its weights."
)(with_attention(unpacked))
block.mistake("attention takes x alone here, not queries, keys and values: all three are made of x inside.")(
    with_attention(lambda attention, y: attention(y, y, y))
)
