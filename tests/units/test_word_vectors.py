"""What lesson 10 measures: that the measures measure, on features whose answer is known, and what the stored runs say."""

import pytest
import torch

from course_lib.corpora import homographs
from course_lib.corpora.vocabulary import Vocabulary
from course_lib.experiments import word_vectors

WORDS = homographs.HOMOGRAPHS


@pytest.fixture(scope="module")
def told():
    sentences, uses = homographs.corpus(0, sentences=1500, paragraphs=150)
    return sentences, uses, Vocabulary.of_texts(sentences)


@pytest.fixture(scope="module")
def stored():
    return word_vectors.stored_runs()


def knowing(uses):
    """Features that hold the sense, among noise."""
    y = torch.tensor([float(homographs.SENSES[use.word].index(use.sense)) for use in uses])
    return torch.cat([4 * y[:, None], torch.randn(len(uses), 3, generator=torch.Generator().manual_seed(0))], 1)


@pytest.mark.parametrize("method", [word_vectors.probe, word_vectors.nearest_centre])
def test_a_sense_that_is_there_is_found_and_equal_vectors_are_a_coin(told, method):
    uses = told[1]
    asked = homographs.tests(each=5)["new neighbours"]
    found = word_vectors.sense_accuracy(knowing(uses), uses, {"x": (knowing(asked), asked)}, method)["x"]
    assert set(found) == set(WORDS) and sum(found.values()) / 8 > 0.9
    same = torch.randn(1, 6).expand(len(uses), 6), torch.randn(1, 6).expand(len(asked), 6)
    assert set(word_vectors.sense_accuracy(same[0], uses, {"x": (same[1], asked)}, method)["x"].values()) == {0.5}


def test_two_clouds_are_found_without_labels():
    y = torch.tensor([0] * 20 + [1] * 20)
    x = torch.randn(40, 5, generator=torch.Generator().manual_seed(1)) + 8 * y[:, None]
    assert word_vectors.two_clouds(x, y) == word_vectors.two_clouds(x, 1 - y) == 1
    assert word_vectors.two_clouds(x, y[torch.randperm(40, generator=torch.Generator().manual_seed(2))]) < 0.75


def test_without_order_nothing_but_the_place_of_a_use_counts(told):
    sentences, _, words = told
    vectors = torch.randn(len(words), 8)
    verb, noun = homographs.tests(each=1)["two clauses"][:2]
    if not {*verb.words} <= words.ids.keys():
        words = Vocabulary.of_texts([*sentences, verb.words])
        vectors = torch.randn(len(words), 8)
    ways = word_vectors.without_order(vectors, words, [verb, noun])
    torch.testing.assert_close(ways["the sentence's mean"][0], ways["the sentence's mean"][1])
    torch.testing.assert_close(ways["its one vector"][0], vectors[words.ids[verb.word]])
    assert ways["which neighbours"].sum(1).tolist() == [2, 2]
    ends = homographs.Use(("record",), 0, "record", "noun")
    assert word_vectors.without_order(vectors, words, [ends])["neighbours' vectors"].shape == (1, 16)


def test_layer_0_is_the_word_and_the_others_know_the_place(told):
    _, uses, words = told
    model = word_vectors.new_model(words)
    mine = [use for use in uses if use.word == "record"][:6]
    layers = word_vectors.layers_at(model, words, mine)
    assert layers.shape == (6, 3, 256)
    own = model.token.weight[words.ids["record"]].detach()
    torch.testing.assert_close(layers[:, 0], torch.cat([own, own]).expand(6, -1))
    assert layers[:, 1].std(0).max() > 1e-3
    alone = word_vectors.layers_at(model, words, mine[:1])
    torch.testing.assert_close(alone[0], layers[0], atol=1e-5, rtol=1e-4)


def test_batches_have_one_length_and_no_text_is_lost(told):
    sentences, _, words = told
    batches = word_vectors.batches_of_one_length(sentences, words)
    seen = 0
    while seen < len(sentences):
        ids, lengths = next(batches)
        assert set(lengths.tolist()) == {ids.shape[1]} and (ids > 2).all()
        assert ids.numel() <= word_vectors.WORDS_A_BATCH or len(ids) == 1
        seen += len(ids)
    assert seen == len(sentences)


def test_both_models_learn_and_the_same_seed_gives_the_same(told):
    sentences, _, words = told
    losses = word_vectors.train(word_vectors.new_model(words), sentences, words, steps=12, progress=False)
    assert losses[-1] < losses[0] - 0.2
    assert word_vectors.train(word_vectors.new_model(words), sentences, words, steps=12, progress=False) == losses
    vectors, losses = word_vectors.skip_gram(sentences, words, steps=60, progress=False)
    assert losses[-1] < losses[0] - 1 and vectors.shape == (len(words), word_vectors.D)
    share = word_vectors.of_the_same_class(vectors, words)
    assert share["people"] > 0.2 and all(0 <= value <= 1 for value in share.values())


def test_no_word_is_in_two_classes_and_no_homograph_in_one():
    members = [word for group in word_vectors.classes().values() for word in group]
    assert len(members) == len(set(members)) and not set(members) & set(WORDS)


def test_reviews_without_the_words_of_the_labels():
    train, test = word_vectors.reviews(0, new_words=True)
    judging = {*word_vectors.world.GOOD, *word_vectors.world.BAD}
    labelled = {word for row in train for word in row[0]} & judging
    assert len(train) >= 500 and len(test) == 300 and len(labelled) == 12
    assert all({*row[0]} & judging and not {*row[0]} & labelled for row in test)
    assert 0.4 < sum(row[2] for row in test) / 300 < 0.6


def test_the_reader_learns_from_labels(told):
    sentences, uses, words = told
    rows = [
        (use.words, use.place, homographs.SENSES[use.word].index(use.sense)) for use in uses if use.word == "record"
    ]
    model = word_vectors.new_model(words)
    vectors = torch.randn(len(words), 16)
    for start in word_vectors.START_FROM:
        right, parameters = word_vectors.learn_task(rows[:60], rows[60:90], words, vectors, model, start, 2, seed=0)
        assert right > 0.6 and parameters > 10_000


# --- what the lesson says of the stored runs --------------------------------------------------------------------------


def test_the_shipped_model_is_the_lessons():
    model = word_vectors.pretrained()
    assert model.config.vocab_size == len(Vocabulary.of_texts(homographs.corpus(0)[0]))


def mean(shares):
    return sum(shares.values()) / len(shares)


def ways(stored, way, measure):
    """For each seed, the mean over homographs on each of the four test sets."""
    return [[mean(each) for each in run[measure].values()] for run in stored["senses"] if run.get("way") == way]


def test_each_way_without_order_has_its_blind_spot_and_the_lstms_have_none(stored):
    assert len(ways(stored, "layer 2", "probe")) == 3
    blind = {
        "its one vector": (0, 1, 2, 3),
        "which neighbours": (0, 1, 2, 3),
        "neighbours' vectors": (1, 3),
        "the sentence's mean": (2, 3),
        "neighbours and mean": (3,),
    }
    for way, sets in blind.items():
        for seed in ways(stored, way, "probe"):
            assert all((share < 0.57) if i in sets else (share > 0.97) for i, share in enumerate(seed))
    assert min(min(seed) for way in ("layer 1", "layer 2") for seed in ways(stored, way, "probe")) > 0.985


def test_the_controls_pass_by_labels_and_order_but_have_no_clouds(stored):
    for shares in ways(stored, "five words a side", "probe"):
        assert min(shares) > 0.98
    for new, neutral, both, clauses in ways(stored, "untrained, layer 2", "probe"):
        assert new < 0.63 and 0.9 < neutral < 0.97 and both < 0.75 and clauses > 0.99
    for run in stored["senses"]:
        for test in ("neutral neighbours", "two clauses"):
            if "way" in run:
                share = sum(run["clouds"][test][word] for word in homographs.VERB_NOUN) / 5
                if run["way"] in ("five words a side", "untrained, layer 2"):
                    assert 0.525 < share < 0.565
                trained = run["way"] in ("layer 1", "layer 2", "mixture")
                assert share == 1 if trained else share < 0.95


def test_the_words_beside_a_use_in_their_order():
    use = homographs.Use(("nora", "will", "record", "the", "song"), 2, "record", "verb")
    words = Vocabulary.of_texts([use.words])
    found = word_vectors.beside(words, [use], reach=3)[0].tolist()
    assert [words.words[i] for i in found] == ["<s>", "nora", "will", "the", "song", "<s>"]


def test_verb_and_noun_are_clouds_and_two_nouns_need_a_line(stored):
    for run in stored["senses"]:
        if run.get("way") == "layer 2":
            neutral = {measure: run[measure]["neutral neighbours"] for measure in ("clouds", "centre", "probe")}
            assert min(neutral["clouds"][word] for word in homographs.VERB_NOUN) == 1
            assert max(neutral["clouds"][word] for word in homographs.TWO_NOUNS) < 0.55
            assert min(neutral["probe"][word] for word in homographs.TWO_NOUNS) > 0.94
    shares = [run["s"][2] for run in stored["senses"] if "s" in run]
    assert min(shares) > 0.75 and max(shares) < 0.84


def right(stored, task, labels, start):
    """The mean over seeds, at the better of two rates."""
    runs = [r for r in stored["labels"] if (r["task"], r["labels"], r["start"]) == (task, labels, start)]
    means = [sum(r["right"] for r in runs if r["rate"] == rate) / 3 for rate in word_vectors.RATES]
    assert len(runs) == 6
    return max(means)


def test_what_is_left_for_labels(stored):
    nothing, frozen, untrained, elmo = word_vectors.START_FROM
    assert right(stored, "sense, both senses", 20, elmo) > 0.99 > 0.85 > right(stored, "sense, both senses", 20, frozen)
    assert right(stored, "sense, two clauses", 20, elmo) > 0.95 > 0.6 > right(stored, "sense, two clauses", 20, frozen)
    for start in word_vectors.START_FROM:
        assert right(stored, "sentiment", 100, start) > 0.93
    unmet = "sentiment, words without labels"
    assert right(stored, unmet, 100, nothing) < 0.5 and min(right(stored, unmet, 100, s) for s in (frozen, elmo)) > 0.84


def test_the_map_has_its_groups(stored):
    for run in stored["words"]:
        first, last = (mean(run["history"][i]["same class"]) for i in (0, -1))
        assert first < 0.02 and last > 0.92
        assert {"museum", "cliff"} <= set(run["nearest"]["bank"])
