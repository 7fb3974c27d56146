"""The drawn beam: every candidate in its place, kept and finished marked, the best path lit; a slider over k."""

import re
import xml.etree.ElementTree as xml

import pytest
import torch

from course_lib import viz
from course_lib.decoding import beam_search

WORDS = ["<s>", "</s>", "ein", "<b>und</b>", "zwanzig", b" \xc3\xbc"]
SVG = "{http://www.w3.org/2000/svg}"


def found(k=3, max_len=6, seed=1, **options):
    def next_token(ids):
        texts = [torch.Generator().manual_seed(hash((seed, *text)) % 2**32) for text in ids.tolist()]
        return torch.stack([2 * torch.randn(len(WORDS), generator=generator) for generator in texts])

    return beam_search(next_token, torch.zeros(1, 1, dtype=torch.long), 1, max_len, k=k, **options)[0]


def parsed(tree):
    """The boxes, root first, as (classes, left, y, width, texts, what its edge starts and ends at)."""
    boxes = []
    for group in xml.fromstring(tree.svg).iter(f"{SVG}g"):
        box, path = group.find(f"{SVG}rect"), group.find(f"{SVG}path")
        y = float(box.get("y")) + float(box.get("height")) / 2
        ends = path is not None and [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
        texts = [text.text for text in group.iter(f"{SVG}text")]
        boxes.append((group.get("class").split(), float(box.get("x")), y, float(box.get("width")), texts, ends))
    return boxes


@pytest.mark.parametrize("k", [1, 2, 5])
def test_every_candidate_has_a_box_and_says_what_became_of_it(k):
    beam = found(k)
    _, *boxes = parsed(viz.beam_tree(beam, WORDS))
    candidates = [c for step in beam.steps for c in step]
    assert len(boxes) == len(candidates)
    assert sum("kept" in box[0] for box in boxes) == sum(c.kept for c in candidates)
    assert sum("ended" in box[0] for box in boxes) == sum(text.ended for text in beam.hypotheses)
    for classes, *_, (token, _), _ in boxes:
        assert ("✓" in token) == ("ended" in classes), "not by colour alone"
    assert sum("best" in box[0] for box in boxes) == len(beam.best.ids) + beam.best.ended


def test_lines_lead_from_the_parents_and_never_cross():
    beam = found(4)
    root, *boxes = parsed(viz.beam_tree(beam, WORDS))
    columns = sorted({left for _, left, *_ in boxes})
    assert len(columns) == len(beam.steps)
    kept_before = [root]
    for left, step in zip(columns, beam.steps, strict=True):
        column = [box for box in boxes if box[1] == left]
        assert len(column) == len(step) == len({box[2] for box in column}), "no box covers another"
        for box in column:
            from_x, from_y, *_, to_x, to_y = box[5]
            assert (to_x, to_y) == (left, box[2])
            assert any(from_y == y and from_x == pytest.approx(x + w, abs=0.2) for _, x, y, w, *_ in kept_before)
        starts = [box[5][1] for box in sorted(column, key=lambda box: box[2])]
        assert starts == sorted(starts)
        kept_before = [box for box in column if "kept" in box[0] and "ended" not in box[0]]


def test_words_are_text_and_the_picture_says_what_it_shows():
    beam = found(2)
    tree = viz.beam_tree(beam, WORDS, start="Beginn", title="k = 2 & more")
    assert tree.alt.startswith("k = 2 & more. Tree of a beam search. Kept at step 1: ") and "(finished)" in tree.alt
    assert f"log P {beam.best.log_probability:.2f}".replace("-", "−") in tree.best
    assert f"score {beam.best.score(beam.alpha):.2f}".replace("-", "−") in tree.best
    assert "<b>" not in tree.svg and "Beginn" in tree.svg and "Filled: kept" in tree.html()
    assert xml.fromstring(tree.svg).get("aria-label") == tree.alt
    seen = {text for box in parsed(viz.beam_tree(found(5), dict(enumerate(WORDS)))) for text in box[4]}
    assert {"<b>und</b>", "␣ü"} <= seen


def test_what_max_len_cut_off_is_told():
    assert "(cut at max_len)" in viz.beam_tree(found(3, max_len=2), WORDS).alt
    assert viz.beam_tree(found(3), WORDS).svg == viz.beam_tree(found(3), WORDS).svg


@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_the_best_is_best_by_its_score(alpha):
    beam = found(5, max_len=8, alpha=alpha)
    tree = viz.beam_tree(beam, WORDS)
    best = [box for box in parsed(tree)[1:] if "best" in box[0]]
    tokens = [text.removeprefix("✓ ") for *_, (text, _), _ in sorted(best, key=lambda box: box[1])]
    shown = {5: "␣ü"}
    assert tokens == [shown.get(i, WORDS[i]) for i in beam.best.ids] + ["</s>"] * beam.best.ended


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: viz.beam_tree(found(3), WORDS[:2]), "words should hold the token of each id.*there is none for the id"),
        (lambda: viz.beam_tree(found(13), WORDS), "up to 24 candidates, but this beam has .* with up to 26"),
        (lambda: viz.beam_slider({1: found(1)}, WORDS), "A slider needs several beams"),
        (lambda: viz.beam_slider([found(1), found(2)], WORDS), "A slider needs several beams"),
        (lambda: viz.beam_slider({1: found(1), 2: found(2)}, WORDS, k=3), "k should be 1 or 2; got 3"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(call, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        call()


def test_the_slider_is_linked_in_the_browser_and_shows_what_beam_tree_draws():
    beams = {k: found(k) for k in (5, 1, 2)}
    live = viz.beam_slider(beams, WORDS, k=2)
    slider, view = live.widget.children
    assert slider.options == (1, 2, 5) and (slider.value, view.index) == (2, 1)
    assert [(link.source, link.target) for link in live.widget.links] == [((slider, "index"), (view, "index"))]
    assert [svg for svg, _ in view.trees] == [viz.beam_tree(beams[k], WORDS).svg for k in (1, 2, 5)]
    assert live.picture.alt.startswith("k = 2. Tree") and "Run this cell" in live.picture.html()
    assert view.trees[2][1].startswith("k = 5. The best: ")
