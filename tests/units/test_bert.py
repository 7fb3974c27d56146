"""BERT against transformers' by copied weights, both ways; its parameters counted by hand; what it refuses."""

import dataclasses
import json
import warnings

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torchs import randomised

from course_lib.bert import Bert, BertConfig, input_sum, pretraining_loss
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.cloze import BertBatch
from course_lib.errors import CourseError
from course_lib.masks import padding_mask
from course_lib.positions import SCHEMES
from course_lib.training import fit

PAD = 0
SMALL = BertConfig(vocab_size=13, d_model=16, num_heads=2, d_ff=24, num_layers=2, max_len=12, dropout=0.0)
FORMS = ("BertForPreTraining", "BertForMaskedLM", "BertModel")


def small(seed: int = 0, **changes) -> Bert:
    torch.manual_seed(seed)
    return randomised(Bert(dataclasses.replace(SMALL, **changes))).eval()


def some_texts(seed: int = 0):
    """Three texts with padding, and their segments."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(1, 13, (3, 7), generator=generator)
    ids[1, 5:] = ids[2, 2:] = PAD
    segments = (torch.arange(7) > 3).long().expand(3, -1) * (ids != PAD)
    return ids, segments


# --- held to transformers ---------------------------------------------------------------------------------------------


def theirs(form: str = "BertForPreTraining", attention: str = "sdpa", **changes):
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    config = dict(
        vocab_size=13,
        hidden_size=16,
        num_attention_heads=2,
        intermediate_size=24,
        num_hidden_layers=2,
        max_position_embeddings=12,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(**config | changes, attn_implementation=attention)
    return randomised(getattr(transformers, form)(config)).eval()


def loaded(folder) -> Bert:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Bert.from_pretrained(folder)


@pytest.mark.parametrize("form", FORMS)
def test_it_computes_what_transformers_does(form, tmp_path):
    """Logits, states and the pooled vector, with segments and padding."""
    model, (ids, segments) = theirs(form), some_texts()
    model.save_pretrained(tmp_path)
    ours, seen = loaded(tmp_path), ids != PAD
    with torch.no_grad():
        output = ours(ids, segments, padding_mask(ids, PAD))
        expected = model(ids, token_type_ids=segments, attention_mask=seen, output_hidden_states=True)
    inner = model if form == "BertModel" else model.bert
    last = expected.last_hidden_state if form == "BertModel" else expected.hidden_states[-1]
    torch.testing.assert_close(output.states[seen], last[seen], atol=1e-5, rtol=1e-5)
    if form == "BertForPreTraining":
        torch.testing.assert_close(output.mlm[seen], expected.prediction_logits[seen], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(output.nsp, expected.seq_relationship_logits, atol=1e-5, rtol=1e-5)
    elif form == "BertForMaskedLM":
        torch.testing.assert_close(output.mlm[seen], expected.logits[seen], atol=1e-5, rtol=1e-5)
    if inner.pooler is not None:
        torch.testing.assert_close(ours.pooled(output.states[:, 0]), inner.pooler(last), atol=1e-5, rtol=1e-5)


def test_the_loss_and_every_gradient_are_transformers(tmp_path):
    model, (ids, segments) = theirs(), some_texts()
    model.save_pretrained(tmp_path)
    ours = loaded(tmp_path)
    labels = ids.where(torch.rand(ids.shape, generator=torch.Generator().manual_seed(1)) < 0.4, IGNORE_INDEX)
    labels[ids == PAD] = IGNORE_INDEX
    follows = torch.tensor([0, 1, 0])
    loss = pretraining_loss(ours, BertBatch(ids, segments, labels, follows, (ids != PAD).sum(1)))
    expected = model(
        ids, token_type_ids=segments, attention_mask=ids != PAD, labels=labels, next_sentence_label=follows
    ).loss
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-5)

    loss.backward()
    expected.backward()
    ours.token.weight.grad[PAD] = 0  # theirs learns nothing for padding's own vector; it has no place in the sum
    model.bert.embeddings.word_embeddings.weight.grad[PAD] = 0
    saved = tmp_path / "gradients"
    for own in (ours, model):
        for parameter in own.parameters():
            parameter.data = parameter.grad
        own.save_pretrained(saved / type(own).__name__)
    right = load_file(saved / "BertForPreTraining" / "model.safetensors")
    found = load_file(saved / "Bert" / "model.safetensors")
    assert found.keys() == right.keys()
    for name in right:
        torch.testing.assert_close(found[name], right[name], atol=1e-5, rtol=1e-4, msg=name)


@pytest.mark.parametrize("form", FORMS)
def test_transformers_loads_what_is_saved(form, tmp_path):
    import transformers

    ours, (ids, segments) = small(), some_texts()
    ours.save_pretrained(tmp_path)
    theirs()  # makes it quiet
    kind = getattr(transformers, form)
    model, report = kind.from_pretrained(tmp_path, output_loading_info=True)
    assert not report["missing_keys"] and not report["mismatched_keys"]
    with torch.no_grad():
        output = ours(ids, segments, padding_mask(ids, PAD))
        expected = model.eval()(ids, token_type_ids=segments, attention_mask=ids != PAD)
    right = {"BertForPreTraining": "prediction_logits", "BertForMaskedLM": "logits", "BertModel": "last_hidden_state"}
    found = output.states if form == "BertModel" else output.mlm
    torch.testing.assert_close(found[ids != PAD], getattr(expected, right[form])[ids != PAD], atol=1e-5, rtol=1e-5)


def test_all_weights_are_transformers(tmp_path):
    model, (ids, segments) = theirs(attention="eager"), some_texts()
    model.save_pretrained(tmp_path)
    ours = loaded(tmp_path)
    with torch.no_grad():
        weights = ours(ids, segments, padding_mask(ids, PAD), need_weights=True).weights
        expected = model(ids, token_type_ids=segments, attention_mask=ids != PAD, output_attentions=True).attentions
    assert weights.shape == (3, 2, 2, 7, 7)
    torch.testing.assert_close(weights, torch.stack(expected, dim=1), atol=1e-5, rtol=1e-5)


def test_old_names_and_a_pickle(tmp_path):
    """As bert-base-uncased was published: gamma and beta, position_ids, the output layer once more."""
    model = theirs()
    model.save_pretrained(tmp_path)
    file = tmp_path / "model.safetensors"
    weights, right = load_file(file), loaded(tmp_path).state_dict()
    file.unlink()
    table, bias = weights["bert.embeddings.word_embeddings.weight"], weights["cls.predictions.bias"]
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): weights[name] for name in weights
    }
    old |= {"bert.embeddings.position_ids": torch.arange(12)[None], "cls.predictions.decoder.weight": table,
            "cls.predictions.decoder.bias": bias}  # fmt: skip
    torch.save(old, tmp_path / "pytorch_model.bin")
    found = loaded(tmp_path).state_dict()
    assert all(torch.equal(found[name], right[name]) for name in right)


@pytest.mark.parametrize(
    ("form", "untrained"),
    [
        ("BertForPreTraining", []),
        ("BertForMaskedLM", ["the pooler", "the head for the next sentence"]),
        ("BertModel", ["the head for masked tokens", "the head for the next sentence"]),
        ("BertForSequenceClassification", ["the head for masked tokens", "the head for the next sentence"]),
        ("BertForQuestionAnswering", ["the pooler", "the head for masked tokens", "the head for the next sentence"]),
    ],
)
def test_heads_that_a_checkpoint_lacks_are_named(form, untrained, tmp_path):
    theirs(form).save_pretrained(tmp_path)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        Bert.from_pretrained(tmp_path)
    assert len(said) == bool(untrained)
    assert all(head in str(said[0].message) for head in untrained)


def test_saved_and_read_again_it_is_the_same_and_no_random_number_is_drawn(tmp_path):
    ours = small(dropout=0.25)
    ours.save_pretrained(tmp_path)
    torch.manual_seed(3)
    again, drawn = Bert.from_pretrained(tmp_path), torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(drawn, torch.rand(1))
    assert again.config == ours.config and not again.training
    assert all(torch.equal(again.state_dict()[name], tensor) for name, tensor in ours.state_dict().items())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_act": "gelu_new"}, "hidden_act = 'gelu_new', but the BERT of the paper has 'gelu'"),
        ({"is_decoder": True}, "is_decoder = True"),
        ({"hidden_size": 32}, "doesn't fit its own config"),
        ({"num_hidden_layers": 3}, "bert.encoder.layer.2.* is missing there"),
        ({"num_hidden_layers": 1}, "and missing in this model"),
        ({"hidden_size": 0}, "d_model should be a whole number"),
        ({"num_attention_heads": 3}, "can't be cut into 3 equal heads"),
        ({"model_type": "gpt2"}, "holds a model of the type 'gpt2', but here it should be 'bert'"),
    ],
)  # fmt: skip
def test_checkpoints_of_something_else(changes, message, tmp_path):
    small().save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    with pytest.raises(CourseError, match=message):
        Bert.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights.pop("bert.encoder.layer.1.output.dense.bias"), "output.dense.bias' is missing there"),
        (lambda weights: weights.pop("cls.predictions.bias"), "'cls.predictions.bias' is missing there"),
        (lambda weights: weights.update(more=torch.ones(1)), "'more' is .* there, and missing in this model"),
        (lambda weights: weights.update({"cls.predictions.decoder.weight": torch.ones(13, 16)}), "in a BERT these are one"),
    ],
)  # fmt: skip
def test_weights_of_something_else(change, message, tmp_path):
    small().save_pretrained(tmp_path)
    file = tmp_path / "model.safetensors"
    weights = load_file(file)
    change(weights)
    save_file(weights, file)
    with pytest.raises(CourseError, match=message):
        Bert.from_pretrained(tmp_path)


@pytest.mark.parametrize("changes", [{"pre_norm": True}, {"positions": "rotary"}])
def test_what_transformers_has_no_form_for(changes, tmp_path):
    with pytest.raises(CourseError, match="post-norm with learned positions, but this model has"):
        small(**changes).save_pretrained(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


# --- counted ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "encoder", "millions", "paper"),
    [(BertConfig.base(), 109_482_240, 109.5, 110), (BertConfig.large(), 335_141_888, 335.1, 340)],
    ids=["base", "large"],
)
def test_parameters_by_hand(config, encoder, millions, paper):
    """The paper counts encoder and pooler, to the nearest ten millions; the two heads of pretraining are no part of it."""
    d, layers, d_ff, V = config.d_model, config.num_layers, config.d_ff, config.vocab_size
    norm = 2 * d
    inputs = V * d + 2 * d + 512 * d + norm
    block = 4 * (d * d + d) + norm + (d * d_ff + d_ff) + (d_ff * d + d) + norm
    pooler = d * d + d
    assert inputs + layers * block + pooler == encoder
    mlm, nsp = (d * d + d) + norm + V, 2 * d + 2  # tied: the table of tokens isn't counted again

    with torch.device("meta"):  # shapes without numbers
        model = Bert(config)
    parts = {name: parameter.numel() for name, parameter in model.named_parameters()}
    heads = sum(count for name, count in parts.items() if name.startswith(("mlm_", "nsp_")))
    assert sum(parts.values()) - heads == encoder and heads == mlm + nsp
    assert round(encoder / 1e6, 1) == millions and round(encoder / 1e7) * 10 == paper


# --- its own ----------------------------------------------------------------------------------------------------------


def test_the_input_sum_is_what_enters():
    model, (ids, segments) = small(), some_texts()
    x = input_sum(ids, segments, model.token.weight, model.segment.weight, model.positions.table)
    for row, column in [(0, 0), (0, 6), (1, 4)]:
        token, segment = model.token.weight[ids[row, column]], model.segment.weight[segments[row, column]]
        torch.testing.assert_close(x[row, column], token + segment + model.positions.table[column])
    entered = []
    model.embedding_norm.register_forward_pre_hook(lambda _module, inputs: entered.append(inputs[0]))
    model(ids, segments)
    torch.testing.assert_close(entered[0], x)


@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
@pytest.mark.parametrize("scheme", list(SCHEMES))
def test_weights_on_request_change_nothing(pre_norm, scheme):
    model, (ids, segments) = small(pre_norm=pre_norm, positions=scheme), some_texts()
    mask = padding_mask(ids, PAD)
    fast, slow = model(ids, segments, mask), model(ids, segments, mask, need_weights=True)
    assert fast.weights is None
    for name in ("mlm", "nsp", "states"):
        torch.testing.assert_close(getattr(fast, name), getattr(slow, name), atol=1e-5, rtol=1e-4)
    assert (slow.weights[1, ..., 5:] == 0).all() and (slow.weights[2, ..., 2:] == 0).all()
    torch.testing.assert_close(slow.weights.sum(-1), torch.ones(3, 2, 2, 7))


@pytest.mark.parametrize("scheme", list(SCHEMES))
def test_padding_changes_nothing(scheme):
    model, (ids, segments) = small(positions=scheme), some_texts()
    together = model(ids, segments, padding_mask(ids, PAD))
    alone = model(ids[1:2, :5], segments[1:2, :5])
    torch.testing.assert_close(together.mlm[1, :5], alone.mlm[0], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(together.nsp[1], alone.nsp[0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
def test_only_the_places_asked_for(pre_norm):
    model, (ids, segments) = small(pre_norm=pre_norm), some_texts()
    places = torch.zeros_like(ids, dtype=torch.bool)
    places[0, 0] = places[0, 5] = places[2, 1] = True
    every, asked = model(ids, segments), model(ids, segments, places=places)
    torch.testing.assert_close(asked.mlm, every.mlm[places])
    torch.testing.assert_close(asked.states, every.states[places])
    torch.testing.assert_close(asked.nsp, every.nsp)
    assert asked.mlm.shape == (3, 13)
    assert model(ids, segments, places=torch.zeros_like(places)).mlm.shape == (0, 13)


def test_without_segments_all_is_a():
    model, (ids, _) = small(), some_texts()
    assert torch.equal(model(ids).mlm, model(ids, torch.zeros_like(ids)).mlm)


@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
def test_it_begins_knowing_nothing(pre_norm):
    """A loss of ln(vocab) and ln 2; with zero_init each block adds nothing to the stream."""
    torch.manual_seed(0)
    model = Bert(dataclasses.replace(SMALL, vocab_size=200, d_model=64, pre_norm=pre_norm, zero_init=True, dropout=0.1))
    ids = torch.randint(1, 200, (16, 12))
    output = model.eval()(ids)
    assert abs(F.cross_entropy(output.mlm.flatten(0, 1), ids.flatten()).item() - 5.3) < 0.2
    assert abs(F.cross_entropy(output.nsp, torch.arange(16) % 2).item() - 0.69) < 0.05
    x = torch.randn(2, 5, 64)
    expected = x if pre_norm else F.layer_norm(F.layer_norm(x, (64,), eps=1e-12), (64,), eps=1e-12)
    torch.testing.assert_close(model.blocks[0](x)[0], expected)
    model.train()
    assert not torch.equal(model(ids).mlm, model(ids).mlm)


def test_batches_without_pairs_or_without_blanks():
    model, (ids, segments) = small(), some_texts()
    none, nobody = torch.full_like(ids, IGNORE_INDEX), torch.full((3,), IGNORE_INDEX)
    lengths, follows = (ids != PAD).sum(1), torch.tensor([0, 1, IGNORE_INDEX])
    labels = none.clone()
    labels[0, 3] = 7
    parts = [
        pretraining_loss(model, BertBatch(ids, segments, labels, nobody, lengths)),
        pretraining_loss(model, BertBatch(ids, segments, none, follows, lengths)),
    ]
    both = pretraining_loss(model, BertBatch(ids, segments, labels, follows, lengths))
    torch.testing.assert_close(both, sum(parts))
    nothing = pretraining_loss(model, BertBatch(ids, segments, none, nobody, lengths))
    nothing.backward()
    assert nothing == 0 and all((parameter.grad == 0).all() for parameter in model.parameters())
    output = model(ids, segments, padding_mask(ids, PAD))
    torch.testing.assert_close(parts[0], -output.mlm[0, 3].log_softmax(-1)[7])
    torch.testing.assert_close(parts[1], F.cross_entropy(output.nsp[:2], torch.tensor([0, 1])))


def test_it_learns_to_fill_blanks():
    """These texts count, 7 8 9 10 …, so that a neighbour says what is hidden."""
    torch.manual_seed(0)
    model = Bert(dataclasses.replace(SMALL, d_model=32, d_ff=64, pre_norm=True, zero_init=True))
    generator = torch.Generator().manual_seed(0)

    def batch(size: int = 64) -> BertBatch:
        ids = (torch.randint(11, (size, 1), generator=generator) + torch.arange(6)) % 11 + 2
        hidden = F.one_hot(torch.randint(6, (size,), generator=generator), 6).bool()
        nobody, lengths = torch.full((size,), IGNORE_INDEX), torch.full((size,), 6)
        blanks, labels = ids.masked_fill(hidden, 1), ids.where(hidden, IGNORE_INDEX)
        return BertBatch(blanks, torch.zeros_like(ids), labels, nobody, lengths)

    batches = (batch() for _ in range(150))
    optimizer = torch.optim.AdamW(model.parameters(), 5e-3)
    fit(model, batches, lambda each: pretraining_loss(model, each), 150, optimizer, clip=1.0, progress=False)
    test = batch(200)
    asked = test.labels != IGNORE_INDEX
    right = model(test.ids, places=asked).mlm.argmax(-1) == test.labels[asked]
    assert right.float().mean() > 0.4  # by chance: 1 in 11


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model, ids: model(ids + 12), "ids has ids from 12 to 24, but the ids of the model's vocab_size = 13"),
        (lambda model, ids: model(ids - 1), "ids from -1"),
        (lambda model, ids: model(ids[0]), r"ids\[None\] puts the batch's axis in front"),
        (lambda model, ids: model(ids.repeat(1, 2)), "ids has 14 tokens, but the model was made for max_len = 12"),
        (lambda model, ids: model(ids, ids), "segments should be whole numbers from 0 to 1, .* from 0 to 12"),
        (lambda model, ids: model(ids, ids[:, :3] * 0), r"of the ids' shape \(3, 7\); got .*\(3, 3\)"),
        (lambda model, ids: model(ids, (ids * 0).float()), "segments should be whole numbers"),
        (lambda model, ids: model(ids, [0, 1]), "segments should be whole numbers.*; got a list"),
        (lambda model, ids: model(ids, mask=ids != 0), r"mask should be a padding mask of the shape \(batch, 1, 1, n\)"),
        (lambda model, ids: model(ids, mask=ids[:, None, None]), "A mask is boolean"),
        (lambda model, ids: model(ids, places=ids), "places should be boolean and of the ids' shape"),
        (lambda model, ids: model(ids, places=[0, 2]), "places should be boolean .* got a list"),
        (lambda model, ids: model(ids, places=ids[:, :2] > 0), "places should be boolean and of the ids' shape"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(call, message, unchecked):
    torch.manual_seed(0)
    ids, _ = some_texts()
    ids[0, 0] = 12
    with pytest.raises(CourseError, match=message):
        call(unchecked.Bert(unchecked.BertConfig(**vars(SMALL))), ids)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab_size": 0}, "vocab_size should be a whole number from 1"),
        ({"num_heads": 3}, "can't be cut into 3 equal heads"),
        ({"positions": "learnt"}, "Did you mean 'learned'"),
        ({"dropout": 2.0}, "dropout should be a share"),
    ],
)
def test_sizes_that_are_none(changes, message):
    with pytest.raises(CourseError, match=message):
        Bert(BertConfig(**vars(SMALL) | changes))
