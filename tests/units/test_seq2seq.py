"""The two translators: the parts do what they say, padding changes nothing, and attention learns what the other can't."""

import pytest
import torch

from course_lib.attention import additive_scores
from course_lib.corpora.batching import collate, pad
from course_lib.corpora.parallel import number_lists
from course_lib.corpora.vocabulary import END, END_ID, PAD_ID, START_ID
from course_lib.errors import CourseError
from course_lib.experiments.seq2seq import (
    ANNOTATIONS,
    SECTIONS,
    STORED,
    AdditiveAttention,
    Seq2Seq,
    Seq2SeqConfig,
    aligned,
    exact_match,
    train,
    translate,
    written,
)
from course_lib.experiments.stored import read_runs


@pytest.fixture(scope="module")
def corpus():
    return number_lists(longest=3, count=3000, test_longest=4, test_each=40)


def model_for(corpus, attention, seed=0, **options):
    torch.manual_seed(seed)
    return Seq2Seq(
        Seq2SeqConfig(len(corpus.source_vocabulary), len(corpus.target_vocabulary), attention, **options)
    ).eval()


@pytest.fixture(params=[None, *ANNOTATIONS], ids=str)
def model(request, corpus):
    return model_for(corpus, True, annotations=request.param) if request.param else model_for(corpus, False)


@pytest.fixture(scope="module")
def trained(corpus):
    model = model_for(corpus, True, d_hidden=64)
    train(model, corpus, steps=250, seed=0)
    return model


def test_additive_attention_is_the_score_family_softmax_and_average():
    layer = AdditiveAttention(6, 4, 5)
    query, keys, mask = torch.randn(3, 6), torch.randn(3, 7, 4), torch.ones(3, 7, dtype=torch.bool)
    mask[0, 4:] = mask[1] = False
    context, weights = layer(query, keys, layer.W_2(keys), mask)
    scores = additive_scores(query[:, None], keys, layer.W_1.weight, layer.W_2.weight, layer.w_3.weight[0]).squeeze(1)
    torch.testing.assert_close(weights[0, :4], scores[0, :4].softmax(-1))
    torch.testing.assert_close(weights[2], scores[2].softmax(-1))
    assert (weights[0, 4:] == 0).all() and (weights[1] == 0).all() and (context[1] == 0).all(), (
        "nothing to look at: zero, not NaN"
    )
    torch.testing.assert_close(context[2], weights[2] @ keys[2])


def test_encoder_is_torchs_gru_on_packed_texts(model):
    source, lengths = torch.tensor([[5, 6, 7, END_ID], [8, END_ID, 0, 0]]), torch.tensor([4, 2])
    annotations, last = model.encoder(source, lengths)
    packed = torch.nn.utils.rnn.pack_padded_sequence(model.encoder.word(source), lengths, batch_first=True)
    states, expected = model.encoder.gru(packed)
    states, _ = torch.nn.utils.rnn.pad_packed_sequence(states, batch_first=True)
    torch.testing.assert_close(last, expected[0])
    words = model.encoder.W_word(model.encoder.word(source)) if model.encoder.W_word else 0
    torch.testing.assert_close(annotations[1, :2, : states.shape[-1]], (states + words)[1, :2])


def test_the_second_reader_reads_from_the_last_word_to_the_first(corpus):
    encoder = model_for(corpus, True, annotations="both directions").encoder
    source, lengths = torch.tensor([[5, 6, 7, END_ID], [8, END_ID, 0, 0]]), torch.tensor([4, 2])
    annotations, _ = encoder(source, lengths)
    for row, n in enumerate(lengths.tolist()):
        states, _ = encoder.backward_gru(encoder.word(source[row, :n]).flip(0)[None])
        torch.testing.assert_close(annotations[row, :n, 96:], states[0].flip(0))


def test_unknown_annotations_get_a_sentence():
    with pytest.raises(CourseError, match="annotations should be 'state', 'state \\+ word' or 'both directions'"):
        Seq2SeqConfig(5, 5, annotations="words")


def test_padding_changes_nothing(model):
    short, long = [5, 6], [5, 6, 7, 8, 9, 10]
    alone, batch = collate([(short, short)]), collate([(short, short), (long, long)])
    one, weights_alone = model(alone.source, alone.source_lengths, alone.target[:, :-1])
    both, weights = model(batch.source, batch.source_lengths, batch.target[:, :-1])
    torch.testing.assert_close(both[0, :3], one[0])
    if model.config.attention:
        torch.testing.assert_close(weights[0, :3, :3], weights_alone[0])
        assert (weights[0, :, 3:] == 0).all()
    output_ids, _ = model.greedy(alone.source, alone.source_lengths, 5)
    together, _ = model.greedy(batch.source, batch.source_lengths, 5)
    assert together[0, : output_ids.shape[1]].tolist() == output_ids[0].tolist()


def test_the_decoder_sees_no_word_that_is_still_to_come(model):
    source, lengths = pad([[5, 6, 7, END_ID]])
    words = torch.tensor([[START_ID, 5, 6, 7]])
    first, _ = model(source, lengths, words)
    words[0, 3] = 9
    changed, _ = model(source, lengths, words)
    torch.testing.assert_close(changed[0, :3], first[0, :3])
    assert not torch.allclose(changed[0, 3], first[0, 3])


def test_only_attention_sees_the_words_themselves(corpus):
    """Without it, two sources with the same last state are the same source."""
    for attention in (True, False):
        model = model_for(corpus, attention)
        encoded = model.encode(*pad([[5, 6, END_ID]]))
        state, word = torch.tanh(model.decoder.initial_state(encoded.last)), torch.zeros(1, 64)
        before, _, weights = model.decoder.step(word, state, encoded)
        encoded.annotations = encoded.annotations + 1
        after, _, _ = model.decoder.step(word, state, encoded)
        assert torch.allclose(before, after) != attention
        assert (weights is not None) == attention


def test_greedy_is_the_likeliest_word_each_time_and_stops_at_the_end_mark(trained, corpus):
    batch = collate(corpus.encoded(corpus.test[:20]))
    output_ids, weights = trained.greedy(batch.source, batch.source_lengths)
    fed = torch.cat([torch.full((20, 1), START_ID), output_ids[:, :-1]], dim=1)
    logits, _ = trained(batch.source, batch.source_lengths, fed)
    for row in range(20):
        end = output_ids[row].tolist().index(END_ID)
        assert output_ids[row, : end + 1].tolist() == logits[row, : end + 1].argmax(-1).tolist()
        assert (output_ids[row, end + 1 :] == PAD_ID).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(20, weights.shape[1]))
    assert trained.greedy(batch.source, batch.source_lengths, 2)[0].shape == (20, 2)


@pytest.mark.slow
def test_attention_learns_the_task_and_where_to_look(trained, corpus):
    right = exact_match(trained, corpus, corpus.test)
    assert set(right) == {1, 2, 3, 4} and right[2] > 0.8
    hits, known = aligned(trained, corpus, [pair for pair in corpus.test if len(pair.value) <= 3])
    assert known > 150 and hits / known > 0.8


def test_exact_match_counts_whole_lists(trained, corpus):
    pairs = [pair for pair in corpus.test if len(pair.value) == 2]
    by_hand = sum(translate(trained, corpus, pair.source_text).target == list(pair.target) for pair in pairs) / len(
        pairs
    )
    assert exact_match(trained, corpus, pairs, chunk=7) == {2: by_hand}


def test_translate(trained, corpus):
    found = translate(trained, corpus, "Twenty-one 42")
    assert found.source == ["twenty", "one", ",", "forty", "two", END]
    assert found.weights.shape == (len(found.target), 6)
    torch.testing.assert_close(found.weights.sum(-1), torch.ones(len(found.target)))
    for text, sentence in {"": "no number", "twenty elefants": "'elefants' is in none"}.items():
        with pytest.raises(CourseError, match=sentence):
            translate(trained, corpus, text)
    assert translate(model_for(corpus, False), corpus, "eight").weights is None


def test_the_same_seed_trains_the_same_model(corpus):
    losses = [train(model_for(corpus, True, d_hidden=16), corpus, steps=12, seed=seed) for seed in (3, 3, 4)]
    assert losses[0] == losses[1] != losses[2]


def test_what_was_written_ends_where_it_ends(trained, corpus):
    pairs = corpus.test[:5]
    assert written(trained, corpus, pairs) == [translate(trained, corpus, pair.source_text).target for pair in pairs]
    assert [len(text) for text in written(trained, corpus, pairs, longest=1)] == [1] * 5


def test_the_stored_runs_show_what_the_lesson_says():
    runs = read_runs(STORED)
    assert list(runs) == list(SECTIONS) and [len(rows) for rows in runs.values()] == [5, 3, 3, 5, 3]
    right = {name: [run["exact_match"] for run in rows] for name, rows in runs.items()}
    without, longer = right["no attention"], right["no attention, 2000 steps"]
    assert all(run["6"] <= 0.40 and run["8"] <= 0.05 and run["2"] >= 0.9 for run in without)
    assert min(run["6"] for run in longer) > max(run["6"] for run in without)
    shares = {}
    for name in ANNOTATIONS:
        assert all(run["6"] >= 0.95 and run["8"] >= 0.80 and run["12"] <= 0.05 for run in right[name])
        shares[name] = [hits / known for hits, known in (run["aligned"] for run in runs[name])]
    assert min(shares["state + word"]) >= 0.95
    assert max(*shares["state"], *shares["both directions"]) < 0.9, "the others look beside the word"
