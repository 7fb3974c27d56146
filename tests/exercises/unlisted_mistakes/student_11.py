"""What a fresh student tried in lesson 11, BERT. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

K = "11.input_sum"


def joined(a, b, cls_id, sep_id):
    """The ids with marks, and the segments: (n,) and (n,)."""
    one = lambda i: a.new_tensor([i])  # noqa: E731
    ids = torch.cat([one(cls_id), a, one(sep_id)])
    segments = torch.zeros_like(ids)
    if b is not None:
        rest = torch.cat([b, one(sep_id)])
        ids, segments = torch.cat([ids, rest]), torch.cat([segments, torch.ones_like(rest)])
    return ids, segments


@wrong(K)
def student_sum_first_sep_is_b(a, b, token, segment, position, cls_id, sep_id):
    """The first [SEP] gets segment 1."""
    ids, segments = joined(a, b, cls_id, sep_id)
    segments[len(a) + 1] = 1
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_first_sep_is_b_for_pairs(a, b, token, segment, position, cls_id, sep_id):
    """The first [SEP] gets segment 1 (only where there is a B)."""
    ids, segments = joined(a, b, cls_id, sep_id)
    if b is not None:
        segments[len(a) + 1] = 1
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_last_sep_is_a(a, b, token, segment, position, cls_id, sep_id):
    """The last [SEP] gets segment 0."""
    ids, segments = joined(a, b, cls_id, sep_id)
    segments[-1] = 0
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_no_last_sep(a, b, token, segment, position, cls_id, sep_id):
    """The [SEP] after B is missing."""
    ids, segments = joined(a, b, cls_id, sep_id)
    if b is not None:
        ids, segments = ids[:-1], segments[:-1]
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_no_sep_for_single(a, b, token, segment, position, cls_id, sep_id):
    """A single sentence lacks its [SEP]."""
    ids, segments = joined(a, b, cls_id, sep_id)
    if b is None:
        ids, segments = ids[:-1], segments[:-1]
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_positions_from_one(a, b, token, segment, position, cls_id, sep_id):
    """Positions count from 1."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[1 : len(ids) + 1]


@wrong(K)
def student_sum_positions_restart_in_b(a, b, token, segment, position, cls_id, sep_id):
    """Positions start again at 0 in B."""
    ids, segments = joined(a, b, cls_id, sep_id)
    first = len(a) + 2
    places = torch.cat([torch.arange(first), torch.arange(len(ids) - first)])
    return token[ids] + segment[segments] + position[places]


@wrong(K)
def student_sum_none_not_handled(a, b, token, segment, position, cls_id, sep_id):
    """b None is not handled."""
    one = lambda i: a.new_tensor([i])  # noqa: E731
    ids = torch.cat([one(cls_id), a, one(sep_id), b, one(sep_id)])
    segments = (torch.arange(len(ids)) > len(a) + 1).long()
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_cls_and_sep_swapped(a, b, token, segment, position, cls_id, sep_id):
    """[SEP] in front and [CLS] at the ends."""
    ids, segments = joined(a, b, sep_id, cls_id)
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_no_segment(a, b, token, segment, position, cls_id, sep_id):
    """The segment vectors are missing."""
    ids, _ = joined(a, b, cls_id, sep_id)
    return token[ids] + position[: len(ids)]


@wrong(K)
def student_sum_scaled(a, b, token, segment, position, cls_id, sep_id):
    """The token's vectors are multiplied by sqrt(d_model), as in lesson 08's Transformer."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] * token.shape[-1] ** 0.5 + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_layer_norm(a, b, token, segment, position, cls_id, sep_id):
    """A LayerNorm follows, which isn't asked for."""
    ids, segments = joined(a, b, cls_id, sep_id)
    x = token[ids] + segment[segments] + position[: len(ids)]
    return F.layer_norm(x, x.shape[-1:])


@wrong(K)
def student_sum_concatenated(a, b, token, segment, position, cls_id, sep_id):
    """Concatenated in place of added."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return torch.cat([token[ids], segment[segments], position[: len(ids)]], dim=-1)


@wrong(K)
def student_sum_marks_without_position(a, b, token, segment, position, cls_id, sep_id):
    """The marks get no position: only the words are counted."""
    ids, segments = joined(a, b, cls_id, sep_id)
    words = torch.ones(len(ids), dtype=torch.bool)
    words[[0, len(a) + 1, len(ids) - 1]] = False
    x = token[ids] + segment[segments]
    x[words] = x[words] + position[: words.sum()]
    return x


@wrong(K)
def student_sum_segments_turned(a, b, token, segment, position, cls_id, sep_id):
    """Segment 1 for A and 0 for B."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[1 - segments] + position[: len(ids)]


@wrong(K)
def student_sum_two_sentences_no_marks(a, b, token, segment, position, cls_id, sep_id):
    """No [CLS] and no [SEP] at all."""
    ids = a if b is None else torch.cat([a, b])
    segments = (torch.arange(len(ids)) >= len(a)).long()
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_second_cls(a, b, token, segment, position, cls_id, sep_id):
    """B begins with a second [CLS]."""
    one = lambda i: a.new_tensor([i])  # noqa: E731
    ids = torch.cat([one(cls_id), a, one(sep_id)])
    segments = torch.zeros_like(ids)
    if b is not None:
        rest = torch.cat([one(cls_id), b, one(sep_id)])
        ids, segments = torch.cat([ids, rest]), torch.cat([segments, torch.ones_like(rest)])
    return token[ids] + segment[segments] + position[: len(ids)]


@wrong(K)
def student_sum_first_sep_is_b_from_one(a, b, token, segment, position, cls_id, sep_id):
    """The first [SEP] gets segment 1 and positions count from 1: two mistakes."""
    ids, segments = joined(a, b, cls_id, sep_id)
    if b is not None:
        segments[len(a) + 1] = 1
    return token[ids] + segment[segments] + position[1 : len(ids) + 1]


@wrong(K)
def student_sum_segment_none(a, b, token, segment, position, cls_id, sep_id):
    """A single sentence gets no segment vector."""
    ids, segments = joined(a, b, cls_id, sep_id)
    x = token[ids] + position[: len(ids)]
    return x if b is None else x + segment[segments]


@wrong(K)
def student_sum_same_position(a, b, token, segment, position, cls_id, sep_id):
    """Position looked up by the token's id (one lookup for all tables)."""
    ids, segments = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segments] + position[ids % len(position)]


M = "11.mask_tokens"


@wrong(M)
def student_mask_special_ignored(ids, special, chance, die, random_ids, mask_id):
    """Special places are chosen too."""
    chosen = chance < 0.15
    inputs = ids.clone()
    inputs[chosen & (die < 0.8)] = mask_id
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_special_inverted(ids, special, chance, die, random_ids, mask_id):
    """`special` read the other way round: only marks are chosen."""
    chosen = (chance < 0.15) & special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_in_place(ids, special, chance, die, random_ids, mask_id):
    """ids is changed in place, so that the labels are what is read."""
    chosen = (chance < 0.15) & ~special
    inputs = ids
    inputs[chosen & (die < 0.8)] = mask_id
    swap = chosen & (die >= 0.8) & (die < 0.9)
    inputs[swap] = random_ids[swap]
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_in_place_labels_first(ids, special, chance, die, random_ids, mask_id):
    """Right result, but the caller's ids are changed."""
    chosen = (chance < 0.15) & ~special
    labels = torch.where(chosen, ids, -100)
    ids[chosen & (die < 0.8)] = mask_id
    swap = chosen & (die >= 0.8) & (die < 0.9)
    ids[swap] = random_ids[swap]
    return ids, labels


@wrong(M)
def student_mask_labels_only_masked(ids, special, chance, die, random_ids, mask_id):
    """Labels only where [MASK] is read: random and unchanged places aren't asked."""
    chosen = (chance < 0.15) & ~special
    masked = chosen & (die < 0.8)
    inputs = torch.where(masked, mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(masked, ids, -100)


@wrong(M)
def student_mask_labels_changed(ids, special, chance, die, random_ids, mask_id):
    """Labels only where the input changed: the unchanged places aren't asked."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(inputs != ids, ids, -100)


@wrong(M)
def student_mask_labels_everywhere(ids, special, chance, die, random_ids, mask_id):
    """Labels at all places."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, ids.clone()


@wrong(M)
def student_mask_labels_inverted(ids, special, chance, die, random_ids, mask_id):
    """-100 at chosen places, ids elsewhere."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, -100, ids)


@wrong(M)
def student_mask_zero_ignore(ids, special, chance, die, random_ids, mask_id):
    """Labels 0 in place of -100."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, 0)


@wrong(M)
def student_mask_all_masked(ids, special, chance, die, random_ids, mask_id):
    """All chosen places read [MASK]: the die is ignored."""
    chosen = (chance < 0.15) & ~special
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_no_random(ids, special, chance, die, random_ids, mask_id):
    """No random tokens: the rest of the chosen is unchanged."""
    chosen = (chance < 0.15) & ~special
    return torch.where(chosen & (die < 0.8), mask_id, ids), torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_random_above(ids, special, chance, die, random_ids, mask_id):
    """Random for die >= 0.8: nothing stays unchanged."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    return torch.where(chosen & (die >= 0.8), random_ids, inputs), torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_random_swapped(ids, special, chance, die, random_ids, mask_id):
    """Random where die >= 0.9, unchanged from 0.8 to 0.9."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    return torch.where(chosen & (die >= 0.9), random_ids, inputs), torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_random_overwrites(ids, special, chance, die, random_ids, mask_id):
    """die < 0.9 is random and overwrites [MASK]."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    return torch.where(chosen & (die < 0.9), random_ids, inputs), torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_die_without_chosen(ids, special, chance, die, random_ids, mask_id):
    """The random tokens also come to places that aren't chosen."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    return torch.where((die >= 0.8) & (die < 0.9), random_ids, inputs), torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_everywhere(ids, special, chance, die, random_ids, mask_id):
    """The die counts at every place, chosen or not."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(die < 0.8, mask_id, ids)
    inputs = torch.where((die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_chance_greater(ids, special, chance, die, random_ids, mask_id):
    """Chosen where chance > 0.15."""
    chosen = (chance > 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_joint_chance(ids, special, chance, die, random_ids, mask_id):
    """80/10/10 cut out of `chance` itself (0.12, 0.135): the die isn't used."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (chance < 0.12), mask_id, ids)
    inputs = torch.where(chosen & (chance >= 0.12) & (chance < 0.135), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_labels_are_inputs(ids, special, chance, die, random_ids, mask_id):
    """Labels made of the inputs: the mask itself is the answer."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, inputs, -100)


@wrong(M)
def student_mask_swapped(ids, special, chance, die, random_ids, mask_id):
    """Labels and inputs in the wrong order."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return torch.where(chosen, ids, -100), inputs


@wrong(M)
def student_mask_own_random(ids, special, chance, die, random_ids, mask_id):
    """Rolls its own dice."""
    chosen = (torch.rand(ids.shape) < 0.15) & ~special
    die = torch.rand(ids.shape)
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_only_inputs(ids, special, chance, die, random_ids, mask_id):
    """The labels aren't returned."""
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    return torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)


@wrong(M)
def student_mask_special_in_inputs_only(ids, special, chance, die, random_ids, mask_id):
    """The labels still ask for special places (the inputs leave them alone)."""
    chosen = chance < 0.15
    inputs = torch.where(chosen & ~special & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & ~special & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


@wrong(M)
def student_mask_two_mistakes(ids, special, chance, die, random_ids, mask_id):
    """Special ignored, and labels everywhere: two mistakes."""
    chosen = chance < 0.15
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    return torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs), ids.clone()


L = "11.mlm_loss"


@wrong(L)
def student_loss_all_places(hidden, labels, embedding, bias):
    """Divided by all places."""
    logits = hidden @ embedding.mT + bias
    total = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum", ignore_index=-100)
    return total / labels.numel()


@wrong(L)
def student_loss_sum(hidden, labels, embedding, bias):
    """The sum, not the mean."""
    asked = labels != -100
    logits = hidden[asked] @ embedding.mT + bias
    return F.cross_entropy(logits, labels[asked], reduction="sum")


@wrong(L)
def student_loss_no_bias(hidden, labels, embedding, bias):
    """No bias."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT, labels[asked])


@wrong(L)
def student_loss_positive(hidden, labels, embedding, bias):
    """The sign is missing."""
    asked = labels != -100
    logp = (hidden[asked] @ embedding.mT + bias).log_softmax(-1)
    return logp.gather(-1, labels[asked][:, None]).mean()


@wrong(L)
def student_loss_bits(hidden, labels, embedding, bias):
    """In bits, not nats."""
    asked = labels != -100
    p = (hidden[asked] @ embedding.mT + bias).softmax(-1)
    return -p[torch.arange(len(p)), labels[asked]].log2().mean()


@wrong(L)
def student_loss_wrong_axis(hidden, labels, embedding, bias):
    """Softmax over the places."""
    asked = labels != -100
    logp = (hidden[asked] @ embedding.mT + bias).log_softmax(0)
    return -logp.gather(-1, labels[asked][:, None]).mean()


@wrong(L)
def student_loss_on_probabilities(hidden, labels, embedding, bias):
    """cross_entropy of probabilities: a softmax too many."""
    asked = labels != -100
    return F.cross_entropy((hidden[asked] @ embedding.mT + bias).softmax(-1), labels[asked])


@wrong(L)
def student_loss_mean_of_sentences(hidden, labels, embedding, bias):
    """Mean of each sentence's mean."""
    losses = []
    for h, t in zip(hidden, labels, strict=True):
        asked = t != -100
        if asked.any():
            losses.append(F.cross_entropy(h[asked] @ embedding.mT + bias, t[asked]))
    return torch.stack(losses).mean()


@wrong(L)
def student_loss_batch(hidden, labels, embedding, bias):
    """Sum divided by the batch's size."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked], reduction="sum") / len(labels)


@wrong(L)
def student_loss_unasked_at_zero(hidden, labels, embedding, bias):
    """-100 is clamped to 0: token 0 is asked for at all other places."""
    logits = hidden @ embedding.mT + bias
    return F.cross_entropy(logits.flatten(0, 1), labels.clamp(min=0).flatten())


@wrong(L)
def student_loss_positive_labels(hidden, labels, embedding, bias):
    """labels > 0: token 0 is never asked for."""
    asked = labels > 0
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked])


@wrong(L)
def student_loss_not_transposed(hidden, labels, embedding, bias):
    """The table isn't transposed."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding + bias, labels[asked])


@wrong(L)
def student_loss_axes(hidden, labels, embedding, bias):
    """cross_entropy given (batch, n, vocab): it wants the classes second."""
    return F.cross_entropy(hidden @ embedding.mT + bias, labels)


@wrong(L)
def student_loss_scaled(hidden, labels, embedding, bias):
    """Logits divided by sqrt(d_model), as in attention."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT / hidden.shape[-1] ** 0.5 + bias, labels[asked])


@wrong(L)
def student_loss_minus_log_mean(hidden, labels, embedding, bias):
    """The log of the mean probability, not the mean of the logs."""
    asked = labels != -100
    p = (hidden[asked] @ embedding.mT + bias).softmax(-1).gather(-1, labels[asked][:, None])
    return -p.mean().log()


@wrong(L)
def student_loss_overflow(hidden, labels, embedding, bias):
    """log of softmax by hand overflows for large logits."""
    asked = labels != -100
    logits = hidden[asked] @ embedding.mT + bias
    p = logits.exp() / logits.exp().sum(-1, keepdim=True)
    return -p.gather(-1, labels[asked][:, None]).log().mean()


@wrong(L)
def student_loss_log_of_softmax(hidden, labels, embedding, bias):
    """softmax, then log: underflows to -inf for large logits."""
    asked = labels != -100
    p = (hidden[asked] @ embedding.mT + bias).softmax(-1)
    return -p.gather(-1, labels[asked][:, None]).log().mean()


@wrong(L)
def student_loss_item(hidden, labels, embedding, bias):
    """.item(): no gradient."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked]).item()


@wrong(L)
def student_loss_none(hidden, labels, embedding, bias):
    """One loss for each place, not the mean."""
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked], reduction="none")


@wrong(L)
def student_loss_normed(hidden, labels, embedding, bias):
    """A LayerNorm and GELU on hidden first (the transform), which isn't asked for."""
    asked = labels != -100
    h = F.layer_norm(F.gelu(hidden[asked]), hidden.shape[-1:])
    return F.cross_entropy(h @ embedding.mT + bias, labels[asked])


@wrong(L)
def student_loss_no_bias_all(hidden, labels, embedding, bias):
    """No bias, and divided by all places: two mistakes."""
    logits = hidden @ embedding.mT
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum", ignore_index=-100) / labels.numel()


N = "11.next_sentence_pairs"


@wrong(N)
def student_pairs_first_draw(documents, coins, draws):
    """The first draw is taken, even from A's own document."""
    pairs, i = [], 0
    for doc in documents:
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = draws[i][0]
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_only_not_true_next(documents, coins, draws):
    """Only the true next sentence is refused: other sentences of A's document pass."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[i] if tuple(p) != (k, s + 1))
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_coin_inverted(documents, coins, draws):
    """True and False swapped."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if not coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[i] if p[0] != k)
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_coin_per_document(documents, coins, draws):
    """The pair's number starts again in each document."""
    pairs = []
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[s]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[s] if p[0] != k)
                pairs.append((doc[s], documents[d][t], "NotNext"))
    return pairs


@wrong(N)
def student_pairs_coin_per_sentence(documents, coins, draws):
    """The counter also counts last sentences, which have no pair."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc)):
            if s + 1 < len(doc):
                if coins[i % len(coins)]:
                    pairs.append((doc[s], doc[s + 1], "IsNext"))
                else:
                    d, t = next(p for p in draws[i % len(draws)] if p[0] != k)
                    pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_last_draw(documents, coins, draws):
    """The last fitting draw, not the first."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                for d, t in draws[i]:
                    if d != k:
                        b = documents[d][t]
                pairs.append((doc[s], b, "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_across_documents(documents, coins, draws):
    """The last sentence is paired with the next document's first."""
    flat = [(k, s) for k, doc in enumerate(documents) for s in range(len(doc))]
    pairs = []
    for i, (k, s) in enumerate(flat[:-1]):
        d, t = flat[i + 1]
        if i < len(coins) and not coins[i]:
            d, t = next(p for p in draws[i] if p[0] != k)
            pairs.append((documents[k][s], documents[d][t], "NotNext"))
        else:
            pairs.append((documents[k][s], documents[d][t], "IsNext"))
    return pairs


@wrong(N)
def student_pairs_flat_first(documents, coins, draws):
    """The places are looked up as (sentence, document)."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                t, d = next(p for p in draws[i] if p[1] != k)
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_stepping_two(documents, coins, draws):
    """Pairs don't overlap: each sentence is used once."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(0, len(doc) - 1, 2):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[i] if p[0] != k)
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_labels_bool(documents, coins, draws):
    """Labels True and False in place of words."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], True))
            else:
                d, t = next(p for p in draws[i] if p[0] != k)
                pairs.append((doc[s], documents[d][t], False))
            i += 1
    return pairs


@wrong(N)
def student_pairs_labels_misspelt(documents, coins, draws):
    """The label is written "isNext"/"notNext"."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "isNext"))
            else:
                d, t = next(p for p in draws[i] if p[0] != k)
                pairs.append((doc[s], documents[d][t], "notNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_relabelled(documents, coins, draws):
    """The first draw is taken, and the label says what came out: IsNext where the true next was hit."""
    pairs, i = [], 0
    for doc in documents:
        for s in range(len(doc) - 1):
            b = doc[s + 1] if coins[i] else documents[draws[i][0][0]][draws[i][0][1]]
            pairs.append((doc[s], b, "IsNext" if b == doc[s + 1] else "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_skipped(documents, coins, draws):
    """Where the first draw is in A's own document no pair is made."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            elif draws[i][0][0] != k:
                d, t = draws[i][0]
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_text_in_document(documents, coins, draws):
    """Refused where A's document holds the same text, not where the place lies in it."""
    pairs, i = [], 0
    for doc in documents:
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                b = next(documents[d][t] for d, t in draws[i] if documents[d][t] not in doc)
                pairs.append((doc[s], b, "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_index(documents, coins, draws):
    """`documents.index(doc)`: of two equal documents the first is found."""
    pairs, i = [], 0
    for doc in documents:
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[i] if documents[p[0]] != doc)
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
    return pairs


@wrong(N)
def student_pairs_counter_in_false(documents, coins, draws):
    """The draws are counted by a counter that moves only for False coins."""
    pairs, i, j = [], 0, 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[j] if p[0] != k)
                pairs.append((doc[s], documents[d][t], "NotNext"))
                j += 1
            i += 1
    return pairs


@wrong(N)
def student_pairs_lists_by_document(documents, coins, draws):
    """A list for each document, not one list."""
    result, i = [], 0
    for k, doc in enumerate(documents):
        pairs = []
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[i] if p[0] != k)
                pairs.append((doc[s], documents[d][t], "NotNext"))
            i += 1
        result.append(pairs)
    return result


@wrong(N)
def student_pairs_b_after_draw(documents, coins, draws):
    """B is the A of a random pair's follower: the sentence after the drawn place."""
    pairs, i = [], 0
    for k, doc in enumerate(documents):
        for s in range(len(doc) - 1):
            if coins[i]:
                pairs.append((doc[s], doc[s + 1], "IsNext"))
            else:
                d, t = next(p for p in draws[i] if p[0] != k)
                pairs.append((doc[s], documents[d][(t + 1) % len(documents[d])], "NotNext"))
            i += 1
    return pairs


P = "11.previous_token"


@wrong(P)
def student_previous_next(weights):
    """The token after: the other diagonal."""
    return weights.diagonal(offset=1, dim1=-2, dim2=-1).mean(-1)


@wrong(P)
def student_previous_self(weights):
    """The main diagonal: a token's weight on itself."""
    return weights.diagonal(dim1=-2, dim2=-1).mean(-1)


@wrong(P)
def student_previous_over_n(weights):
    """Divided by n, not n - 1."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).sum(-1) / weights.shape[-1]


@wrong(P)
def student_previous_sum(weights):
    """The sum, not the mean."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).sum(-1)


@wrong(P)
def student_previous_first_axes(weights):
    """diagonal's default axes, the first two."""
    return weights.diagonal(offset=-1).mean(-1)


@wrong(P)
def student_previous_mean_all(weights):
    """The mean over all heads, too: one number."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean()


@wrong(P)
def student_previous_no_mean(weights):
    """No mean: one weight for each token."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1)


@wrong(P)
def student_previous_all_before(weights):
    """The weight on all tokens before."""
    return weights.tril(-1).sum(-1)[..., 1:].mean(-1)


@wrong(P)
def student_previous_argmax(weights):
    """The share of tokens whose largest weight is the one before."""
    n = weights.shape[-1]
    return (weights.argmax(-1)[..., 1:] == torch.arange(n - 1)).float().mean(-1)


@wrong(P)
def student_previous_roll(weights):
    """A roll: the first token looks at the last, which is counted."""
    return weights.roll(1, dims=-1).diagonal(dim1=-2, dim2=-1).mean(-1)


@wrong(P)
def student_previous_tril_mean(weights):
    """The mean over the whole square of the matrix, with the diagonal kept only."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).sum(-1) / weights.shape[-1] ** 2


@wrong(P)
def student_previous_swapped(weights):
    """The loop reads weights[..., i - 1, i]: rows and columns swapped."""
    n = weights.shape[-1]
    return sum(weights[..., i - 1, i] for i in range(1, n)) / (n - 1)


@wrong(P)
def student_previous_from_zero(weights):
    """The loop starts at 0, where i - 1 is the last column; divided by n."""
    n = weights.shape[-1]
    return sum(weights[..., i, i - 1] for i in range(n)) / n


@wrong(P)
def student_previous_from_zero_n1(weights):
    """The loop starts at 0, divided by n - 1: the first token's weight on the last is added."""
    n = weights.shape[-1]
    return sum(weights[..., i, i - 1] for i in range(n)) / (n - 1)


@wrong(P)
def student_previous_two(weights):
    """Two places back."""
    return weights.diagonal(offset=-2, dim1=-2, dim2=-1).mean(-1)


@wrong(P)
def student_previous_off_one(weights):
    """The loop stops one early."""
    n = weights.shape[-1]
    return sum(weights[..., i, i - 1] for i in range(1, n - 1)) / (n - 1)


@wrong(P)
def student_previous_loop_float(weights):
    """One head only: index 0 of the first axis."""
    return weights[0].diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1)


@wrong(P)
def student_previous_shares(weights):
    """Divided by the weight on all tokens before."""
    return (weights.diagonal(offset=-1, dim1=-2, dim2=-1) / weights.tril(-1).sum(-1)[..., 1:]).mean(-1)


@wrong(P)
def student_previous_max(weights):
    """The maximum, not the mean."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).amax(-1)
