"""A picture that says in words what it shows."""

import base64
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from .style import CSS_PIXELS_PER_INCH, png

CARD = "display:inline-block;margin:4px 0;padding:10px;background:#fff;color:#1f2933;border-radius:8px;max-width:100%;box-sizing:border-box"


class Picture:
    """A finished figure with alternative text. A notebook shows it; `print` and screen readers get the words.

    figure: a matplotlib Figure, drawn once, here.
    alt: one or two sentences that say what can be seen.
    caption: optional text under the picture.
    """

    def __init__(self, figure: Figure, alt: str, caption: str | None = None):
        self.png, self.alt, self.caption = png(figure), alt, caption
        self.width, self.height = (round(inches * CSS_PIXELS_PER_INCH) for inches in figure.get_size_inches())

    def html(self) -> str:
        caption = (
            f'<figcaption style="font-size:13px;line-height:1.4;padding:6px 4px 0">{escape(self.caption)}</figcaption>'
            if self.caption
            else ""
        )
        source = base64.b64encode(self.png).decode()
        return (
            f'<figure style="{CARD}"><img alt="{escape(self.alt)}" width="{self.width}" style="max-width:100%;height:auto;background:#fff" '
            f'src="data:image/png;base64,{source}">{caption}</figure>'
        )

    def save(self, path: str | Path) -> None:
        """Writes the picture as a PNG file."""
        Path(path).write_bytes(self.png)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.alt, "text/html": self.html(), "image/png": base64.b64encode(self.png).decode()}

    def __repr__(self) -> str:
        return self.alt
