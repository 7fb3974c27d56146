"""A web page inside a notebook's output: self-contained, small, offline.

The page travels gzipped in an <iframe srcdoc> and unpacks itself. Where a frame isn't shown (an untrusted notebook,
GitHub, a PDF) a still picture stands in its place.
"""

import base64
import gzip
import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from .picture import HTML, ON_WHITE, Picture

UNPACK = """<!doctype html><meta charset="utf-8"><script>(async () => {
const bytes = Uint8Array.from(atob("%s"), c => c.charCodeAt(0));
const page = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
document.open(); document.write(page); document.close(); })()</script>"""

OUTPUT = HTML.from_string(
    "<style>.course-static:has(+ .course-frame iframe){display:none}</style>"
    '<div class="course-static">{{ still }}</div>'
    '<div class="course-frame"><iframe title="{{ title }}" class="{{ on_white }}" srcdoc="{{ unpack }}" '
    'style="width:100%;height:{{ height }}px;display:block;border:0;border-radius:8px;background:#fff"></iframe></div>'
)
PAGE = HTML.from_string("""\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>bertviz</title><style>
html{color-scheme:light;background:#fff}
body{margin:0;padding:8px;box-sizing:border-box;background:#fff;color:#1f2933;overflow-x:auto}
p{font:13px/1.45 'Helvetica Neue',Helvetica,Arial,sans-serif;color:#52606d;margin:4px 0 0;max-width:100ch}
select{font:inherit;padding:2px 4px;margin:0 8px 6px 2px}
svg text{user-select:none}
:focus-visible{outline:2px solid #0072b2;outline-offset:1px}
</style><script>{{ d3 }}</script><script>window.course = {{ facts }};
{{ shims }}</script></head><body>{{ page }}<p>{{ how_to }}</p></body></html>""")


class Frame:
    """An interactive view and the still picture that stands for it.

    page: the view's HTML as bertviz returns it. facts: what frame.js needs to know (width, names of heads and layers).
    """

    def __init__(self, page: str, picture: Picture, title: str, how_to: str, height: int, facts: dict):
        self.picture, self.title, self.height = picture, title, height
        page = re.sub(r'<script src="https?://[^"]*"></script>', "", page)
        # Alone in its frame, it needs no name of its own; the same input gives the same page.
        page = re.sub(r"bertviz-[0-9a-f]{32}", "bertviz-view", page)
        code = {"d3": _d3(), "facts": json.dumps(facts), "shims": _shims(), "page": page}
        self.page = PAGE.render(how_to=how_to, **{name: Markup(text) for name, text in code.items()})

    def html(self) -> str:
        packed = base64.b64encode(gzip.compress(self.page.encode(), 9, mtime=0)).decode()
        still, look = Markup(self.picture.html()), {"height": self.height, "on_white": ON_WHITE}
        return OUTPUT.render(still=still, title=self.title, unpack=UNPACK % packed, **look)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.picture._repr_mimebundle_() | {"text/html": self.html()}

    def __repr__(self) -> str:
        return self.picture.alt


@cache
def _shims() -> str:
    return (Path(__file__).parent / "frame.js").read_text("utf-8")


@cache
def _d3() -> str:
    """d3 5.7.0, the version that bertviz asks for, from the mpld3 package."""
    return (files("mpld3") / "js" / "d3.v5.min.js").read_text("utf-8")
