"""bertviz's views, before any browser: self-contained, safe, repeatable, and refused with a sentence where they can't be right."""

import json
import re

import pytest
import torch

from course_lib import viz

WORDS = ["The", "animal", "was", "too", "tired"]
VIEWS = [viz.head_view, viz.model_view]


def weights(*shape, seed=0):
    return torch.softmax(2 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed)), -1)


def vectors(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def neuron_view(attention, tokens, **options):
    """neuron_view with queries and keys that fit, to be called like the two others."""
    layered = torch.as_tensor(attention)
    q, k = vectors(2, *layered.shape[:3], 8)
    return viz.neuron_view(q, k, attention, tokens, **options)


@pytest.mark.parametrize("view", [*VIEWS, neuron_view])
def test_nothing_comes_from_the_network(view):
    page = view(weights(2, 3, 5, 5), WORDS).page
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=.http", page)


@pytest.mark.parametrize("view", [*VIEWS, neuron_view])
def test_the_same_input_gives_the_same_output(view):
    assert view(weights(2, 3, 5, 5), WORDS)._repr_mimebundle_() == view(weights(2, 3, 5, 5), WORDS)._repr_mimebundle_()


@pytest.mark.parametrize("view", [*VIEWS, neuron_view])
def test_no_token_ends_the_script(view):
    hostile = ["</script>", "<!--", "<b>", '"\\u003c', "PYTHON_PARAMS"]
    plain = view(weights(2, 3, 5, 5), WORDS).page
    page = view(weights(2, 3, 5, 5), hostile).page
    assert page.count("</script>") == plain.count("</script>") and page.count("<!--") == plain.count("<!--")
    assert r"\u003c/script>" in page and "\ufdd0" not in page and "\\ufdd0" not in page


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "attention",
    [
        weights(2, 3, 5, 5),
        weights(3, 5, 5),
        [weights(3, 5, 5)] * 2,
        [weights(1, 3, 5, 5)] * 2,
        tuple(weights(2, 1, 3, 5, 5)),
    ],
)
def test_what_models_return_is_understood(view, attention):
    frame = view(attention, WORDS)
    assert "3 heads, 5 tokens" in repr(frame) and "<iframe title=" in frame.html()


def parameters(page):
    return json.loads(re.search(r"const params = (\{.*?\}); // HACK", page).group(1))


def test_layers_and_heads_can_be_chosen():
    w = weights(4, 6, 5, 5)
    given = parameters(viz.head_view(w, WORDS, layers=[1, 3], heads=[0, 5], layer=3).page)
    assert given["include_layers"] == [1, 3] and given["layer"] == 3
    torch.testing.assert_close(torch.tensor(given["attention"][0]["attn"]), w[[1, 3]][:, [0, 5]], atol=6e-5, rtol=0)
    given = parameters(viz.model_view(w, WORDS, layers=[2], heads=[1, 4]).page)
    assert given["include_heads"] == [1, 4]
    torch.testing.assert_close(torch.tensor(given["attention"][0]["attn"]), w[[2]][:, [1, 4]], atol=6e-5, rtol=0)


def test_neuron_view_computes_the_attention():
    q, k = vectors(2, 2, 3, 5, 8)
    computed, given = (
        viz.neuron_view(q, k, None, WORDS),
        viz.neuron_view(q, k, torch.softmax(q @ k.mT / 8**0.5, -1), WORDS),
    )
    assert computed.page == given.page and '"bidirectional": true' in computed.page
    causal = viz.neuron_view(q, k, None, WORDS, causal=True)
    assert '"bidirectional": false' in causal.page and "[1.0, 0.0, 0.0, 0.0, 0.0]" in causal.page
    alone = viz.neuron_view(q[0], k[0], tokens=WORDS, heads=[2], layer=0, head=2)
    assert "1 layer, 1 head, 5 tokens. Layer 0, head 2. Heatmap" in repr(alone)


@pytest.mark.parametrize(
    "arguments, options, sentence",
    [
        ((weights(2, 4, 3, 5, 5), WORDS), {}, "batch of 4"),
        ((weights(5, 5), WORDS), {}, r"axes \(layer, head, query, key\), but the shape is \(5, 5\)"),
        ((weights(2, 3, 5, 5), WORDS[:4]), {}, "4 words, but there are 5 positions"),
        ((weights(2, 3, 4, 5), WORDS), {}, "4 queries and 5 keys"),
        ((weights(2, 3, 5, 5) * 2, WORDS), {}, "should sum to 1.*matrix 0, sums to 2|sums to 2"),
        ((weights(1, 1, 65, 65), ["w"] * 65), {}, "up to 64 tokens, but there are 65.*max_tokens=65"),
        ((weights(2, 3, 5, 5), WORDS), {"layers": [2]}, r"layers should be different numbers from 0 to 1; got \[2\]"),
        ((weights(2, 3, 5, 5), WORDS), {"heads": []}, "heads should be different numbers"),
        ((weights(2, 3, 5, 5), WORDS), {"heads": 1}, "heads should be a list"),
        (([weights(3, 5, 5), weights(2, 5, 5)], WORDS), {}, "different shapes"),
    ],
)
@pytest.mark.parametrize("view", VIEWS)
def test_bad_input_gets_one_sentence(view, arguments, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        view(*arguments, **options)


def test_more_sentences():
    q = vectors(2, 3, 5, 8)
    with pytest.raises(viz.PictureError, match="needs tokens"):
        viz.neuron_view(q, q)
    with pytest.raises(viz.PictureError, match="same shape"):
        viz.neuron_view(q, q[:1], None, WORDS)
    with pytest.raises(viz.PictureError, match="queries have the shape"):
        viz.neuron_view(q, q, weights(1, 3, 5, 5), WORDS)
    with pytest.raises(viz.PictureError, match="head should be 0, 1 or 2; got 7"):
        viz.neuron_view(q, q, None, WORDS, head=7)
    with pytest.raises(viz.PictureError, match="layer should be 0 or 1; got 9"):
        viz.head_view(weights(2, 3, 5, 5), WORDS, layer=9)


def test_sixty_four_tokens_and_more_on_request():
    assert "64 tokens" in repr(viz.head_view(weights(1, 2, 64, 64), ["w"] * 64))
    assert "70 tokens" in repr(viz.head_view(weights(1, 2, 70, 70), ["w"] * 70, max_tokens=70))


def test_a_large_model_stays_small():
    frame = viz.model_view(weights(6, 12, 20, 20), ["word"] * 20)
    assert len(frame.html()) < 800_000
    assert len(frame.picture.png) < 300_000


@pytest.mark.parametrize("view", [*VIEWS, neuron_view])
def test_no_warnings(view, recwarn, capfd):
    view(weights(2, 3, 5, 5), ["😀", "$x$", " ", "", "b"]).html()
    unheard = ResourceWarning  # bertviz leaves a file to be closed by itself; Python shows such warnings to nobody
    assert not [w for w in recwarn.list if w.category is not unheard] and not capfd.readouterr().err


def three_attentions(source=4, target=3, layers=2, heads=2):
    generator = torch.Generator().manual_seed(0)
    shapes = [(source, source), (target, target), (target, source)]
    return [torch.randn(layers, heads, *shape, generator=generator).softmax(-1) for shape in shapes]


def test_translation_view_has_all_three_and_each_text_on_its_side():
    view = viz.translation_view(*three_attentions(), ["four", "<b>", "and", "two"], ["START", "vier", "zwei"])
    for name in ("Encoder", "Decoder", "Cross"):
        assert f'"name": "{name}"' in view.page
    assert "Cross-attention, layer 1" in view.picture.alt and "<b>" not in view.page.split("<body>")[1]


def test_translation_view_checks_what_fits():
    encoder, decoder, cross = three_attentions()
    source, target = list("abcd"), list("xyz")
    with pytest.raises(viz.PictureError, match="the target asks"):
        viz.translation_view(encoder, decoder, cross.mT.softmax(-1), source, target)
    with pytest.raises(viz.PictureError, match="same layers and heads"):
        viz.translation_view(encoder[:1], decoder, cross, source, target)
    with pytest.raises(viz.PictureError, match="4"):
        viz.translation_view(encoder, decoder, cross, target, target)
