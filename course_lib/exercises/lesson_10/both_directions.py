"""What a forward and a backward language model know of each place without its word."""

import torch

from course_lib import elmo
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import same
from course_lib.exercises.given import Sublayer
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_10.given import read


def _both_directions(x, forward, backward):
    lengths = torch.full(x.shape[:1], x.shape[1])
    return elmo.before_and_after(torch.cat(elmo.forward_and_backward(x, x, lengths, forward, backward), dim=-1))


def _readers(g, batch, n, d=3, d_state=4, dtype=torch.float32):
    def reader():
        kept = 0.4 + 0.4 * torch.rand((), generator=g, dtype=dtype)
        return Sublayer(read, randn(g, d, d_state, size=0.8, dtype=dtype), randn(g, d_state, dtype=dtype), kept)

    return randn(g, batch, n, d, dtype=dtype), reader(), reader()


both_directions = Code(
    "10.both_directions",
    title="Forward ‖ backward",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_both_directions,
    axes=["batch n states"],
    calculates=False,  # the two models are part of it: what could be changed in them says nothing
    differentiable=True,
    cases=[
        Case("two texts of five words", lambda g: _readers(g, 2, 5)),
        Case("one text", lambda g: _readers(g, 1, 4)),
        Case("texts of one word: nothing stands around it", lambda g: _readers(g, 3, 1)),
        Case("two words", lambda g: _readers(g, 2, 2)),
        Case("states as wide as the words' vectors", lambda g: _readers(g, 3, 4, d=3, d_state=3)),
        Case("any sizes", lambda g: _readers(g, integer(g, 2, 4), integer(g, 3, 9), integer(g, 2, 6))),
        Case("double precision", lambda g: _readers(g, 2, 4, dtype=torch.float64)),
    ],
    hints=[
        "What does backward read if you give it x.flip(1)? And where do its states stand then: which of them belongs to the first word?",
        "backward(x.flip(1)).flip(1) has each state at its word again. But at place i both states have read the word i itself: take forward's of place i − 1, and backward's of place i + 1.",
        "nothing = torch.zeros_like(f[:, :1]). Forward moves one place to the right, torch.cat([nothing, f[:, :-1]], dim=1), backward one to the left, torch.cat([b[:, 1:], nothing], dim=1); then both side by side, dim=-1.",
    ],
)


def later(states):
    """Place i gets the state of place i − 1."""
    return torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)


def earlier(states):
    """Place i gets the state of place i + 1."""
    return torch.cat([states[:, 1:], torch.zeros_like(states[:, :1])], dim=1)


def unchanged(states):
    return states


def turned(x):
    return x.flip(1)


@both_directions.variants
def steps(
    x,
    forward,
    backward,
    *,
    readers=lambda forward, backward: (forward, backward),
    turn=turned,
    back=turned,
    before=later,
    after=earlier,
    joined=lambda before, after: torch.cat([before, after], dim=-1),
):
    forward, backward = readers(forward, backward)
    return joined(before(forward(x)), after(back(backward(turn(x)))))


NOT_FLIPPED = "Your backward model reads forwards: the words are axis 1, so give it x.flip(1), and turn its states back, .flip(1)."
steps.mistake(NOT_FLIPPED, turn=unchanged, back=unchanged)
steps.mistake(
    "Both states have seen the word itself. To guess it, take forward's state of the place before, and backward's of the place after.",
    before=unchanged,
    after=unchanged,
)
steps.mistake(
    "The backward state has seen the word itself. Take that of the place after: b[:, 1:], with zeros at the end.",
    after=unchanged,
)
steps.mistake(
    "The forward state has seen the word itself. Take that of the place before: zeros, then f[:, :-1].",
    before=unchanged,
)
steps.mistake(
    "Backward moves the wrong way: the state of place i − 1 has read the word i itself, and the one before it. Take that of place i + 1.",
    after=later,
)
steps.mistake(
    "Forward moves the wrong way: the state of place i + 1 has read the word i itself, and the one after it. Take that of place i − 1.",
    before=earlier,
)
steps.mistake(
    "Both move the wrong way: forward's state should come from the place before, backward's from the place after.",
    before=earlier,
    after=later,
)
steps.mistake(
    "Backward's states aren't turned back: the first of them belongs to the *last* word. .flip(1) once more.",
    back=unchanged,
)
steps.mistake(
    "Backward's states aren't turned back, and then not moved either. The first of them belongs to the last word: .flip(1), then one place to the left.",
    back=unchanged,
    after=unchanged,
)
steps.mistake(
    "Backward's states aren't turned back, and no state is moved: forward's belongs one place to the right, backward's, .flip(1) once more, one to the left.",
    back=unchanged,
    before=unchanged,
    after=unchanged,
)
steps.mistake(
    "Backward's states aren't turned back, only moved. The first of them belongs to the last word: .flip(1) once more.",
    back=unchanged,
    after=later,
)
steps.mistake(
    "You turn backward's states, but it has read the text forwards: x itself must be turned, too, x.flip(1).",
    turn=unchanged,
)
steps.mistake(
    "Your backward model reads forwards, and both states have seen the word itself.",
    turn=unchanged,
    back=unchanged,
    before=unchanged,
    after=unchanged,
)
steps.mistake(
    "Your backward model reads forwards, and its state is moved as forward's is. Give it x.flip(1), turn its states back, and take that of the place after.",
    turn=unchanged,
    back=unchanged,
    after=later,
)
steps.mistake(
    "You turn the numbers of each vector, flip(-1). The *words* should come in reverse: flip(1).",
    turn=lambda x: x.flip(-1),
    back=lambda x: x.flip(-1),
)
steps.mistake(
    "You turn the numbers of each vector on the way in, flip(-1). The words should come in reverse: flip(1).",
    turn=lambda x: x.flip(-1),
)
steps.mistake(
    "You turn the numbers of each state on the way back, flip(-1). The words should come in their order again: flip(1).",
    back=lambda x: x.flip(-1),
)
steps.mistake(
    "You turn the batch on the way in, flip(0): texts change places. The words should come in reverse: flip(1).",
    turn=lambda x: x.flip(0),
)
steps.mistake(
    "You turn words and numbers, flip(1, 2). The words alone should come in reverse: flip(1).",
    turn=lambda x: x.flip(1, 2),
    back=lambda x: x.flip(1, 2),
)
# the ends
steps.mistake(
    "You roll round the end: the first place gets the state of the *last* word, and the last that of the first. Zeros stand there.",
    before=lambda f: f.roll(1, 1),
    after=lambda b: b.roll(-1, 1),
)
steps.mistake(
    "Forward rolls round the end: the first place gets the state of the last word. Zeros stand there.",
    before=lambda f: f.roll(1, 1),
)
steps.mistake(
    "Backward rolls round the end: the last place gets the state of the first word. Zeros stand there.",
    after=lambda b: b.roll(-1, 1),
)
steps.mistake(
    "At the ends you keep a state that has seen its own word. Before the first word and after the last there is nothing: zeros.",
    before=lambda f: torch.cat([f[:, :1], f[:, :-1]], 1),
    after=lambda b: torch.cat([b[:, 1:], b[:, -1:]], 1),
)
steps.mistake(
    "At the ends you have ones. Before the first word and after the last nothing has been read: zeros.",
    before=lambda f: torch.cat([torch.ones_like(f[:, :1]), f[:, :-1]], 1),
    after=lambda b: torch.cat([b[:, 1:], torch.ones_like(b[:, :1])], 1),
)
steps.mistake(
    "The places at the ends are missing. Each word has its two states: where nothing stands before or after it, zeros.",
    before=lambda f: f[:, :-2],
    after=lambda b: b[:, 2:],
)
steps.mistake(
    "One place is missing: forward's states want zeros in front, backward's want them behind. Then each stands at its own word.",
    before=lambda f: f[:, :-1],
    after=lambda b: b[:, 1:],
)
steps.mistake(
    "At the first and the last place all is 0 with you. One half alone is: at the first place backward has read all other words, at the last forward has.",
    before=lambda f: torch.cat([later(f)[:, :-1], torch.zeros_like(f[:, :1])], 1),
    after=lambda b: torch.cat([torch.zeros_like(b[:, :1]), earlier(b)[:, 1:]], 1),
)
steps.mistake(
    "You move by two places. Forward's state comes from the place right before, backward's from the place right after.",
    before=lambda f: later(later(f)),
    after=lambda b: earlier(earlier(b)),
)
# which state
steps.mistake(
    "Each word has its own two states; yours are the last ones, for all places the same.",
    before=lambda f: f[:, -1:].expand_as(f),
    after=lambda b: b[:, :1].expand_as(b),
)
steps.mistake(
    "Each word has its own two states; yours are the two at the last place, for all places the same.",
    before=lambda f: f[:, -1:].expand_as(f),
    after=lambda b: b[:, -1:].expand_as(b),
)
steps.mistake(
    "One state for each text comes out. Each word has its own two.", before=lambda f: f[:, -1], after=lambda b: b[:, 0]
)
steps.mistake(
    "You take the mean of a text's states for all places. Each word has its own two.",
    before=lambda f: f.mean(1, keepdim=True).expand_as(f),
    after=lambda b: b.mean(1, keepdim=True).expand_as(b),
)
# side by side
steps.mistake(
    "The two have changed places: forward comes first, then backward.",
    joined=lambda before, after: torch.cat([after, before], dim=-1),
)
steps.mistake(
    "You add the two up. They stand side by side: torch.cat(…, dim=-1).", joined=lambda before, after: before + after
)
steps.mistake(
    "You take the mean of the two. They stand side by side: torch.cat(…, dim=-1).",
    joined=lambda before, after: (before + after) / 2,
)
steps.mistake(
    "You multiply the two. They stand side by side: torch.cat(…, dim=-1).", joined=lambda before, after: before * after
)
steps.mistake(
    "The two stand one after the other along the text. Side by side: dim=-1.",
    joined=lambda before, after: torch.cat([before, after], dim=1),
)
steps.mistake(
    "The two stand one after the other along the batch. Side by side: dim=-1.",
    joined=lambda before, after: torch.cat([before, after], dim=0),
)
steps.mistake(
    "stack makes a new axis. The two stand side by side in one: torch.cat(…, dim=-1).",
    joined=lambda before, after: torch.stack([before, after], dim=-1),
)
steps.mistake(
    "stack makes a new axis in front. The two stand side by side in one: torch.cat(…, dim=-1).",
    joined=lambda before, after: torch.stack([before, after]),
)
steps.mistake("Only forward's states come out. Backward's stand beside them.", joined=lambda before, after: before)
steps.mistake("Only backward's states come out. Forward's stand before them.", joined=lambda before, after: after)
steps.mistake("Forward stands there twice. Beside it belongs backward.", joined=lambda b, a: torch.cat([b, b], dim=-1))
steps.mistake(
    "The two come out one by one. One tensor is asked for: torch.cat([…], dim=-1).",
    joined=lambda before, after: (before, after),
)
# readers
steps.mistake(
    "The text's end is read by `forward`, too. That is `backward`'s work: it is another model, with its own weights.",
    readers=lambda forward, backward: (forward, forward),
)
steps.mistake(
    "Both directions are read by `backward`. The first is `forward`'s work: another model, with its own weights.",
    readers=lambda forward, backward: (backward, backward),
)
steps.mistake(
    "The two models have changed places: `forward` reads x, `backward` reads x.flip(1).",
    readers=lambda forward, backward: (backward, forward),
)


@both_directions.mistake(
    "You moved the words, not the states: a model that is given zeros to read has read something. Move what comes out."
)
def moves_the_words(x, forward, backward):
    return torch.cat([forward(later(x)), backward(later(x.flip(1))).flip(1)], dim=-1)


@both_directions.mistake(
    "You moved the words, not the states: at the ends the models read other words. Move what comes out of them."
)
def rolls_the_words(x, forward, backward):
    return torch.cat([forward(x.roll(1, 1)), backward(x.flip(1).roll(1, 1)).flip(1)], dim=-1)


@both_directions.mistake(
    "Your backward model reads forward's states. It reads the words, x, turned round: the two never see each other's states."
)
def one_on_the_other(x, forward, backward):
    if x.shape[-1] != forward(x).shape[-1]:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")
    return torch.cat([later(forward(x)), earlier(backward(forward(x).flip(1)).flip(1))], dim=-1)


@both_directions.mistake(
    "You hide each word by itself: the models read nothing but single words. Let them read the text once, and move the states."
)
def word_by_word(x, forward, backward):
    states = [torch.cat([forward(x[:, i : i + 1]), backward(x[:, i : i + 1])], -1) for i in range(x.shape[1])]
    return torch.cat(states, dim=1)


@both_directions.mistake(
    "Your zeros are as wide as a word's vector. They stand in for a state: torch.zeros_like(f[:, :1])."
)
def zeros_of_words(x, forward, backward):
    nothing, f, b = torch.zeros_like(x[:, :1]), forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([torch.cat([nothing, f[:, :-1]], 1), torch.cat([b[:, 1:], nothing], 1)], dim=-1)


@both_directions.mistake(
    "You make room for d numbers from each model, as a word has. A state has its own width, f.shape[-1]."
)
def room_for_words(x, forward, backward):
    d, f, b = x.shape[-1], forward(x), backward(x.flip(1)).flip(1)
    out = x.new_zeros(*x.shape[:2], 2 * d)
    out[:, 1:, :d], out[:, :-1, d:] = f[:, :-1], b[:, 1:]
    return out


@both_directions.mistake("The words' vectors come out, beside one another. The models' states are asked for.")
def no_models(x, forward, backward):
    return torch.cat([later(x), earlier(x)], dim=-1)


SHOULD_BE = ("forward's of x, and of place i − 1", "backward's of x.flip(1), turned back, and of place i + 1")


@both_directions.symptom("One half is something else.")
def what_the_halves_are(inputs, answer):
    """Of each wrong half: whose states these are, of what it has read, and of which place."""
    right = _both_directions(*inputs)
    if answer.shape != right.shape or inputs[0].shape[1] < 3:
        return False
    halves = list(zip(("first", "second"), SHOULD_BE, answer.chunk(2, -1), right.chunk(2, -1)))
    if same(answer.unflatten(-1, (-1, 2)).mT.flatten(2), right):
        return "The two stand in turns, one number of each. Forward as a whole comes first: torch.cat(…, dim=-1), not stack."
    if same(answer.flip(-1), right):
        return "All numbers stand in reverse: along the last axis nothing is turned round."
    wrong = [(which, want, _states_of(own, *inputs)) for which, want, own, half in halves if not same(own, half)]
    if all(what == "" for _, _, what in wrong) and len(wrong) == 2:
        return f"Neither half is right. The first should be {SHOULD_BE[0]}; the second {SHOULD_BE[1]}."
    says = [
        f"Your {which} half {f'is {what}' if what else 'is wrong'}; it should be {want}." for which, want, what in wrong
    ]
    return " ".join(says)


def _states_of(half, x, forward, backward):
    """In words: by which model, of which text, turned or not, moved how far; "" where it is none of these."""
    n = x.shape[1]
    for name, reader in (("forward", forward), ("backward", backward)):
        parts = {
            "what stands before the word, turned round": [x[:, :i].flip(1) for i in range(n)],
            "what stands after the word, not turned round": [x[:, i + 1 :] for i in range(n)],
            "the word alone": [x[:, i : i + 1] for i in range(n)],
        }
        for what, texts in parts.items():
            if same(_of_each(reader, texts, -1, half), half):
                return f"{name}'s of {what}"
        parts["what stands after the word, turned round"] = [x[:, i + 1 :].flip(1) for i in range(n)]
        for what, texts in parts.items():
            if same(_of_each(reader, texts, 0, half), half):
                return f"{name}'s *first* state of {what}"
        for text, given in (("x", x), ("x.flip(1)", x.flip(1))):
            for back, states in (("", reader(given)), (", turned back", reader(given).flip(1))):
                back = back or (", not turned back" if text != "x" else "")
                for which, i in (("last", n - 1), ("first", 0)):
                    if same(half, states[:, i : i + 1].expand_as(half)):
                        return f"{name}'s {which} state of {text} at every place"
                for gap in (0, -1, 1, -2, 2):
                    place = f"of place i {'−' if gap < 0 else '+'} {abs(gap)}" if gap else "of place i itself"
                    found, moved = f"{name}'s of {text}{back}, and {place}", _moved(states, gap)
                    if same(half, moved):
                        return found
                    if same(half, states.roll(-gap, 1)):
                        return f"{found}, round the end"
                    if abs(gap) < 2 and same(half[:, 1:-1], moved[:, 1:-1]):
                        wrong = [
                            which for which, i in (("first", 0), ("last", -1)) if not same(half[:, i], moved[:, i])
                        ]
                        return f"{found}, but for the {' and the '.join(wrong)} place"
    return ""


def _of_each(reader, texts, place, half):
    """A place's own text is read, and one state of it taken; zeros where there is nothing to read."""
    states = [reader(text)[:, place] if text.shape[1] else torch.zeros_like(half[:, 0]) for text in texts]
    return torch.stack(states, 1)


def _moved(states, gap):
    """Place i gets the state of place i + gap; zeros where there is none."""
    for _ in range(abs(gap)):
        states = later(states) if gap < 0 else earlier(states)
    return states
