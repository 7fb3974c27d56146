"""Blanks and pairs for BERT: the statistics of masking, pairs that are what their label says, batches."""

import random
from functools import partial
from itertools import islice

import pytest
import torch

from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.cloze import (
    IS_NEXT,
    NOT_NEXT,
    Marks,
    Pair,
    bert_batches,
    collate,
    mask_tokens,
    next_sentence_pairs,
    pair_input,
    shares,
    with_blanks,
)
from course_lib.errors import CourseError

MARKS = Marks(vocab_size=40, pad=0, cls=1, sep=2, mask=3, others=(4,))


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def many_ids(rows: int = 400, n: int = 100):
    """Marks at both ends, words between."""
    ids = torch.randint(5, 40, (rows, n), generator=generator())
    ids[:, 0], ids[:, -2], ids[:, -1] = MARKS.cls, MARKS.sep, MARKS.pad
    return ids


# --- blanks -----------------------------------------------------------------------------------------------------------


def within(count: int, n: int, p: float) -> bool:
    """Five standard deviations: a seed that fails is one in a million."""
    return abs(count - n * p) <= 5 * (n * p * (1 - p)) ** 0.5


@pytest.mark.parametrize("share", [0.15, 0.3, 1.0])
def test_the_shares_are_the_papers(share):
    ids = many_ids()
    inputs, labels = mask_tokens(ids, MARKS.mask, MARKS.vocab_size, MARKS.special, share, generator(1))
    words, chosen = ids > 4, labels != IGNORE_INDEX
    assert torch.equal(labels[chosen], ids[chosen]) and torch.equal(inputs[~chosen], ids[~chosen])
    n = int(chosen.sum())
    assert within(n, int(words.sum()), share)
    masked = inputs[chosen] == MARKS.mask
    kept = inputs[chosen] == ids[chosen]
    by_chance = 0.1 / 35  # a random token is the old one at times
    assert within(int(masked.sum()), n, 0.8) and within(int(kept.sum()), n, 0.1 + by_chance)
    others = inputs[chosen][~masked & ~kept]
    assert others.min() == 5 and others.max() == 39 and not set(others.tolist()) & set(MARKS.special)
    counts = torch.bincount(others, minlength=40)[5:]
    assert all(within(int(count), len(others), 1 / 35) for count in counts)


def test_what_the_die_decides():
    ids, special = torch.tensor([1, 5, 6, 7, 8, 9, 2]), torch.tensor([1, 0, 0, 0, 0, 0, 1]).bool()
    chance, die = (
        torch.tensor([0.1, 0.1, 0.1, 0.1, 0.2, 0.0, 0.1]),
        torch.tensor([0.1, 0.79, 0.85, 0.95, 0.1, 0.0, 0.1]),
    )
    inputs, labels = with_blanks(ids, special, chance, die, torch.full((7,), 30), mask_id=3)
    assert inputs.tolist() == [1, 3, 30, 7, 8, 3, 2]
    assert labels.tolist() == [IGNORE_INDEX, 5, 6, 7, IGNORE_INDEX, 9, IGNORE_INDEX]


def test_marks_are_never_asked_for_nor_is_the_mask_itself():
    ids = many_ids()
    ids[:, 5] = MARKS.mask
    inputs, labels = mask_tokens(ids, MARKS.mask, MARKS.vocab_size, (MARKS.pad, MARKS.cls, MARKS.sep), 1.0, generator())
    special = ids < 4
    assert (labels[special] == IGNORE_INDEX).all() and torch.equal(inputs[special], ids[special])


def test_a_share_for_each_token():
    ids = many_ids()
    each = torch.full((40,), 0.3)
    each[7], each[8] = 0.0, 1.0
    _, labels = mask_tokens(ids, MARKS.mask, 40, MARKS.special, each, generator(2))
    assert (labels[ids == 7] == IGNORE_INDEX).all() and (labels[ids == 8] == 8).all()
    ninth = labels[ids == 9]
    assert within(int((ninth == 9).sum()), len(ninth), 0.3)


def test_shares_by_frequency():
    texts = [[5, 5, 5, 6, 6, 7], [5, 8, 8, 8]]
    each = shares(texts, vocab_size=10, share=0.3, common=2, common_share=0.05)
    assert each.tolist() == pytest.approx([0.3] * 5 + [0.05, 0.3, 0.3, 0.05, 0.3])


def test_the_same_seed_masks_the_same_and_the_text_stays_as_it_is():
    ids = many_ids(4, 20)
    before = ids.clone()
    first, again = (mask_tokens(ids, 3, 40, MARKS.special, 0.5, generator(5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, again)) and torch.equal(ids, before)
    other, _ = mask_tokens(ids, 3, 40, MARKS.special, 0.5, generator(6))
    assert not torch.equal(other, first[0])
    row = mask_tokens(ids[0], 3, 40, MARKS.special, 0.5, generator(5))
    assert row[0].shape == (20,)


@pytest.mark.parametrize("share", [-0.1, 1.5, torch.ones(39)])
def test_shares_that_are_none(share):
    with pytest.raises(CourseError, match="share should be"):
        mask_tokens(many_ids(1, 5), 3, 40, (), share)


# --- pairs ------------------------------------------------------------------------------------------------------------


def paragraphs(n: int = 300, seed: int = 0):
    """Sentences of which each stands once in all; a sentence's first id is its paragraph's."""
    rng = random.Random(seed)
    return [[[1000 * i, 1000 * i + j + 1] for j in range(rng.randint(1, 4))] for i in range(n)]


def told(pair: Pair) -> list[int]:
    return [id for id in pair.first if id % 1000] + [id for id in pair.second if id % 1000]


def scenes(n: int = 300):
    return [f"scene {i % 5}" for i in range(n)]


@pytest.mark.parametrize(
    "options",
    [{}, {"negatives": "same scene", "scenes": scenes()}, {"negatives": "swapped"}],
    ids=["any", "scene", "swapped"],
)
def test_pairs_are_what_their_label_says(options):
    texts = paragraphs()
    pairs = next_sentence_pairs(texts, random.Random(1), **options)
    assert len(pairs) == len(texts)
    labels = [pair.label for pair in pairs if pair.label != IGNORE_INDEX]
    assert within(sum(label == IS_NEXT for label in labels), len(labels), 0.5)
    cuts = set()
    for paragraph, pair, scene in zip(texts, pairs, scenes()):
        whole = [id for sentence in paragraph for id in sentence]
        if len(paragraph) == 1:
            assert pair == Pair(whole, [], IGNORE_INDEX)
            continue
        assert pair.first and pair.second
        if pair.label == IS_NEXT:
            assert list(pair.first) + list(pair.second) == whole
            cuts.add((len(paragraph), len(pair.first) // 2))
        elif options.get("negatives") == "swapped":
            assert list(pair.second) + list(pair.first) == whole
        else:
            assert whole[: len(pair.first)] == pair.first
            other = pair.second[0] // 1000
            assert texts[other] != paragraph
            if "scenes" in options:
                assert scenes()[other] == scene
    assert cuts == {(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)}


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_share_of_true_pairs_can_be_chosen(share):
    pairs = next_sentence_pairs(paragraphs(), random.Random(0), next_share=share)
    assert {pair.label for pair in pairs} - {IGNORE_INDEX} == {IS_NEXT if share else NOT_NEXT}


def test_what_ends_alike_is_no_negative():
    """Nine paragraphs in ten end with the same sentence: it mustn't be called wrong after any of them."""
    texts = [[[10 + i], [7]] for i in range(90)] + [[[10 + i], [8]] for i in range(90, 100)]
    pairs = next_sentence_pairs(texts, random.Random(0), next_share=0.0)
    for text, pair in zip(texts, pairs):
        assert (pair.label == IS_NEXT) == (pair.second == text[1])
    assert sum(pair.label == NOT_NEXT for pair in pairs) > 50


def test_where_no_wrong_end_is_the_pair_is_true():
    pairs = next_sentence_pairs([[[5], [6]]], random.Random(0), next_share=0.0)
    assert pairs == [Pair([5], [6], IS_NEXT)]


def test_negatives_of_a_scene_need_the_scenes():
    for given in (None, ["one"]):
        with pytest.raises(CourseError, match="a name for each paragraph"):
            next_sentence_pairs(paragraphs(), random.Random(0), "same scene", given)
    with pytest.raises(CourseError, match="Did you mean 'swapped'"):
        next_sentence_pairs(paragraphs(), random.Random(0), "swaped")


def test_the_input_of_a_pair():
    assert pair_input([7, 8], [9], 1, 2) == ([1, 7, 8, 2, 9, 2], [0, 0, 0, 0, 1, 1])
    assert pair_input([7], [], 1, 2) == ([1, 7, 2], [0, 0, 0])


# --- batches ----------------------------------------------------------------------------------------------------------


def words(n: int = 320, seed: int = 0):
    rng = random.Random(seed)
    return [
        [[rng.randint(5, 39) for _ in range(rng.randint(1, 8))] for _ in range(rng.randint(1, 4))] for _ in range(n)
    ]


def test_a_batch():
    pairs = [Pair([5, 6, 7], [8], IS_NEXT), Pair([9], [], IGNORE_INDEX)]
    batch = collate(pairs, MARKS, share=0.0)
    assert batch.ids.tolist() == [[1, 5, 6, 7, 2, 8, 2], [1, 9, 2, 0, 0, 0, 0]]
    assert batch.segments.tolist() == [[0, 0, 0, 0, 0, 1, 1], [0] * 7]
    assert batch.next_sentence.tolist() == [IS_NEXT, IGNORE_INDEX] and batch.lengths.tolist() == [7, 3]
    assert (batch.labels == IGNORE_INDEX).all()
    assert all(tensor.device.type == "meta" for tensor in vars(batch.to("meta")).values())
    assert batch.num_tokens == 10 and batch.padding == pytest.approx(4 / 14)


def test_another_padding():
    marks = Marks(vocab_size=40, pad=9, cls=1, sep=2, mask=3)
    batch = collate([Pair([5, 6], [], IGNORE_INDEX), Pair([5], [], IGNORE_INDEX)], marks, share=1.0)
    assert batch.ids[1].tolist()[2:] == [2, 9] and batch.labels[1].tolist()[2:] == [IGNORE_INDEX] * 2


def test_each_round_has_all_paragraphs_and_new_blanks():
    texts = words()
    rows = [list(islice(bert_batches(texts, MARKS, 32, seed), 20)) for seed in (0, 0, 1)]
    for first, again, other in zip(*rows):
        assert torch.equal(first.ids, again.ids) and torch.equal(first.next_sentence, again.next_sentence)
        assert first.ids.shape != other.ids.shape or not torch.equal(first.ids, other.ids)
    assert sum(len(batch.ids) for batch in rows[0][:10]) == 320
    assert sum(batch.padding for batch in rows[0]) / 20 < 0.25  # mixed at random: a half

    alone = partial(next_sentence_pairs, next_share=1.0)
    whole = sorted([id for sentence in text for id in sentence] for text in texts)
    seen = [[], []]
    for i, batch in enumerate(islice(bert_batches(texts, MARKS, 32, 0, share=0.3, pairs=alone), 20)):
        restored = batch.ids.where(batch.labels == IGNORE_INDEX, batch.labels)
        for row in restored.tolist():
            seen[i // 10].append([id for id in row if id > 4])
    assert sorted(seen[0]) == sorted(seen[1]) == whole


def test_batches_of_nothing():
    with pytest.raises(CourseError, match="there are none"):
        bert_batches([], MARKS, 8, seed=0)
    with pytest.raises(CourseError, match="size should be a whole number"):
        bert_batches(words(), MARKS, 0, seed=0)
