"""Lesson 12's experiments: what the heads are given, how they are scored, and what the stored runs say."""

import pytest
import torch

from course_lib.bert_heads import Classifier, Example, SpanReader, Tagger, collate
from course_lib.checkpoints import save_model
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.cloze import pair_input
from course_lib.corpora.tiny_world import tasks, world_vocabulary
from course_lib.experiments import bert_tasks, dates_bert, tiny_bert
from course_lib.experiments.bert_tasks import Apart, fine_tune, marked, score, with_head

SMALL = dict(d_model=16, num_heads=2, d_ff=16, num_layers=1)


def words_of(example):
    return [world_vocabulary().words[i] for i in example.ids]


def test_a_pair_and_its_class():
    given = tasks.VERDICT.train(1)[0]
    made = marked([given])[0]
    a, b = given.first.split(), given.second.split()
    assert words_of(made) == ["[CLS]", *a, "[SEP]", *b, "[SEP]"]
    assert made.segments == [0] * (len(a) + 2) + [1] * (len(b) + 1) and made.label == given.answer


def test_tags_stand_at_their_words_and_spans_in_the_passage():
    for given, made in zip(tasks.TAGS.train(20), marked(tasks.TAGS.train(20)), strict=True):
        assert made.label == [IGNORE_INDEX, *given.answer, IGNORE_INDEX]
    for given, made in zip(tasks.SPANS.train(20), marked(tasks.SPANS.train(20)), strict=True):
        start, end = given.answer
        first, last = made.label
        assert words_of(made)[first : last + 1] == given.second.split()[start : end + 1]


def test_a_head_for_each_kind_of_task():
    kinds = {tasks.SENTIMENT: Classifier, tasks.VERDICT: Classifier, tasks.TAGS: Tagger, tasks.SPANS: SpanReader}
    for task, kind in kinds.items():
        assert type(with_head(task, tiny_bert.new_model(**SMALL))) is kind
    one, same, other = (with_head(tasks.TAGS, tiny_bert.new_model(**SMALL), seed).head.weight for seed in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other)


@pytest.mark.parametrize("task", [tasks.SENTIMENT, tasks.TAGS, tasks.SPANS])
def test_fine_tuning_learns_its_examples_and_a_frozen_bert_stays(task):
    examples = marked(task.train(4))
    model = with_head(task, tiny_bert.new_model(**SMALL))
    before = score(model, examples)
    losses = fine_tune(model, examples, steps=60, rate=1e-2, progress=False)
    assert losses[-1] < losses[0] / 2 and score(model, examples) > max(before, 0.7)
    frozen = with_head(task, tiny_bert.new_model(**SMALL)).freeze()
    old = [parameter.clone() for parameter in frozen.bert.parameters()]
    fine_tune(frozen, examples, steps=3, rate=1e-2, progress=False)
    assert all(torch.equal(*pair) for pair in zip(old, frozen.bert.parameters(), strict=True))


def test_f1_counts_what_is_tagged():
    """By hand: of three tagged words two are found, one with the wrong tag, and one word too many is tagged."""
    given = tasks.Example("ada the baker lives in hexley .", "", (1, 0, 4, 0, 0, 2, 0))
    model = with_head(tasks.TAGS, tiny_bert.new_model(**SMALL))
    said = torch.tensor([0, 1, 3, 0, 0, 0, 2, 0, 0])  # with [CLS] and [SEP]; ORG for JOB, and "in" is LOC
    said[6], said[4] = 2, 2
    model.forward = lambda *_: torch.nn.functional.one_hot(said, 5)[None].float()
    assert score(model, marked([given])) == pytest.approx(2 * 2 / (4 + 3))


def test_apart_no_text_sees_the_other():
    marks, bert = tiny_bert.marks(), tiny_bert.new_model(**SMALL)
    model = Apart(bert, 2)
    inputs = [pair_input([10, 11, 12], second, marks.cls, marks.sep) for second in ([20], [30, 31])]
    batch = collate([Example(*ids_and_segments, 0) for ids_and_segments in inputs])
    u = model.vector(batch.ids, batch.segments == 0, batch.lengths)
    v = model.vector(batch.ids, batch.segments == 1, batch.lengths)
    assert torch.allclose(u[0], u[1], atol=1e-6)  # the same first text, whatever stands beside it
    alone, _ = bert.encode(torch.tensor([[marks.cls, 20, marks.sep]]))
    assert torch.allclose(v[0], bert.pooled(alone[:, 0])[0], atol=1e-6)
    assert model(batch).shape == Apart(bert, 2, difference=False)(batch).shape == (2, 2)


def test_the_mean_of_all_places_leaves_padding_out():
    bert = tiny_bert.new_model(**SMALL)
    model = with_head(tasks.SENTIMENT, bert, mean=True)
    torch.nn.init.normal_(model.head.weight)
    short, long = Example([1, 20, 21], [0] * 3, 0), Example([1, 30, 31, 32, 33], [0] * 5, 0)
    batch = collate([short, long])
    logits = model(batch.ids, batch.segments, batch.mask)
    alone = bert.encode(torch.tensor([short.ids]))[0].mean(1)
    assert torch.allclose(logits[0], model.head(alone)[0], atol=1e-5)
    assert torch.allclose(logits[1], model(torch.tensor([long.ids]))[0], atol=1e-5)


def test_a_list_of_tagged_words_knows_no_others():
    few, many = (bert_tasks.list_f1(count, seed=0) for count in (10, 500))
    assert 0.1 < few < 0.3 and 0.55 < many < 0.7


def test_ones_own_bert_is_taken_where_there_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert bert_tasks.pretrained()[1] == "the course's"
    save_model(tiny_bert.new_model(seed=5), bert_tasks.OWN)
    model, whose = bert_tasks.pretrained()
    assert whose == "yours" and torch.equal(model.token.weight, tiny_bert.new_model(seed=5).token.weight)


def test_dates_are_read_in_pieces_and_none_of_the_test_is_trained_on():
    given = dates_bert.PARTS.train(30)
    for example, made in zip(given, marked(given, bert_tasks.DATES), strict=True):
        assert [label for label in made.label if label != IGNORE_INDEX] == list(example.answer)
        assert made.label[0] == made.label[-1] == IGNORE_INDEX
    test = {example.first for example in dates_bert.LANGUAGE.test(100)}
    assert not test & set(dates_bert.texts()) and not test & {each.first for each in dates_bert.LANGUAGE.train(300)}


# --- what the lesson says of the stored runs --------------------------------------------------------------------------


def table(section):
    """{labels: {way: scores of the seeds}}."""
    runs = bert_tasks.stored_runs()[section]
    counts = {run["labels"]: {} for run in runs}
    for run in runs:
        for way in bert_tasks.WAYS:
            counts[run["labels"]].setdefault(way, []).append(run[way])
    assert list(counts) == list(bert_tasks.COUNTS) and all(len(each["tuned"]) == 5 for each in counts.values())
    return counts


def test_ten_labels_are_worth_most_to_a_pretrained_model():
    ten = table("sentiment")[10]
    assert min(ten["tuned"]) > max(ten["scratch"]) and sum(ten["tuned"]) / 5 > 0.85


def test_each_stored_section_holds_what_the_lesson_says():
    for section in ("sentiment", "tags", "language"):
        for count, ways in table(section).items():
            tuned, frozen, scratch = (sum(ways[way]) / 5 for way in ("tuned", "frozen", "scratch"))
            assert tuned > max(frozen, scratch) or count == 500
    assert min(table("sentiment")[500]["scratch"]) > max(table("sentiment")[500]["frozen"])
    verdict = table("verdict")[500]
    assert min(verdict["tuned"]) > 0.9 and max(verdict["scratch"]) < 0.65


def test_a_frozen_bert_is_as_good_as_the_place_where_it_is_read():
    rows = [run for run in bert_tasks.stored_runs()["controls"] if run["task"] == "sentiment" and run["labels"] == 500]
    mean, random = ([run[way] for run in rows] for way in ("frozen, mean", "frozen, random"))
    assert min(mean) > max(table("sentiment")[500]["frozen"]) and max(random) < 0.6
    counts = {(run["task"], run["labels"]) for run in bert_tasks.stored_runs()["controls"]}
    assert len(counts) == 5 * len(bert_tasks.COUNTS)


def test_from_scratch_tags_are_little_more_than_a_list():
    mean = sum(table("tags")[500]["scratch"]) / 5
    assert abs(mean - bert_tasks.list_f1(500, seed=0)) < 0.1
