"""A slider over the merges of byte-pair encoding: a text's tokens fuse while you drag. Computed in the browser."""

from itertools import pairwise

import anywidget
import ipywidgets
import regex
import traitlets
from markupsafe import Markup

from ..inputs import PictureError, counted, whole
from ..picture import HTML
from ..tokens import TokenRows, boxes, display_parts, said_tokens
from .live import Live
from .wire import RUN_ME, look, module, style, wire

LONGEST_TEXT = 2000  # characters
# Where GPT-2 cuts a text before any merging. Written with \p{White_Space} instead of \s, Python's `regex` and
# JavaScript (with the flags g and u) read it alike.
GPT2 = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+"
    r"|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+"
)
LEGEND = (
    "plain: a single symbol, no merge made it · tinted: made by merges (the tint only helps to tell neighbours apart)"
    " · ◆ made by the last merge"
)
DASHED = " · dashed: not in the vocabulary"
STILL = HTML.from_string("""\
<div style="font-size:13px;line-height:1.4"><p style="margin:0 0 2px;font-weight:700">{{ title }}</p>\
<p style="margin:0 0 2px">{{ counts }}</p><p style="margin:0 0 6px">{{ step }}</p>{{ boxes }}\
<p style="margin:6px 0 0;font-size:11px;color:#52606d">{{ legend }}</p></div>""")


class MergeSlider(anywidget.AnyWidget):
    """Encodes its text with the first `merges_used` merges, anew at every move and keystroke, in the browser."""

    _esm = module("merge_slider.js")
    _css = style()
    of_bytes = traitlets.Bool().tag(sync=True)
    # [left, right] in the order learnt; a byte travels as the character of that number.
    merges = traitlets.List().tag(sync=True)
    ids = traitlets.List().tag(sync=True)  # [token, id]
    pattern = traitlets.Unicode(GPT2).tag(sync=True)
    end_of_word = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    longest = traitlets.Int(LONGEST_TEXT).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    legend = traitlets.Unicode(LEGEND).tag(sync=True)
    dashed = traitlets.Unicode(DASHED).tag(sync=True)
    merges_used = traitlets.Int(0).tag(sync=True)


def merge_slider(merges, text, *, start=0, ids=None, end_of_word="</w>", title=None) -> Live:
    """Shows how a text's tokens fuse as merges are added.

    After Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units" (2016).

    merges: pairs in the order learnt, of bytes (the text's UTF-8, cut into words where GPT-2 cuts it) or of str (its
        characters; words are cut at blanks).
    text: what stands in the text box at first; the reader can type another. The first 2000 characters are shown.
    start: how many merges the slider has applied at first.
    ids: {token: id}. By default the 256 bytes (or the characters of the merges and the text, sorted) and then each
        merge's token are counted from 0.
    end_of_word: for str, the mark glued to the last character of each word ('' for none).
    Raises PictureError for a merge of what no earlier merge made, ids that lack a token, text that isn't a str, or a
    start out of range.
    """
    pairs = _pairs(merges)
    of_bytes = isinstance(pairs[0][0], bytes)
    if not isinstance(text, str):
        raise PictureError(f"text should be a str; got a {type(text).__name__}.")
    if not isinstance(end_of_word, str):
        raise PictureError(f"end_of_word should be a str, '' for none; got a {type(end_of_word).__name__}.")
    if isinstance(start, bool) or not isinstance(start, int) or not 0 <= start <= len(pairs):
        raise PictureError(f"start should be a number of merges from 0 to {len(pairs)}; got {start!r}.")
    singles = _check_parts(pairs, of_bytes, end_of_word)
    text = whole(text)
    pieces = _pieces(text[:LONGEST_TEXT], of_bytes, end_of_word)
    ids = _ids(ids, sorted(singles.union(*pieces)), pairs)
    title = whole(title or "Byte-pair encoding, merge by merge")

    def sent(token):
        return token.decode("latin-1") if of_bytes else token

    view = MergeSlider(
        of_bytes=of_bytes, merges=[[sent(left), sent(right)] for left, right in pairs],
        ids=[[sent(token), i] for token, i in ids.items()], end_of_word="" if of_bytes else end_of_word,
        text=text, title=title, merges_used=start,
    )  # fmt: skip
    slider = ipywidgets.IntSlider(value=start, min=0, max=len(pairs), **look("merges", 620))
    picture = _still(pairs, pieces, start, ids, title, len(text) > LONGEST_TEXT)
    return wire(view, {"merges": slider}, picture, traits={"merges": "merges_used"})


def _pieces(text: str, of_bytes: bool, end_of_word: str) -> list[list]:
    """The text cut into pieces that no merge crosses, each a list of single symbols."""
    if of_bytes:
        return [[bytes([byte]) for byte in piece.encode()] for piece in regex.findall(GPT2, text)]
    return [[*word[:-1], word[-1] + end_of_word] for word in text.split()]


def _encode(piece: list, ranks: dict) -> list[tuple]:
    """(token, rank of the merge that made it; −1 for none) of one piece: the earliest merge that fits, everywhere.

    >>> _encode(["l", "o", "w"], {("l", "o"): 0, ("lo", "w"): 1})
    [('low', 1)]
    """
    tokens = [(symbol, -1) for symbol in piece]
    while known := [(a, b) for (a, _), (b, _) in pairwise(tokens) if (a, b) in ranks]:
        left, right = min(known, key=ranks.get)
        i = 0
        while i < len(tokens) - 1:
            if (tokens[i][0], tokens[i + 1][0]) == (left, right):
                tokens[i : i + 2] = [(left + right, ranks[left, right])]
            i += 1
    return tokens


def _still(pairs: list[tuple], pieces: list[list], used: int, ids: dict, title: str, too_long: bool) -> TokenRows:
    """The tokens at the slider's start."""
    ranks = {pair: rank for rank, pair in enumerate(pairs[:used])}
    row, made, ends = [], [], []
    for piece in pieces:
        for token, rank in _encode(piece, ranks):
            row.append(token)
            made.append(rank)
        ends.append(len(row) - 1)
    now = [i for i, rank in enumerate(made) if 0 <= rank == used - 1]
    unknown = [i for i, token in enumerate(row) if token not in ids]

    unit = "byte" if isinstance(pairs[0][0], bytes) else "character"
    counts = f"{counted(sum(map(len, pieces)), unit)} → {counted(len(row), 'token')}"
    counts += f" · {len(unknown)} not in the vocabulary" if unknown else ""
    step = f"No merge yet: each {unit} is a token of its own."
    if used:
        left, right = pairs[used - 1]
        step = f"merge {used}: {_written(left)} + {_written(right)} → {_written(left + right)} · "
        step += f"made {len(now)} of these tokens, marked ◆" if now else "made none of these tokens"
    hollow = [i for i, rank in enumerate(made) if rank < 0]
    drawn = STILL.render(
        title=title, counts=counts, step=step, legend=LEGEND + (DASHED if unknown else ""),
        boxes=boxes(row, marked=now, hollow=hollow, ends=ends, unknown=unknown),
    )  # fmt: skip
    alt = f"{title}, after {counted(used, 'merge')}. {counts}: {said_tokens(row)}. {step}.".replace("..", ".")
    cut_off = f" Only the first {LONGEST_TEXT:,} characters are shown." if too_long else ""
    return TokenRows(Markup(drawn), alt + cut_off, RUN_ME + cut_off)


def _written(token: str | bytes) -> str:
    return "".join(text for _, text in display_parts(token))


def _pairs(merges) -> list[tuple]:
    """The merges as a list of pairs of one type, none twice."""
    try:
        pairs = [(left, right) for left, right in merges]
    except (TypeError, ValueError):
        wanted = "a list of pairs in the order learnt, for example [(b't', b'h'), (b'th', b'e')]"
        raise PictureError(f"merges should be {wanted}.") from None
    if not pairs:
        raise PictureError("merges is empty: there is nothing to slide over. Learn at least one merge.")
    kind = bytes if isinstance(pairs[0][0], bytes) else str
    for rank, pair in enumerate(pairs, start=1):
        if not all(isinstance(part, kind) for part in pair):
            rule = "merges should be pairs of bytes or pairs of str, all of one kind"
            raise PictureError(f"{rule}, but merge {rank} is {pair!r}. Pass the tokens, not their ids.")
    if len(set(pairs)) < len(pairs):
        rank = next(i for i, pair in enumerate(pairs) if pair in pairs[:i])
        raise PictureError(f"merge {rank + 1}, {pairs[rank]!r}, was learnt before. Pass each merge once.")
    return pairs


def _check_parts(pairs: list[tuple], of_bytes: bool, end_of_word: str) -> set:
    """The single symbols that merges start from. Raises PictureError for a part neither single nor merged before."""
    known, single = set(), {bytes([b]) for b in range(256)} if of_bytes else set()
    for rank, pair in enumerate(pairs, start=1):
        for part in pair:
            if part in known or part in single:
                continue
            if of_bytes or 1 not in (len(part), len(part.removesuffix(end_of_word))):
                unit = "byte" if of_bytes else "character"
                cure = "Pass the merges in the order learnt."
                if part == end_of_word:
                    cure = f"The mark {part!r} is no symbol of its own: glue it to the last character of a word."
                why = f"{part!r} is no single {unit} and no earlier merge made it"
                raise PictureError(f"merge {rank} is {pair!r}, but {why}. {cure}")
            single.add(part)
        known.add(pair[0] + pair[1])
    return single


def _ids(ids, singles: list, pairs: list[tuple]) -> dict:
    """{token: id}, counted here where none are given."""
    made = [left + right for left, right in pairs]
    if ids is None:
        return {token: i for i, token in enumerate(dict.fromkeys([*singles, *made]))}
    if not isinstance(ids, dict):
        raise PictureError(f"ids should be {{token: id}}; got a {type(ids).__name__}.")
    for token, i in ids.items():
        if type(token) is not type(made[0]) or isinstance(i, bool) or not isinstance(i, int):
            rule = "ids should lead from tokens, of the same kind as the merges', to whole numbers"
            raise PictureError(f"{rule}, but it holds {token!r}: {i!r}.")
    if missing := [token for token in made if token not in ids]:
        cure = "Pass the vocabulary that was learnt with these merges."
        raise PictureError(f"ids has no id for {missing[0]!r}, which a merge makes. {cure}")
    return ids
