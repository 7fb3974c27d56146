"""word2vec: pairs and loss against loops, gradients against torch's own cross-entropy, and what it learns of company."""

from itertools import islice

import pytest
import torch
import torch.nn.functional as F

from course_lib.errors import CourseError
from course_lib.training import fit
from course_lib.word2vec import (
    SkipGram,
    cosines,
    nearest,
    negative_sampling_loss,
    noise,
    training_batches,
    window_pairs,
)


def random_sentences(seed=0, vocab=12, lengths=(5, 1, 0, 9, 2)):
    g = torch.Generator().manual_seed(seed)
    return [torch.randint(vocab, (n,), generator=g).tolist() for n in lengths]


def randn(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


# --- pairs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [1, 2, 3, 20])
def test_pairs_are_those_of_a_loop_over_the_places_in_their_order(window):
    sentences = random_sentences()
    pairs = [
        [word, sentence[j]]
        for sentence in sentences
        for i, word in enumerate(sentence)
        for j in range(len(sentence))
        if i != j and abs(i - j) <= window
    ]
    assert window_pairs(sentences, window).tolist() == pairs


@pytest.mark.parametrize("sentences", [[], [[]], [[3], [4]]])
def test_no_company_no_pairs(sentences):
    assert window_pairs(sentences, 2).shape == (0, 2)


def test_a_word_that_stands_twice_keeps_company_with_itself():
    assert window_pairs([[7, 7]], 1).tolist() == [[7, 7], [7, 7]]


def test_a_window_of_nothing_is_refused():
    with pytest.raises(CourseError, match="window should be a whole number from 1 up; got 0"):
        window_pairs([[1, 2]], 0)


def test_noise_lies_between_all_alike_and_the_counts():
    counts = torch.tensor([1, 0, 81])
    assert torch.allclose(noise(counts), torch.tensor([1 / 28, 0, 27 / 28]))
    assert torch.allclose(noise(counts, power=1.0), counts / 82)
    assert torch.allclose(noise(counts, power=0.0), torch.tensor([0.5, 0, 0.5]))


@pytest.mark.parametrize("counts", [[0, 0], [], [-1, 2], [[1, 2]]])
def test_counts_that_nothing_can_be_drawn_by_are_refused(counts):
    with pytest.raises(CourseError, match="counts should be"):
        noise(torch.tensor(counts))


# --- the loss ---------------------------------------------------------------------------------------------------------


def test_the_loss_is_that_of_a_loop():
    words, company, strangers = randn(6, 4), randn(6, 4, seed=1), randn(6, 3, 4, seed=2)
    total = 0.0
    for w, c, others in zip(words, company, strangers):
        total -= torch.log(torch.sigmoid(w @ c))
        for s in others:
            total -= torch.log(1 - torch.sigmoid(w @ s))
    assert torch.allclose(negative_sampling_loss(words, company, strangers), total / 6)


def test_loss_and_gradients_are_those_of_torchs_binary_cross_entropy():
    torch.manual_seed(0)
    ours = SkipGram(9, 5).double()
    torch.nn.init.normal_(ours.company.weight)
    tables = [ours.word.weight.detach().clone(), ours.company.weight.detach().clone()]
    word, company = (table.requires_grad_() for table in tables)
    pairs, strangers = torch.randint(9, (20, 2)), torch.randint(9, (20, 4))
    asked = torch.cat([pairs[:, 1:], strangers], dim=1)  # (pair, 1 + k)
    logits = (word[pairs[:, :1]] * company[asked]).sum(-1)
    right = F.one_hot(torch.zeros(20, dtype=torch.long), 5).double()
    theirs = F.binary_cross_entropy_with_logits(logits, right, reduction="sum") / 20
    loss = ours.loss((pairs, strangers))
    assert torch.allclose(loss, theirs)
    loss.backward(), theirs.backward()
    assert torch.allclose(ours.word.weight.grad, word.grad)
    assert torch.allclose(ours.company.weight.grad, company.grad)
    assert word.grad.abs().max() > 0.01


def test_large_products_stay_finite():
    far = torch.full((1, 2), 1e3)
    assert negative_sampling_loss(far, -far, far[:, None]).isfinite()


def test_an_untrained_model_says_one_half_to_everything():
    model = SkipGram(9, 5)
    assert torch.allclose(model.loss((torch.zeros(3, 2).long(), torch.ones(3, 4).long())), 5 * torch.tensor(2.0).log())


# --- batches and training ---------------------------------------------------------------------------------------------


def test_batches_hold_true_pairs_once_a_round_and_strangers_by_noise():
    sentences = random_sentences(lengths=(7, 4, 9))
    pairs = window_pairs(sentences, 2)
    stream = training_batches(sentences, 12, window=2, strangers=3, size=16, threshold=1.0)
    got = list(islice(stream, -(-len(pairs) // 16)))
    assert sorted(torch.cat([each for each, _ in got]).tolist()) == sorted(pairs.tolist())
    assert all(each.shape == (len(part), 3) for part, each in got)
    assert {len(part) for part, _ in got[:-1]} == {16}
    words = {word for sentence in sentences for word in sentence}
    assert {int(word) for _, each in got for word in each.flatten()} <= words


def test_frequent_words_are_thinned_out_and_windows_reach_over_the_gaps():
    sentences = [[1, 0, 2], [3, 0, 4]] * 500
    pairs, _ = next(training_batches(sentences, 5, window=1, size=100_000, threshold=0.2))
    stays = (0.2 / (1 / 3)) ** 0.5  # word 0 is a third of the text; the others, a sixth each, all stay
    with_it = (pairs == 0).any(1).float().mean()
    assert torch.allclose(with_it, torch.tensor(4 * stays / (4 * stays + 2 * (1 - stays))), atol=0.03)
    assert [1, 2] in pairs.tolist() and [2, 3] not in pairs.tolist()


def test_the_same_seed_gives_the_same_batches():
    runs = [list(islice(training_batches(random_sentences(), 12, size=8, seed=seed), 5)) for seed in (3, 3, 4)]
    assert all(torch.equal(a, b) for one, other in zip(runs[0], runs[1]) for a, b in zip(one, other))
    assert not torch.equal(runs[0][0][0], runs[2][0][0])


def test_texts_without_pairs_and_ids_too_high_are_refused():
    with pytest.raises(CourseError, match="no sentence has two words"):
        next(training_batches([[1], []], 5))
    with pytest.raises(CourseError, match="vocab_size is 5, but the sentences have the id 7"):
        next(training_batches([[1, 7]], 5))


def test_words_of_the_same_company_come_to_lie_together():
    """0–3 stand beside 8 or 9, 4–7 beside 10 or 11, in turns; nobody says which are alike."""
    sentences = [[x, 8 + 2 * (x > 3) + i % 2] for i in range(200) for x in range(8)]
    torch.manual_seed(0)
    model = SkipGram(12, 8)
    batches = training_batches(sentences, 12, window=1, size=256, threshold=1.0)
    fit(model, batches, model.loss, 150, torch.optim.Adam(model.parameters(), 0.02), progress=False)
    for word in range(8):
        assert {int(near) > 3 for near in nearest(model.word.weight, word, 3)} == {word > 3}


# --- nearest ----------------------------------------------------------------------------------------------------------


def test_nearest_goes_by_the_angle_alone_and_leaves_the_word_out():
    vectors = torch.tensor([[1.0, 0], [50, 40], [0.1, 0.01], [-3, 0]])
    assert torch.allclose(cosines(vectors, 0), torch.tensor([1, 50 / 4100**0.5, 10 / 101**0.5, -1]))
    assert nearest(vectors, 0, 3).tolist() == [2, 1, 3]


@pytest.mark.parametrize(("word", "k"), [(4, 1), (-1, 1), (0, 0), (0, 4)])
def test_words_and_numbers_that_there_are_not_are_refused(word, k):
    with pytest.raises(CourseError, match="Of 4 words"):
        nearest(torch.eye(4), word, k)
