"""GPT against transformers' GPT-2 by files written both ways, its parameters counted by hand, and its cache."""

import json

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

from course_lib.corpora.packing import blocks
from course_lib.decoding import NextToken, beam_search, greedy, sample
from course_lib.errors import CourseError
from course_lib.gpt import GPT, GPTConfig
from course_lib.training import cross_entropy, fit, muon_and_adamw

SMALL = GPTConfig(vocab_size=31, d_model=24, num_heads=3, d_ff=40, num_layers=2, max_len=20)


def made(config=SMALL, seed=0):
    """A GPT with weights that all matter: no bias of 0, no norm of 1."""
    torch.manual_seed(seed)
    model = GPT(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model


def theirs(**changes):
    torch.manual_seed(1)
    sizes = dict(vocab_size=29, n_embd=32, n_head=4, n_layer=3, n_positions=16, bos_token_id=1, eos_token_id=2)
    model = GPT2LMHeadModel(GPT2Config(**sizes | changes)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model


def ids(rows, n, vocab_size=29):
    return torch.randint(vocab_size, (rows, n), generator=torch.Generator().manual_seed(3))


# --- sizes ------------------------------------------------------------------------------------------------------------


def counted(model):
    return sum(parameter.numel() for parameter in model.parameters())


def by_hand(vocab, n, d=768, layers=12, norms_at_the_end=1):
    attention = 4 * (d * d + d)  # W_Q, W_K, W_V, W_O and their biases
    feed_forward = d * 4 * d + 4 * d + 4 * d * d + d
    return vocab * d + n * d + layers * (attention + feed_forward + 2 * 2 * d) + norms_at_the_end * 2 * d


def test_the_papers_models_have_the_papers_parameters():
    with torch.device("meta"):
        gpt, gpt2 = GPT(GPTConfig.gpt()), GPT(GPTConfig.gpt2())
    assert counted(gpt) == by_hand(40_478, 512, norms_at_the_end=0) == 116_534_784
    assert counted(gpt2) == by_hand(50_257, 1024) == 124_439_808


def test_a_preset_may_be_changed_and_a_size_must_be_one():
    config = GPTConfig.gpt2(num_layers=2, vocab_size=100)
    assert (config.num_layers, config.vocab_size, config.d_model) == (2, 100, 768)
    with pytest.raises(CourseError, match="num_layers should be a whole number from 1 up; got 0"):
        GPTConfig(vocab_size=10, num_layers=0)
    with pytest.raises(CourseError, match="activation should be 'gelu_new' or 'gelu'; got 'relu'"):
        GPTConfig(vocab_size=10, activation="relu")


# --- transformers, both ways ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes", [{}, {"n_inner": 50}, {"activation_function": "gelu"}, {"layer_norm_epsilon": 1e-2}]
)
def test_a_model_of_transformers_gives_the_same_here(tmp_path, changes):
    peer = theirs(**changes)
    peer.save_pretrained(tmp_path)
    model, text = GPT.from_pretrained(tmp_path), ids(3, 16)
    assert not model.training
    with torch.no_grad():
        expected = peer(text).logits
        logits, weights = model(text)
        assert weights is None
        torch.testing.assert_close(logits, expected, atol=1e-4, rtol=0)
        torch.testing.assert_close(model(text, need_weights=True)[0], expected, atol=1e-4, rtol=0)


def test_the_weights_are_those_of_transformers(tmp_path):
    peer = theirs(attn_implementation="eager")
    peer.save_pretrained(tmp_path)
    text = ids(2, 9)
    with torch.no_grad():
        _, weights = GPT.from_pretrained(tmp_path)(text, need_weights=True)
        expected = torch.stack(peer(text, output_attentions=True).attentions, dim=1)
    assert weights.shape == (2, 3, 4, 9, 9)
    torch.testing.assert_close(weights, expected, atol=1e-5, rtol=0)


def test_ours_gives_the_same_there_and_comes_back(tmp_path):
    model, text = made(GPTConfig(**vars(SMALL) | {"eps": 1e-3, "activation": "gelu", "dropout": 0.3})), ids(2, 20)
    model.save_pretrained(tmp_path / "model")
    peer = GPT2LMHeadModel.from_pretrained(tmp_path / "model").eval()
    with torch.no_grad():
        torch.testing.assert_close(model(text)[0], peer(text).logits, atol=1e-4, rtol=0)
    assert (peer.config.resid_pdrop, peer.config.embd_pdrop, peer.config.attn_pdrop) == (0.3, 0.3, 0.3)
    back = GPT.from_pretrained(tmp_path / "model")
    assert back.config == model.config
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), back.state_dict().values(), strict=True))


def test_a_step_of_training_is_transformers(tmp_path):
    peer = theirs(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0).train()
    peer.save_pretrained(tmp_path)
    model, text = GPT.from_pretrained(tmp_path).train(), ids(4, 16)
    loss = cross_entropy(model(text)[0][:, :-1], text[:, 1:])
    expected = peer(text, labels=text).loss
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-5)
    loss.backward()
    expected.backward()
    torch.testing.assert_close(model.token.weight.grad, peer.transformer.wte.weight.grad, atol=1e-5, rtol=1e-3)
    torch.testing.assert_close(model.positions.table.grad, peer.transformer.wpe.weight.grad, atol=1e-5, rtol=1e-3)


def test_the_files_of_the_first_days_are_read_too(tmp_path):
    """OpenAI's weights on the hub have no prefix, and hold the causal mask."""
    peer = theirs()
    peer.save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    weights = {
        name.removeprefix("transformer."): tensor for name, tensor in weights.items() if name != "lm_head.weight"
    }
    weights |= {f"h.{i}.attn.bias": torch.ones(1, 1, 16, 16).tril() for i in range(3)}
    save_file(weights, tmp_path / "model.safetensors")
    with torch.no_grad():
        text = ids(2, 7)
        torch.testing.assert_close(GPT.from_pretrained(tmp_path)(text)[0], peer(text).logits, atol=1e-4, rtol=0)


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"activation_function": "relu"}, "activation_function in .* should be 'gelu_new' or 'gelu'; got 'relu'"),
    ({"scale_attn_by_inverse_layer_idx": True}, "with scale_attn_by_inverse_layer_idx = True; this GPT has False"),
    ({"tie_word_embeddings": False}, "with tie_word_embeddings = False; this GPT has True"),
    ({"n_layer": 2}, r"'h\.2\..*' is .* there, and missing in"),
    ({"n_layer": 4}, r"'blocks\.3\..*' is missing there"),
    ({"model_type": "bert"}, "'bert'"),
])  # fmt: skip
def test_what_this_gpt_cant_be_gets_a_sentence(tmp_path, changes, sentence):
    theirs().save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | changes))
    with pytest.raises(CourseError, match=sentence):
        GPT.from_pretrained(tmp_path)


def test_a_post_norm_gpt_is_no_gpt2(tmp_path):
    with pytest.raises(CourseError, match="a GPT with pre_norm=False isn't one"):
        made(GPTConfig(**vars(SMALL) | {"pre_norm": False})).save_pretrained(tmp_path / "model")


# --- the model --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pre_norm", [True, False])
def test_no_token_sees_a_later_one(pre_norm):
    model = made(GPTConfig(**vars(SMALL) | {"pre_norm": pre_norm}))
    text = ids(2, 12)
    with torch.no_grad():
        logits, weights = model(text, need_weights=True)
        for place in (0, 5, 11):
            other = text.clone()
            other[:, place] = (other[:, place] + 1) % 29
            changed = (model(other, need_weights=True)[0] != logits).flatten(2).any(-1).any(0)
            assert not changed[:place].any() and changed[place:].all()
    assert weights.triu(1).abs().max() == 0 and torch.allclose(weights.sum(-1), torch.ones(()))


def test_the_input_is_tokens_and_positions_and_the_output_the_same_table():
    model, text = made(), ids(1, 6)
    with torch.no_grad():
        x = model.token.weight[text] + model.positions.table[:6]
        for block in model.blocks:
            x, _ = block(x, torch.ones(6, 6, dtype=torch.bool).tril())
        x = F.layer_norm(x, (24,), model.norm.weight, model.norm.bias, SMALL.eps)
        torch.testing.assert_close(model(text)[0], x @ model.token.weight.T)


def test_it_begins_knowing_nothing_and_its_stream_keeps_its_size():
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=500, d_model=64, num_heads=4, d_ff=256, num_layers=12, max_len=32)).eval()
    text = ids(8, 32, 500)
    with torch.no_grad():
        loss = cross_entropy(model(text)[0][:, :-1], text[:, 1:])
    assert loss.item() == pytest.approx(torch.tensor(500.0).log().item(), abs=0.1)
    into_the_stream = [
        layer.weight.std().item() for b in model.blocks for layer in (b.attention.W_O, b.feed_forward.W_2)
    ]
    assert into_the_stream == pytest.approx([0.02 / 24**0.5] * 24, rel=0.1)
    assert model.blocks[0].attention.W_Q.weight.std().item() == pytest.approx(0.02, rel=0.1)


def test_it_learns_a_text_by_heart():
    torch.manual_seed(0)
    model = GPT(GPTConfig(**vars(SMALL) | {"dropout": 0.0}))
    rows = blocks([[5, 9, 7, 7, 3, 8, 4, 6, 5, 11]] * 4, n=10, end=2)
    losses = fit(
        model,
        [rows] * 60,
        lambda r: cross_entropy(model(r[:, :-1])[0], r[:, 1:]),
        60,
        muon_and_adamw(model, 0.02, 1e-2),
        progress=False,
    )
    assert losses[-1] < 0.2 < 3 < losses[0]
    [text] = greedy(model.next_token(), torch.tensor([[5, 9]]), end=2, max_len=12)
    assert text.ids == [7, 7, 3, 8, 4, 6, 5, 11] and text.ended


@pytest.mark.parametrize(("wrong", "sentence"), [
    (torch.zeros(1, 21, dtype=torch.long), "has 21 tokens, but the model was made for max_len = 20"),
    (torch.tensor([[3, 31]]), "ids from 3 to 31, but the ids of the model's vocab_size = 31 tokens are 0 to 30"),
    (torch.tensor([[-1, 3]]), "ids from -1 to 3"),
    (torch.tensor([3, 4]), r"of the shape \(batch, n\); got torch.int64 of the shape \(2,\)"),
    (torch.zeros(1, 3), r"got torch\.float32"),
])  # fmt: skip
def test_ids_that_cant_be(unchecked, wrong, sentence):
    model = unchecked.GPT(unchecked.GPTConfig(**vars(SMALL))).eval()
    with pytest.raises(CourseError, match=sentence):
        model(wrong)


def test_a_text_that_grows_too_long_gets_the_sentence(unchecked):
    for cache in (True, False):
        with pytest.raises(CourseError, match="has 21 tokens, but the model was made for max_len = 20"):
            greedy(made().next_token(cache=cache), ids(2, 15), end=None, max_len=10)
    assert len(greedy(made().next_token(), ids(2, 15), end=None, max_len=6)[0].ids) == 6, "the last isn't read again"


# --- the cache --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pre_norm", [True, False])
def test_with_and_without_cache_the_same_texts(pre_norm):
    model, prompt = made(GPTConfig(**vars(SMALL) | {"pre_norm": pre_norm})), ids(5, 4)
    assert isinstance(model.next_token(), NextToken)

    def texts(decode, **options):
        return [decode(model.next_token(cache), prompt, 7, 14, **options) for cache in (True, False)]

    for decode, options in ((greedy, {}), (beam_search, {"k": 3})):
        with_it, without = texts(decode, **options)
        assert str(with_it)[:40] == str(without)[:40]
        best = [[getattr(each, "best", each).ids for each in found] for found in (with_it, without)]
        assert best[0] == best[1]
    drawn = [
        [
            text.ids
            for text in sample(model.next_token(cache), prompt, 7, 14, 1.5, generator=torch.Generator().manual_seed(0))
        ]
        for cache in (True, False)
    ]
    assert drawn[0] == drawn[1] and len({len(text) for text in drawn[0]}) > 1, "rows ended at different steps"


def test_the_cache_gives_the_logits_of_the_whole_text():
    model, text = made(), ids(3, 12)
    expected = model(text)[0]
    next_token = model.next_token()
    for n in (1, 2, 5, 6, 12):
        torch.testing.assert_close(next_token(text[:, :n]), expected[:, n - 1])
    torch.testing.assert_close(next_token(text[:, :4]), expected[:, 3])  # a beginning again
    torch.testing.assert_close(next_token(text.flip(0)[:, :6]), expected.flip(0)[:, 5])  # other texts


def test_in_training_mode_it_doesnt_decode():
    with pytest.raises(CourseError, match=r"dropout makes each answer a random one. Call model\.eval\(\)"):
        made().train().next_token()
