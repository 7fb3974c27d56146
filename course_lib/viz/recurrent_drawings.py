"""How a text is read word by word, and how a translator of two recurrent networks is joined. Drawn with `flow`.

viz.reading_drawing(["the", "keys", "are"])                          one word after the other
viz.reading_drawing(["the", "keys", "are"], attention=True)          all at once
viz.encoder_decoder_drawing(["one"], ["ein", "s"], look_back=True)   an encoder, a decoder, and what lies between
"""

from .flow import Arrow, Box, Flow, Group, flow
from .inputs import PictureError, token_list

LONGEST = 6  # words, to fit on a page
SUBSCRIPTS = "₀₁₂₃₄₅₆"


def reading_drawing(words, attention=False, *, lit=(), **more) -> Flow:
    """A text read by a recurrent network, one step a word; or by one layer of attention, all words in one step.

    words: 2 to 6. lit: of "word 1" …, "step 1" … (with attention there is only this one), "h 1" ….
    more: title, alt, caption, as in `flow`.
    """
    words = _some(words, "words")
    boxes = {f"word {i}": Box(word, i - 1, 0, frame=False) for i, word in enumerate(words, start=1)}
    boxes |= {f"h {i}": Box(f"h{SUBSCRIPTS[i]}", i - 1, 2, frame=False) for i in range(1, len(words) + 1)}
    steps = [f"step {1 if attention else i}" for i in range(1, len(words) + 1)]
    if attention:
        boxes["step 1"] = Box("step 1: attention, every word looks at every word", 0, 1, to=len(words) - 1)
    else:
        boxes |= {step: Box(step, i, 1) for i, step in enumerate(steps)}
    arrows = [] if attention else list(zip(steps, steps[1:]))
    arrows += [(f"word {i}", step) for i, step in enumerate(steps, start=1)]
    arrows += [(step, f"h {i}") for i, step in enumerate(steps, start=1)]
    return flow(boxes, arrows, lit=lit, **more)


def encoder_decoder_drawing(source, target, look_back=False, *, lit=(), **more) -> Flow:
    """A translator of two recurrent networks: the decoder gets the encoder's last state, or looks back at all of them.

    source, target: words, 2 to 6 of each. more: title, alt, caption, as in `flow`.
    lit: of "x 1" …, "h 1" …, between (the one vector, or attention), "s 1" …, "y 1" ….
    """
    source, target = _some(source, "source"), _some(target, "target")
    n, m = len(source), len(target)
    boxes = {f"x {i}": Box(word, i - 1, 0, frame=False) for i, word in enumerate(source, start=1)}
    boxes |= {f"h {i}": Box(f"h{SUBSCRIPTS[i]}", i - 1, 1) for i in range(1, n + 1)}
    between = f"attention: s asks, h₁ … h{SUBSCRIPTS[n]} answer" if look_back else f"c = h{SUBSCRIPTS[n]}, one vector"
    boxes["between"] = Box(between, 0, 2, to=max(n, m) - 1)
    boxes |= {f"s {i}": Box(f"s{SUBSCRIPTS[i]}", i - 1, 3) for i in range(1, m + 1)}
    boxes |= {f"y {i}": Box(word, i - 1, 4, frame=False) for i, word in enumerate(target, start=1)}
    arrows = [(f"x {i}", f"h {i}") for i in range(1, n + 1)]
    arrows += [(f"h {i}", f"h {i + 1}") for i in range(1, n)]
    arrows += [(f"h {i}", "between") for i in (range(1, n + 1) if look_back else [n])]
    arrows += [("between", f"s {i}", f"c{SUBSCRIPTS[i] if look_back else ''}") for i in range(1, m + 1)]
    arrows += [Arrow(f"s {i}", f"s {i + 1}", target[i - 1]) for i in range(1, m)]
    arrows += [(f"s {i}", f"y {i}") for i in range(1, m + 1)]
    sides = [Group(tuple(f"h {i}" for i in range(1, n + 1)), "encoder", side="right"),
             Group(tuple(f"s {i}" for i in range(1, m + 1)), "decoder", side="right")]  # fmt: skip
    return flow(boxes, arrows, sides, lit=lit, **more)


def _some(words, name: str) -> list[str]:
    words = token_list(words, None, name, "word")
    if not 2 <= len(words) <= LONGEST:
        raise PictureError(f"{name} should have 2 to {LONGEST} words, to fit on a page; got {len(words)}.")
    return words
