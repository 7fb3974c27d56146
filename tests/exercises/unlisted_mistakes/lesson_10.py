"""Unlisted wrong answers to lesson 10, from word vectors to context."""

import math
import random

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 10.window_pairs --------------------------------------------------------------------------------------------------

K = "10.window_pairs"


def pairs_by(sentences, keep, pair=lambda words, i, j: (words[i], words[j])):
    return [
        pair(words, i, j) for words in sentences for i in range(len(words)) for j in range(len(words)) if keep(i, j)
    ]


@wrong(K)
def pairs_right_wider(sentences, window):
    return pairs_by(sentences, lambda i, j: i != j and -window <= j - i <= window + 1)


@wrong(K)
def pairs_left_one(sentences, window):
    return pairs_by(sentences, lambda i, j: i != j and -1 <= j - i <= window)


@wrong(K)
def pairs_even_gaps(sentences, window):
    return pairs_by(sentences, lambda i, j: i != j and abs(i - j) <= window and (i - j) % 2 == 0)


@wrong(K)
def pairs_up_to_window_from_start(sentences, window):
    return pairs_by(sentences, lambda i, j: i != j and j <= i + window)


@wrong(K)
def pairs_outside_the_window(sentences, window):
    return pairs_by(sentences, lambda i, j: abs(i - j) > window)


@wrong(K)
def pairs_first_of_each_sentence_as_company(sentences, window):
    return pairs_by(sentences, lambda i, j: j == 0 and 0 < i <= window)


@wrong(K)
def pairs_text_in_reverse(sentences, window):
    return pairs_by([words[::-1] for words in sentences], lambda i, j: 0 < abs(i - j) <= window)


@wrong(K)
def pairs_sentences_in_reverse(sentences, window):
    return pairs_by(sentences[::-1], lambda i, j: 0 < abs(i - j) <= window)


@wrong(K)
def pairs_capitals(sentences, window):
    return pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window, lambda w, i, j: (w[i].title(), w[j]))


@wrong(K)
def pairs_without_the(sentences, window):
    kept = [[word for word in words if word not in ("the", "a", "and")] for words in sentences]
    return pairs_by(kept, lambda i, j: 0 < abs(i - j) <= window)


@wrong(K)
def pairs_chunks_of_the_window(sentences, window):
    return pairs_by(sentences, lambda i, j: i != j and i // (window + 1) == j // (window + 1))


@wrong(K)
def pairs_as_dictionaries(sentences, window):
    return pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window, lambda w, i, j: {w[i]: w[j]})


@wrong(K)
def pairs_two_lists(sentences, window):
    pairs = pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window)
    return [a for a, _ in pairs], [b for _, b in pairs]


@wrong(K)
def pairs_a_dictionary(sentences, window):
    company = {}
    for a, b in pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window):
        company.setdefault(a, []).append(b)
    return company


@wrong(K)
def pairs_a_set(sentences, window):
    return set(pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window))


@wrong(K)
def pairs_with_places(sentences, window):
    return pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window, lambda w, i, j: ((w[i], i), (w[j], j)))


@wrong(K)
def pairs_shuffled(sentences, window):
    pairs = pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window)
    return random.Random(0).sample(pairs, len(pairs))


@wrong(K)
def pairs_printed(sentences, window):
    pairs_by(sentences, lambda i, j: 0 < abs(i - j) <= window)


@wrong(K)
def pairs_across_one_side(sentences, window):
    words = [word for sentence in sentences for word in sentence]
    return pairs_by([words], lambda i, j: 0 < j - i <= window)


@wrong(K)
def pairs_skip_and_self(sentences, window):
    return pairs_by(sentences, lambda i, j: i <= j <= i + window)


@wrong(K)
def pairs_strict_window_words_differ(sentences, window):
    return [
        (w, c)
        for words in sentences
        for i, w in enumerate(words)
        for c in words[max(0, i - window) : i + window + 1]
        if c != w
    ]


@wrong(K)
def pairs_within_each_window_all(sentences, window):
    """All pairs inside each window, not only those of its middle word."""
    found = []
    for words in sentences:
        for i in range(len(words)):
            part = words[max(0, i - window) : i + window + 1]
            found += [(a, b) for x, a in enumerate(part) for y, b in enumerate(part) if x != y]
    return found


# --- 10.negative_sampling_loss ----------------------------------------------------------------------------------------

K = "10.negative_sampling_loss"


def loss_of(words, company, strangers, yes=F.logsigmoid, no=lambda x: F.logsigmoid(-x), scale=1.0):
    a = (words * company).sum(-1) * scale
    b = torch.einsum("pd,pkd->pk", words, strangers) * scale
    return -(yes(a) + no(b).sum(-1)).mean()


@wrong(K)
def nsl_twice_the_products(words, company, strangers):
    return loss_of(words, company, strangers, scale=2.0)


@wrong(K)
def nsl_divided_by_d(words, company, strangers):
    return loss_of(words, company, strangers, scale=1 / words.shape[-1])


@wrong(K)
def nsl_halved(words, company, strangers):
    return loss_of(words, company, strangers) / 2


@wrong(K)
def nsl_divided_by_k(words, company, strangers):
    return loss_of(words, company, strangers) / strangers.shape[1]


@wrong(K)
def nsl_company_times_k(words, company, strangers):
    return loss_of(words, company, strangers, yes=lambda x: strangers.shape[1] * F.logsigmoid(x))


@wrong(K)
def nsl_tanh(words, company, strangers):
    return loss_of(words, company, strangers, yes=torch.tanh, no=lambda x: torch.tanh(-x))


@wrong(K)
def nsl_hinge(words, company, strangers):
    return loss_of(words, company, strangers, yes=lambda x: -(1 - x).relu(), no=lambda x: -(1 + x).relu())


@wrong(K)
def nsl_distances(words, company, strangers):
    return ((words - company).square().sum(-1) - (words[:, None] - strangers).square().sum(-1).sum(-1)).mean()


@wrong(K)
def nsl_absolute(words, company, strangers):
    return loss_of(words, company, strangers, yes=lambda x: F.logsigmoid(x.abs()))


@wrong(K)
def nsl_strangers_of_next_pair(words, company, strangers):
    return loss_of(words, company, strangers.roll(1, 0))


@wrong(K)
def nsl_words_and_company_swapped(words, company, strangers):
    return loss_of(company, words, strangers)


@wrong(K)
def nsl_normalised_words_only(words, company, strangers):
    return loss_of(F.normalize(words, dim=-1), company, strangers)


@wrong(K)
def nsl_softmax_over_strangers(words, company, strangers):
    return loss_of(words, company, strangers, no=lambda x: -x.log_softmax(-1))


@wrong(K)
def nsl_clamped(words, company, strangers):
    return loss_of(
        words,
        company,
        strangers,
        yes=lambda x: torch.sigmoid(x).clamp(min=1e-3).log(),
        no=lambda x: torch.sigmoid(-x).clamp(min=1e-3).log(),
    )


@wrong(K)
def nsl_base_ten(words, company, strangers):
    return loss_of(words, company, strangers) / math.log(10)


@wrong(K)
def nsl_bce_mean(words, company, strangers):
    asked = torch.cat([company[:, None], strangers], 1)
    logits = torch.einsum("pd,pkd->pk", words, asked)
    target = F.one_hot(torch.zeros(len(words), dtype=torch.long), logits.shape[1]).to(logits.dtype)
    return F.binary_cross_entropy_with_logits(logits, target)


@wrong(K)
def nsl_bce_targets_turned(words, company, strangers):
    asked = torch.cat([company[:, None], strangers], 1)
    logits = torch.einsum("pd,pkd->pk", words, asked)
    target = 1 - F.one_hot(torch.zeros(len(words), dtype=torch.long), logits.shape[1]).to(logits.dtype)
    return F.binary_cross_entropy_with_logits(logits, target, reduction="sum") / len(words)


@wrong(K)
def nsl_bce_all_ones(words, company, strangers):
    asked = torch.cat([company[:, None], strangers], 1)
    logits = torch.einsum("pd,pkd->pk", words, asked)
    return F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits), reduction="sum") / len(words)


@wrong(K)
def nsl_cross_entropy(words, company, strangers):
    asked = torch.cat([company[:, None], strangers], 1)
    return F.cross_entropy(
        torch.einsum("pd,pkd->pk", words, asked), torch.zeros(len(words), dtype=torch.long), reduction="sum"
    )


@wrong(K)
def nsl_sum_and_sign(words, company, strangers):
    return -loss_of(words, company, strangers) * len(words)


@wrong(K)
def nsl_a_number(words, company, strangers):
    return loss_of(words, company, strangers).item()


@wrong(K)
def nsl_detached(words, company, strangers):
    return loss_of(words.detach(), company, strangers)


@wrong(K)
def nsl_strangers_yes_mean(words, company, strangers):
    return loss_of(words, company, strangers, no=lambda x: F.logsigmoid(x) / x.shape[-1])


# --- 10.nearest_words -------------------------------------------------------------------------------------------------

K = "10.nearest_words"


def ranked(near, word, k):
    near = near.clone()
    near[word] = -torch.inf
    return near.topk(k).indices


@wrong(K)
def near_weighted_by_length(vectors, word, k):
    return ranked(F.cosine_similarity(vectors, vectors[word], dim=-1) * vectors.norm(dim=-1).sqrt(), word, k)


@wrong(K)
def near_as_list(vectors, word, k):
    return ranked(F.normalize(vectors, dim=-1) @ vectors[word], word, k).tolist()


@wrong(K)
def near_as_floats(vectors, word, k):
    return ranked(F.normalize(vectors, dim=-1) @ vectors[word], word, k).float()


@wrong(K)
def near_pairs_of_id_and_cosine(vectors, word, k):
    return F.cosine_similarity(vectors, vectors[word], dim=-1).topk(k + 1)


@wrong(K)
def near_counted_from_1(vectors, word, k):
    return ranked(F.normalize(vectors, dim=-1) @ vectors[word], word, k) + 1


@wrong(K)
def near_most_common_norm(vectors, word, k):
    return ranked(-(vectors.norm(dim=-1) - vectors[word].norm()).abs(), word, k)


@wrong(K)
def near_first_number(vectors, word, k):
    return ranked(-(vectors[:, 0] - vectors[word, 0]).abs(), word, k)


@wrong(K)
def near_manhattan_of_unit(vectors, word, k):
    unit = F.normalize(vectors, dim=-1)
    return ranked(-(unit - unit[word]).abs().sum(-1), word, k)


@wrong(K)
def near_l1_normalised(vectors, word, k):
    unit = vectors / vectors.abs().sum(-1, keepdim=True)
    return ranked(unit @ unit[word], word, k)


@wrong(K)
def near_neighbours_of_the_id(vectors, word, k):
    return (word + 1 + torch.arange(k)) % len(vectors)


@wrong(K)
def near_all_but_first_k(vectors, word, k):
    return (F.normalize(vectors, dim=-1) @ vectors[word]).argsort(descending=True)[k:]


@wrong(K)
def near_ascending_one_dropped(vectors, word, k):
    return (F.normalize(vectors, dim=-1) @ vectors[word]).argsort()[1 : k + 1]


@wrong(K)
def near_ascending_from_the_end(vectors, word, k):
    return (F.normalize(vectors, dim=-1) @ vectors[word]).argsort()[-k - 1 : -1]


@wrong(K)
def near_standardised(vectors, word, k):
    z = (vectors - vectors.mean(0)) / vectors.std(0, correction=0)
    return ranked(F.normalize(z, dim=-1) @ z[word], word, k)


@wrong(K)
def near_sigmoid(vectors, word, k):
    return ranked(torch.sigmoid(vectors @ vectors[word]), word, k)


@wrong(K)
def near_other_side(vectors, word, k):
    return ranked(-(F.normalize(vectors, dim=-1) @ vectors[word]), word, k)


@wrong(K)
def near_always_the_same(vectors, word, k):
    return torch.arange(k)


@wrong(K)
def near_topk_of_itself_and_sorted(vectors, word, k):
    return (F.normalize(vectors, dim=-1) @ vectors[word]).topk(k + 1).indices[1:].sort().values


@wrong(K)
def near_masked_before_normalising(vectors, word, k):
    own = vectors[word].clone()
    vectors = vectors.clone()
    vectors[word] = 0
    return (F.normalize(vectors, dim=-1) @ own).topk(k).indices


@wrong(K)
def near_changed_in_place(vectors, word, k):
    vectors /= vectors.norm(dim=-1, keepdim=True)
    return ranked(vectors @ vectors[word], word, k)


@wrong(K)
def near_dot_k_plus_one(vectors, word, k):
    return (vectors @ vectors[word]).topk(k + 1).indices[1:]


@wrong(K)
def near_euclid_k_plus_one(vectors, word, k):
    return (vectors - vectors[word]).norm(dim=-1).argsort()[1 : k + 1]


# --- 10.both_directions -----------------------------------------------------------------------------------------------

K = "10.both_directions"


def later(states):
    return F.pad(states[:, :-1], (0, 0, 1, 0))


def earlier(states):
    return F.pad(states[:, 1:], (0, 0, 0, 1))


@wrong(K)
def both_two_on_one(x, forward, backward):
    return torch.cat([later(forward(x)), earlier(backward(x.flip(1)).flip(1))], -1).flip(-1)


@wrong(K)
def both_alternating(x, forward, backward):
    return torch.stack([later(forward(x)), earlier(backward(x.flip(1)).flip(1))], -1).flatten(2)


@wrong(K)
def both_last_of_backward(x, forward, backward):
    b = backward(x.flip(1))
    return torch.cat([later(forward(x)), b[:, -1:].expand_as(b)], -1)


@wrong(K)
def both_backward_from_the_first(x, forward, backward):
    b = backward(x.flip(1)).flip(1)
    return torch.cat([later(forward(x)), b[:, :1].expand_as(b)], -1)


@wrong(K)
def both_transposed(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([later(f), earlier(b)], -1).mT


@wrong(K)
def both_batch_rolled(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([f.roll(1, 0), b.roll(-1, 0)], -1)


@wrong(K)
def both_shift_along_features(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([F.pad(f[..., :-1], (1, 0)), F.pad(b[..., 1:], (0, 1))], -1)


@wrong(K)
def both_forward_two_back(x, forward, backward):
    return torch.cat([later(later(forward(x))), earlier(backward(x.flip(1)).flip(1))], -1)


@wrong(K)
def both_backward_two_on(x, forward, backward):
    return torch.cat([later(forward(x)), earlier(earlier(backward(x.flip(1)).flip(1)))], -1)


@wrong(K)
def both_forward_of_the_flipped(x, forward, backward):
    return torch.cat([later(forward(x)), earlier(forward(x.flip(1)).flip(1))], -1).detach()


@wrong(K)
def both_zeros_at_wrong_ends(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([F.pad(f[:, :-1], (0, 0, 0, 1)), F.pad(b[:, 1:], (0, 0, 1, 0))], -1)


@wrong(K)
def both_own_word_hidden(x, forward, backward):
    rows = []
    for i in range(x.shape[1]):
        hidden = x.clone()
        hidden[:, i] = 0
        rows.append(torch.cat([forward(hidden)[:, i], backward(hidden.flip(1)).flip(1)[:, i]], -1))
    return torch.stack(rows, 1)


@wrong(K)
def both_own_word_cut_out(x, forward, backward):
    """Both read all other words."""
    if x.shape[1] == 1:
        f = forward(x)
        return torch.zeros_like(torch.cat([f, f], -1))
    rows = []
    for i in range(x.shape[1]):
        rest = torch.cat([x[:, :i], x[:, i + 1 :]], 1)
        rows.append(torch.cat([forward(rest)[:, -1], backward(rest.flip(1))[:, -1]], -1))
    return torch.stack(rows, 1)


@wrong(K)
def both_after_read_left_to_right(x, forward, backward):
    f = forward(x)
    rows = []
    for i in range(x.shape[1]):
        before = forward(x[:, :i])[:, -1] if i else torch.zeros_like(f[:, 0])
        after = backward(x[:, i + 1 :])[:, -1] if i < x.shape[1] - 1 else torch.zeros_like(f[:, 0])
        rows.append(torch.cat([before, after], -1))
    return torch.stack(rows, 1)


@wrong(K)
def both_up_to_and_with(x, forward, backward):
    rows = [
        torch.cat([forward(x[:, : i + 1])[:, -1], backward(x[:, i:].flip(1))[:, -1]], -1) for i in range(x.shape[1])
    ]
    return torch.stack(rows, 1)


@wrong(K)
def both_inputs_changed(x, forward, backward):
    f = later(forward(x))
    x.copy_(x.flip(1))
    return torch.cat([f, earlier(backward(x).flip(1))], -1)


@wrong(K)
def both_states_added_to_words(x, forward, backward):
    f, b = later(forward(x)), earlier(backward(x.flip(1)).flip(1))
    return torch.cat([f, b], -1) + 1


@wrong(K)
def both_a_third_part(x, forward, backward):
    return torch.cat([later(forward(x)), x, earlier(backward(x.flip(1)).flip(1))], -1)


@wrong(K)
def both_first_zero_only(x, forward, backward):
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([later(f), torch.cat([b[:, 1:], b[:, -1:]], 1)], -1)


@wrong(K)
def both_both_later(x, forward, backward):
    return later(torch.cat([forward(x), backward(x.flip(1)).flip(1)], -1))


@wrong(K)
def both_flip_the_whole(x, forward, backward):
    return torch.cat([later(forward(x)), later(backward(x.flip(1)))], -1).flip(1)


@wrong(K)
def both_none(x, forward, backward):
    torch.cat([later(forward(x)), earlier(backward(x.flip(1)).flip(1))], -1)


# --- 10.mixture -------------------------------------------------------------------------------------------------------

K = "10.mixture"


def mixed(states, w, gamma):
    return gamma * torch.einsum("l,l...->...", w, states)


@wrong(K)
def mix_twice_gamma(states, s, gamma):
    return mixed(states, s.softmax(0), 2 * gamma)


@wrong(K)
def mix_root_of_gamma(states, s, gamma):
    return mixed(states, s.softmax(0), gamma.sqrt())


@wrong(K)
def mix_softmax_of_gamma(states, s, gamma):
    return mixed(states, s.softmax(0), gamma.softmax(0))


@wrong(K)
def mix_sorted(states, s, gamma):
    return mixed(states, s.softmax(0).sort().values, gamma)


@wrong(K)
def mix_shares_shifted(states, s, gamma):
    return mixed(states, s.softmax(0).roll(1), gamma)


@wrong(K)
def mix_top_two(states, s, gamma):
    return mixed(states[-2:], s[-2:].softmax(0), gamma)


@wrong(K)
def mix_layers_times_number(states, s, gamma):
    return len(s) * mixed(states, s.softmax(0), gamma)


@wrong(K)
def mix_gelu(states, s, gamma):
    return F.gelu(mixed(states, s.softmax(0), gamma))


@wrong(K)
def mix_tanh(states, s, gamma):
    return mixed(states.tanh(), s.softmax(0), gamma)


@wrong(K)
def mix_temperature_two(states, s, gamma):
    return mixed(states, (s / 2).softmax(0), gamma)


@wrong(K)
def mix_sum_plus_top(states, s, gamma):
    return mixed(states, s.softmax(0), gamma) + states[-1]


@wrong(K)
def mix_softplus(states, s, gamma):
    w = F.softplus(s)
    return mixed(states, w / w.sum(), gamma)


@wrong(K)
def mix_standardised_s(states, s, gamma):
    return mixed(states, (s - s.mean()).softmax(0) * s, gamma)


@wrong(K)
def mix_gamma_per_layer(states, s, gamma):
    return mixed(states, s.softmax(0) ** gamma, 1.0)


@wrong(K)
def mix_mean_over_words(states, s, gamma):
    return mixed(states, s.softmax(0), gamma).mean(0)


@wrong(K)
def mix_median(states, s, gamma):
    return gamma * states.median(0).values


@wrong(K)
def mix_attention(states, s, gamma):
    w = states.mean(-1).softmax(0)
    return gamma * (w[..., None] * states).sum(0)


@wrong(K)
def mix_s_over_all(states, s, gamma):
    w = s.exp() / states.exp().sum()
    return mixed(states, w, gamma)


@wrong(K)
def mix_no_softmax_twice_gamma(states, s, gamma):
    return mixed(states, s, gamma * gamma)


@wrong(K)
def mix_rounded(states, s, gamma):
    return mixed(states, (s.softmax(0) * 100).round() / 100, gamma)


@wrong(K)
def mix_tuple(states, s, gamma):
    return mixed(states, s.softmax(0), gamma), s.softmax(0)


@wrong(K)
def mix_gamma_before_layers_one(states, s, gamma):
    return s.softmax(0)[0] * states[0] + gamma * torch.einsum("l,l...->...", s.softmax(0)[1:], states[1:])


@wrong(K)
def mix_softmax_without_dim_of_rows(states, s, gamma):
    return mixed(states, s[None].softmax(0)[0], gamma)
