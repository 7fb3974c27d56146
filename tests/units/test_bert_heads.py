"""Fine-tuning's heads against transformers' by copied weights; the small helpers against loops; what they refuse."""

import dataclasses
import itertools
import random
import warnings

import pytest
import torch
from torchs import randomised

from course_lib.bert import Bert, BertConfig
from course_lib.bert_heads import (
    Classifier,
    Example,
    SpanReader,
    Tagger,
    answer_places,
    best_span,
    collate,
    first_pieces,
    labelled_batches,
    longest_first,
    tags_of_words,
    tags_on_pieces,
)
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.cloze import pair_input
from course_lib.errors import CourseError
from course_lib.masks import padding_mask
from course_lib.training import fit

PAD = 0
SMALL = BertConfig(vocab_size=13, d_model=16, num_heads=2, d_ff=24, num_layers=2, max_len=12, dropout=0.0)


def small(**changes) -> Bert:
    torch.manual_seed(0)
    return randomised(Bert(dataclasses.replace(SMALL, **changes))).eval()


def some_pairs():
    """Three pairs of texts, two of them padded."""
    pairs = [pair_input(a, b, cls=1, sep=2) for a, b in (([5, 6, 7], [8, 9, 10]), ([11], [12, 3]), ([4, 5], [6]))]
    return [Example(ids, segments, 0) for ids, segments in pairs]


# --- held to transformers ---------------------------------------------------------------------------------------------


def theirs(form: str, **changes):
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    sizes = dict(vocab_size=13, hidden_size=16, num_attention_heads=2, intermediate_size=24, num_hidden_layers=2)
    none = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    torch.manual_seed(0)
    config = transformers.BertConfig(**sizes, **none, max_position_embeddings=12, **changes)
    return randomised(getattr(transformers, form)(config)).eval()


def ours_with_their_weights(model, kind, folder, *sizes):
    model.save_pretrained(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the heads that the checkpoint doesn't have
        head = kind(Bert.from_pretrained(folder), *sizes).eval()
    head.head.load_state_dict((model.qa_outputs if kind is SpanReader else model.classifier).state_dict())
    return head


def same_gradients(ours, model, their_head):
    """Of the new layer, and of the oldest one: what has come all the way through BERT."""
    torch.testing.assert_close(ours.head.weight.grad, their_head.weight.grad, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(ours.head.bias.grad, their_head.bias.grad, atol=1e-5, rtol=1e-4)
    found, right = ours.bert.positions.table.grad, model.bert.embeddings.position_embeddings.weight.grad
    assert right.abs().sum() > 0
    torch.testing.assert_close(found, right, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("classes", [2, 5])
def test_a_classifier_is_transformers(classes, tmp_path):
    model = theirs("BertForSequenceClassification", num_labels=classes)
    ours, batch = ours_with_their_weights(model, Classifier, tmp_path, classes), collate(some_pairs())
    batch = dataclasses.replace(batch, labels=torch.tensor([0, classes - 1, 1]))
    expected = model(batch.ids, batch.ids != PAD, batch.segments, labels=batch.labels)
    logits = ours(batch.ids, batch.segments, padding_mask(batch.ids, PAD))
    torch.testing.assert_close(logits, expected.logits, atol=1e-5, rtol=1e-5)
    loss = ours.loss(batch)
    torch.testing.assert_close(loss, expected.loss, atol=1e-5, rtol=1e-5)
    loss.backward()
    expected.loss.backward()
    same_gradients(ours, model, model.classifier)


def test_a_tagger_is_transformers(tmp_path):
    model = theirs("BertForTokenClassification", num_labels=4)
    ours, batch = ours_with_their_weights(model, Tagger, tmp_path, 4), collate(some_pairs())
    asked = (batch.ids > 2) & (torch.arange(batch.ids.shape[1]) % 3 != 1)
    labels = (batch.ids % 4).where(asked, IGNORE_INDEX)
    batch = dataclasses.replace(batch, labels=labels)
    expected = model(batch.ids, batch.ids != PAD, batch.segments, labels=labels)
    logits = ours(batch.ids, batch.segments, padding_mask(batch.ids, PAD))
    torch.testing.assert_close(logits[batch.ids != PAD], expected.logits[batch.ids != PAD], atol=1e-5, rtol=1e-5)
    loss = ours.loss(batch)
    torch.testing.assert_close(loss, expected.loss, atol=1e-5, rtol=1e-5)
    loss.backward()
    expected.loss.backward()
    same_gradients(ours, model, model.classifier)


def test_a_span_reader_is_transformers(tmp_path):
    """Theirs takes the softmax over question and padding, too, and the mean of both losses, not their sum."""
    model = theirs("BertForQuestionAnswering")
    ours, batch = ours_with_their_weights(model, SpanReader, tmp_path), collate(some_pairs())
    batch = dataclasses.replace(batch, labels=torch.tensor([[5, 6], [3, 3], [4, 4]]))
    expected = model(batch.ids, batch.ids != PAD, batch.segments)
    scores = ours(batch.ids, batch.segments, padding_mask(batch.ids, PAD))
    right, seen = (expected.start_logits, expected.end_logits), batch.ids != PAD
    for found, wanted in zip(scores, right, strict=True):
        torch.testing.assert_close(found[seen], wanted[seen], atol=1e-5, rtol=1e-5)

    answers = torch.zeros_like(seen)  # B's tokens, counted by hand
    answers[0, 5:8] = answers[1, 3:5] = answers[2, 4] = True
    assert torch.equal(answer_places(batch.segments, batch.lengths), answers)
    by_hand = sum(
        -logits[i, answers[i]].log_softmax(0)[int(label[i] - answers[i].nonzero()[0])]
        for logits, label in zip(right, batch.labels.T, strict=True)
        for i in range(3)
    )
    loss = ours.loss(batch)
    torch.testing.assert_close(loss, by_hand / 3, atol=1e-5, rtol=1e-5)
    loss.backward()
    (by_hand / 3).backward()
    same_gradients(ours, model, model.qa_outputs)


def test_the_classifier_is_softmax_of_C_times_W_transposed():
    model, batch = Classifier(small(), 3).eval(), collate(some_pairs())
    C = model.bert.pooled(model.bert(batch.ids, batch.segments, batch.mask).states[:, 0])
    assert model.head.weight.shape == (3, 16) and not model.head.bias.any()
    torch.testing.assert_close(model(batch.ids, batch.segments, batch.mask), C @ model.head.weight.T)


# --- learning ---------------------------------------------------------------------------------------------------------


def learned(model, label):
    """The loss before and after a few steps on the pairs, and the share of BERT's parameters that moved."""
    examples = [example._replace(label=label(example)) for example in some_pairs()]
    batches, before = labelled_batches(examples, 3, seed=0), [p.clone() for p in model.bert.parameters()]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = fit(model, batches, model.loss, 40, optimizer, seed=0, progress=False)
    moved = [not torch.equal(old, new) for old, new in zip(before, model.bert.parameters(), strict=True)]
    return losses, sum(moved)


@pytest.mark.parametrize(
    ("make", "label"),
    [
        (lambda bert: Classifier(bert, 3), lambda example: len(example.ids) % 3),
        (lambda bert: Tagger(bert, 2), lambda example: [id % 2 if id > 2 else IGNORE_INDEX for id in example.ids]),
        (SpanReader, lambda example: (example.segments.index(1), len(example.ids) - 2)),
    ],
)
def test_each_learns_its_task_by_heart_and_all_of_bert_moves(make, label):
    model = make(small())
    losses, moved = learned(model, label)
    assert losses[-1] < 0.1 * losses[0]
    assert moved >= 2 * 16  # all but what no task of these asks: the pooler here and there, and pretraining's heads


def test_frozen_only_the_new_layer_learns_and_sees_no_dropout():
    model = Classifier(small(dropout=0.3), 3).freeze()
    weight = model.head.weight.clone()
    losses, moved = learned(model, lambda example: len(example.ids) % 3)
    assert moved == 0 and not torch.equal(weight, model.head.weight)
    assert losses[-1] < losses[0]
    model.train()
    batch = collate(some_pairs())
    states = [model.states(batch.ids, batch.segments, batch.mask) for _ in range(2)]
    assert torch.equal(*states) and model.dropout.training


# --- spans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_len", [1, 3, 30])
def test_the_best_span_is_that_of_two_loops(max_len):
    generator = torch.Generator().manual_seed(0)
    start, end = torch.randn(2, 40, 9, generator=generator)
    allowed = torch.rand(40, 9, generator=generator) < 0.6
    allowed[:, 4] = True
    first, last = best_span(start, end, allowed, max_len)
    for row in range(40):
        spans = [
            (i, j)
            for i, j in itertools.product(range(9), repeat=2)
            if i <= j < i + max_len and allowed[row, i] and allowed[row, j]
        ]
        right = max(spans, key=lambda span: start[row, span[0]] + end[row, span[1]])
        assert (int(first[row]), int(last[row])) == right
        assert tuple(map(int, best_span(start[row], end[row], allowed[row], max_len))) == right


def test_the_best_span_is_not_two_best_places():
    start, end = torch.tensor([0.0, 1.0, 5.0, 0.0]), torch.tensor([0.0, 6.0, 1.0, 1.5])
    first, last = best_span(start, end, torch.ones(4, dtype=torch.bool))
    assert (start.argmax(), end.argmax()) == (2, 1)
    assert (first, last) == (1, 1)


# --- texts ------------------------------------------------------------------------------------------------------------


def test_longest_first_is_the_authors_loop():
    rng = random.Random(0)
    for _ in range(200):
        a, b = ([rng.randrange(9) for _ in range(rng.randrange(8))] for _ in range(2))
        most, left_a, left_b = rng.randrange(14), len(a), len(b)
        while left_a + left_b > most:
            left_a, left_b = (left_a - 1, left_b) if left_a > left_b else (left_a, left_b - 1)
        assert longest_first(a, b, most) == (a[:left_a], b[:left_b])


def test_tags_go_to_first_pieces_and_come_back():
    pieces = ["[CLS]", "jim", "hen", "##son", "##s", "sings", "[SEP]", "[PAD]"]
    assert first_pieces(pieces) == [1, 2, 5]
    labels = tags_on_pieces(pieces, [1, 2, 0])
    assert labels == [IGNORE_INDEX, 1, 2, IGNORE_INDEX, IGNORE_INDEX, 0, IGNORE_INDEX, IGNORE_INDEX]
    assert tags_of_words(pieces, labels) == [1, 2, 0]
    assert tags_on_pieces([], []) == []


def test_labels_of_each_kind_are_collated():
    a, b = some_pairs()[:2]
    assert collate([a, b]).labels.tolist() == [0, 0]
    tags = collate([a._replace(label=[7] * 9), b._replace(label=[7] * 6)]).labels
    assert tags.tolist() == [[7] * 9, [7] * 6 + [IGNORE_INDEX] * 3]
    assert collate([a._replace(label=(5, 6)), b._replace(label=(3, 4))]).labels.tolist() == [[5, 6], [3, 4]]
    assert collate([a]).mask is None and collate([a, b]).mask.shape == (2, 1, 1, 9)


def test_batches_have_all_examples_once_a_round_and_repeat_themselves():
    examples = [Example([1, i, 2], [0, 0, 0], i) for i in range(3, 10)]
    rounds = list(itertools.islice(labelled_batches(examples, 3, seed=1), 6))
    again = itertools.islice(labelled_batches(examples, 3, seed=1), 6)
    assert all(torch.equal(x.ids, y.ids) for x, y in zip(rounds, again, strict=True))
    for part in (rounds[:3], rounds[3:]):
        assert sorted(label for batch in part for label in batch.labels.tolist()) == list(range(3, 10))
        assert sum(batch.num_tokens for batch in part) == 21


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Classifier(small(), 1), "num_classes should be a whole number from 2 up; got 1"),
        (lambda: Tagger(small(), 0), "num_tags should be a whole number from 2 up"),
        (lambda: longest_first([1], [2], -1), "most should be a whole number from 0 up"),
        (lambda: tags_on_pieces(["[CLS]", "a", "##b"], [1, 2]), "there are 1 words and 2 tags"),
        (lambda: labelled_batches([], 4, 0), "there are none"),
        (lambda: labelled_batches(some_pairs(), 0, 0), "size should be"),
        (lambda: best_span(torch.zeros(3), torch.zeros(3), torch.zeros(3, dtype=torch.bool)), "no place is allowed"),
        (lambda: best_span(torch.zeros(3), torch.zeros(3), torch.ones(3, dtype=torch.bool), 0), "max_len should be"),
        (lambda: Classifier(small(), 2)(torch.full((1, 3), 13)), "ids from 13 to 13"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(call, message):
    with pytest.raises(CourseError, match=message):
        call()
