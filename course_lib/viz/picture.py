"""A picture that says in words what it shows."""

import base64
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup
from matplotlib.figure import Figure

from .inputs import whole
from .style import CSS_PIXELS_PER_INCH, png

HTML = Environment(autoescape=True)  # every template of this package: what it is given is text, never HTML
# What stands on white paper is turned round where JupyterLab is dark: white becomes almost black, and blue stays blue.
ON_WHITE = "course-on-white"
TURNED = f'<style>[data-jp-theme-light="false"] .{ON_WHITE}{{filter:invert(.93) hue-rotate(180deg)}}</style>'
FIGURE = HTML.from_string(
    '{% if on_white %}{{ turned }}{% endif %}<figure{% if on_white %} class="{{ on_white }}"{% endif %} '
    'style="display:inline-block;margin:4px 0;padding:10px;border-radius:8px;max-width:100%;box-sizing:border-box;'
    "{% if on_white %}background:#fff;color:#1f2933{% else %}"
    'background:var(--jp-layout-color0,#fff);color:var(--jp-ui-font-color0,#1f2933){% endif %}">'
    '{{ content }}{% if caption %}<figcaption style="font-size:13px;line-height:1.4;padding:6px 4px 0">'
    "{{ caption }}</figcaption>{% endif %}</figure>"
)
IMAGE = HTML.from_string(
    '<img alt="{{ alt }}" width="{{ width }}" style="max-width:100%;height:auto;background:#fff" '
    'src="data:image/png;base64,{{ png }}">'
)


def still_caption(live: str, how: str = "Run this cell") -> str:
    """What stands under the still picture of something that moves. live: "the slider"."""
    return f"A still picture. {how} to get {live}."


class Shown:
    """What a notebook shows as HTML, and `print` and screen readers in words.

    content: HTML that is safe already. alt: one or two sentences that say what can be seen. caption: text below.
    """

    on_white = True  # or drawn in the colours of JupyterLab's theme

    def __init__(self, content: str, alt: str, caption: str | None = None):
        self.content, self.alt, self.caption = whole(content), whole(alt), caption and whole(str(caption))

    def html(self) -> str:
        look = {"on_white": self.on_white and ON_WHITE, "turned": Markup(TURNED)}
        return FIGURE.render(content=Markup(self.content), caption=self.caption, **look)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.alt, "text/html": self.html()}

    def __repr__(self) -> str:
        return self.alt


class Picture(Shown):
    """A finished matplotlib figure, drawn once, here. png: the file; width, height: in CSS pixels."""

    def __init__(self, figure: Figure, alt: str, caption: str | None = None):
        self.png = png(figure)
        self.width, self.height = (round(inches * CSS_PIXELS_PER_INCH) for inches in figure.get_size_inches())
        super().__init__(IMAGE.render(alt=alt, width=self.width, png=self._base64()), alt, caption)

    def _base64(self) -> str:
        return base64.b64encode(self.png).decode()

    def save(self, path: str | Path) -> None:
        """Writes the picture as a PNG file."""
        Path(path).write_bytes(self.png)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return super()._repr_mimebundle_() | {"image/png": self._base64()}
