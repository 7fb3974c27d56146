"""A fourth set for lesson 11, BERT: twelve ordinary wrong answers an exercise. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong
from unlisted_mistakes.student_11 import joined

S, M, L, P, W = (
    f"11.{name}" for name in ("input_sum", "mask_tokens", "mlm_loss", "next_sentence_pairs", "previous_token")
)


@wrong(S)
def fourth_sum_cat_of_numbers(a, b, token, segment, position, cls_id, sep_id):
    """cls_id is a number, and torch.cat wants tensors."""
    ids = torch.cat([cls_id, a, sep_id] + ([b, sep_id] if b is not None else []))
    return token[ids] + position[: len(ids)]


@wrong(S)
def fourth_sum_tensor_of_tensors(a, b, token, segment, position, cls_id, sep_id):
    """torch.tensor of a list in which tensors stand."""
    ids = torch.tensor([cls_id, a, sep_id, b, sep_id])
    return token[ids] + position[: len(ids)]


@wrong(S)
def fourth_sum_segments_too_short(a, b, token, segment, position, cls_id, sep_id):
    """The segments forget the last [SEP]: one too few."""
    ids, _ = joined(a, b, cls_id, sep_id)
    segments = torch.tensor([0] * (len(a) + 2) + [1] * (0 if b is None else len(b)))
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(S)
def fourth_sum_if_b(a, b, token, segment, position, cls_id, sep_id):
    """`if b:` asks a tensor of several numbers for its truth."""
    ids, segments = joined(a, b if b else None, cls_id, sep_id)
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(S)
def fourth_sum_empty_float(a, b, token, segment, position, cls_id, sep_id):
    """torch.tensor([]) for a missing B is of floats, and so are then all ids."""
    if b is None:
        ids = torch.cat([torch.tensor([cls_id]), a, torch.tensor([sep_id]), torch.tensor([])])
        return token[ids] + segment[0] + position[: len(ids)]
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(S)
def fourth_sum_one_position(a, b, token, segment, position, cls_id, sep_id):
    """position[len(ids)] without the colon: one row, behind the text's last, for all places."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[len(ids)]


@wrong(S)
def fourth_sum_positions_too_few(a, b, token, segment, position, cls_id, sep_id):
    """position[: n_a + n_b + 2]: one row too few for two sentences."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[: len(a) + (0 if b is None else len(b)) + 2]


@wrong(S)
def fourth_sum_positions_as_numbers(a, b, token, segment, position, cls_id, sep_id):
    """The positions 0, 1, 2, … themselves are added, not their vectors."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + torch.arange(len(ids))[:, None]


@wrong(S)
def fourth_sum_segments_as_numbers(a, b, token, segment, position, cls_id, sep_id):
    """The segments' numbers 0 and 1 are added, not their vectors."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segments[:, None] + position[: len(ids)]


@wrong(S)
def fourth_sum_nothing_for_single(a, b, token, segment, position, cls_id, sep_id):
    """The return stands inside `if b is not None`."""
    if b is not None:
        ids, segments = joined(a, b, cls_id, sep_id)
        return token[ids] + segment[segments] + position[: len(ids)]


@wrong(S)
def fourth_sum_bare_cls(a, b, token, segment, position, cls_id, sep_id):
    """[CLS] is put in front at last, as its token alone: positions begin at A's first word."""
    ids, segments = joined(a, b, cls_id, sep_id)
    rest = token[ids[1:]] + segment[segments[1:]] + position[: len(ids) - 1]
    return torch.cat([token[cls_id][None], rest])


@wrong(S)
def fourth_sum_from_one_no_last_sep(a, b, token, segment, position, cls_id, sep_id):
    """Two mistakes: positions begin at 1, and B has no [SEP]."""
    ids, segments = joined(a, b, cls_id, sep_id)
    if b is not None:
        ids, segments = ids[:-1], segments[:-1]
    return token[ids] + segment[segments] + position[1 : len(ids) + 1]


@wrong(M)
def fourth_mask_and_not(ids, special, chance, die, random_ids, mask_id):
    """`and not` on tensors."""
    chosen = (chance < 0.15) and not special
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


@wrong(M)
def fourth_mask_chained_index(ids, special, chance, die, random_ids, mask_id):
    """inputs[chosen][…] = … writes into a copy: nothing is masked."""
    chosen, inputs = (chance < 0.15) & ~special, ids.clone()
    inputs[chosen][die[chosen] < 0.8] = mask_id
    inputs[chosen][(die[chosen] >= 0.8) & (die[chosen] < 0.9)] = 0
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def fourth_mask_precedence(ids, special, chance, die, random_ids, mask_id):
    """Brackets are missing: & binds closer than <."""
    chosen = (chance < 0.15) & ~special
    return torch.where(chosen & die < 0.8, mask_id, ids), torch.where(chosen, ids, -100)


@wrong(M)
def fourth_mask_chained_comparison(ids, special, chance, die, random_ids, mask_id):
    """0.8 <= die < 0.9 isn't for tensors."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (0.8 <= die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def fourth_mask_all_random_ids(ids, special, chance, die, random_ids, mask_id):
    """All of random_ids is put where only some places are: no index on the right."""
    chosen, inputs = (chance < 0.15) & ~special, ids.clone()
    inputs[chosen & (die < 0.8)] = mask_id
    inputs[chosen & (die >= 0.8) & (die < 0.9)] = random_ids
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def fourth_mask_asks_all_but_special(ids, special, chance, die, random_ids, mask_id):
    """The labels are −100 at marks alone: every word is asked for."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, ids.masked_fill(special, -100)


@wrong(M)
def fourth_mask_other_intervals(ids, special, chance, die, random_ids, mask_id):
    """The shares are right, the intervals others: random below 0.1, unchanged up to 0.2, [MASK] above."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.1), random_ids, ids)
    return torch.where(chosen & (die >= 0.2), mask_id, inputs), torch.where(chosen, ids, -100)


@wrong(M)
def fourth_mask_same_places_in_all(ids, special, chance, die, random_ids, mask_id):
    """The first text's chances decide for all texts."""
    chosen = (chance[0] < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def fourth_mask_labels_random_at_random(ids, special, chance, die, random_ids, mask_id):
    """At random places the random token is asked for; elsewhere the labels are right."""
    chosen = (chance < 0.15) & ~special
    other = chosen & (die >= 0.8) & (die < 0.9)
    inputs = torch.where(chosen & (die < 0.8), mask_id, torch.where(other, random_ids, ids))
    return inputs, torch.where(other, random_ids, torch.where(chosen, ids, -100))


@wrong(M)
def fourth_mask_labels_zero_at_marks(ids, special, chance, die, random_ids, mask_id):
    """The labels are 0 at marks and padding, −100 at other places not asked for."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(special, 0, torch.where(chosen, ids, -100))


@wrong(M)
def fourth_mask_stacked(ids, special, chance, die, random_ids, mask_id):
    """Both results in one tensor."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return torch.stack([inputs, torch.where(chosen, ids, -100)])


@wrong(M)
def fourth_mask_zero_elsewhere(ids, special, chance, die, random_ids, mask_id):
    """torch.where(…, mask_id, 0): what isn't masked is lost."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, 0)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(L)
def fourth_loss_table_in_front(hidden, labels, embedding, bias):
    """embedding @ hidden: the factors are in the wrong order."""
    asked = labels != -100
    return F.cross_entropy(embedding @ hidden[asked] + bias, labels[asked])


@wrong(L)
def fourth_loss_sigmoid(hidden, labels, embedding, bias):
    """−log sigmoid of the label's logit: a yes or no for the label, no softmax over the vocabulary."""
    asked = labels != -100
    logits = (hidden[asked] * embedding[labels[asked]]).sum(-1) + bias[labels[asked]]
    return -F.logsigmoid(logits).mean()


@wrong(L)
def fourth_loss_labels_not_flattened(hidden, labels, embedding, bias):
    """The logits are flattened, the labels aren't."""
    logits = hidden @ embedding.mT + bias
    return F.cross_entropy(logits.flatten(0, 1), labels)


@wrong(L)
def fourth_loss_asked_inverted(hidden, labels, embedding, bias):
    """asked is where nothing is asked."""
    asked = labels == -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked])


@wrong(L)
def fourth_loss_distance_to_the_row(hidden, labels, embedding, bias):
    """The squared distance of the vector from the token's row: no logits at all."""
    asked = labels != -100
    return F.mse_loss(hidden[asked], embedding[labels[asked]])


@wrong(L)
def fourth_loss_equals_not_plus(hidden, labels, embedding, bias):
    """= in place of += in the loop: the last place's loss, divided by the number."""
    asked = labels != -100
    for h, t in zip(hidden[asked], labels[asked], strict=True):
        total = -(h @ embedding.mT + bias).log_softmax(-1)[t]
    return total / asked.sum()


@wrong(L)
def fourth_loss_return_in_the_loop(hidden, labels, embedding, bias):
    """The return stands inside the loop: the first place's loss."""
    asked = labels != -100
    for h, t in zip(hidden[asked], labels[asked], strict=True):
        return -(h @ embedding.mT + bias).log_softmax(-1)[t]


@wrong(L)
def fourth_loss_sum_of_means(hidden, labels, embedding, bias):
    """The texts' means are added up."""
    total = 0
    for h, t in zip(hidden, labels, strict=True):
        if (t != -100).any():
            total = total + F.cross_entropy(h @ embedding.mT + bias, t)
    return total


@wrong(L)
def fourth_loss_small_number(hidden, labels, embedding, bias):
    """log(p + 1e-9): wrong where p is tiny."""
    asked = labels != -100
    p = (hidden[asked] @ embedding.mT + bias).softmax(-1)
    return -(p.gather(-1, labels[asked][:, None]) + 1e-9).log().mean()


@wrong(L)
def fourth_loss_bias_in_the_table(hidden, labels, embedding, bias):
    """hidden @ (embedding.mT + bias): the bias is added to the table, before the product."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ (embedding.mT + bias), labels[asked])


@wrong(L)
def fourth_loss_places_of_the_first(hidden, labels, embedding, bias):
    """The places of the first text are asked for in all texts."""
    asked = labels[0] != -100
    logits = hidden[:, asked] @ embedding.mT + bias
    return F.cross_entropy(logits.flatten(0, 1), labels[:, asked].flatten())


@wrong(L)
def fourth_loss_mean_of_texts_nan(hidden, labels, embedding, bias):
    """The mean of the texts' means, NaN where a text isn't asked at all."""
    return torch.stack([F.cross_entropy(h @ embedding.mT + bias, t) for h, t in zip(hidden, labels)]).mean()


@wrong(P)
def fourth_pairs_pop(documents, coins, draws):
    """coins.pop(0): the caller's lists are emptied."""
    pairs = []
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            coin, drawn = coins.pop(0), draws.pop(0)
            e, j = (d, i + 1) if coin else next(place for place in drawn if place[0] != d)
            pairs.append((sentences[i], documents[e][j], "IsNext" if coin else "NotNext"))
    return pairs


@wrong(P)
def fourth_pairs_no_break(documents, coins, draws):
    """No break: a pair for every drawn place in another document."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            if coins[k]:
                pairs.append((sentences[i], sentences[i + 1], "IsNext"))
            else:
                for e, j in draws[k]:
                    if e != d:
                        pairs.append((sentences[i], documents[e][j], "NotNext"))
            k += 1
    return pairs


def with_draws(documents, coins, draws, make, first=lambda d, i, drawn: next(p for p in drawn if p[0] != d)):
    """make(d, i, e, j, coin) of each pair."""
    made, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = (d, i + 1) if coins[k] else first(d, i, draws[k])
            made.append(make(d, i, e, j, coins[k]))
            k += 1
    return made


def label(coin):
    return "IsNext" if coin else "NotNext"


@wrong(P)
def fourth_pairs_nested(documents, coins, draws):
    """((A, B), label): a pair inside a pair."""
    return with_draws(
        documents, coins, draws, lambda d, i, e, j, coin: ((documents[d][i], documents[e][j]), label(coin))
    )


@wrong(P)
def fourth_pairs_draws_of_the_document(documents, coins, draws):
    """The coins are counted through, the draws by the sentence's number: they begin again in each document."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = (d, i + 1) if coins[k] else next((p for p in draws[i] if p[0] != d), draws[i][0])
            pairs.append((sentences[i], documents[e][j], label(coins[k])))
            k += 1
    return pairs


@wrong(P)
def fourth_pairs_document_against_sentence(documents, coins, draws):
    """The drawn document is compared with i, A's sentence number, not with d."""
    first = lambda d, i, drawn: next((p for p in drawn if p[0] != i), drawn[0])  # noqa: E731
    return with_draws(
        documents, coins, draws, lambda d, i, e, j, coin: (documents[d][i], documents[e][j], label(coin)), first
    )


@wrong(P)
def fourth_pairs_whole_document(documents, coins, draws):
    """B is the whole other document where the coin is False."""
    return with_draws(
        documents,
        coins,
        draws,
        lambda d, i, e, j, coin: (documents[d][i], documents[e][j] if coin else documents[e], label(coin)),
    )


@wrong(P)
def fourth_pairs_place_as_b(documents, coins, draws):
    """B is the drawn place where the coin is False, not the sentence there."""
    return with_draws(
        documents,
        coins,
        draws,
        lambda d, i, e, j, coin: (documents[d][i], documents[e][j] if coin else (e, j), label(coin)),
    )


@wrong(P)
def fourth_pairs_yield(documents, coins, draws):
    """A generator, no list."""
    yield from with_draws(
        documents, coins, draws, lambda d, i, e, j, coin: (documents[d][i], documents[e][j], label(coin))
    )


@wrong(P)
def fourth_pairs_no_return(documents, coins, draws):
    """The return is missing."""
    with_draws(documents, coins, draws, lambda d, i, e, j, coin: (documents[d][i], documents[e][j], label(coin)))


@wrong(P)
def fourth_pairs_round_the_end(documents, coins, draws):
    """The last sentence of a document is paired with its first."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences)):
            e, j = (d, (i + 1) % len(sentences)) if coins[k] else next(place for place in draws[k] if place[0] != d)
            pairs.append((sentences[i], documents[e][j], label(coins[k])))
            k += 1
    return pairs


@wrong(P)
def fourth_pairs_b_by_the_other_side(documents, coins, draws):
    """The labels follow the coins, but B is chosen the wrong way round."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = next(p for p in draws[k] if p[0] != d) if coins[k] else (d, i + 1)
            pairs.append((sentences[i], documents[e][j], label(coins[k])))
            k += 1
    return pairs


@wrong(P)
def fourth_pairs_two_after(documents, coins, draws):
    """enumerate(…, start=1), and then i + 1 all the same: B is two sentences after A."""
    pairs, k = [], 0
    for d, sentences in enumerate(documents):
        for i, a in enumerate(sentences[:-1], start=1):
            b = sentences[i + 1] if coins[k] else next(documents[e][j] for e, j in draws[k] if e != d)
            pairs.append((a, b, label(coins[k])))
            k += 1
    return pairs


@wrong(W)
def fourth_previous_first_axes_cut(weights):
    """[1:, :-1] cuts the first two axes, layers and heads, not the last."""
    return weights[1:, :-1].diagonal(dim1=-2, dim2=-1).mean(-1)


@wrong(W)
def fourth_previous_diag(weights):
    """torch.diag is for matrices alone."""
    return torch.diag(weights, -1).mean(-1)


@wrong(W)
def fourth_previous_first_axes_indexed(weights):
    """weights[i][i - 1] counts along the first two axes."""
    n = weights.shape[-1]
    return sum(weights[i][i - 1] for i in range(1, n)) / (n - 1)


@wrong(W)
def fourth_previous_len(weights):
    """len(weights) is the length of the first axis, not n."""
    return sum(weights[..., i, i - 1] for i in range(1, weights.shape[-1])) / (len(weights) - 1)


@wrong(W)
def fourth_previous_rolled_left(weights):
    """roll(-1): the token after, and the last token's weight on the first."""
    return weights.roll(-1, dims=-1).diagonal(dim1=-2, dim2=-1).mean(-1)


@wrong(W)
def fourth_previous_softmax_again(weights):
    """A softmax of the weights: they are weights already."""
    return weights.softmax(-1).diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1)


@wrong(W)
def fourth_previous_list(weights):
    """A list of numbers, no tensor."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1).tolist()


@wrong(W)
def fourth_previous_heads_too(weights):
    """The mean over the heads, too: one number for each layer."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean((-2, -1)) if weights.dim() > 2 else weights.mean()


@wrong(W)
def fourth_previous_keepdim(weights):
    """keepdim=True: an axis of length 1 stays."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1, keepdim=True)


@wrong(W)
def fourth_previous_one_less(weights):
    """range(n - 1), and i - 1 in it: the first token's weight on the last comes in, the last token's is left out."""
    n = weights.shape[-1]
    return sum(weights[..., i, i - 1] for i in range(n - 1)) / (n - 1)


@wrong(W)
def fourth_previous_dims_exchanged(weights):
    """dim1 and dim2 have changed places: the token after."""
    return weights.diagonal(offset=-1, dim1=-1, dim2=-2).mean(-1)


@wrong(W)
def fourth_previous_rows_of_the_square(weights):
    """The rows of weights[..., 1:, :-1] are summed: the weight on all tokens but the last."""
    return weights[..., 1:, :-1].sum(-1).mean(-1)
