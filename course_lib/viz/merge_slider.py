"""A slider over the merges of byte-pair encoding: a text's tokens fuse while you drag. Computed in the browser."""

from html import escape

import anywidget
import ipywidgets
import regex
import traitlets

from course_lib.tokenizers.pretokenize import GPT2

from . import browser_code
from .inputs import PictureError, counted
from .js_pattern import to_javascript
from .live import Live
from .slider_rules import RUN_ME
from .token_boxes import TokenRows, boxes, display_parts, said_tokens

LONGEST_TEXT = 2000  # characters
LEGEND = (  # merge_slider.js says the same
    "plain: a single symbol, no merge made it · tinted: made by merges (the tint only helps to tell neighbours apart)"
    " · ◆ made by the last merge"
)
DASHED = " · dashed: not in the vocabulary"


class MergeSlider(anywidget.AnyWidget):
    """Encodes its text with the first `merges_used` merges, anew at every move and keystroke, without asking the kernel."""

    _esm = browser_code.module("merge_slider.js")
    _css = browser_code.style()
    of_bytes = traitlets.Bool().tag(sync=True)
    merges = traitlets.List().tag(
        sync=True
    )  # [left, right] in the order learnt; a byte travels as the character of that number
    ids = traitlets.List().tag(sync=True)  # [token, id]
    pattern = traitlets.Unicode().tag(sync=True)  # as JavaScript writes it; empty: the text is one piece
    end_of_word = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    longest = traitlets.Int(LONGEST_TEXT).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    merges_used = traitlets.Int(0).tag(sync=True)


def merge_slider(merges, text, *, start=0, ids=None, pattern=GPT2, end_of_word="</w>", title=None) -> Live:
    """Shows how a text's tokens fuse as merges are added.

    After Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units" (2016).

    merges: pairs in the order learnt, of bytes (the text's UTF-8) or of str (its characters).
    text: what stands in the text box at first; the reader can type another. The first 2000 characters are shown.
    start: how many merges the slider has applied at first.
    ids: {token: id}. By default the 256 bytes (or the characters of the merges and the text, sorted) and then each
        merge's token are counted from 0.
    pattern: for bytes, what cuts the text into pieces that no merge crosses, as the `regex` module writes it; None for one piece.
        What it doesn't match is a piece of its own. By default GPT-2's.
    end_of_word: for str, the mark glued to the last character of each word ('' for none); words are cut at blanks.
    Raises PictureError for a merge of what no earlier merge made, ids that lack a token, a pattern with no counterpart in
    the browser, text that isn't a str, or a start out of range.
    """
    pairs = _pairs(merges)
    of_bytes = isinstance(pairs[0][0], bytes)
    if not isinstance(text, str):
        raise PictureError(f"text should be a str; a {type(text).__name__} came.")
    if not isinstance(end_of_word, str):
        raise PictureError(f"end_of_word should be a str, '' for none; a {type(end_of_word).__name__} came.")
    if isinstance(start, bool) or not isinstance(start, int) or not 0 <= start <= len(pairs):
        raise PictureError(f"start should be a number of merges from 0 to {len(pairs)}; {start!r} came.")
    source = to_javascript(pattern) if of_bytes and pattern is not None else ""
    base = _check_parts(pairs, of_bytes, end_of_word)
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # half a character can't travel
    shown = text[:LONGEST_TEXT]
    cut = pieces(shown, pattern, end_of_word, of_bytes)
    ids = _ids(ids, sorted(base.union(*cut)), pairs)
    title = title or "Byte-pair encoding, merge by merge"

    as_text = (lambda token: token.decode("latin-1")) if of_bytes else str
    view = MergeSlider(
        of_bytes=of_bytes, merges=[list(map(as_text, pair)) for pair in pairs], ids=[[as_text(token), i] for token, i in ids.items()],
        pattern=source, end_of_word="" if of_bytes else end_of_word,
        text=text, title=title, merges_used=start,
    )  # fmt: skip
    slider = ipywidgets.IntSlider(
        value=start, min=0, max=len(pairs), description="merges", style={"description_width": "initial"}
    )
    slider.layout.width, slider.layout.max_width = "620px", "100%"
    box = ipywidgets.VBox([slider, view])
    box.link = ipywidgets.jslink((slider, "value"), (view, "merges_used"))
    return Live(box, {"merges": slider}, _still(pairs, cut, start, ids, title, len(text) > LONGEST_TEXT))


def pieces(text: str, pattern: str | None, end_of_word: str, of_bytes: bool) -> list[list]:
    """The text cut into pieces that no merge crosses, each a list of single symbols."""
    if not of_bytes:
        return [[*word[:-1], word[-1] + end_of_word] for word in text.split()]
    cut, end = [], 0
    for match in regex.finditer(pattern, text) if pattern is not None else ():
        cut += [text[end : match.start()], match[0]]
        end = match.end()
    return [[bytes([b]) for b in piece.encode()] for piece in (*cut, text[end:]) if piece]


def merge(symbols: list, ranks: dict, used: int) -> list[tuple]:
    """(token, rank of the merge that made it; -1 for none) of one piece, with the first `used` merges."""
    tokens = [(symbol, -1) for symbol in symbols]
    while len(tokens) > 1:
        best = min((ranks.get((a, b), used) for (a, _), (b, _) in zip(tokens, tokens[1:])), default=used)
        if best >= used:
            break
        fused, i = [], 0
        while i < len(tokens):
            if i + 1 < len(tokens) and ranks.get((tokens[i][0], tokens[i + 1][0])) == best:
                fused.append((tokens[i][0] + tokens[i + 1][0], best))
                i += 2
            else:
                fused.append(tokens[i])
                i += 1
        tokens = fused
    return tokens


def _still(pairs: list[tuple], cut: list[list], used: int, ids: dict, title: str, too_long: bool) -> TokenRows:
    """The tokens at the slider's start."""
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    merged = [merge(piece, ranks, used) for piece in cut]
    tokens = [token for piece in merged for token in piece]
    ends, position = [], -1
    for piece in merged:
        position += len(piece)
        ends.append(position)
    unit = "byte" if isinstance(pairs[0][0], bytes) else "character"
    counts = f"{counted(sum(map(len, cut)), unit)} → {counted(len(tokens), 'token')}"
    unknown = [i for i, (token, _) in enumerate(tokens) if token not in ids]
    counts += f" · {len(unknown)} not in the vocabulary" if unknown else ""
    now = [i for i, (_, made) in enumerate(tokens) if 0 <= made == used - 1]
    step = f"No merge yet: each {unit} is a token of its own."
    if used:
        left, right = pairs[used - 1]
        step = f"merge {used}: {_written(left)} + {_written(right)} → {_written(left + right)} · "
        step += f"made {len(now)} of these tokens, marked ◆" if now else "made none of these tokens"
    row = [token for token, _ in tokens]
    lines = f'<p style="margin:0 0 2px;font-weight:700">{escape(title)}</p><p style="margin:0 0 2px">{counts}</p>'
    lines += f'<p style="margin:0 0 6px">{escape(step)}</p>'
    cut_off = f" Only the first {LONGEST_TEXT:,} characters are shown." if too_long else ""
    drawn = boxes(
        row, marked=now, hollow=[i for i, (_, made) in enumerate(tokens) if made < 0], ends=ends, unknown=unknown
    )
    drawn += f'<p style="margin:6px 0 0;font-size:11px;color:#52606d">{LEGEND + (DASHED if unknown else "")}</p>'
    alt = f"{title}, after {counted(used, 'merge')}. {counts}: {said_tokens(row)}. {step}.".replace("..", ".")
    return TokenRows(
        f'<div style="font-size:13px;line-height:1.4">{lines}{drawn}</div>', alt + cut_off, RUN_ME + cut_off
    )


def _written(token: str | bytes) -> str:
    return "".join(text for _, text in display_parts(token))


def _pairs(merges) -> list[tuple]:
    """The merges as a list of pairs of one type, none twice."""
    try:
        pairs = [(left, right) for left, right in merges]
    except (TypeError, ValueError):
        raise PictureError(
            "merges should be a list of pairs in the order learnt, for example [(b't', b'h'), (b'th', b'e')]."
        ) from None
    if not pairs:
        raise PictureError("merges is empty: there is nothing to slide over. Learn at least one merge.")
    kind = bytes if isinstance(pairs[0][0], bytes) else str
    for rank, pair in enumerate(pairs):
        if not all(isinstance(part, kind) for part in pair):
            rule = "merges should be pairs of bytes or pairs of str, all of one kind"
            raise PictureError(f"{rule}, but merge {rank + 1} is {pair!r}. Pass the tokens, not their ids.")
    if len(set(pairs)) < len(pairs):
        rank = next(i for i, pair in enumerate(pairs) if pair in pairs[:i])
        raise PictureError(f"merge {rank + 1}, {pairs[rank]!r}, was learnt before. Pass each merge once.")
    return pairs


def _check_parts(pairs: list[tuple], of_bytes: bool, end_of_word: str) -> set:
    """The single symbols that the merges start from. Raises PictureError where a part is neither single nor merged before."""
    known, single = set(), {bytes([b]) for b in range(256)} if of_bytes else set()
    for rank, pair in enumerate(pairs):
        for part in pair:
            if part in known or part in single:
                continue
            if of_bytes or (
                len(part) != 1
                and not (end_of_word and len(part) == len(end_of_word) + 1 and part.endswith(end_of_word))
            ):
                what_to_do = "Pass the merges in the order learnt."
                if part == end_of_word:
                    what_to_do = (
                        f"The mark {end_of_word!r} is no symbol of its own: glue it to the last character of a word."
                    )
                unit = "byte" if of_bytes else "character"
                why = f"{part!r} is no single {unit} and no earlier merge made it"
                raise PictureError(f"merge {rank + 1} is {pair!r}, but {why}. {what_to_do}")
            single.add(part)
        known.add(pair[0] + pair[1])
    return single


def _ids(ids, base: list, pairs: list[tuple]) -> dict:
    """{token: id}, counted here where none are given."""
    made = [left + right for left, right in pairs]
    if ids is None:
        return {token: i for i, token in enumerate(dict.fromkeys([*base, *made]))}
    if not isinstance(ids, dict):
        raise PictureError(f"ids should be {{token: id}}; a {type(ids).__name__} came.")
    for token, i in ids.items():
        if type(token) is not type(pairs[0][0]) or isinstance(i, bool) or not isinstance(i, int):
            rule = "ids should lead from tokens, of the same kind as the merges', to whole numbers"
            raise PictureError(f"{rule}, but it holds {token!r}: {i!r}.")
    if missing := [token for token in made if token not in ids]:
        raise PictureError(
            f"ids has no id for {missing[0]!r}, which a merge makes. Pass the vocabulary that was learnt with these merges."
        )
    return ids
