"""GPT with a task's matrix against transformers' GPT-2 with heads, weights copied; and what the forms promise."""

import random
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from transformers import GPT2Config, GPT2DoubleHeadsModel, GPT2ForSequenceClassification

from course_lib.errors import CourseError
from course_lib.gpt import GPT, GPTConfig
from course_lib.gpt_tasks import (
    TaskGPT,
    TaskMarks,
    classification,
    entailment,
    label_word_scores,
    language_loss,
    multiple_choice,
    similarity,
    task_batch,
    task_batches,
    task_loss,
)
from course_lib.training import fit

MARKS = TaskMarks(start=1, delimiter=4, extract=3)
SIZES = dict(vocab_size=29, n_embd=24, n_head=3, n_layer=2, n_positions=16, pad_token_id=0)
NO_DROPOUT = dict(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, summary_first_dropout=0.0)
SMALL = GPTConfig(vocab_size=29, d_model=24, num_heads=3, d_ff=40, num_layers=2, max_len=16, dropout=0.0)


def made(num_classes=3, seed=0):
    torch.manual_seed(seed)
    model = TaskGPT(GPT(SMALL), num_classes, dropout=0.0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model.eval()


def text(rng, low=1, high=5):
    return [rng.randrange(5, 29) for _ in range(rng.randint(low, high))]


def theirs(kind, tmp_path, **changes):
    """A model of transformers with weights that all matter, and a GPT of ours with the same ones."""
    torch.manual_seed(1)
    peer = kind(GPT2Config(**SIZES | NO_DROPOUT | changes))
    with torch.no_grad():
        for parameter in peer.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    peer.transformer.save_pretrained(tmp_path)  # without its head
    return peer, GPT.from_pretrained(tmp_path).train()


# --- transformers -----------------------------------------------------------------------------------------------------


def test_classification_is_that_of_transformers(tmp_path):
    """Logits, loss and gradients; texts of different lengths are read at their last token."""
    peer, gpt = theirs(GPT2ForSequenceClassification, tmp_path, num_labels=3)
    model, rng = TaskGPT(gpt, 3, dropout=0.0), random.Random(0)
    model.W_y.weight.data.copy_(peer.score.weight)
    batch = task_batch([(classification(text(rng, 1, 9), MARKS), label) for label in (0, 2, 1, 2)])
    ids = batch.ids[:, 0]
    out = peer(ids, attention_mask=ids != 0, labels=batch.labels)
    torch.testing.assert_close(model(batch), out.logits, atol=1e-4, rtol=1e-4)
    loss = task_loss(model, batch, lam=0.0)
    torch.testing.assert_close(loss, out.loss, atol=1e-5, rtol=1e-5)
    loss.backward()
    out.loss.backward()
    for own, other in (
        (model.W_y, peer.score),
        (gpt.token, peer.transformer.wte),
        (gpt.blocks[0].feed_forward.W_2, None),
    ):
        expected = other.weight.grad if other else peer.transformer.h[0].mlp.c_proj.weight.grad.T
        torch.testing.assert_close(own.weight.grad, expected, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("lam", [0.5, 2.0])
def test_multiple_choice_and_l3_are_those_of_transformers(tmp_path, lam):
    """GPT2DoubleHeadsModel: one logit a run, a softmax over the runs, and a language model beside it."""
    peer, gpt = theirs(GPT2DoubleHeadsModel, tmp_path)
    model, rng = TaskGPT(gpt, 1, dropout=0.0), random.Random(1)
    head = peer.multiple_choice_head.summary
    model.W_y.weight.data.copy_(head.weight)
    torch.nn.init.zeros_(head.bias)  # theirs has one; the paper's h W_y doesn't
    batch = task_batch(
        [(multiple_choice(text(rng), [text(rng) for _ in range(3)], MARKS), label) for label in (2, 0, 1, 1)]
    )
    wanted = batch.ids.masked_fill(batch.ids == 0, -100)
    out = peer(batch.ids, mc_token_ids=batch.lengths - 1, labels=wanted, mc_labels=batch.labels)
    torch.testing.assert_close(model(batch), out.mc_logits, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(task_loss(model, batch, lam), out.mc_loss + lam * out.loss, atol=1e-4, rtol=1e-4)


# --- forms ------------------------------------------------------------------------------------------------------------


def test_the_four_forms_are_the_papers():
    marks, a, b, c = TaskMarks("<s>", "$", "<e>"), ["it", "rained"], ["it", "was", "wet"], ["so"]
    assert classification(a, marks) == [["<s>", "it", "rained", "<e>"]]
    assert entailment(a, b, marks) == [["<s>", "it", "rained", "$", "it", "was", "wet", "<e>"]]
    assert similarity(a, c, marks) == [
        ["<s>", "it", "rained", "$", "so", "<e>"],
        ["<s>", "so", "$", "it", "rained", "<e>"],
    ]
    assert multiple_choice(a, [b, c], marks) == [*entailment(a, b, marks), *entailment(a, c, marks)]


def test_a_batch_keeps_the_runs_of_an_example_together():
    batch = task_batch([(similarity([5], [6, 7], MARKS), 1), (similarity([8], [9], MARKS), 0)])
    assert batch.ids.tolist() == [[[1, 5, 4, 6, 7, 3], [1, 6, 7, 4, 5, 3]], [[1, 8, 4, 9, 3, 0], [1, 9, 4, 8, 3, 0]]]
    assert batch.lengths.tolist() == [[6, 6], [5, 5]] and batch.labels.tolist() == [1, 0]
    two, three = (multiple_choice([5], [[6]] * n, MARKS) for n in (2, 3))
    with pytest.raises(CourseError, match="equally many runs, at least one; these have 2 or 3"):
        task_batch([(two, 0), (three, 1)])
    with pytest.raises(CourseError, match="there are no examples"):
        task_batch([])


def test_each_round_of_batches_has_each_example_once():
    rng = random.Random(2)
    examples = [(classification([i, *text(rng)], MARKS), 0) for i in range(5, 28)]
    source = task_batches(examples, 4, seed=0)
    seen = [row[0][1] for _ in range(6) for row in next(source).ids.tolist()]
    assert sorted(seen) == list(range(5, 28))


# --- what is read -----------------------------------------------------------------------------------------------------


def test_padding_changes_nothing():
    model, rng = made(), random.Random(3)
    runs = [entailment(text(rng), text(rng, 1, 4), MARKS) for _ in range(6)]
    together = model(task_batch([(each, 0) for each in runs]))
    alone = torch.cat([model(task_batch([(each, 0)])) for each in runs])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)


def test_with_both_orders_added_it_doesnt_matter_which_text_stands_first():
    model, rng = made(), random.Random(4)
    pairs = [(text(rng), text(rng)) for _ in range(5)]

    def logits(form, swap):
        return model(task_batch([(form(*(pair[::-1] if swap else pair), MARKS), 0) for pair in pairs]))

    torch.testing.assert_close(logits(similarity, False), logits(similarity, True))
    assert not torch.allclose(logits(entailment, False), logits(entailment, True), atol=1e-2)
    added = logits(entailment, False) + logits(entailment, True)  # W_y is linear: to add before it or behind it is one
    torch.testing.assert_close(logits(similarity, False), added, atol=1e-5, rtol=1e-5)


def test_a_choice_depends_on_no_other_answer():
    model, rng = made(num_classes=1), random.Random(5)
    story, answers = text(rng), [text(rng) for _ in range(4)]
    four = model(task_batch([(multiple_choice(story, answers, MARKS), 0)]))
    two = model(task_batch([(multiple_choice(story, answers[:2], MARKS), 0)]))
    assert four.shape == (1, 4)
    torch.testing.assert_close(four[:, :2], two, atol=1e-5, rtol=1e-5)


# --- losses -----------------------------------------------------------------------------------------------------------


def test_l1_is_the_language_loss_of_the_runs_or_of_plain_text():
    model, rng = made(), random.Random(6)
    batch = task_batch([(similarity(text(rng), text(rng), MARKS), i % 3) for i in range(4)])
    plain = torch.tensor([[1, 9, 8, 7, 2, 0], [1, 5, 2, 0, 0, 0]])
    l2 = F.cross_entropy(model(batch), batch.labels)

    def by_hand(rows):
        said = [
            -model.gpt(torch.tensor([row[: i + 1]]))[0][0, -1].log_softmax(-1)[row[i + 1]]
            for row in rows
            for i in range(len(row) - 1)
        ]
        return torch.stack(said).mean()

    runs = [ids[:n].tolist() for ids, n in zip(batch.ids.flatten(0, 1), batch.lengths.flatten())]
    torch.testing.assert_close(task_loss(model, batch, 0.7), l2 + 0.7 * by_hand(runs), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(
        language_loss(model.gpt, plain), by_hand([[1, 9, 8, 7, 2], [1, 5, 2]]), atol=1e-4, rtol=1e-4
    )
    expected = l2 + 0.7 * language_loss(model.gpt, plain)
    torch.testing.assert_close(task_loss(model, batch, 0.7, plain), expected)


def test_it_learns_which_of_two_words_stands_in_a_text():
    rng = random.Random(7)
    examples = [
        (classification(rng.sample([5 + label, *text(rng, 2, 4)], 3), MARKS), label)
        for label in (0, 1)
        for _ in range(20)
    ]
    examples = [(runs, label) for runs, label in examples if 5 + label in runs[0]]
    torch.manual_seed(0)
    model = TaskGPT(GPT(SMALL), 2)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    losses = fit(model, task_batches(examples, 16, seed=0), partial(task_loss, model), 40, optimizer, progress=False)
    with torch.no_grad():
        batch = task_batch(examples)
        right = model.eval()(batch).argmax(-1) == batch.labels
    assert losses[-1] < losses[0] and right.float().mean() > 0.9


# --- zero-shot --------------------------------------------------------------------------------------------------------


def test_labels_are_scored_by_their_own_tokens():
    gpt = made().gpt
    prompts, labels = [[1, 5, 6, 7], [1], [1, 8]], [[9], [10, 11, 12], [9, 9]]
    scores = label_word_scores(gpt, prompts, labels)
    assert scores.shape == (3, 3)
    for prompt, row in zip(prompts, scores):
        for label, score in zip(labels, row):
            log_p = [
                gpt(torch.tensor([prompt + label[:i]]))[0][0, -1].log_softmax(-1)[label[i]] for i in range(len(label))
            ]
            torch.testing.assert_close(score, torch.stack(log_p).mean(), atol=1e-5, rtol=1e-5)


def test_what_cant_be_scored_gets_a_sentence():
    gpt = made().gpt
    for prompts, labels in (([], [[5]]), ([[1]], []), ([[]], [[5]]), ([[1]], [[5], []])):
        with pytest.raises(CourseError, match="at least one token"):
            label_word_scores(gpt, prompts, labels)
    dropout = GPT(GPTConfig(**vars(SMALL) | {"dropout": 0.1}))
    with pytest.raises(CourseError, match=r"Call model.eval\(\)"):
        label_word_scores(dropout.train(), [[1]], [[5]])
    with pytest.raises(CourseError, match="num_classes should be a whole number from 1 up; got 0"):
        TaskGPT(gpt, 0)
