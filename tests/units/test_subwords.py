"""Parallel text as token ids: the marks where batches want them, nothing lost, nothing leaked."""

import pytest

from course_lib.corpora import disk_cache
from course_lib.corpora.batching import batches
from course_lib.corpora.parallel import dates, number_lists, single_numbers
from course_lib.corpora.subwords import encoded, subword_tokenizer
from course_lib.corpora.vocabulary import END, END_ID, PAD, PAD_ID, START, START_ID
from course_lib.errors import CourseError
from course_lib.tokenizers.bpe import BPETokenizer


@pytest.fixture(scope="module", params=[("numbers", "de"), ("dates", "fr"), ("lists", "de")], ids="-".join)
def corpus(request, tmp_path_factory):
    kind, target = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_cache, "folder", lambda: tmp_path_factory.mktemp("cache"))
        if kind == "lists":
            return number_lists("en", target, count=600, test_each=10)
        return {"numbers": single_numbers, "dates": dates}[kind]("en", target, count=600, test_count=80)


@pytest.fixture(scope="module")
def tokenizer(corpus):
    return subword_tokenizer(corpus.train, 400)


def test_the_marks_have_the_ids_of_batches(tokenizer):
    assert [tokenizer.vocab[mark] for mark in (PAD, START, END)] == [PAD_ID, START_ID, END_ID]
    assert sorted(tokenizer.vocab.values()) == list(range(len(tokenizer))), "no id is left out"
    assert len(tokenizer) <= 400


def test_every_text_is_read_back_and_holds_no_mark(corpus, tokenizer):
    for pairs in (corpus.train, corpus.test):
        for pair, (source, target) in zip(pairs, encoded(tokenizer, pairs), strict=True):
            assert (tokenizer.decode(source), tokenizer.decode(target)) == (pair.source_text, pair.target_text)
            assert min(source + target) > END_ID
    assert tokenizer.decode(tokenizer.encode("noch nie gesehen: 42 €")) == "noch nie gesehen: 42 €"


def test_merges_make_texts_shorter(corpus, tokenizer):
    ids = sum(len(target) for _, target in encoded(tokenizer, corpus.test))
    assert ids < sum(len(pair.target_text) for pair in corpus.test) / 2


def test_nothing_that_is_tested_was_trained_on(corpus, tokenizer):
    train, test = encoded(tokenizer, corpus.train), encoded(tokenizer, corpus.test)
    assert not {tuple(source) for source, _ in test} & {tuple(source) for source, _ in train}
    assert not {tuple(target) for _, target in test} & {tuple(target) for _, target in train}


def test_the_same_pairs_give_the_same_tokenizer(corpus, tokenizer):
    assert subword_tokenizer(corpus.train, 400).vocab == tokenizer.vocab


def test_batches_take_them(corpus, tokenizer):
    batch = next(batches(encoded(tokenizer, corpus.train), 16, seed=0))
    assert batch.target[:, 0].tolist() == [START_ID] * 16 and batch.source.max() < len(tokenizer)
    for row, length in zip(batch.source.tolist(), batch.source_lengths.tolist(), strict=True):
        assert row[length - 1] == END_ID and set(row[length:]) <= {PAD_ID}


def test_the_file_keeps_the_ids(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    again = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert again.vocab == tokenizer.vocab and again.encode("zwölf <s>") == tokenizer.encode("zwölf <s>")


def test_a_vocabulary_that_is_too_small(corpus):
    with pytest.raises(CourseError, match="vocab_size=258 is too small: it has to hold 256 bytes and 3 special tokens"):
        subword_tokenizer(corpus.train, 258)
