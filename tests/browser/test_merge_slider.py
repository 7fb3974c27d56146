"""The merges slider: its JavaScript against Hugging Face's tokenizers, then the widget in a real JupyterLab."""

import html
import json
import re

import nbformat
import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from course_lib import viz
from course_lib.tokenizers.pretokenize import GPT2 as GPT2_PATTERN
from course_lib.viz.widgets.merge_slider import GPT2
from course_lib.viz.widgets.wire import module, style

from .lab import Lesson, end_kernels, lab_server, open_page

CORPUS = [
    "the cat sat on the mat and the other cats sat there too; they're happy, aren't they? The theory isn't the thing.\n\n",
    "def forward(self, query, key):\n    return self.softmax(query @ key.mT / self.d_k**0.5)  # the weights\n",
    "שלום עולם, שלום לכולם. مرحبا بالعالم، مرحبا بكم. नमस्ते दुनिया, नमस्ते। 中文字符和中文句子。日本語の文章。",
    "café naïve Ærøskøbing 👩‍👩‍👧‍👦 👩‍👧 🏳️‍🌈 😀😀😀 in 1999, 2024 and 12345678; 1,000.50 € \t\t x = 3;\r\n y = 4;\r\n",
]  # fmt: skip
NASTY = [
    "",
    " ",
    "   \n\t ",
    "the theory's THE'LL won't 'S 'ſ K'\u212a",
    "👩‍👩‍👧‍👦🏳️‍🌈 😀😀 e\u0301 é \u0301",
    "שלום עולם مرحبا بالعالم",
    "\0\x01\x1c\x1d\x7f\x85\u2028\ufeff\u200b\u3000x\u00a0y",
    "a\r\n\r\n b\t\n \n  c",
    "taaaaaaaaaaasty ttttthethethe",
    "中文字符 日本語の文章",
    "12345678 ½ ٣٤ 1,000.50€",
    "the" * 150,
    "def f(x):\n    return x**2  # ok\n\n\n",
    "\u1680\u2003 trailing   ",
    "नमस्ते दुनिया 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \U0010ffff\ue000",
    "__proto__ constructor <b>it</b> &amp; $x$",
]
STEPS = [0, 1, 7, 40, 150]


def byte_level(merges=None, vocabulary=None):
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges) if merges is not None else models.BPE())
    split = pre_tokenizers.Split(Regex(GPT2_PATTERN), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def of_words(merges=None, vocabulary=None):
    tokenizer = Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, end_of_word_suffix="</w>")
        if merges is not None
        else models.BPE(end_of_word_suffix="</w>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def learnt(tokenizer, **options):
    tokenizer.train_from_iterator(
        CORPUS * 3,
        trainers.BpeTrainer(
            vocab_size=len(options.get("initial_alphabet", [])) + 300 + 200,
            min_frequency=2,
            show_progress=False,
            **options,
        ),
    )
    model = json.loads(tokenizer.to_str())["model"]
    assert len(model["merges"]) > STEPS[-1]
    return [tuple(pair) for pair in model["merges"]], model["vocab"]


def printable_bytes():
    """GPT-2's letters for the 256 bytes, as Hugging Face stores them."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in kept]
    return {chr(b): b for b in kept} | {chr(256 + i): b for i, b in enumerate(rest)}


BYTE_OF = printable_bytes()


def as_bytes(token):
    return bytes(BYTE_OF[letter] for letter in token)


@pytest.fixture(scope="module", params=["bytes", "characters"])
def case(request):
    """(what merge_slider is called with, merges → Hugging Face's tokens of a text)"""
    if request.param == "characters":
        merges, vocabulary = learnt(of_words(), end_of_word_suffix="</w>")
        # Hugging Face has no token for a character that it never saw; here such a character is a token of its own.
        vocabulary |= {
            symbol: len(vocabulary) + i
            for i, symbol in enumerate(s for c in "".join(NASTY) for s in (c, c + "</w>") if s not in vocabulary)
        }
        return {
            "merges": merges,
            "ids": vocabulary,
        }, lambda text, k: of_words(merges[:k], vocabulary).encode(text).tokens
    merges, vocabulary = learnt(byte_level(), initial_alphabet=list(BYTE_OF))
    ours = {
        "merges": [(as_bytes(a), as_bytes(b)) for a, b in merges],
        "ids": {as_bytes(t): i for t, i in vocabulary.items()},
    }
    return ours, lambda text, k: [as_bytes(t) for t in byte_level(merges[:k], vocabulary).encode(text).tokens]


class Bare:
    """The widget in an empty page, with a stand-in for its model: as it runs in JupyterLab, without JupyterLab."""

    def __init__(self, page, live):
        self.page, self.of_bytes = page, live.widget.children[1].of_bytes
        view = live.widget.children[1]
        state = {
            name: getattr(view, name)
            for name in view.trait_names(sync=True)
            if not name.startswith("_") and name not in ("layout", "tooltip", "tabbable", "comm")
        }
        page.set_content("<meta charset=utf-8><body></body>")
        page.add_style_tag(content=style())
        page.add_script_tag(content=module("merge_slider.js").replace("export default", "window.widget ="))
        page.evaluate(
            """state => { const heard = {};
                window.set = (name, value) => { state[name] = value; heard["change:" + name]?.(); };
                window.widget.render({el: document.body, model: {get: name => state[name], on: (name, f) => { heard[name] = f; }, off() {},
                    set: window.set, save_changes() { window.saved = state.merges_used; }}}); }""",
            state,
        )

    def set(self, name, value):
        self.page.evaluate("([name, value]) => window.set(name, value)", [name, value])

    def tokens(self):
        tokens = self.page.evaluate("() => [...document.querySelectorAll('.token')].map(box => box.dataset.token)")
        return [token.encode("latin-1") for token in tokens] if self.of_bytes else tokens

    def shown(self):
        return self.page.evaluate(
            "() => [...document.querySelectorAll('.token')].map(box => box.textContent.replace('◆', ''))"
        )

    def said(self, which):
        return self.page.locator(f".course-merges .{which}").inner_text()


def test_the_tokens_are_hugging_faces(page, case):
    options, expected = case
    bare = Bare(page, viz.merge_slider(options["merges"], "", **{k: v for k, v in options.items() if k != "merges"}))
    for text in NASTY:
        bare.set("text", text)
        for k in (*STEPS, len(options["merges"])):
            bare.set("merges_used", k)
            if bare.of_bytes or not set(text) & set(
                "\x1c\x1d"
            ):  # Python's split takes these for blanks, Rust's doesn't
                assert bare.tokens() == expected(text, k), (text, k)
    assert page.problems == []


def test_the_still_picture_is_what_the_browser_shows(page, case):
    options, _ = case
    options = dict(options)
    merges = options.pop("merges")
    bare = Bare(page, viz.merge_slider(merges, "", **options))
    for text in NASTY:
        for k in (0, 40, len(merges)):
            live = viz.merge_slider(merges, text, start=k, **options)
            bare.set("text", text), bare.set("merges_used", k)
            still = re.findall(r'<code class="token"[^>]*>◆?(.*?)</code>', live.picture.html())
            assert [html.unescape(re.sub("<[^>]*>", "", box)) for box in still] == bare.shown()[:400], (text, k)
            assert bare.said("counts") in live.picture.alt


def test_ids_are_the_vocabularys(page, case):
    options, _ = case
    bare = Bare(
        page,
        viz.merge_slider(
            options["merges"], "the theory's x", start=40, **{k: v for k, v in options.items() if k != "merges"}
        ),
    )
    for i, token in enumerate(bare.tokens()):
        page.locator(".token").nth(i).focus()
        assert f"id {options['ids'][token]} ·" in bare.said("detail")


PIECES = st.sampled_from(
    [
        "the",
        "'LL",
        "'s",
        "'ſ",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\x85",
        "\x1c",
        "\ufeff",
        "\u2028",
        "é",
        "e\u0301",
        "ß",
        "12",
        "½",
        "٣",
        "…",
        "<",
        "中文",
        "😀",
        "👩‍👧",
        "שלום",
        "\0",
        "_",
        "\U0001e900",
    ]
)


def test_the_text_is_cut_the_same_in_python_and_in_javascript(browser):
    """The tokenizer's pattern in Python against the slider's in JavaScript, on texts made of what is easily cut wrong."""
    with open_page(browser) as page:

        @settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
        @given(st.lists(st.lists(PIECES, max_size=12).map("".join), min_size=20, max_size=20))
        def same(texts):
            found = page.evaluate(
                "([pattern, texts]) => texts.map(text => text.match(new RegExp(pattern, 'gu')) ?? [])", [GPT2, texts]
            )
            assert found == [regex.findall(GPT2_PATTERN, text) for text in texts]

        same()


def test_typed_text_that_is_odd_gets_a_friendly_line(page):
    bare = Bare(page, viz.merge_slider([(b"a", b"b")], "ab", start=1))
    assert (
        bare.said("counts") == "2 bytes → 1 token"
        and bare.said("step") == "merge 1: a + b → ab · made 1 of these tokens, marked ◆"
    )
    area = page.get_by_role("textbox", name="your own text")
    area.fill("")
    assert "Type some text" in bare.said("note") and bare.said("counts") == "0 bytes → 0 tokens"
    area.fill("é€")
    assert bare.shown() == ["C3", "A9", "E2", "82", "AC"] and bare.said("step").endswith("made none of these tokens")
    area.fill("ab" * 3000)
    assert "Only the first 2,000 of 6,000 characters" in bare.said("note") and len(bare.tokens()) == 1000
    page.evaluate(
        "() => { const area = document.querySelector('textarea'); area.value = 'a\\ud83d b'; area.dispatchEvent(new Event('input')); }"
    )
    assert "lone surrogate" in bare.said("note") and b"".join(bare.tokens()).decode() == "a\ufffd b"
    area.fill("مرحبا")
    assert page.locator(".boxes").get_attribute("dir") == "ltr", "its bytes"
    assert page.problems == []


def test_bytes_run_from_left_to_right(page):
    bare = Bare(page, viz.merge_slider([(b"\xd9", b"\x85"), (b"a", b"b")], "مم"))
    assert bare.shown() == ["D9", "85"] * 2 and page.locator(".boxes").get_attribute("dir") == "ltr"
    bare.set("merges_used", 1)
    assert bare.shown() == ["م", "م"] and page.locator(".boxes").get_attribute("dir") == "rtl"


def test_the_buttons_stop_at_each_merge_that_changes_the_text(page, case):
    options, _ = case
    bare = Bare(page, viz.merge_slider(options["merges"], "", **{k: v for k, v in options.items() if k != "merges"}))
    changes = """last => { const found = [], row = () => [...document.querySelectorAll(".token")].map(box => box.dataset.token).join("|");
        let before;
        for (let k = 0; k <= last; k++) { window.set("merges_used", k); if (k && row() !== before) found.push(k); before = row(); }
        return found; }"""
    walk = """([name, from]) => { const found = [], button = document.querySelector(`button[aria-label^=${name}]`);
        window.set("merges_used", from);
        while (!button.disabled && found.length < 1000) { button.click(); found.push(window.saved); }
        return found; }"""
    for text in ("", NASTY[3], NASTY[5], CORPUS[0], CORPUS[3]):
        bare.set("text", text)
        last = len(options["merges"])
        stops = page.evaluate(changes, last)
        assert page.evaluate(walk, ["next", 0]) == stops and (len(stops) > 5 or text in NASTY)
        assert page.evaluate(walk, ["previous", last]) == [k for k in reversed([0, *stops]) if k < last]


def test_the_buttons_know_a_merge_that_leaves_no_token_of_its_own(page):
    # Merge 5 makes abc, which merge 4 takes up at once.
    merges = [("b", "c"), ("a", "b"), ("ab", "c"), ("abc", "d"), ("a", "bc"), ("x", "y"), ("y", "z")]
    Bare(page, viz.merge_slider(merges, "abcd", end_of_word=""))
    forward, back = (page.get_by_role("button", name=f"{name} merge in this text") for name in ("next", "previous"))
    assert back.is_disabled()
    seen = []
    for button in (forward, forward, back, back):
        button.click()
        seen.append(page.evaluate("() => window.saved"))
        if seen == [1, 5]:
            assert forward.is_disabled() and back.evaluate("button => button === document.activeElement"), (
                "the keyboard isn't left on a dead button"
            )
            page.evaluate("() => window.set('merges_used', 7)")
            back.click()
            assert page.evaluate("() => window.saved") == 5
    assert seen == [1, 5, 1, 0]


def test_tokens_that_are_not_in_the_vocabulary_say_so(page):
    bare = Bare(page, viz.merge_slider([("l", "o"), ("lo", "w</w>")], "low", start=2))
    assert "dashed" not in bare.said("legend") and bare.said("counts") == "3 characters → 1 token"
    page.get_by_role("textbox").fill("low <b>")
    assert bare.said("counts") == "6 characters → 4 tokens · 3 not in the vocabulary" and bare.said("legend").endswith(
        "dashed: not in the vocabulary"
    )
    assert bare.tokens() == ["low</w>", "<", "b", "></w>"]
    page.locator(".token").nth(1).hover()
    assert "not in the vocabulary" in bare.said("detail")
    page.locator(".token").nth(0).hover()
    assert bare.said("detail") == "token 1: low</w> · id 4 · l o w, end of word · made by merge 2: lo + w</w>"


# In JupyterLab.

CELLS = {
    "bytes": "import json\nfrom course_lib import viz\nlearnt = [tuple(map(bytes.fromhex, pair)) for pair in json.load(open('merges.json'))]\n"
    'viz.merge_slider(learnt, "the the theory: they\'re at the café 👩‍👧,\\nשלום عالم\\0!", start=20)',
    "characters": "viz.merge_slider([('l', 'o'), ('lo', 'w</w>'), ('lo', 'w'), ('e', 'r</w>')], 'low lower slow', start=2)",
    "rows": "viz.tokens({'GPT-2': ['The', ' unbeliev', 'able', ' 中文', b' \\xf0\\x9f', b'\\x98\\x80', '\\n'], 'BERT': ['the', 'un', '##bel', '##ievable', '[UNK]'], 'العربية': ['مرحبا', ' بالعالم']}, title='One text, three tokenizers', caption='Each box is a token.')",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("merges")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(
        nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()], metadata=kernel
        ),
        folder / "merges.ipynb",
    )
    merges, _ = learnt(byte_level(), initial_alphabet=list(BYTE_OF))
    (folder / "merges.json").write_text(json.dumps([[as_bytes(part).hex() for part in pair] for pair in merges]))
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with lab_server(folder) as address:
        yield address


@pytest.fixture(scope="module")
def lesson(browser, address):
    with open_page(browser) as page:
        lesson = Lesson(page, address, "merges.ipynb")
        lesson.run_all()
        lesson.save()
        assert lesson.errors() == []
        yield lesson


@pytest.fixture
def live(lesson):
    return lesson.shown(0)


def count(found):
    return int(re.search(r"→ (\d+) token", found.locator(".counts").inner_text())[1])


def says(found, which, begins):
    """Waits until that line of the widget begins so."""
    found.locator(f".{which}").filter(has_text=re.compile(rf"^\s*{re.escape(begins)}")).wait_for()


def test_the_slider_works_by_keyboard(lesson, live):
    handle = live.locator(".noUi-handle")
    assert handle.get_attribute("aria-label") == "merges"
    lesson.press(handle, "Home")
    says(live, "step", "No merge yet")
    before = count(live)
    lesson.press(handle, "ArrowRight", times=5)
    says(live, "step", "merge 5: ")
    lesson.press(handle, "End")
    assert lesson.until(lambda: count(live) < before / 2)


def test_the_button_moves_the_slider_and_the_slider_the_button(lesson, live):
    handle, forward = live.locator(".noUi-handle"), live.get_by_role("button", name="next merge in this text")
    lesson.press(handle, "Home")
    says(live, "step", "No merge yet")
    before, cells = count(live), lesson.page.locator(".jp-Notebook .jp-Cell").count()
    for key in ("Enter", "Space", "Enter"):
        lesson.press(forward, key)
        assert lesson.until(lambda: count(live) < before)
        used = int(re.match(r"merge (\d+): .*marked ◆", live.locator(".step").inner_text())[1])
        assert lesson.until(lambda: float(handle.get_attribute("aria-valuenow")) == used)
        assert lesson.page.locator(".jp-Notebook .jp-Cell").count() == cells
        before = count(live)
    lesson.press(handle, "ArrowRight")
    says(live, "step", f"merge {used + 1}: ")
    lesson.press(handle, "End")
    assert lesson.until(forward.is_disabled)


def test_the_tokens_fuse_while_the_slider_is_dragged(lesson, live):
    lesson.press(live.locator(".noUi-handle"), "Home")
    says(live, "step", "No merge yet")
    seen = [count(live)]
    for _ in lesson.dragging(live.locator(".noUi-target"), (0.02, 0.2, 0.9)):
        assert lesson.until(lambda: count(live) < seen[-1])
        seen.append(count(live))


def test_typing_updates_the_tokens_and_runs_no_shortcut(lesson, live):
    area, cells = (
        live.get_by_role("textbox", name="your own text"),
        lesson.page.locator(".jp-Notebook .jp-Cell").count(),
    )
    written = area.input_value()
    area.fill("")
    says(live, "note", "Nothing here yet. Type some text")
    area.press_sequentially("add the dd cats")
    says(live, "counts", "15 bytes → ")
    area.press("Home"), area.press("ArrowDown")
    assert lesson.page.locator(".jp-Notebook .jp-Cell").count() == cells
    area.fill(written)


def test_ids_and_bytes_by_hover_and_by_keyboard(lesson, live):
    lesson.press(live.locator(".noUi-handle"), "End")
    assert lesson.until(lambda: live.locator(".boxes .token").nth(1).get_attribute("data-token") == " the")
    live.locator(".boxes .token").nth(1).hover()
    learnt = re.compile(r"^token 2: ␣the · id \d+ · bytes 20 74 68 65 · made by merge \d+: ")
    live.locator(".detail").filter(has_text=learnt).wait_for()
    lesson.press(live.locator("textarea"), "Tab")
    says(live, "detail", "token 1: ")
    lesson.page.keyboard.press("ArrowRight")
    says(live, "detail", "token 2: ␣the · id ")
    focused = lesson.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("“ the”, id ")
    lesson.page.keyboard.press("End")
    says(live, "detail", f"token {count(live)}: ")
    lesson.page.keyboard.press("d"), lesson.page.keyboard.press("d")
    assert lesson.page.locator(".jp-Notebook .jp-Cell").count() == len(CELLS), "two times d deletes no cell"


def test_both_themes(lesson, live):
    lesson.press(live.locator(".noUi-handle"), "Home")
    lesson.press(live.locator(".noUi-handle"), "ArrowRight", times=20)
    says(live, "step", "merge 20: ")
    live.locator(".boxes .token").nth(3).hover()
    lesson.screenshot("light_merges")
    lesson.dark()
    try:
        lesson.screenshot("dark_merges")

        def ink():
            colour = live.locator(".boxes .token").first.evaluate("node => getComputedStyle(node).color")
            return re.findall(r"\d+", colour)[:3]

        assert lesson.until(lambda: min(map(int, ink())) > 150), "light letters on a dark page"
    finally:
        lesson.dark(False)


def test_rows_of_tokens(lesson):
    rows = lesson.shown(2).locator("tr")
    assert lesson.until(lambda: rows.count() == 3)
    assert rows.nth(0).locator(".token").all_text_contents() == [
        "The",
        "␣unbeliev",
        "able",
        "␣中文",
        "␣ F0 9F",
        "98 80",
        "↵",
    ]
    assert "7 tokens" in rows.nth(0).inner_text()
    assert lesson.page.problems == []


def test_the_slider_needs_no_kernel(lesson, live, address, browser):
    handle, before = live.locator(".noUi-handle"), count(live)
    lesson.save()
    end_kernels(address)
    lesson.press(handle, "End")
    assert lesson.until(lambda: count(live) < before)
    live.locator("textarea").fill("the the")
    assert lesson.until(lambda: count(live) == 2)
    lesson.page.keyboard.press("Shift+Tab"), lesson.page.keyboard.press("Enter"), lesson.page.keyboard.press("Enter")
    there = lesson.until(lambda: count(live) == 3)
    assert there, "two times back: to the last merge in this text, then to the one before"
    used = float(re.match(r"merge (\d+)", live.locator(".step").inner_text())[1])
    assert lesson.until(lambda: float(handle.get_attribute("aria-valuenow")) == used)
    with open_page(browser) as page:
        reopened = Lesson(page, address, "merges.ipynb")
        found = reopened.shown(0)
        found.locator(".course-static .token").first.wait_for()
        assert "Run this cell" in found.inner_text() and "model not found" not in found.inner_text()
        reopened.screenshot("reopened_merges")


def test_an_untrusted_notebook_shows_the_still_tokens(lesson, browser, address, folder):
    notebook = nbformat.read(folder / "merges.ipynb", 4)
    for cell in notebook.cells:
        for output in cell.outputs:
            output.metadata["from"] = "elsewhere"
    nbformat.write(notebook, folder / "untrusted.ipynb")
    with open_page(browser) as page:
        untrusted = Lesson(page, address, "untrusted.ipynb")
        for i in range(3):
            untrusted.show(i)
            untrusted.output(i).locator(".token").first.wait_for()
        untrusted.show(0)
        untrusted.screenshot("untrusted_merges")
        border = untrusted.output(0).locator(".token").first.evaluate("node => getComputedStyle(node).borderTopWidth")
        assert border == "1px", "the sanitizer leaves the boxes their borders"
        untrusted.show(2)
        blanks = untrusted.output(2).locator("caption").evaluate("node => getComputedStyle(node).whiteSpace")
        assert blanks == "pre-wrap", "and the title its blanks"
