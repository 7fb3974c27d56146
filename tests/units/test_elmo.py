"""ELMo: both directions against torch's bidirectional LSTM with the same weights, padding, and what no state may have seen."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.elmo import LSTM, BiLM, BiLMConfig, before_and_after, forward_and_backward, mixture, turned
from course_lib.errors import CourseError

LENGTHS = torch.tensor([6, 1, 4])


def made(layers=2, seed=0):
    torch.manual_seed(seed)
    model = BiLM(BiLMConfig(vocab_size=17, d_model=8, num_layers=layers))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model.eval()


def texts(lengths=LENGTHS, seed=1):
    ids = torch.randint(1, 17, (len(lengths), int(lengths.max())), generator=torch.Generator().manual_seed(seed))
    return ids * (torch.arange(ids.shape[1]) < lengths[:, None])


def packed(lstm, x, lengths=LENGTHS):
    """What torch's own LSTM says of texts of different lengths; zeros at padding."""
    rows = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(rows)[0], batch_first=True)[0]


def copied(into, suffix, reader, layer=0):
    for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        getattr(into, f"{kind}_l{layer}{suffix}").data.copy_(getattr(reader, f"{kind}_l0").data)


# --- parity -----------------------------------------------------------------------------------------------------------


def test_both_directions_are_those_of_torchs_bidirectional_lstm():
    model, ids = made(layers=1), texts()
    theirs = nn.LSTM(8, 8, batch_first=True, bidirectional=True)
    copied(theirs, "", model.forwards[0])
    copied(theirs, "_reverse", model.backwards[0])
    wanted = packed(theirs, model.token(ids))
    got = model.states(ids, LENGTHS)[1]
    assert torch.allclose(got, wanted, atol=1e-6)
    names = ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0"]
    weights = torch.randn(wanted.shape)
    (got * weights).sum().backward()
    (wanted * weights).sum().backward(inputs=list(theirs.parameters()))
    for name in names:
        assert torch.allclose(getattr(model.forwards[0], name).grad, getattr(theirs, name).grad, atol=1e-5)
        assert torch.allclose(
            getattr(model.backwards[0], name).grad, getattr(theirs, f"{name}_reverse").grad, atol=1e-5
        )


def test_two_layers_are_two_stacks_that_never_meet():
    model, ids = made(), texts()
    theirs = [nn.LSTM(8, 8, num_layers=2, batch_first=True) for _ in range(2)]
    for stack, readers in zip(theirs, (model.forwards, model.backwards)):
        for layer, reader in enumerate(readers):
            copied(stack, "", reader, layer)
    word, states = model.token(ids), model.states(ids, LENGTHS)
    forward = packed(theirs[0], word)
    backward = turned(packed(theirs[1], turned(word, LENGTHS)), LENGTHS)
    assert torch.allclose(states[2], torch.cat([forward, backward], -1) + states[1], atol=1e-6)  # the residual


def test_torchs_two_bidirectional_layers_would_see_the_word_that_is_asked_for():
    """Why BiLM doesn't use them: the forward state before a word moves when the word does. Ours stays."""
    model, ids = made(), texts(torch.tensor([6]))
    other = ids.clone()
    other[0, 3] = (ids[0, 3] + 5) % 17
    theirs = nn.LSTM(8, 8, num_layers=2, batch_first=True, bidirectional=True)

    def moved(states):
        before = before_and_after(states(other)) - before_and_after(states(ids))
        return before[0, 3].abs().max() > 1e-6

    assert moved(lambda x: theirs(model.token(x))[0])
    assert not moved(lambda x: model.states(x, torch.tensor([6]))[-1])


# --- what each state has read -----------------------------------------------------------------------------------------


def test_turned_turns_words_and_leaves_padding_where_it_is():
    x = torch.tensor([[5, 6, 7, 8], [9, 0, 0, 0], [1, 2, 3, 0]])
    lengths = torch.tensor([4, 1, 3])
    assert turned(x, lengths).tolist() == [[8, 7, 6, 5], [9, 0, 0, 0], [3, 2, 1, 0]]
    assert torch.equal(turned(turned(x, lengths), lengths), x)


def test_each_state_has_read_up_to_its_place():
    """Readers that count: the sum of all words so far."""
    x = torch.tensor([[[1.0], [2], [4]], [[8], [16], [0]]])
    lengths, so_far = torch.tensor([3, 2]), lambda x: x.cumsum(1)
    forward, backward = forward_and_backward(x, x, lengths, so_far, so_far)
    assert forward[..., 0].tolist() == [[1, 3, 7], [8, 24, 24]]
    assert backward[0, :, 0].tolist() == [7, 6, 4] and backward[1, :2, 0].tolist() == [24, 16]
    real = (torch.arange(3) < lengths[:, None])[..., None]
    unseen = before_and_after(torch.cat([forward, backward], -1) * real)
    assert unseen[0].tolist() == [[0, 6], [1, 4], [3, 0]]
    assert unseen[1, :2].tolist() == [[0, 16], [8, 0]]


@pytest.mark.parametrize("place", [0, 2, 5])
def test_no_logits_have_seen_their_own_word(place):
    model, ids = made(), texts(torch.tensor([6]))
    lengths, other = torch.tensor([6]), ids.clone()
    other[0, place] = (ids[0, place] + 3) % 17
    differ = (model.logits(ids, lengths) - model.logits(other, lengths)).abs().amax((1, 3)) > 1e-6  # (2, n)
    n = torch.arange(6)
    assert differ[0].tolist() == (n > place).tolist()
    assert differ[1].tolist() == (n < place).tolist()


def test_padding_changes_nothing_and_is_zero():
    model, ids = made(), texts()
    states = model.states(ids, LENGTHS)
    assert states.shape == (3, 3, 6, 16)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = model.states(ids[row : row + 1, :length], LENGTHS[row : row + 1])
        assert torch.allclose(states[:, row, :length], alone[:, 0], atol=1e-6)
        assert not states[:, row, length:].any()
    losses = [model.loss(ids[i : i + 1, :n], LENGTHS[i : i + 1]) for i, n in enumerate(LENGTHS.tolist())]
    mean = sum(loss * n for loss, n in zip(losses, LENGTHS)) / LENGTHS.sum()
    assert torch.allclose(model.loss(ids, LENGTHS), mean, atol=1e-5)


def test_a_text_of_one_word_is_guessed_from_nothing():
    model = made()
    ids, one = torch.tensor([[4]]), torch.tensor([1])
    assert torch.allclose(model.logits(ids, one), model.bias.expand(2, 1, 1, -1))
    assert torch.allclose(model.loss(ids, one), -model.bias.log_softmax(0)[4])


def test_layer_0_is_the_words_own_vector_twice():
    model, ids = made(), texts()
    states = model.states(ids, LENGTHS)[0]
    assert torch.equal(states[0, 2], model.token.weight[ids[0, 2]].repeat(2))


def test_the_loss_is_the_mean_over_words_and_directions():
    model, ids = made(), texts()
    forward, backward = model.logits(ids, LENGTHS).log_softmax(-1)
    each = [
        -table[row, i, ids[row, i]]
        for table in (forward, backward)
        for row, length in enumerate(LENGTHS.tolist())
        for i in range(length)
    ]
    assert torch.allclose(model.loss(ids, LENGTHS), torch.stack(each).mean(), atol=1e-5)


def test_it_learns_both_directions():
    """In each text the last word follows from the first, and the first from the last: only a memory can know."""
    torch.manual_seed(0)
    ids = torch.tensor([[a, 5, 6, a + 10] for a in (1, 2, 3, 4)])
    lengths = torch.full((4,), 4)
    model = BiLM(BiLMConfig(17, d_model=16))
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(120):
        optimizer.zero_grad()
        model.loss(ids, lengths).backward()
        optimizer.step()
    forward, backward = model.logits(ids, lengths).argmax(-1)
    assert torch.equal(forward[:, 3], ids[:, 3])
    assert torch.equal(backward[:, 0], ids[:, 0])


# --- mixture ----------------------------------------------------------------------------------------------------------


def test_mixture_is_the_papers_sum():
    states, s = torch.randn(3, 2, 5, 4), torch.randn(3)
    shares = torch.exp(s) / torch.exp(s).sum()
    assert torch.allclose(mixture(states, s, 1.7), 1.7 * sum(share * h for share, h in zip(shares, states)), atol=1e-6)
    assert torch.allclose(mixture(states, torch.tensor([0.0, 0, 100])), states[2], atol=1e-6)
    assert torch.allclose(mixture(states, torch.zeros(3)), states.mean(0), atol=1e-6)


def test_s_and_gamma_can_be_learned():
    states, s, gamma = torch.randn(3, 2, 4), torch.zeros(3, requires_grad=True), torch.ones((), requires_grad=True)
    mixture(states, s, gamma).square().sum().backward()
    assert s.grad.abs().max() > 0 and gamma.grad.abs() > 0


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lengths", [torch.tensor([6, 0, 4]), torch.tensor([6, 7, 4]), torch.tensor([6, 1]), torch.tensor([6.0, 1.0, 4.0])]
)
def test_lengths_that_do_not_fit_are_refused(lengths, unchecked):
    model = unchecked.BiLM(unchecked.BiLMConfig(17, d_model=8))
    with pytest.raises(CourseError, match="lengths should be one whole number from 1 to n = 6 for each of the 3 texts"):
        model.loss(texts(), lengths)


def test_ids_that_are_no_words_are_refused():
    with pytest.raises(CourseError, match="ids has ids from"):
        made().states(torch.tensor([[3, 17]]), torch.tensor([2]))


def test_sizes_are_checked():
    with pytest.raises(CourseError, match="num_layers should be a whole number from 1 up; got 0"):
        BiLMConfig(10, num_layers=0)


def test_parameters_are_counted_by_hand():
    vocab, d = 17, 8
    model = BiLM(BiLMConfig(vocab, d))
    lstm = 4 * (d * d + d * d + 2 * d)  # four gates: of the word, of the state before, two biases
    assert sum(p.numel() for p in model.parameters()) == vocab * d + 4 * lstm + vocab
    assert sum(p.numel() for p in LSTM(d).parameters()) == lstm


def test_the_loss_is_torchs_cross_entropy_of_the_logits():
    model, ids = made(), texts(torch.tensor([5, 5]))
    lengths = torch.tensor([5, 5])
    logits = model.logits(ids, lengths).flatten(0, 2)
    assert torch.allclose(model.loss(ids, lengths), F.cross_entropy(logits, ids.repeat(2, 1).flatten()), atol=1e-6)
