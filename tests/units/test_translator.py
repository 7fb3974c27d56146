"""Lesson 09's translator: what it reads and writes, what is measured, and what its stored runs say."""

import math

import pytest
import torch

from course_lib.corpora.parallel import held_out, single_numbers
from course_lib.corpora.subwords import encoded, subword_tokenizer
from course_lib.corpora.vocabulary import END
from course_lib.errors import CourseError
from course_lib.experiments import translator


@pytest.fixture(scope="module")
def small():
    """A model that has seen a few batches of small numbers."""
    corpus = single_numbers(largest=9999, count=600, test_count=40)
    tokenizer = subword_tokenizer(corpus.train, vocab_size=330)
    model = translator.new_model(tokenizer, seed=0, d_model=32, d_ff=32)
    losses = translator.train(
        model, encoded(tokenizer, corpus.train), 25, rate=lambda step: 5e-3, batch_size=32, progress=False
    )
    return corpus, tokenizer, model, losses


def test_the_loss_falls_from_that_of_a_guess(small):
    _, tokenizer, _, losses = small
    assert abs(losses[0] - math.log(len(tokenizer))) < 2 and losses[-1] < losses[0] - 1


def test_the_same_seed_trains_the_same_model(small):
    corpus, tokenizer, _, _ = small
    runs = []
    for _ in range(2):
        model = translator.new_model(tokenizer, seed=3, d_model=16, d_ff=16)
        runs.append(translator.train(model, encoded(tokenizer, corpus.train), 3, seed=1, progress=False))
    assert runs[0] == runs[1]


def test_between_is_asked_before_each_step_and_after_the_last(small):
    corpus, tokenizer, _, _ = small
    model, steps = translator.new_model(tokenizer, d_model=16, d_ff=16), []
    translator.train(model, encoded(tokenizer, corpus.train), 3, between=steps.append, progress=False)
    assert steps == [0, 1, 2, 3]


def test_look_has_a_row_for_each_token_that_was_written(small):
    _, tokenizer, model, _ = small
    found = translator.look(model, tokenizer, "forty-two")
    layers, heads, n, m = 2, 4, len(found.target), len(found.source)
    assert found.cross.shape == (layers, heads, n, m)
    assert found.encoder.shape == (layers, heads, m, m) and found.decoder.shape == (layers, heads, n, n)
    assert found.source[-1] == END and "".join(found.source[:-1]) == "forty-two"
    assert found.text == translator.translate(model, tokenizer, ["forty-two"])[0]
    torch.testing.assert_close(found.cross.sum(-1), torch.ones(layers, heads, n))


def test_exact_match_counts_whole_texts(small, monkeypatch):
    corpus, tokenizer, model, _ = small
    right = {pair.source_text: pair.target_text for pair in corpus.test}
    wrong = corpus.test[0].source_text

    def write(model, tokenizer, texts):
        return ["x" if text == wrong else right[text] for text in texts]

    monkeypatch.setattr(translator, "translate", write)
    assert translator.exact_match(model, tokenizer, corpus.test, chunk=7) == 1 - 1 / len(corpus.test)


def test_guesses_are_the_losss_tokens(small):
    corpus, tokenizer, model, _ = small
    pairs = encoded(tokenizer, corpus.test)
    found = translator.guesses(model, pairs)
    assert len(found.log_p) == sum(len(target) + 1 for _, target in pairs)
    assert (found.log_p.exp() <= found.confidence + 1e-6).all()
    torch.testing.assert_close(found.log_p[found.right].exp(), found.confidence[found.right])
    assert sum(count for _, _, count in translator.bins(found)) == len(found.log_p)


def test_beams_of_one_are_greedy(small):
    corpus, tokenizer, model, _ = small
    texts = [pair.source_text for pair in corpus.test[:5]]
    found = translator.beams(model, tokenizer, texts, k=1)
    assert [tokenizer.decode(beam.best.ids) for beam in found] == translator.translate(model, tokenizer, texts)


@pytest.mark.parametrize(
    ("text", "read"), [("21", "twenty-one"), (" 921,605 ", "nine hundred and twenty-one thousand, six hundred and five"),
                       ("Forty-Two", "forty-two"), ("one million", "one million")]
)  # fmt: skip
def test_typed(text, read):
    assert translator.typed(text) == read


@pytest.mark.parametrize("text", ["", "  ", "1000000"])
def test_what_cannot_be_typed(text):
    with pytest.raises(CourseError):
        translator.typed(text)


def test_numbers_of_every_length_are_held_out():
    train, test = translator.of_every_length()
    assert all(not held_out(pair.value) for pair in train)
    for digits, pairs in test.items():
        assert pairs and all(held_out(pair.value) and len(str(pair.value[0])) == digits for pair in pairs)


# --- what the lesson says of the stored runs --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored():
    return translator.stored_runs()


def ends(stored, smoothing):
    return [run["history"][-1] for run in stored["numbers"] if run["smoothing"] == smoothing]


def test_97_per_cent_within_the_time_on_three_seeds(stored):
    assert len(ends(stored, 0.0)) == 3
    for end in ends(stored, 0.0):
        assert end["exact"] >= 0.97 and end["cpu_seconds"] < 60


def test_smoothing_costs_perplexity_and_no_numbers(stored):
    plain, smooth = ends(stored, 0.0), ends(stored, 0.1)
    assert max(end["perplexity"] for end in plain) < 1.02 < 1.11 < min(end["perplexity"] for end in smooth)
    assert all(0 <= b["exact"] - a["exact"] <= 0.0101 for a, b in zip(plain, smooth))
    assert all(abs(end["surplus"]) < 0.003 for end in plain) and all(-0.11 < end["surplus"] < -0.09 for end in smooth)


def test_the_gru_is_slower_at_first_and_no_worse_in_the_end(stored):
    for run in stored["gru"]:
        assert run["history"][2]["exact"] < 0.01 and run["history"][-1]["exact"] == 1.0
    for run in stored["numbers"]:
        assert run["history"][2]["exact"] > 0.7


def test_short_numbers_fail_until_they_are_trained_on(stored):
    for run in stored["numbers"]:
        assert run["by_digits"]["3"] < 0.5 and run["by_digits"]["6"] > 0.98
        if "mixed" in run:
            assert run["mixed"]["by_digits"]["3"] > 0.9


def test_beams_help_only_the_unsure(stored):
    for run in stored["numbers"]:
        if not run["smoothing"]:
            early, late = (next(row for row in run["history"] if row["step"] == step)["beam"] for step in (100, 400))
            assert 0 < early["5"] - early["1"] < 0.04 and late["5"] == late["1"]


def test_warm_up_decides_for_the_deep_model_with_its_norm_last(stored):
    def losses(**wanted):
        return [run["losses"][-1] for run in stored["warmup"] if all(run[k] == v for k, v in wanted.items())]

    post = dict(layers=6, pre_norm=False)
    assert min(losses(**post, highest_rate=0.00313, warmup=False)) > 3.5
    assert max(losses(**post, highest_rate=0.00313, warmup=True)) < 2.5
    assert max(losses(**post, highest_rate=0.00063, warmup=False)) < 1.5
    for other in (dict(layers=6, pre_norm=True), dict(layers=2, pre_norm=True), dict(layers=2, pre_norm=False)):
        assert max(losses(**other, highest_rate=0.00313, warmup=False)) < 0.2


def test_twelve_numbers_are_beyond_both(stored):
    assert {(run["model"], run["seed"]) for run in stored["lists"]} == {
        (model, seed) for model in ("GRU", "Transformer") for seed in range(3)
    }
    for run in stored["lists"]:
        assert run["exact"]["8"] > 0.6 and run["exact"]["12"] < 0.01
    stuck = {model: [run["endless"]["12"] > 0.5 for run in stored["lists"] if run["model"] == model]
             for model in ("GRU", "Transformer")}  # fmt: skip
    assert stuck == {"GRU": [True, True, True], "Transformer": [True, True, False]}


def test_other_languages_and_dates_are_learned_too(stored):
    pairs = {(run["texts"], run["target"], run["tokens"]) for run in stored["languages"]}
    assert pairs == {("numbers", target, 400) for target in ("es", "fr", "da")} | {
        ("dates", "de", 400), ("dates", "fr", 400), ("numbers", "da", 450)
    }  # fmt: skip
    for texts, target, tokens in pairs:
        runs = learned(stored, texts, target, tokens)
        assert [run["seed"] for run in runs] == [0, 1, 2]
        for run in runs:
            assert run["exact"] == pytest.approx(1 - len(run["mistakes"]) / 500)
            assert run["exact"] > 0.95 and (texts == "numbers" or run["exact"] == 1.0)


def test_danish_stumbles_over_a_word_that_has_a_token_twice(stored):
    wrong = {
        tokens: [mistake for run in learned(stored, "numbers", "da", tokens) for mistake in run["mistakes"]]
        for tokens in (400, 450)
    }
    elevens = {tokens: sum("elleve" in each["wanted"] for each in found) for tokens, found in wrong.items()}
    assert (len(wrong[400]), elevens[400], len(wrong[450]), elevens[450]) == (39, 22, 35, 0)


def test_french_twenties_are_no_trouble(stored):
    tested = single_numbers("en", "fr", count=translator.COUNT).test
    assert sum("quatre-vingt" in pair.target_text for pair in tested) == 176
    wrong = [mistake for run in learned(stored, "numbers", "fr", 400) for mistake in run["mistakes"]]
    assert sum("quatre-vingt" in mistake["wanted"] for mistake in wrong) == 2


def learned(stored, texts, target, tokens):
    wanted = {"texts": texts, "target": target, "tokens": tokens}
    return [run for run in stored["languages"] if wanted.items() <= run.items()]
