"""Tokens as boxes: how the same text falls apart in different tokenizers.

Drawn as HTML and not with matplotlib, whose font has neither Chinese nor emoji. Every box has a border, so that two
neighbours are never told apart by colour alone.
"""

import unicodedata

import numpy as np
from markupsafe import Markup

from .inputs import PictureError, counted, titled
from .picture import HTML, Shown

LONGEST_ROW = 400  # tokens
TINTS = ("#d6e9f5", "#fbe3d3", "#d3efe5", "#f0dcec")  # the four colours of style.py on white
RIGHT_TO_LEFT = ("R", "AL")

# {{ sign }}: what stands for a blank, a byte or a code point. Underlined: the byte A9 is not the letters A9.
BOXES = HTML.from_string("""\
<div dir="{{ direction }}" style="max-width:760px">
{%- for box in boxes %}<code class="token" dir="{{ box.direction }}" style="display:inline-block;margin:1px;\
padding:1px 4px;border:1px solid #7b8794;border-radius:4px;color:#1f2933;\
font:13px/1.5 'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre;unicode-bidi:isolate;\
background:{{ box.tint or '#fff' }}
{%- if box.marked %};border:2px solid #1f2933;font-weight:700{% endif %}
{%- if box.last %};margin-right:8px{% endif %}
{%- if box.unknown %};border-style:dashed{% endif %}"
{%- if box.hint %} title="{{ box.hint }}"{% endif %}>{% if box.marked %}◆{% endif %}
{%- for sign, text in box.parts -%}
{% if sign %}<span style="color:#7a4100{% if text|length > 1 %};font-size:11px;text-decoration:underline dotted\
{% endif %}">{{ text }}</span>{% else %}{{ text }}{% endif %}
{%- endfor %}</code> {% endfor %}
{%- if more %}<span style="color:#52606d">… and {{ "{:,}".format(more) }} more</span>{% endif %}</div>""")

ROWS = HTML.from_string("""\
<table style="border-collapse:collapse;font-size:13px;margin:0;border:0;color:#1f2933">
{%- if title %}<caption style="caption-side:top;text-align:left;color:#1f2933;font-weight:700;font-size:14px;\
padding:0 0 4px;white-space:pre-wrap">{{ title }}</caption>{% endif %}
{%- set side = "text-align:right;white-space:nowrap;vertical-align:top" %}
{%- for label, boxes, count in rows %}<tr style="background:none;border:0">\
<th scope="row" style="{{ side }};padding:3px 8px 3px 0;font-weight:600">{{ label }}</th>\
<td style="text-align:left;padding:3px 0">{{ boxes }}</td>\
<td style="{{ side }};padding:3px 0 3px 10px">{{ count }}</td></tr>
{%- endfor %}</table>""")


class TokenRows(Shown):
    """Rows of boxes that say in words what they show; a notebook shows the boxes."""


def tokens(rows, *, marked=(), title=None, caption=None, unit="token") -> TokenRows:
    """Draws one row of boxes for each tokenizer, with the number of its tokens.

    rows: {label: tokens}, for example {"GPT-2": ["un", "related"], "BERT": ["unrelated"]}; or (label, tokens) pairs.
        A token is a str, or bytes, shown as characters where they are whole ones and as hexadecimal bytes elsewhere.
    marked: a list of tokens that are marked ◆ wherever they stand.
    unit: what a box is, for the count at the right: "token", or for example "piece".
    Blanks are shown as ␣, line breaks as ↵. The same token has the same tint everywhere.
    Raises PictureError where a row isn't a list of str or bytes.
    """
    pairs = _pairs(rows)
    places = [[i for i, token in enumerate(row) if token in marked] for _, row in pairs]
    drawn = [(label, boxes(row, at), counted(len(row), unit)) for (label, row), at in zip(pairs, places, strict=True)]
    table = ROWS.render(title=title, rows=drawn)
    said = "; ".join(f"{label}, {counted(len(row), unit)}: {said_tokens(row)}" for label, row in pairs)
    kind = counted(2, unit)[2:].capitalize()
    lit = f" Marked: {', '.join(marked)}." if marked else ""
    return TokenRows(table, titled(title, f"{kind} by {said}.{lit}"), caption)


def boxes(row, marked=(), hollow=(), ends=(), unknown=()) -> Markup:
    """HTML of one row.

    marked, hollow, ends, unknown: positions that are marked ◆, left white, followed by a gap, or dashed.
    """
    marked, hollow, ends, unknown = set(marked), set(hollow), set(ends), set(unknown)
    drawn = []
    for i, token in enumerate(row[:LONGEST_ROW]):
        parts = display_parts(token)
        drawn.append(
            {
                "parts": parts,
                "direction": "ltr" if shows_bytes(token) else "auto",
                "tint": "" if i in hollow else TINTS[tint(token)],
                "hint": described(token) if any(sign for sign, _ in parts) else "",
                "marked": i in marked,
                "last": i in ends,
                "unknown": i in unknown,
            }
        )
    return Markup(BOXES.render(boxes=drawn, direction=direction(row), more=max(0, len(row) - LONGEST_ROW)))


def tint(token: str | bytes) -> int:
    """The same token has the same colour, in every row. widgets/merge_slider.js does the same."""
    return sum(token if isinstance(token, bytes) else map(ord, token)) % len(TINTS)


def direction(row) -> str:
    """'rtl' where the first letter is Hebrew, Arabic …: the tokens then stand in the order of reading.

    Bytes are read from left to right, whatever they spell: a row that shows some is 'ltr'.
    """
    if any(map(shows_bytes, row)):
        return "ltr"
    whole = b"".join(t if isinstance(t, bytes) else t.encode("utf-8", "replace") for t in row)
    text = whole.decode("utf-8", "ignore")
    first = next((unicodedata.bidirectional(c) for c in text if unicodedata.category(c)[0] == "L"), "L")
    return "rtl" if first in RIGHT_TO_LEFT else "ltr"


def shows_bytes(token: str | bytes) -> bool:
    """Whether a part of the token is no whole character and is shown as hexadecimal bytes."""
    return isinstance(token, bytes) and any(isinstance(c, int) for c in _characters(token))


def described(token: str | bytes) -> str:
    """'bytes 20 74' or 'U+0065 U+0301': what the box holds exactly."""
    return f"bytes {token.hex(' ').upper()}" if isinstance(token, bytes) else " ".join(f"U+{ord(c):04X}" for c in token)


def said_tokens(row, most: int = 60) -> str:
    """'un | related': the tokens in words, for alternative text."""
    said = " | ".join("".join(text for _, text in display_parts(token)) for token in row[:most])
    return said + (f" | … and {len(row) - most} more" if len(row) > most else "")


def display_parts(token: str | bytes) -> list[tuple[bool, str]]:
    """The token as it is shown: (False, characters) and (True, a sign that stands for something else) in turn.

    Signs: ␣ for a blank, ↵ for a line break, E2 for a byte that is no whole character, U+200D for what can't be seen.
    """
    if token in ("", b""):
        return [(True, "(empty)")]
    characters = _characters(token) if isinstance(token, bytes) else list(token)
    parts: list[tuple[bool, str]] = []
    for i, character in enumerate(characters):
        before, after = characters[max(i - 1, 0) : i], characters[i + 1 : i + 2]
        if isinstance(character, int):
            sign = f"{character:02X}"
        else:
            sign = _sign(character, any(isinstance(c, str) for c in before), any(isinstance(c, str) for c in after))
        if sign is None and parts and not parts[-1][0]:
            parts[-1] = (False, parts[-1][1] + character)
        else:
            parts.append((sign is not None, sign or character))
    codes = [sign and len(text) > 1 and text[0] != "◌" for sign, text in parts]
    # A blank around codes: E2 82, not E282.
    return [(sign, " " + text if i and (codes[i] or codes[i - 1]) else text) for i, (sign, text) in enumerate(parts)]


def _sign(character: str, before: bool, after: bool) -> str | None:
    """What stands for a character that can't be seen by itself. before, after: whether characters stand there."""
    code = ord(character)
    if character in " \n\t":
        return {" ": "␣", "\n": "↵", "\t": "→"}[character]
    if code < 0x20 or code == 0x7F:
        return chr(0x2421 if code == 0x7F else 0x2400 + code)
    category = unicodedata.category(character)
    if category.startswith("M"):  # an accent, or emoji's variation selector, leans on the character before it
        return None if before else f"U+{code:04X}" if 0xFE00 <= code <= 0xFE0F else "◌" + character
    if character in "\u200c\u200d":  # joiners do their work between two characters
        return None if before and after else f"U+{code:04X}"
    return f"U+{code:04X}" if category[0] in "CZ" else None


def _characters(token: bytes) -> list[str | int]:
    """Whole characters as str, other bytes as int."""
    found: list[str | int] = []
    while token:
        for length in (1, 2, 3, 4):
            try:
                found.append(token[:length].decode())
                break
            except UnicodeDecodeError:
                continue
        else:
            found.append(token[0])
            length = 1
        token = token[length:]
    return found


def _pairs(rows) -> list[tuple[str, list]]:
    try:
        pairs = [(str(label), row) for label, row in (rows.items() if isinstance(rows, dict) else rows)]
    except (TypeError, ValueError):
        wanted = "{label: tokens}, for example {'GPT-2': ['un', 'related'], 'BERT': ['unrelated']}"
        raise PictureError(f"rows should be {wanted}.") from None
    if not pairs:
        raise PictureError("rows is empty. Pass at least one list of tokens with its label.")
    for label, row in pairs:
        if isinstance(row, (str, bytes)) or not np.iterable(row):
            raise PictureError(
                f"The tokens of “{label}” should be a list of str or bytes; got one {type(row).__name__}."
            )
    pairs = [(label, list(row)) for label, row in pairs]
    for label, row in pairs:
        for token in row:
            if not isinstance(token, (str, bytes)):
                rule = f"The tokens of “{label}” should be str or bytes"
                raise PictureError(f"{rule}, but one is {token!r}. Pass the tokens, not their ids.")
    return pairs
