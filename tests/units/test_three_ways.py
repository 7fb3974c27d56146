"""Lesson 15's measurements: three families at one price, what lies near a start, a probe and its control."""

import pytest
import torch

from course_lib.corpora.tiny_world import PHENOMENA, tiny_world, world_vocabulary
from course_lib.corpora.tiny_world.tasks import SENTIMENT
from course_lib.errors import CourseError
from course_lib.experiments import near_the_start, probes, three_ways, tiny_bert
from course_lib.landscape import distance, weights

# --- three ways -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", three_ways.FAMILIES)
def test_each_family_trains_and_is_asked_in_its_own_way(family):
    world, model = tiny_world(seed=0, count=200, probes=2), three_ways.new_model(family)
    losses = three_ways.train(family, model, world.train, steps=2, progress=False)
    assert len(losses) == 2
    scores = three_ways.answers(family, model)(world.probes["syntax"])
    assert scores.shape == (2, len(world_vocabulary()))


def test_the_encoder_decoder_learns_what_stands_in_its_gaps():
    """On one sentence told again and again, it says what is missing."""
    world = tiny_world(seed=0, count=1, probes=1)
    model = three_ways.new_model("encoder–decoder")
    three_ways.train("encoder–decoder", model, world.train * 64, steps=60, progress=False)
    words = world.train[0].text.split()
    probabilities = three_ways.first_words(model, [(words[:i], words[i + 1 :]) for i in range(1, len(words))])
    assert probabilities.shape == (len(words) - 1, len(world_vocabulary()))
    said = [world_vocabulary().words[i] for i in probabilities.argmax(-1).tolist()]
    assert sum(a == b for a, b in zip(said, words[1:], strict=True)) > 0.6 * len(said)


def test_a_step_costs_what_its_tokens_cost():
    encoder, decoder, both = (three_ways.price(family, batches=2) for family in three_ways.FAMILIES)
    for each in (encoder, decoder, both):
        rule = 6 * each["parameters"] * each["tokens"] * three_ways.BATCH_SIZE
        assert each["flops"] < 1.4 * rule, "six for each parameter and token, at most"
    assert both["parameters"] > 1.9 * decoder["parameters"] and both["flops"] < 1.8 * decoder["flops"]
    assert decoder["asked"] > 3 * both["asked"]


def test_stored_runs_say_what_the_lesson_says():
    stored = three_ways.stored_runs()
    assert set(stored) == {*three_ways.FAMILIES, "price"}
    for family in three_ways.FAMILIES:
        for run in stored[family]:
            assert all(set(PHENOMENA) <= set(row["accuracy"]) for row in run["history"])


# --- near the start ---------------------------------------------------------------------------------------------------


def test_the_shuffled_start_is_as_long_as_the_pretrained_and_knows_nothing():
    pretrained, shuffled = (near_the_start.beginning(kind) for kind in ("pretrained", "shuffled"))
    for (name, a), b in zip(weights(pretrained).items(), weights(shuffled).values(), strict=True):
        assert torch.equal(a.flatten().sort().values, b.flatten().sort().values), name
    world = tiny_world(seed=0, count=10, probes=50)
    right = three_ways.accuracies("encoder", shuffled.bert, world)
    assert max(right[phenomenon] for phenomenon in ("trivia", "word classes", "location")) < 0.2


def test_the_head_is_the_same_for_every_start():
    heads = [near_the_start.beginning(kind, seed=3).head.weight for kind in near_the_start.STARTS]
    assert torch.equal(heads[0], heads[2])
    assert heads[1].shape == heads[0].shape


def test_an_unknown_start_is_refused():
    with pytest.raises(CourseError, match="pretrained"):
        near_the_start.beginning("frozen")


def test_tuning_leaves_the_start_where_it_was_and_order_is_all_that_differs():
    start, examples = near_the_start.beginning("random"), SENTIMENT.train(16)
    before = weights(start)
    one, same, other = (near_the_start.tuned(start, examples, order, 3, progress=False) for order in (0, 0, 1))
    assert distance(before, weights(start)) == 0
    assert distance(weights(one), weights(same)) == 0 < distance(weights(one), weights(other))


def test_what_the_lesson_says_of_the_stored_starts():
    for run in near_the_start.stored_runs()["few"]:
        models, lines = run["models"], run["lines"]
        assert models["pretrained"]["accuracy"] > 0.95 > 0.85 > models["random"]["accuracy"]
        assert models["shuffled"]["accuracy"] < 0.7
        assert models["shuffled"]["moved"] < models["pretrained"]["moved"] < models["random"]["moved"] / 3
        assert lines["from pretrained weights"]["held out"][-1] < 0.1
        assert lines["from random weights"]["held out"][-1] > 1
        for same in ("two from pretrained weights", "two from the same random weights"):
            assert max(lines[same]["training"]) < 0.01
        assert max(lines["two from different random weights"]["training"]) > 0.2


# --- probes -----------------------------------------------------------------------------------------------------------


def test_a_probe_reads_words_from_anything_and_classes_from_what_was_trained():
    places = probes.adjectives(each=8)
    assert places.texts[0].split()[places.places[0]] == "great"
    coins = probes.another_labelling(places)
    for model, known in ((tiny_bert.pretrained(), True), (tiny_bert.new_model(0), False)):
        vectors = probes.states(model, places, layer=3)
        classes, coin = (probes.read(vectors, places, labels) for labels in (places.labels, coins))
        assert min(classes["seen words"], coin["seen words"]) > 0.9
        assert (classes["unseen words"] > 0.9) == known
        assert coin["unseen words"] < 0.75
