"""What a fresh student of lesson 14 wrote and was not told: now the card names it."""

import math

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong


def last_token(ids, pad_id):
    return (ids != pad_id).sum(1) - 1


def language_loss(states, ids, W_e, pad_id):
    return F.cross_entropy((states[:, :-1] @ W_e.T).mT, ids[:, 1:], ignore_index=pad_id)


@wrong("14.l3_loss", "Your L₁ is in bits")
def student_l1_in_bits(states, ids, labels, W_e, W_y, pad_id, lam):
    h = states[torch.arange(len(ids)), last_token(ids, pad_id)]
    return F.cross_entropy(h @ W_y, labels) + lam * language_loss(states, ids, W_e, pad_id) / math.log(2)


@wrong("14.l3_loss", "*all* texts' last tokens")
def student_l2_reads_all_ends(states, ids, labels, W_e, W_y, pad_id, lam):
    h = states[:, last_token(ids, pad_id)].mean(1)
    return F.cross_entropy(h @ W_y, labels) + lam * language_loss(states, ids, W_e, pad_id)


def share(x):
    return x.double().mean().item()


def shares(logits, swapped, labels, changed=None, one=None, both=None):
    """The three right ones, but for those given."""
    a, b = logits.argmax(-1), swapped.argmax(-1)
    right = a != b, a == labels, (logits + swapped).argmax(-1) == labels
    return tuple(share(r) if own is None else own for own, r in zip((changed, one, both), right))


@wrong("14.order_effect", "runs over the pairs")
def student_changes_of_columns(logits, swapped, labels):
    return shares(logits, swapped, labels, changed=share(logits.argmax(0) != swapped.argmax(0)))


@wrong("14.order_effect", "any()")
def student_any_change(logits, swapped, labels):
    return shares(logits, swapped, labels, changed=float((logits.argmax(-1) != swapped.argmax(-1)).any()))


@wrong("14.order_effect", "mean probability")
def student_mean_probability(logits, swapped, labels):
    right = logits.softmax(-1)[torch.arange(len(labels)), labels]
    return shares(logits, swapped, labels, one=right.double().mean().item())


@wrong("14.order_effect", "side by side")
def student_classes_joined(logits, swapped, labels):
    return shares(logits, swapped, labels, both=share(torch.cat([logits, swapped], 1).argmax(1) == labels))


@wrong("14.label_words", "no start mark")
def student_no_start_mark(model, start, prompt, labels):
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[*prompt, *label]]))[0].log_softmax(-1)
        scores.append(sum(log_p[len(prompt) + j - 1, token] for j, token in enumerate(label)) / len(label))
    return torch.stack(scores)


@wrong("14.label_words", "never reads the prompt")
def student_no_prompt_and_a_sum(model, start, prompt, labels):
    return torch.stack(
        [
            -F.cross_entropy(model(torch.tensor([[start, *label]]))[0, :-1], torch.tensor(label), reduction="sum")
            for label in labels
        ]
    )
