"""Unlisted wrong answers to lesson 14, using GPT."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 14.input_forms ---------------------------------------------------------------------------------------------------

K = "14.input_forms"


@wrong(K)
def forms_flat_similarity(task, first, others, start, delimiter, extract):
    """Similarity: the second run is appended to the first list."""
    runs = [[start, *first, *([delimiter, *o] if True else []), extract] for o in others] or [[start, *first, extract]]
    if task == "similarity":
        runs[0] += [start, *others[0], delimiter, *first, extract]
    return runs


@wrong(K)
def forms_delimiter_twice(task, first, others, start, delimiter, extract):
    if task == "classification":
        return [[start, *first, extract]]
    pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
    return [[start, *a, delimiter, delimiter, *b, extract] for a, b in pairs]


@wrong(K)
def forms_extract_twice(task, first, others, start, delimiter, extract):
    if task == "classification":
        return [[start, *first, extract]]
    pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
    return [[start, *a, delimiter, *b, extract, extract] for a, b in pairs]


@wrong(K)
def forms_sorted_pair(task, first, others, start, delimiter, extract):
    """Similarity made consistent by sorting the two texts."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        first, other = sorted([first, others[0]])
        return [[start, *first, delimiter, *other, extract]]
    return [[start, *first, delimiter, *o, extract] for o in others]


@wrong(K)
def forms_choice_wrong_star(task, first, others, start, delimiter, extract):
    """*others in place of *answer."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others[0], extract], [start, *others[0], delimiter, *first, extract]]
    return [[start, *first, delimiter, *others, extract] for _ in others]


@wrong(K)
def forms_others_not_unpacked(task, first, others, start, delimiter, extract):
    """others instead of others[0] in entailment and similarity."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others, extract], [start, *others, delimiter, *first, extract]]
    if task == "entailment":
        return [[start, *first, delimiter, *others, extract]]
    return [[start, *first, delimiter, *o, extract] for o in others]


@wrong(K)
def forms_padded(task, first, others, start, delimiter, extract):
    """Runs padded to the same length."""
    if task == "classification":
        return [[start, *first, extract]]
    pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
    runs = [[start, *a, delimiter, *b, extract] for a, b in pairs]
    longest = max(map(len, runs)) + 1
    return [run + [0] * (longest - len(run)) for run in runs]


@wrong(K)
def forms_place_returned(task, first, others, start, delimiter, extract):
    """The runs and the place that is read."""
    if task == "classification":
        runs = [[start, *first, extract]]
    else:
        pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
        runs = [[start, *a, delimiter, *b, extract] for a, b in pairs]
    return runs, [len(run) - 1 for run in runs]


@wrong(K)
def forms_same_list(task, first, others, start, delimiter, extract):
    """One list that every answer is appended to, put in again and again."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others[0], extract], [start, *others[0], delimiter, *first, extract]]
    runs, run = [], [start, *first, delimiter]
    for o in others:
        run += [*o, extract]
        runs.append(run)
    return runs


@wrong(K)
def forms_first_grows(task, first, others, start, delimiter, extract):
    """first is changed in place."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others[0], extract], [start, *others[0], delimiter, *first, extract]]
    runs = []
    for o in others:
        first.append(delimiter)
        first.extend(o)
        runs.append([start, *first, extract])
    return runs


@wrong(K)
def forms_underscore(task, first, others, start, delimiter, extract):
    if task == "classification":
        return [[start, *first, extract]]
    if task == "entailment":
        return [[start, *first, delimiter, *others[0], extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others[0], extract], [start, *others[0], delimiter, *first, extract]]
    if task == "multiple_choice":
        return [[start, *first, delimiter, *o, extract] for o in others]
    raise ValueError(task)


@wrong(K)
def forms_ids(task, first, others, start, delimiter, extract):
    """A tensor comes back."""
    return torch.tensor([[1, 2, 3]])


@wrong(K)
def forms_question_once(task, first, others, start, delimiter, extract):
    """The context stands in the first run only."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others[0], extract], [start, *others[0], delimiter, *first, extract]]
    return [[start, *(first if i == 0 else []), delimiter, *o, extract] for i, o in enumerate(others)]


@wrong(K)
def forms_similarity_of_halves(task, first, others, start, delimiter, extract):
    """The second run is other with other."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others[0], extract], [start, *others[0], delimiter, *others[0], extract]]
    return [[start, *first, delimiter, *o, extract] for o in others]


@wrong(K)
def forms_dictionary(task, first, others, start, delimiter, extract):
    return {task: [[start, *first, extract]]}


@wrong(K)
def forms_no_classification_text(task, first, others, start, delimiter, extract):
    """Classification reads the marks alone."""
    if task == "classification":
        return [[start, extract]]
    pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
    return [[start, *a, delimiter, *b, extract] for a, b in pairs]


@wrong(K)
def forms_bert(task, first, others, start, delimiter, extract):
    """As BERT has it: [CLS] first, a [SEP] behind each text."""
    if task == "classification":
        return [[extract, *first, delimiter]]
    pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
    return [[extract, *a, delimiter, *b, delimiter] for a, b in pairs]


# --- 14.l3_loss -------------------------------------------------------------------------------------------------------

K = "14.l3_loss"


def read(states, ids, pad_id):
    return states[torch.arange(len(ids)), (ids != pad_id).sum(1) - 1]


def l1(states, ids, W_e, pad_id, **options):
    return F.cross_entropy((states @ W_e.mT)[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, **options)


@wrong(K)
def l3_smoothed(states, ids, labels, W_e, W_y, pad_id, lam):
    l2 = F.cross_entropy(read(states, ids, pad_id) @ W_y, labels, label_smoothing=0.1)
    return l2 + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_last_row_for_all(states, ids, labels, W_e, W_y, pad_id, lam):
    """int(...) of the longest: one place for all."""
    last = int((ids != pad_id).sum(1).max()) - 1
    return F.cross_entropy(states[:, last] @ W_y, labels) + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_states_shifted(states, ids, labels, W_e, W_y, pad_id, lam):
    """The read place is found in ids[:, 1:]."""
    wanted = ids[:, 1:]
    h = states[torch.arange(len(ids)), (wanted != pad_id).sum(1) - 1]
    return F.cross_entropy(h @ W_y, labels) + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_texts_joined(states, ids, labels, W_e, W_y, pad_id, lam):
    logits = (states @ W_e.mT).flatten(0, 1)
    language = F.cross_entropy(logits[:-1], ids.flatten()[1:], ignore_index=pad_id)
    return F.cross_entropy(read(states, ids, pad_id) @ W_y, labels) + lam * language


@wrong(K)
def l3_reshaped(states, ids, labels, W_e, W_y, pad_id, lam):
    logits = (states @ W_e.mT)[:, :-1]
    language = F.cross_entropy(logits.reshape(len(ids), -1, ids.shape[1] - 1), ids[:, 1:], ignore_index=pad_id)
    return F.cross_entropy(read(states, ids, pad_id) @ W_y, labels) + lam * language


@wrong(K)
def l3_ignore_zero(states, ids, labels, W_e, W_y, pad_id, lam):
    return F.cross_entropy(read(states, ids, pad_id) @ W_y, labels, ignore_index=0) + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_detached(states, ids, labels, W_e, W_y, pad_id, lam):
    return F.cross_entropy(read(states, ids, pad_id).detach() @ W_y, labels) + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_item(states, ids, labels, W_e, W_y, pad_id, lam):
    return F.cross_entropy(read(states, ids, pad_id) @ W_y, labels) + lam * l1(states, ids, W_e, pad_id).item()


@wrong(K)
def l3_only_read_places(states, ids, labels, W_e, W_y, pad_id, lam):
    """L1 at the read place: what comes after the last token."""
    h = read(states, ids, pad_id)
    last = ids[torch.arange(len(ids)), (ids != pad_id).sum(1) - 1]
    return F.cross_entropy(h @ W_y, labels) + lam * F.cross_entropy(h @ W_e.mT, last)


@wrong(K)
def l3_perplexity(states, ids, labels, W_e, W_y, pad_id, lam):
    return F.cross_entropy(read(states, ids, pad_id) @ W_y, labels) + lam * l1(states, ids, W_e, pad_id).exp()


@wrong(K)
def l3_lam_inside(states, ids, labels, W_e, W_y, pad_id, lam):
    """λ multiplies the logits."""
    language = F.cross_entropy((lam * states @ W_e.mT)[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)
    return F.cross_entropy(read(states, ids, pad_id) @ W_y, labels) + language


@wrong(K)
def l3_pad_as_target(states, ids, labels, W_e, W_y, pad_id, lam):
    """-100 written in, ids changed in place."""
    ids[ids == pad_id] = -100
    last = (ids != -100).sum(1) - 1
    l2 = F.cross_entropy(states[torch.arange(len(ids)), last] @ W_y, labels)
    return l2 + lam * F.cross_entropy((states @ W_e.mT)[:, :-1].mT, ids[:, 1:])


@wrong(K)
def l3_all_places_labelled(states, ids, labels, W_e, W_y, pad_id, lam):
    """The mean of the class logits over all real tokens."""
    real = (ids != pad_id)[..., None]
    logits = ((states @ W_y) * real).sum(1) / real.sum(1)
    return F.cross_entropy(logits, labels) + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_second_to_last(states, ids, labels, W_e, W_y, pad_id, lam):
    """states[:, -2]."""
    return F.cross_entropy(states[:, -2] @ W_y, labels) + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_lam_l2_and_pad(states, ids, labels, W_e, W_y, pad_id, lam):
    l2 = F.cross_entropy(states[:, -1] @ W_y, labels)
    return lam * l2 + F.cross_entropy((states @ W_e.mT)[:, :-1].mT, ids[:, 1:])


@wrong(K)
def l3_tanh(states, ids, labels, W_e, W_y, pad_id, lam):
    """A tanh before W_y, as in BERT's pooler."""
    return F.cross_entropy(read(states, ids, pad_id).tanh() @ W_y, labels) + lam * l1(states, ids, W_e, pad_id)


@wrong(K)
def l3_of_sum(states, ids, labels, W_e, W_y, pad_id, lam):
    """Both weighed by their number of terms: sum over everything / number of everything."""
    l2 = F.cross_entropy(read(states, ids, pad_id) @ W_y, labels, reduction="sum")
    language = l1(states, ids, W_e, pad_id, reduction="sum")
    return (l2 + lam * language) / (len(ids) + (ids[:, 1:] != pad_id).sum())


# --- 14.multiple_choice -----------------------------------------------------------------------------------------------

K = "14.multiple_choice"


def scores_of(states, lengths, w_y):
    return states[torch.arange(len(states)), lengths - 1] @ w_y


@wrong(K)
def choice_view_swapped(states, lengths, w_y, labels):
    """view(-1, len(labels)): the shape turned."""
    scores = scores_of(states, lengths, w_y).view(-1, len(labels))
    return scores.softmax(-1), F.cross_entropy(scores, labels % scores.shape[1])


@wrong(K)
def choice_no_view(states, lengths, w_y, labels):
    scores = scores_of(states, lengths, w_y)
    return scores.softmax(-1), -scores.log_softmax(-1)[labels].mean()


@wrong(K)
def choice_keeps_axis(states, lengths, w_y, labels):
    scores = scores_of(states, lengths, w_y).view(len(labels), -1, 1)
    return scores.softmax(1), F.cross_entropy(scores.squeeze(-1), labels)


@wrong(K)
def choice_two_softmaxes(states, lengths, w_y, labels):
    scores = scores_of(states, lengths, w_y).view(len(labels), -1)
    p = scores.softmax(-1).softmax(-1)
    return p, F.cross_entropy(scores, labels)


@wrong(K)
def choice_right_first(states, lengths, w_y, labels):
    """The right answer is taken to be the first."""
    scores = scores_of(states, lengths, w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels * 0)


@wrong(K)
def choice_column_of_labels(states, lengths, w_y, labels):
    """p[:, labels] gives a square."""
    p = scores_of(states, lengths, w_y).view(len(labels), -1).softmax(-1)
    return p, -p[:, labels].log().mean()


@wrong(K)
def choice_order_by_length(states, lengths, w_y, labels):
    order = lengths.argsort()
    scores = scores_of(states, lengths, w_y)[order].view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong(K)
def choice_all_places(states, lengths, w_y, labels):
    scores = (states @ w_y).sum(1).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong(K)
def choice_margin(states, lengths, w_y, labels):
    scores = scores_of(states, lengths, w_y).view(len(labels), -1)
    right = scores.gather(1, labels[:, None])
    return scores.softmax(-1), (1 - right + scores).clamp(min=0).mean()


@wrong(K)
def choice_log2(states, lengths, w_y, labels):
    p = scores_of(states, lengths, w_y).view(len(labels), -1).softmax(-1)
    return p, -p[range(len(labels)), labels].log2().mean()


@wrong(K)
def choice_rounded(states, lengths, w_y, labels):
    scores = scores_of(states, lengths, w_y).view(len(labels), -1)
    return scores.softmax(-1).round(decimals=2), F.cross_entropy(scores, labels)


@wrong(K)
def choice_float_loss(states, lengths, w_y, labels):
    scores = scores_of(states, lengths, w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels).item()


@wrong(K)
def choice_temperature(states, lengths, w_y, labels):
    scores = scores_of(states, lengths, w_y).view(len(labels), -1) / 2
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong(K)
def choice_length_normalised(states, lengths, w_y, labels):
    scores = (scores_of(states, lengths, w_y) / lengths).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong(K)
def choice_second_place(states, lengths, w_y, labels):
    """states[lengths - 1]: the axes confused."""
    scores = (states[:, lengths - 1].mean(1) @ w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong(K)
def choice_max_place(states, lengths, w_y, labels):
    scores = (states @ w_y).amax(1).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong(K)
def choice_padding_and_batch_softmax(states, lengths, w_y, labels):
    scores = (states[:, -1] @ w_y).view(len(labels), -1)
    p = scores.softmax(0)
    return p, -p[range(len(labels)), labels].log().mean()


# --- 14.label_words ---------------------------------------------------------------------------------------------------

K = "14.label_words"


def each_of(model, start, prompt, label):
    ids = torch.tensor([[start, *prompt, *label]])
    return model(ids).log_softmax(-1)[0, :-1].gather(1, ids[0, 1:, None])[:, 0]


@wrong(K)
def words_minus_prompt(model, start, prompt, labels):
    """Sliced by len(prompt) + 1: one too far."""
    return torch.stack([each_of(model, start, prompt, label)[len(prompt) + 1 :].mean() for label in labels])


@wrong(K)
def words_one_dimension(model, start, prompt, labels):
    """The batch axis is forgotten."""
    return torch.stack([model(torch.tensor([start, *prompt, *label])).mean() for label in labels])


@wrong(K)
def words_as_list(model, start, prompt, labels):
    return torch.stack([model([start, *prompt, *label]).mean() for label in labels])


@wrong(K)
def words_sum_exp(model, start, prompt, labels):
    p = torch.stack([each_of(model, start, prompt, label)[-len(label) :].sum() for label in labels])
    return p.softmax(0)


@wrong(K)
def words_mean_probability(model, start, prompt, labels):
    return torch.stack([each_of(model, start, prompt, label)[-len(label) :].exp().mean() for label in labels])


@wrong(K)
def words_unshifted_label_only(model, start, prompt, labels):
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[start, *prompt, *label]]))[0].log_softmax(-1)
        scores.append(log_p[-len(label) :].gather(1, torch.tensor(label)[:, None]).mean())
    return torch.stack(scores)


@wrong(K)
def words_fixed_place(model, start, prompt, labels):
    """All label tokens at the prompt's last place, summed."""
    log_p = model(torch.tensor([[start, *prompt]]))[0, -1].log_softmax(-1)
    return torch.stack([log_p[label].sum() for label in labels])


@wrong(K)
def words_first_token_only(model, start, prompt, labels):
    log_p = model(torch.tensor([[start, *prompt]]))[0, -1].log_softmax(-1)
    return torch.stack([log_p[label[0]] for label in labels])


@wrong(K)
def words_prompt_twice(model, start, prompt, labels):
    return torch.stack([each_of(model, start, prompt + prompt, label)[-len(label) :].mean() for label in labels])


@wrong(K)
def words_reversed_label(model, start, prompt, labels):
    return torch.stack([each_of(model, start, prompt, label[::-1])[-len(label) :].mean() for label in labels])


@wrong(K)
def words_prompt_grows(model, start, prompt, labels):
    scores = []
    for label in labels:
        total = 0
        for token in label:
            total = total + model(torch.tensor([[start, *prompt]]))[0, -1].log_softmax(-1)[token]
            prompt.append(token)
        scores.append(total / len(label))
    return torch.stack(scores)


@wrong(K)
def words_never_read_on(model, start, prompt, labels):
    """Token by token, but every one is asked right after the prompt, then divided by all."""
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[start, *prompt]]))[0, -1].log_softmax(-1)
        scores.append(sum(log_p[token] for token in label) / (len(prompt) + len(label)))
    return torch.stack(scores)


@wrong(K)
def words_longest_count(model, start, prompt, labels):
    longest = max(map(len, labels))
    return torch.stack([each_of(model, start, prompt, label)[-len(label) :].sum() / longest for label in labels])


@wrong(K)
def words_last_n_of_longest(model, start, prompt, labels):
    longest = max(map(len, labels))
    return torch.stack([each_of(model, start, prompt, label)[-longest:].mean() for label in labels])


@wrong(K)
def words_dictionary(model, start, prompt, labels):
    return {tuple(label): float(each_of(model, start, prompt, label)[-len(label) :].mean()) for label in labels}


@wrong(K)
def words_geometric_mean(model, start, prompt, labels):
    return torch.stack(
        [each_of(model, start, prompt, label)[-len(label) :].exp().prod() ** (1 / len(label)) for label in labels]
    )


@wrong(K)
def words_ranked(model, start, prompt, labels):
    scores = torch.stack([each_of(model, start, prompt, label)[-len(label) :].mean() for label in labels])
    return scores.sort(descending=True).values


# --- 14.order_effect --------------------------------------------------------------------------------------------------

K = "14.order_effect"


def share(x):
    return x.double().mean().item()


@wrong(K)
def order_tensors(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return (one != other).float().mean(), (one == labels).float().mean(), (both == labels).float().mean()


@wrong(K)
def order_mean_of_argmax(logits, swapped, labels):
    one, other = logits.argmax(-1), swapped.argmax(-1)
    both = (one + other) // 2
    return share(one != other), share(one == labels), share(both == labels)


@wrong(K)
def order_swapped_argmax_axis(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.flip(-1).argmax(-1), (logits + swapped).argmax(-1)
    return share(one != other), share(one == labels), share(both == labels)


@wrong(K)
def order_threshold(logits, swapped, labels):
    """The first logit above 0 decides."""
    one, other, both = (x[:, 1] > 0 for x in (logits, swapped, logits + swapped))
    return share(one != other), share(one == labels), share(both == labels)


@wrong(K)
def order_abs_difference(logits, swapped, labels):
    one, both = logits.argmax(-1), (logits + swapped).argmax(-1)
    return float((logits - swapped).abs().mean()), share(one == labels), share(both == labels)


@wrong(K)
def order_changed_count(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return int((one != other).sum()), share(one == labels), share(both == labels)


@wrong(K)
def order_changed_distance(logits, swapped, labels):
    """The mean of |one − other|: class numbers as distances."""
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return share((one - other).abs()), share(one == labels), share(both == labels)


@wrong(K)
def order_of_right_ones(logits, swapped, labels):
    """Divided by the right ones only."""
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return (
        ((one != other) & (one == labels)).sum().item() / max(1, (one == labels).sum().item()),
        share(one == labels),
        share(both == labels),
    )


@wrong(K)
def order_half_logits(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped / 4).argmax(-1)
    return share(one != other), share(one == labels), share(both == labels)


@wrong(K)
def order_concatenated(logits, swapped, labels):
    one, other = logits.argmax(-1), swapped.argmax(-1)
    both = torch.cat([logits, swapped], -1).argmax(-1) % logits.shape[-1]
    return share(one != other), share(one == labels), share(both == labels)


@wrong(K)
def order_normalised(logits, swapped, labels):
    one, other = logits.argmax(-1), swapped.argmax(-1)
    both = (F.normalize(logits, dim=-1) + F.normalize(swapped, dim=-1)).argmax(-1)
    return share(one != other), share(one == labels), share(both == labels)


@wrong(K)
def order_all_classes(logits, swapped, labels):
    """Divided by the number of logits."""
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    n = logits.numel()
    return int((one != other).sum()) / n, int((one == labels).sum()) / n, int((both == labels).sum()) / n


@wrong(K)
def order_changed_to_both(logits, swapped, labels):
    """both_orders as a change: between one order and both."""
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return share(one != other), share(one == labels), share(both != one)


@wrong(K)
def order_four(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return share(one != other), share(one == labels), share(other == labels), share(both == labels)


@wrong(K)
def order_dictionary(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return {"changed": share(one != other), "one": share(one == labels), "both": share(both == labels)}


@wrong(K)
def order_added_in_place(logits, swapped, labels):
    one = logits.argmax(-1)
    logits += swapped
    return share(one != swapped.argmax(-1)), share(one == labels), share(logits.argmax(-1) == labels)


@wrong(K)
def order_both_of_labels(logits, swapped, labels):
    """Both orders' answers must agree, else it counts as wrong, in one_order as well."""
    one, other = logits.argmax(-1), swapped.argmax(-1)
    agree = one == other
    return share(~agree), share(agree & (one == labels)), share((logits + swapped).argmax(-1) == labels)
