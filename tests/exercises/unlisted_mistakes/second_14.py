"""Nine more ordinary wrong answers for each code exercise of lesson 14, written after the first mending, before any was judged."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 14.input_forms ---------------------------------------------------------------------------------------------------


@wrong("14.input_forms")
def second_forms_if_without_elif(task, first, others, start, delimiter, extract):
    """Similarity is run through the last branch as well."""
    runs = []
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        runs.append([start, *others[0], delimiter, *first, extract])
    for other in others:
        runs.append([start, *first, delimiter, *other, extract])
    return runs


@wrong("14.input_forms")
def second_forms_delimiter_at_end_of_context(task, first, others, start, delimiter, extract):
    """The context ends with a delimiter, and the join puts one more."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "multiple choice":
        context = [*first, delimiter]
        return [[start, *context, delimiter, *o, extract] for o in others]
    runs = [[start, *first, delimiter, *others[0], extract]]
    if task == "similarity":
        runs.append([start, *others[0], delimiter, *first, extract])
    return runs


@wrong("14.input_forms")
def second_forms_choices_numbered(task, first, others, start, delimiter, extract):
    """The answer's number stands in front of it."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "multiple choice":
        return [[start, *first, delimiter, i, *o, extract] for i, o in enumerate(others)]
    runs = [[start, *first, delimiter, *others[0], extract]]
    if task == "similarity":
        runs.append([start, *others[0], delimiter, *first, extract])
    return runs


@wrong("14.input_forms")
def second_forms_similarity_single_words(task, first, others, start, delimiter, extract):
    """Similarity pairs word with word."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, a, delimiter, b, extract] for a, b in zip(first, others[0])]
    return [[start, *first, delimiter, *o, extract] for o in others]


@wrong("14.input_forms")
def second_forms_set_of_marks(task, first, others, start, delimiter, extract):
    """The extract mark only where there are two texts."""
    if task == "classification":
        return [[start, *first]]
    runs = [[start, *first, delimiter, *o, extract] for o in others]
    if task == "similarity":
        runs.append([start, *others[0], delimiter, *first, extract])
    return runs


@wrong("14.input_forms")
def second_forms_start_only_first(task, first, others, start, delimiter, extract):
    """The start mark is only in the first run."""
    if task == "classification":
        return [[start, *first, extract]]
    pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
    return [[*([start] if i == 0 else []), *a, delimiter, *b, extract] for i, (a, b) in enumerate(pairs)]


@wrong("14.input_forms")
def second_forms_unsorted_words(task, first, others, start, delimiter, extract):
    """Repeated words are lost: a set."""
    if task == "classification":
        return [[start, *sorted(set(first)), extract]]
    pairs = [(first, o) for o in others] + ([(others[0], first)] if task == "similarity" else [])
    return [[start, *a, delimiter, *b, extract] for a, b in pairs]


@wrong("14.input_forms")
def second_forms_wrong_task_name(task, first, others, start, delimiter, extract):
    """Entailment is not known."""
    if task == "classification":
        return [[start, *first, extract]]
    if task == "similarity":
        return [[start, *first, delimiter, *others[0], extract], [start, *others[0], delimiter, *first, extract]]
    if task == "multiple choice":
        return [[start, *first, delimiter, *o, extract] for o in others]


@wrong("14.input_forms")
def second_forms_append_returns_none(task, first, others, start, delimiter, extract):
    """list.append in an expression."""
    runs = [[start, *first]]
    return [run.append(extract) for run in runs]


# --- 14.l3_loss -------------------------------------------------------------------------------------------------------


@wrong("14.l3_loss")
def second_l3_argmax_of_pad(states, ids, labels, W_e, W_y, pad_id, lam):
    """The first padding by argmax: 0 where there is none, so −1 reads the end; one before the first padding otherwise, plus one."""
    place = (ids == pad_id).int().argmax(1)
    l2 = F.cross_entropy(states[torch.arange(len(ids)), place] @ W_y, labels)
    return l2 + lam * F.cross_entropy((states @ W_e.mT)[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)


@wrong("14.l3_loss")
def second_l3_masked_states(states, ids, labels, W_e, W_y, pad_id, lam):
    """Padding's states set to 0, then the last place is read."""
    states = states * (ids != pad_id)[..., None]
    l2 = F.cross_entropy(states[:, -1] @ W_y, labels)
    return l2 + lam * F.cross_entropy((states @ W_e.mT)[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)


@wrong("14.l3_loss")
def second_l3_language_at_last_excluded(states, ids, labels, W_e, W_y, pad_id, lam):
    """The last real token isn't a target: it is the extract mark."""
    last = (ids != pad_id).sum(1) - 1
    l2 = F.cross_entropy(states[torch.arange(len(ids)), last] @ W_y, labels)
    wanted = ids[:, 1:].clone()
    for row, place in enumerate(last.tolist()):
        wanted[row, place - 1] = pad_id
    return l2 + lam * F.cross_entropy((states @ W_e.mT)[:, :-1].mT, wanted, ignore_index=pad_id)


@wrong("14.l3_loss")
def second_l3_w_e_normalised(states, ids, labels, W_e, W_y, pad_id, lam):
    """Logits divided by √d."""
    last = (ids != pad_id).sum(1) - 1
    l2 = F.cross_entropy(states[torch.arange(len(ids)), last] @ W_y, labels)
    logits = states @ W_e.mT / states.shape[-1] ** 0.5
    return l2 + lam * F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)


@wrong("14.l3_loss")
def second_l3_default_ignore(states, ids, labels, W_e, W_y, pad_id, lam):
    """ignore_index forgotten, and the label's loss as a sum."""
    last = (ids != pad_id).sum(1) - 1
    l2 = F.cross_entropy(states[torch.arange(len(ids)), last] @ W_y, labels, reduction="sum")
    return l2 + lam * F.cross_entropy((states @ W_e.mT)[:, :-1].mT, ids[:, 1:])


@wrong("14.l3_loss")
def second_l3_mean_not_of_both(states, ids, labels, W_e, W_y, pad_id, lam):
    """A mean of the texts' own L₃."""
    total = 0
    for h, text, y in zip(states, ids, labels):
        n = int((text != pad_id).sum())
        l2 = F.cross_entropy((h[n - 1] @ W_y)[None], y[None])
        l1 = F.cross_entropy(h[: n - 1] @ W_e.mT, text[1:n])
        total = total + l2 + lam * l1
    return total / len(ids)


@wrong("14.l3_loss")
def second_l3_return_in_loop(states, ids, labels, W_e, W_y, pad_id, lam):
    """return inside the loop over texts."""
    for h, text, y in zip(states, ids, labels):
        n = int((text != pad_id).sum())
        l2 = F.cross_entropy((h[n - 1] @ W_y)[None], y[None])
        return l2 + lam * F.cross_entropy(h[: n - 1] @ W_e.mT, text[1:n])


@wrong("14.l3_loss")
def second_l3_classes_in_language(states, ids, labels, W_e, W_y, pad_id, lam):
    """W_e for the labels: the label is taken for a word."""
    last = (ids != pad_id).sum(1) - 1
    l2 = F.cross_entropy(states[torch.arange(len(ids)), last] @ W_e.mT, labels)
    return l2 + lam * F.cross_entropy((states @ W_e.mT)[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)


@wrong("14.l3_loss")
def second_l3_shifted_logits_read(states, ids, labels, W_e, W_y, pad_id, lam):
    """Padding is masked by the ids that are read, and the last is read at n − 2 of the shifted states."""
    states = states[:, :-1]
    last = (ids[:, :-1] != pad_id).sum(1) - 1
    l2 = F.cross_entropy(states[torch.arange(len(ids)), last] @ W_y, labels)
    return l2 + lam * F.cross_entropy((states @ W_e.mT).mT, ids[:, 1:], ignore_index=pad_id)


# --- 14.multiple_choice -----------------------------------------------------------------------------------------------


def read(states, lengths):
    return states[torch.arange(len(states)), lengths - 1]


@wrong("14.multiple_choice")
def second_choice_sigmoid_normalised(states, lengths, w_y, labels):
    p = (read(states, lengths) @ w_y).view(len(labels), -1).sigmoid()
    p = p / p.sum(-1, keepdim=True)
    return p, -p[torch.arange(len(labels)), labels].log().mean()


@wrong("14.multiple_choice")
def second_choice_mean_read_padding(states, lengths, w_y, labels):
    """states.mean(1) divided again by the lengths."""
    h = states.sum(1) / lengths[:, None]
    scores = (h @ w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong("14.multiple_choice")
def second_choice_exp_without_sum(states, lengths, w_y, labels):
    scores = (read(states, lengths) @ w_y).view(len(labels), -1)
    return scores.exp(), F.cross_entropy(scores, labels)


@wrong("14.multiple_choice")
def second_choice_labels_shifted(states, lengths, w_y, labels):
    """labels counted from 1."""
    scores = (read(states, lengths) @ w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels - 1)


@wrong("14.multiple_choice")
def second_choice_interleaved(states, lengths, w_y, labels):
    """The runs interleaved: every batch-th run belongs to an example."""
    batch = len(labels)
    h = read(states, lengths)
    scores = torch.stack([h[i::batch] @ w_y for i in range(batch)])
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong("14.multiple_choice")
def second_choice_first_states(states, lengths, w_y, labels):
    """lengths of the first example for all."""
    choices = len(states) // len(labels)
    own = lengths[:choices].repeat(len(labels))
    scores = (states[torch.arange(len(states)), own - 1] @ w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong("14.multiple_choice")
def second_choice_softmax_of_h(states, lengths, w_y, labels):
    """Both the softmax inside and outside."""
    scores = ((states @ w_y).softmax(1)[torch.arange(len(states)), lengths - 1]).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@wrong("14.multiple_choice")
def second_choice_sum_over_runs_loss(states, lengths, w_y, labels):
    """Binary: the right against the sum of the wrong."""
    scores = (read(states, lengths) @ w_y).view(len(labels), -1)
    p = scores.softmax(-1)
    right = p[torch.arange(len(labels)), labels]
    return p, -(right / (1 - right)).log().mean()


@wrong("14.multiple_choice")
def second_choice_no_log_and_no_mean(states, lengths, w_y, labels):
    scores = (read(states, lengths) @ w_y).view(len(labels), -1)
    p = scores.softmax(-1)
    return p, (1 - p[torch.arange(len(labels)), labels]).sum()


# --- 14.label_words ---------------------------------------------------------------------------------------------------


@wrong("14.label_words")
def second_words_ids_to_end(model, start, prompt, labels):
    """logits[len(prompt):] with the last kept: one row too many, gathered by label of the wrong place."""
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[start, *prompt, *label]]))[0].log_softmax(-1)
        scores.append(torch.stack([log_p[len(prompt) + 1 + i, token] for i, token in enumerate(label)]).mean())
    return torch.stack(scores)


@wrong("14.label_words")
def second_words_off_by_start(model, start, prompt, labels):
    """The start mark is forgotten in the index: one place too early."""
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[start, *prompt, *label]]))[0].log_softmax(-1)
        scores.append(torch.stack([log_p[len(prompt) - 1 + i, token] for i, token in enumerate(label)]).mean())
    return torch.stack(scores)


@wrong("14.label_words")
def second_words_sum_of_max(model, start, prompt, labels):
    """Greedy: the model writes on by itself, and the label's tokens are scored on its own continuation."""
    scores = []
    for label in labels:
        read, total = [start, *prompt], 0.0
        for token in label:
            log_p = model(torch.tensor([read]))[0, -1].log_softmax(-1)
            total = total + log_p[token]
            read.append(int(log_p.argmax()))
        scores.append(total / len(label))
    return torch.stack(scores)


@wrong("14.label_words")
def second_words_counts(model, start, prompt, labels):
    """The share of label tokens that would be written greedily."""
    scores = []
    for label in labels:
        said = model(torch.tensor([[start, *prompt, *label]]))[0].argmax(-1)
        scores.append((said[len(prompt) : -1] == torch.tensor(label)).float().mean())
    return torch.stack(scores)


@wrong("14.label_words")
def second_words_padded_mean(model, start, prompt, labels):
    """In a batch; padding's log-probabilities are set to 0, and the mean is over the padded length."""
    n, longest = 1 + len(prompt), max(map(len, labels))
    ids = torch.tensor([[start, *prompt, *label, *[0] * (longest - len(label))] for label in labels])
    log_p = model(ids[:, :-1]).log_softmax(-1)[:, n - 1 :].gather(2, ids[:, n:, None]).squeeze(2)
    kept = torch.arange(longest) < torch.tensor([[len(label)] for label in labels])
    return (log_p * kept).mean(1)


@wrong("14.label_words")
def second_words_loss(model, start, prompt, labels):
    """cross_entropy as it is: the sign."""
    return torch.stack(
        [
            F.cross_entropy(model(torch.tensor([[start, *prompt, *label]]))[0, len(prompt) : -1], torch.tensor(label))
            for label in labels
        ]
    )


@wrong("14.label_words")
def second_words_prompt_in_loss(model, start, prompt, labels):
    """The whole text's perplexity."""
    scores = []
    for label in labels:
        ids = torch.tensor([start, *prompt, *label])
        scores.append(F.cross_entropy(model(ids[None])[0, :-1], ids[1:]).exp())
    return torch.stack(scores)


@wrong("14.label_words")
def second_words_only_same_length(model, start, prompt, labels):
    """Labels cut to the shortest, so that sums can be compared."""
    k = min(map(len, labels))
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[start, *prompt, *label]]))[0].log_softmax(-1)
        scores.append(torch.stack([log_p[len(prompt) + i, label[i]] for i in range(k)]).sum())
    return torch.stack(scores)


@wrong("14.label_words")
def second_words_best_first(model, start, prompt, labels):
    """Only the index of the best label, as an int."""
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[start, *prompt, *label]]))[0].log_softmax(-1)
        scores.append(sum(log_p[len(prompt) + i, token] for i, token in enumerate(label)) / len(label))
    return max(range(len(labels)), key=lambda i: scores[i])


# --- 14.order_effect --------------------------------------------------------------------------------------------------


def share(x):
    return x.double().mean().item()


@wrong("14.order_effect")
def second_order_softmax_compared(logits, swapped, labels):
    """Probabilities closer than .1 count as the same."""
    p, q = logits.softmax(-1), swapped.softmax(-1)
    return share((p - q).abs().amax(-1) > 0.1), share(p.argmax(-1) == labels), share((p * q).argmax(-1) == labels)


@wrong("14.order_effect")
def second_order_swap_means_flip_pairs(logits, swapped, labels):
    """swapped is flipped along the pairs."""
    one, other = logits.argmax(-1), swapped.flip(0).argmax(-1)
    return share(one != other), share(one == labels), share((logits + swapped).argmax(-1) == labels)


@wrong("14.order_effect")
def second_order_accuracy_of_changed(logits, swapped, labels):
    """Accuracies among the changed pairs alone."""
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    changed = one != other
    n = max(1, int(changed.sum()))
    return share(changed), int((one == labels)[changed].sum()) / n, int((both == labels)[changed].sum()) / n


@wrong("14.order_effect")
def second_order_both_where_agree(logits, swapped, labels):
    """Both orders: where they agree that answer, else class 0."""
    one, other = logits.argmax(-1), swapped.argmax(-1)
    both = torch.where(one == other, one, torch.zeros_like(one))
    return share(one != other), share(one == labels), share(both == labels)


@wrong("14.order_effect")
def second_order_sum_of_lists(logits, swapped, labels):
    """Python ints, floor division."""
    n = len(labels)
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return int((one != other).sum()) // n, int((one == labels).sum()) // n, int((both == labels).sum()) // n


@wrong("14.order_effect")
def second_order_percent_string(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return tuple(f"{share(x):.0%}" for x in (one != other, one == labels, both == labels))


@wrong("14.order_effect")
def second_order_n_minus_one(logits, swapped, labels):
    n = max(1, len(labels) - 1)
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return int((one != other).sum()) / n, int((one == labels).sum()) / n, int((both == labels).sum()) / n


@wrong("14.order_effect")
def second_order_mean_logits_other_axis(logits, swapped, labels):
    """Both orders: the mean over the classes of each order, the larger one's answer."""
    one, other = logits.argmax(-1), swapped.argmax(-1)
    both = torch.where(logits.mean(-1) > swapped.mean(-1), one, other)
    return share(one != other), share(one == labels), share(both == labels)


@wrong("14.order_effect")
def second_order_one_is_either(logits, swapped, labels):
    """one_order: the better of the two orders."""
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return share(one != other), max(share(one == labels), share(other == labels)) + 1e-3, share(both == labels)
