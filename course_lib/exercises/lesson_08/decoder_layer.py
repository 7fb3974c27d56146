"""One decoder layer from its sublayers, post-norm as in the paper: read yourself, read the source, think."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.given import Sublayer, bend, norm
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_08.given import Attention, attend
from course_lib.masks import causal_mask


def _decoder_layer(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[-2])))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


def _inputs(g, n, m, d_model, leading=(), lengths=None, dtype=torch.float32):
    """Sublayers are small, so that no word takes everything. Without lengths, two words of the source are padding."""

    def matrix(*shape):
        return randn(g, *shape, dtype=dtype) / d_model**0.5

    def a_norm():
        return Sublayer(norm, 1 + 0.3 * randn(g, d_model, dtype=dtype), 0.3 * randn(g, d_model, dtype=dtype))

    y, memory = (randn(g, *leading, words, d_model, dtype=dtype, size=1.5) for words in (n, m))
    attentions = (Attention(attend, matrix(d_model, d_model), matrix(d_model, d_model)) for _ in "12")
    feed_forward = Sublayer(bend, matrix(d_model, 2 * d_model), matrix(2 * d_model, d_model))
    lengths = torch.tensor([max(1, m - 2)] if lengths is None else lengths)
    mask = (torch.arange(m) < lengths[:, None])[:, None]  # (batch, 1, m)
    return y, memory, *attentions, feed_forward, a_norm(), a_norm(), a_norm(), mask if leading else mask[0]


decoder_layer = Code(
    "08.decoder_layer",
    title="A decoder layer",
    points=5,
    minutes=15,
    difficulty=2,
    reference=_decoder_layer,
    axes=["... n d_model"],
    atol=1e-4,
    cases=[
        Case("four words, a source of six", lambda g: _inputs(g, 4, 6, 4)),
        Case("target and source equally long", lambda g: _inputs(g, 5, 5, 6)),
        Case("the first word", lambda g: _inputs(g, 1, 4, 6)),
        Case("a target longer than its source", lambda g: _inputs(g, 6, 3, 5)),
        Case("a batch of two pairs", lambda g: _inputs(g, 4, 6, 8, leading=(2,), lengths=[6, 3])),
        Case("any sizes", lambda g: _inputs(g, integer(g, 5, 8), integer(g, 9, 11), integer(g, 6, 12))),
        Case("double precision", lambda g: _inputs(g, 4, 5, 6, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Three lines, each of the form y = norm(y + sublayer(…)). Which of the three sublayers needs which second text, and which mask?",
        "First self_attention(y, y, causal mask), then cross_attention(y, memory, memory_mask), then feed_forward(y). Each line goes on from the last one's y.",
        "The causal mask is (n, n), n = y.shape[-2]: torch.ones(n, n, dtype=torch.bool).tril().",
    ],
)


def post(y, new, norm):
    return norm(y + new(y))


@decoder_layer.variants
def steps(
    y,
    memory,
    self_attention,
    cross_attention,
    feed_forward,
    norm_1,
    norm_2,
    norm_3,
    memory_mask,
    *,
    own_mask=lambda n, memory_mask: causal_mask(n),
    source_mask=lambda memory_mask, n: memory_mask,
    itself=lambda attend, y, memory, mask: attend(y, y, mask),
    source=lambda attend, y, memory, mask: attend(y, memory, mask),
    first=post,
    second=lambda y, before, new, norm: norm(y + new(y)),
    third=lambda y, start, new, norm, own: norm(y + new(y)),
    norms=lambda a, b, c: (a, b, c),
    order=lambda own, cross, think: (own, cross, think),
    attentions=lambda a, b: (a, b),
):
    n, start = y.shape[-2], y
    a, b = attentions(self_attention, cross_attention)
    sublayers = order(
        lambda y: itself(a, y, memory, own_mask(n, memory_mask)),
        lambda y: source(b, y, memory, source_mask(memory_mask, n)),
        feed_forward,
    )
    one, two, three = norms(norm_1, norm_2, norm_3)
    y = own = first(y, sublayers[0], one)
    y = second(y, start, sublayers[1], two)
    return third(y, start, sublayers[2], three, own)


steps.mistake(
    "There is no causal mask: output 1 sees input 2. In training that is the word it is asked for.",
    own_mask=lambda n, memory_mask: torch.ones(n, n, dtype=torch.bool),
)
steps.mistake(
    "Your causal mask is upside down: each word sees what comes later. The lower triangle is meant, .tril().",
    own_mask=lambda n, memory_mask: torch.ones(n, n, dtype=torch.bool).triu(),
)
steps.mistake(
    "Your causal mask is turned round: each word sees only what comes later, and not itself. True means “may look”: the lower triangle, without ~.",
    own_mask=lambda n, memory_mask: ~torch.ones(n, n, dtype=torch.bool).tril(),
)
steps.mistake(
    "self_attention gets memory_mask: that is the source's, one column for each of its words. The target's own words need the causal mask, (n, n).",
    own_mask=lambda n, memory_mask: memory_mask,
)
steps.mistake(
    "The two masks have changed places: the causal one belongs to self_attention, memory_mask to cross_attention.",
    own_mask=lambda n, memory_mask: memory_mask,
    source_mask=lambda memory_mask, n: causal_mask(n),
)
steps.mistake(
    "The causal mask reaches the cross-attention, too. It belongs to the target's own words; the source is known in full, and memory_mask alone goes there.",
    source_mask=lambda memory_mask, n: causal_mask(n),
)
steps.mistake(
    "Your causal mask is as large as the source. It stands between the target's own words: n = y.shape[-2].",
    own_mask=lambda n, memory_mask: causal_mask(memory_mask.shape[-1]),
)
steps.mistake(
    "The diagonal of your causal mask is closed: a word may see itself.",
    own_mask=lambda n, memory_mask: torch.ones(n, n, dtype=torch.bool).tril(-1),
)
steps.mistake(
    "Your causal mask opens one word too many, the next one: .tril(), not .tril(1).",
    own_mask=lambda n, memory_mask: torch.ones(n, n, dtype=torch.bool).tril(1),
)
steps.mistake(
    "The source is masked causally. It is known in full before the first word is written: memory_mask alone belongs there.",
    source_mask=lambda memory_mask, n: memory_mask & causal_of(n, memory_mask.shape[-1]),
)
steps.mistake(
    "The source is masked causally, and memory_mask isn't used. Pass memory_mask to the cross-attention.",
    source_mask=lambda memory_mask, n: causal_of(n, memory_mask.shape[-1]),
)
steps.mistake(
    "The source's padding is open: pass memory_mask to the cross-attention.",
    source_mask=lambda memory_mask, n: torch.ones_like(memory_mask),
)
steps.mistake(
    "No mask at all, in neither attention: the target needs the causal one, the source memory_mask.",
    own_mask=lambda n, memory_mask: torch.ones(n, n, dtype=torch.bool),
    source_mask=lambda memory_mask, n: torch.ones_like(memory_mask),
)
steps.mistake(
    "The cross-attention reads y, so another source changes nothing. Its keys and values come from memory.",
    source=lambda attend, y, memory, mask: attend(y, y, None),
)
steps.mistake(
    "The cross-attention reads y, cross_attention(y, y, …): memory is never used. Its keys and values come from memory.",
    source=lambda attend, y, memory, mask: attend(y, y, mask),
)
steps.mistake(
    "Both attentions are the same call, (y, y, causal mask): memory is never used. The second one reads it: cross_attention(y, memory, memory_mask).",
    source=lambda attend, y, memory, mask: attend(y, y, causal_mask(y.shape[-2])),
)
steps.mistake(
    "The cross-attention asks with the source's words: a row for each of *them* comes out. y asks, memory answers: cross_attention(y, memory, memory_mask).",
    source=lambda attend, y, memory, mask: attend(memory, y, None),
)
steps.mistake(
    "The cross-attention sends the source to itself, cross_attention(memory, memory, …). y asks, memory answers.",
    source=lambda attend, y, memory, mask: attend(memory, memory, mask),
)
steps.mistake(
    "The first attention reads the source already, and nothing reads y. First the target reads itself: self_attention(y, y, …).",
    itself=lambda attend, y, memory, mask: attend(y, memory, None),
)
steps.mistake(
    "self_attention(y, memory, …) reads the source, and nothing reads y. Self means: y asks and y answers, self_attention(y, y, causal mask).",
    itself=lambda attend, y, memory, mask: attend(y, memory, mask),
)
steps.mistake(
    "The source comes before the target itself. First the target reads what it has written, then the source.",
    order=lambda own, cross, think: (cross, own, think),
)
steps.mistake(
    "The source comes first, and the norms with it: norm_1 belongs to self-attention, which is the first sublayer.",
    order=lambda own, cross, think: (cross, own, think),
    norms=lambda a, b, c: (b, a, c),
)
steps.mistake(
    "The feed-forward network stands between the two attentions. It comes last.",
    order=lambda own, cross, think: (own, think, cross),
)
steps.mistake(
    "The feed-forward network comes first. It comes last: it works on what both attentions have gathered.",
    order=lambda own, cross, think: (think, own, cross),
)
steps.mistake(
    "The two attentions have changed places: self_attention has weights of its own, for the target.",
    attentions=lambda a, b: (b, a),
)
steps.mistake("Both attentions are self_attention. The second one is cross_attention.", attentions=lambda a, b: (a, a))
steps.mistake(
    "The second skip starts from y as it came in. It starts after self-attention: norm_2(y + …) with the new y.",
    second=lambda y, start, new, norm: norm(start + new(y)),
)
steps.mistake(
    "The last skip starts from y as it came in. It starts after cross-attention.",
    third=lambda y, start, new, norm, own: norm(start + new(y)),
)
steps.mistake(
    "Every skip starts from y as it came in. Each starts from what the sublayer before has made.",
    second=lambda y, start, new, norm: norm(start + new(y)),
    third=lambda y, start, new, norm, own: norm(start + new(y)),
)
steps.mistake(
    "The last skip starts from what self-attention has made. It starts after cross-attention: norm_3(y + …) with the newest y.",
    third=lambda y, start, new, norm, own: norm(own + new(y)),
)
steps.mistake(
    "The feed-forward network reads what self-attention has made, and the source never reaches it. It reads what cross-attention has made.",
    third=lambda y, start, new, norm, own: norm(y + new(own)),
)
steps.mistake(
    "The feed-forward network reads y as it came in. It reads what both attentions have made of it.",
    third=lambda y, start, new, norm, own: norm(y + new(start)),
)
steps.mistake(
    "The last line starts again from y as it came in, and what both attentions did is lost. It goes on from the newest y.",
    third=lambda y, start, new, norm, own: norm(start + new(start)),
)
steps.mistake(
    "The last skip carries self-attention's result once more. norm_3(y + feed_forward(y)) is enough: the newest y holds it.",
    third=lambda y, start, new, norm, own: norm(own + y + new(y)),
)
steps.mistake(
    "y as it came in is added once more at the end. The skips carry it already: norm_3(y + feed_forward(y)).",
    third=lambda y, start, new, norm, own: norm(start + y + new(y)),
)
for _which, _line, _form in (
    ("first", "self_attention", "norm_1(y + self_attention(…))"),
    ("second", "cross_attention", "norm_2(y + cross_attention(…))"),
    ("third", "feed_forward", "norm_3(y + feed_forward(y))"),
):
    _is = f"It is {_form}."
    for _says, _wrong in {
        f"In your {_which} line the norm is on {_line}'s result: y + norm({_line}(…)). {_is}": lambda y, new, norm: (
            y + norm(new(y))
        ),
        f"In your {_which} line the result of {_line} is subtracted. {_is}": lambda y, new, norm: norm(y - new(y)),
        f"In your {_which} line the result of {_line} is added twice. {_is}": lambda y, new, norm: norm(y + 2 * new(y)),
        f"In your {_which} line y is added twice, beside {_line}'s result. {_is}": lambda y, new, norm: norm(
            2 * y + new(y)
        ),
        f"In your {_which} line only the skip is normalised: norm(y) + {_line}(…). {_is}": lambda y, new, norm: (
            norm(y) + new(y)
        ),
        f"In your {_which} line skip and result go through the norm one by one, then they are added. {_is}": lambda y, new, norm: (
            norm(y) + norm(new(y))
        ),
        f"Your {_which} line is pre-norm, y + {_line}(norm(y)). {_is}": lambda y, new, norm: y + new(norm(y)),
        f"In your {_which} line the skip starts behind the norm: y = norm(y), then y + {_line}(y). {_is}": lambda y, new, norm: (
            norm(y) + new(norm(y))
        ),
        f"Your {_which} line is {_line}'s result alone, without skip and norm. {_is}": lambda y, new, norm: new(y),
        f"Your {_which} line adds nothing: {_line} isn't called, y is only normalised. {_is}": lambda y, new, norm: (
            norm(y)
        ),
        f"In your {_which} line {_line} works on its own result: twice. {_is}": lambda y, new, norm: norm(
            y + new(new(y))
        ),
        f"In your {_which} line the norm is used twice. {_is}": lambda y, new, norm: norm(norm(y + new(y))),
        f"In your {_which} line norm is used before {_line} and after the sum: pre-norm and post-norm at once. {_is}": lambda y, new, norm: (
            norm(y + new(norm(y)))
        ),
        f"In your {_which} line the mean of y and {_line}'s result is taken, not their sum, and without a norm. {_is}": lambda y, new, norm: (
            (y + new(y)) / 2
        ),
    }.items():
        _made = {
            "first": _wrong,
            "second": lambda y, start, new, norm, line=_wrong: line(y, new, norm),
            "third": lambda y, start, new, norm, own, line=_wrong: line(y, new, norm),
        }
        steps.mistake(_says, **{_which: _made[_which]})
for _says, _wrong in {
    "The first two norms are missing. Each sublayer has its own, around the sum: norm(y + sublayer(y)), three times.": lambda y, new, norm: (
        y + new(y)
    ),
    "The skips around both attentions are missing: y + self_attention(…), y + cross_attention(…).": lambda y, new, norm: (
        norm(new(y))
    ),
    "Your first two lines are pre-norm, y + sublayer(norm(y)). The paper's layer has the norm around the sum, three times: norm(y + sublayer(y)).": lambda y, new, norm: (
        y + new(norm(y))
    ),
    "In your first two lines the norm is on the attention's result, y + norm(…). It goes around the sum: norm(y + sublayer(y)).": lambda y, new, norm: (
        y + norm(new(y))
    ),
}.items():
    steps.mistake(_says, first=_wrong, second=lambda y, start, new, norm, line=_wrong: line(y, new, norm))
steps.mistake(
    "You normalise first and then go on from there: y = norm(y), y + sublayer(y). The paper's layer has the norm around the sum: norm(y + sublayer(y)).",
    first=lambda y, new, norm: norm(y) + new(norm(y)),
    second=lambda y, start, new, norm: norm(y) + new(norm(y)),
    third=lambda y, start, new, norm, own: norm(y) + new(norm(y)),
)
steps.mistake(
    "The first two lines are y + norm(attention(…)), and the last has no norm. It is norm(y + sublayer(y)), three times.",
    first=lambda y, new, norm: y + norm(new(y)),
    second=lambda y, start, new, norm: y + norm(new(y)),
    third=lambda y, start, new, norm, own: y + new(y),
)
steps.mistake(
    "This is pre-norm, and self-attention's second argument isn't normalised, self_attention(norm_1(y), y, …). The paper's layer, asked for here, has the norm around the sum: norm(y + sublayer(y)).",
    itself=lambda attend, y, memory, mask: lambda norm: attend(norm(y), y, mask),
    first=lambda y, new, norm: y + new(y)(norm),
    second=lambda y, start, new, norm: y + new(norm(y)),
    third=lambda y, start, new, norm, own: y + new(norm(y)),
)
steps.mistake(
    "The cross-attention's queries are y as it came in, not what self-attention has made of it.",
    second=lambda y, start, new, norm: norm(y + new(start)),
)
steps.mistake(
    "The skips are missing: each sublayer adds its result to y.",
    first=lambda y, new, norm: norm(new(y)),
    second=lambda y, start, new, norm: norm(new(y)),
    third=lambda y, start, new, norm, own: norm(new(y)),
)
steps.mistake(
    "The skip around self-attention is missing: y + self_attention(…).", first=lambda y, new, norm: norm(new(y))
)
steps.mistake(
    "The skip around cross-attention is missing: y + cross_attention(…).",
    second=lambda y, start, new, norm: norm(new(y)),
)
steps.mistake(
    "The skip around the feed-forward network is missing: y + feed_forward(y).",
    third=lambda y, start, new, norm, own: norm(new(y)),
)
steps.mistake(
    "This is pre-norm, y + sublayer(norm(y)). The paper's layer, asked for here, has the norm around the sum: norm(y + sublayer(y)).",
    first=lambda y, new, norm: y + new(norm(y)),
    second=lambda y, start, new, norm: y + new(norm(y)),
    third=lambda y, start, new, norm, own: y + new(norm(y)),
)
steps.mistake(
    "You normalise each sublayer's result before it is added. The norm goes around the sum: norm(y + sublayer(y)).",
    first=lambda y, new, norm: y + norm(new(y)),
    second=lambda y, start, new, norm: y + norm(new(y)),
    third=lambda y, start, new, norm, own: y + norm(new(y)),
)
steps.mistake(
    "There is no norm in your layer: norm(y + sublayer(y)), three times.",
    first=lambda y, new, norm: y + new(y),
    second=lambda y, start, new, norm: y + new(y),
    third=lambda y, start, new, norm, own: y + new(y),
)
steps.mistake(
    "The last norm is missing: norm_3(y + feed_forward(y)).", third=lambda y, start, new, norm, own: y + new(y)
)
steps.mistake(
    "One norm serves all three. Each sublayer has its own: norm_1, norm_2, norm_3.", norms=lambda a, b, c: (a, a, a)
)
for _says, _norms in {
    "norm_1 serves the first two lines. Each has its own: norm_2 belongs to cross-attention.": lambda a, b, c: (a, a, c),
    "norm_2 serves the last two lines. Each has its own: norm_3 belongs to the feed-forward network.": lambda a, b, c: (a, b, b),
    "norm_1 serves the last line, too. Each has its own: norm_3 belongs to the feed-forward network.": lambda a, b, c: (a, b, a),
    "norm_3 serves all three lines. Each has its own: norm_1, norm_2, norm_3.": lambda a, b, c: (c, c, c),
    "norm_2 serves all three lines. Each has its own: norm_1, norm_2, norm_3.": lambda a, b, c: (b, b, b),
}.items():  # fmt: skip
    steps.mistake(_says, norms=_norms)
steps.mistake("norm_2 and norm_3 have changed places.", norms=lambda a, b, c: (a, c, b))
steps.mistake("norm_1 and norm_2 have changed places.", norms=lambda a, b, c: (b, a, c))
steps.mistake(
    "This is an encoder's layer with a causal mask: the cross-attention is missing, or its result isn't used. The last line goes on from norm_2(y + cross_attention(…)).",
    second=lambda y, start, new, norm: y,
)
steps.mistake("The feed-forward network is missing: the third sublayer.", third=lambda y, start, new, norm, own: y)
steps.mistake(
    "One skip too many: norm_2(y + cross_attention(…)) is added to y once more.",
    second=lambda y, start, new, norm: y + norm(y + new(y)),
)
steps.mistake(
    "Each norm is used twice, before the sublayer and after the sum: pre-norm and post-norm at once. The paper's layer has the second alone.",
    first=lambda y, new, norm: norm(y + new(norm(y))),
    second=lambda y, start, new, norm: norm(y + new(norm(y))),
    third=lambda y, start, new, norm, own: norm(y + new(norm(y))),
)
steps.mistake("The first norm is missing: norm_1(y + self_attention(…)).", first=lambda y, new, norm: y + new(y))
steps.mistake(
    "The second norm is missing: norm_2(y + cross_attention(…)).", second=lambda y, start, new, norm: y + new(y)
)
steps.mistake(
    "The memory is normalised before it is read. The encoder's last layer has done that: read it as it is.",
    source=lambda attend, y, memory, mask: attend(y, torch.nn.functional.layer_norm(memory, memory.shape[-1:]), mask),
)
steps.mistake("The norms have moved on by one: norm_1 belongs to self-attention.", norms=lambda a, b, c: (c, a, b))
steps.mistake("norm_1 and norm_3 have changed places.", norms=lambda a, b, c: (c, b, a))
steps.mistake(
    "Self-attention is missing, or its result isn't used. It is the first line, y = norm_1(y + self_attention(…)), and the next goes on from this y.",
    first=lambda y, new, norm: y,
)


def causal_of(n, m):
    return torch.ones(n, m, dtype=torch.bool).tril()


@decoder_layer.mistake(
    "[0] takes the first word (of a batch: the first text) of what an attention returns. These attentions return the new vectors alone, without weights: no [0]."
)
def first_of_the_result(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[-2]))[0])
    y = norm_2(y + cross_attention(y, memory, memory_mask)[0])
    return norm_3(y + feed_forward(y))


@decoder_layer.mistake(
    "These attentions return one thing, the new vectors, and no weights: out = self_attention(…), without `, _`."
)
def unpacked(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    new, _ = self_attention(y, y, causal_mask(y.shape[-2]))
    y = norm_1(y + new)
    new, _ = cross_attention(y, memory, memory_mask)
    y = norm_2(y + new)
    return norm_3(y + feed_forward(y))


@decoder_layer.mistake("The second skip adds memory. It adds y, what is being written: norm_2(y + cross_attention(…)).")
def memory_added(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[-2])))
    y = norm_2(memory + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@decoder_layer.mistake(
    "y.shape[1] is the number of words in a batch only; for one text it is d_model. Counted from the end it is right for both: y.shape[-2]."
)
def second_axis(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[1])))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@decoder_layer.mistake(
    "The memory goes through one of your norms before it is read. It comes normalised from the encoder: read it as it is."
)
def norm_of_the_memory(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[-2])))
    y = norm_2(y + cross_attention(y, norm_2(memory), memory_mask))
    return norm_3(y + feed_forward(y))


@decoder_layer.mistake(
    "cross_attention(memory, y, …) lets the source ask. The first argument asks, the second answers: cross_attention(y, memory, memory_mask)."
)
def source_asks(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[-2])))
    y = norm_2(y + cross_attention(memory, y, memory_mask))
    return norm_3(y + feed_forward(y))


@decoder_layer.mistake(
    "For one text it is right. With a batch in front, len(y) is the number of texts: the words are y.shape[-2]."
)
def length_of_the_batch(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(len(y))))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@decoder_layer.mistake("y comes back as it went in. Three sublayers each add something to it.")
def unchanged(y, *rest):
    return y.clone()


@decoder_layer.mistake(
    "The three sublayers stand side by side: all read y as it came in. Each reads what the one before has made."
)
def side_by_side(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    own, read = self_attention(y, y, causal_mask(y.shape[-2])), cross_attention(y, memory, memory_mask)
    return norm_3(y + own + read + feed_forward(y))


@decoder_layer.mistake(
    "Your source asks, and memory is carried on: one row for each *source* word comes out. norm_2(y + cross_attention(y, memory, memory_mask))."
)
def source_asks_and_goes_on(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[-2])))
    memory = norm_2(memory + cross_attention(memory, y, None))
    return norm_3(memory + feed_forward(memory))


@decoder_layer.mistake(
    "You join memory_mask to the causal mask for self_attention. It is the source's, one column for each of its words; the target's own words need the causal mask alone."
)
def masks_joined(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    y = norm_1(y + self_attention(y, y, causal_mask(y.shape[-2]) & memory_mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@decoder_layer.symptom("There is one row for each source word. The layer returns one for each *target* word.")
def rows_of_the_source(inputs, answer):
    n, m = inputs[0].shape[-2], inputs[1].shape[-2]
    return n != m and answer.dim() > 1 and answer.shape[-2] == m
