"""Right answers to lesson 14, using GPT."""

from itertools import starmap

import torch
import torch.nn.functional as F

from right_answers import right

# --- 14.input_forms ---------------------------------------------------------------------------------------------------


@right("14.input_forms")
def pairs_first(task, first, others, start, delimiter, extract):
    if task == "classification":
        return [[start, *first, extract]]
    pairs = [(first, other) for other in others]
    if task == "similarity":
        pairs.append((others[0], first))
    return [[start, *a, delimiter, *b, extract] for a, b in pairs]


@right("14.input_forms")
def case_by_case(task, first, others, start, delimiter, extract):
    runs = []
    if task == "classification":
        runs.append([start] + first + [extract])
    elif task == "entailment":
        runs.append([start] + first + [delimiter] + others[0] + [extract])
    elif task == "similarity":
        runs.append([start] + first + [delimiter] + others[0] + [extract])
        runs.append([start] + others[0] + [delimiter] + first + [extract])
    else:
        for answer in others:
            run = [start]
            run.extend(first)
            run.append(delimiter)
            run.extend(answer)
            run.append(extract)
            runs.append(run)
    return runs


@right("14.input_forms")
def match_and_helper(task, first, others, start, delimiter, extract):
    def run(*texts):
        tokens = [start]
        for text in texts:
            tokens += [*text, delimiter]
        tokens[-1] = extract
        return tokens

    match task:
        case "classification":
            return [run(first)]
        case "similarity":
            (other,) = others
            return [run(first, other), run(other, first)]
        case "entailment" | "multiple choice":
            return list(starmap(run, ((first, other) for other in others)))


@right("14.input_forms")
def tuple_of_runs_made_a_list(task, first, others, start, delimiter, extract):
    texts = {
        "classification": [[first]],
        "entailment": [[first, *others]],
        "similarity": [[first, *others], [*others, first]],
        "multiple choice": [[first, x] for x in others],
    }[task]
    return [[start, *sum((t + [delimiter] for t in each), [])[:-1], extract] for each in texts]  # noqa: RUF017


# --- 14.l3_loss -------------------------------------------------------------------------------------------------------


@right("14.l3_loss")
def by_torch(states, ids, labels, W_e, W_y, pad_id, lam):
    last = (ids != pad_id).sum(dim=1) - 1
    h = states[torch.arange(len(ids)), last]
    l2 = F.cross_entropy(h @ W_y, labels)
    logits = states @ W_e.mT
    l1 = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=pad_id)
    return l2 + lam * l1


@right("14.l3_loss")
def by_log_softmax(states, ids, labels, W_e, W_y, pad_id, lam):
    real = ids != pad_id
    place = (real.sum(1) - 1)[:, None, None].expand(-1, 1, states.shape[-1])
    log_y = (states.gather(1, place).squeeze(1) @ W_y).log_softmax(-1)
    l2 = -log_y.gather(1, labels[:, None]).mean()
    log_w = torch.einsum("bnd,vd->bnv", states, W_e).log_softmax(-1)[:, :-1]
    said = log_w.gather(2, ids[:, 1:, None]).squeeze(2) * real[:, 1:]
    return l2 - lam * said.sum() / real[:, 1:].sum()


@right("14.l3_loss")
def text_by_text(states, ids, labels, W_e, W_y, pad_id, lam):
    l1, l2, count = 0, 0, 0
    for h, text, label in zip(states, ids, labels):
        n = int((text != pad_id).sum())
        l2 = l2 - (h[n - 1] @ W_y).log_softmax(0)[label]
        for i in range(n - 1):
            l1 = l1 - (W_e @ h[i]).log_softmax(0)[text[i + 1]]
            count += 1
    return l2 / len(ids) + lam * l1 / count


@right("14.l3_loss")
def last_by_mask(states, ids, labels, W_e, W_y, pad_id, lam):
    real = ids != pad_id
    is_last = real & ~torch.cat([real[:, 1:], torch.zeros_like(real[:, :1])], 1)
    l2 = F.nll_loss(F.log_softmax(states[is_last] @ W_y, dim=1), labels)
    l1 = F.cross_entropy(F.linear(states, W_e)[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad_id)
    return lam * l1 + l2


# --- 14.multiple_choice -----------------------------------------------------------------------------------------------


@right("14.multiple_choice")
def three_steps(states, lengths, w_y, labels):
    read = states[torch.arange(len(states)), lengths - 1]
    scores = (read @ w_y).view(len(labels), -1)
    return scores.softmax(dim=-1), F.cross_entropy(scores, labels)


@right("14.multiple_choice")
def all_scores_then_read(states, lengths, w_y, labels):
    scores = (states @ w_y).gather(1, (lengths - 1)[:, None]).reshape(len(labels), -1)
    p = scores.exp() / scores.exp().sum(1, keepdim=True)
    return p, -p[range(len(labels)), labels].log().mean()


@right("14.multiple_choice")
def example_by_example(states, lengths, w_y, labels):
    choices = len(lengths) // len(labels)
    rows, loss = [], 0
    for i, label in enumerate(labels):
        scores = torch.stack([torch.dot(states[k, lengths[k] - 1], w_y) for k in range(i * choices, (i + 1) * choices)])
        rows.append(torch.softmax(scores, 0))
        loss = loss - torch.log(rows[-1][label])
    return torch.stack(rows), loss / len(labels)


@right("14.multiple_choice")
def folded_first(states, lengths, w_y, labels):
    batch, choices = len(labels), len(states) // len(labels)
    folded = states.unflatten(0, (batch, choices))
    at = (lengths.view(batch, choices, 1, 1) - 1).expand(-1, -1, 1, states.shape[-1])
    log_p = torch.einsum("bcd,d->bc", folded.gather(2, at)[:, :, 0], w_y).log_softmax(-1)
    return log_p.exp(), F.nll_loss(log_p, labels)


# --- 14.label_words ---------------------------------------------------------------------------------------------------


@right("14.label_words")
def one_text_a_label(model, start, prompt, labels):
    scores = []
    for label in labels:
        ids = torch.tensor([[start, *prompt, *label]])
        log_p = model(ids).log_softmax(dim=-1)[0, :-1]
        right = log_p.gather(1, ids[0, 1:, None])[:, 0]
        scores.append(right[-len(label) :].mean())
    return torch.stack(scores)


@right("14.label_words")
def token_by_token(model, start, prompt, labels):
    scores = torch.zeros(len(labels))
    for k, label in enumerate(labels):
        read = [start] + prompt
        for token in label:
            scores[k] += model(torch.tensor([read]))[0, -1].log_softmax(-1)[token]
            read = read + [token]
        scores[k] /= len(label)
    return scores


@right("14.label_words")
def in_one_batch(model, start, prompt, labels):
    n, longest = 1 + len(prompt), max(map(len, labels))
    ids = torch.tensor([[start, *prompt, *label, *[0] * (longest - len(label))] for label in labels])
    log_p = F.log_softmax(model(ids[:, :-1]), -1)[:, n - 1 :].gather(2, ids[:, n:, None]).squeeze(2)
    counts = torch.tensor([[len(label)] for label in labels])
    return (log_p * (torch.arange(longest) < counts)).sum(1) / counts[:, 0]


@right("14.label_words")
def by_cross_entropy(model, start, prompt, labels):
    scores = []
    for label in labels:
        logits = model(torch.tensor([[start, *prompt, *label]]))[0]
        scores.append(-F.cross_entropy(logits[len(prompt) : -1], torch.tensor(label)).item())
    return torch.tensor(scores)


# --- 14.order_effect --------------------------------------------------------------------------------------------------


@right("14.order_effect")
def by_mean(logits, swapped, labels):
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    return (
        (one != other).float().mean().item(),
        (one == labels).float().mean().item(),
        (both == labels).float().mean().item(),
    )


@right("14.order_effect")
def by_counting(logits, swapped, labels):
    n, changed, one, both = len(labels), 0, 0, 0
    for a, b, y in zip(logits, swapped, labels):
        changed += int(a.argmax() != b.argmax())
        one += int(a.argmax() == y)
        both += int((a + b).argmax() == y)
    return changed / n, one / n, both / n


@right("14.order_effect")
def by_means_and_sums(logits, swapped, labels):
    answers = torch.stack([logits, swapped, (logits + swapped) / 2]).max(-1).indices.tolist()
    y = labels.tolist()
    share = lambda a, b: sum(map(int.__eq__, a, b)) / len(y)  # noqa: E731
    return 1 - share(answers[0], answers[1]), share(answers[0], y), share(answers[2], y)


@right("14.order_effect")
def as_a_list(logits, swapped, labels):
    one, other = torch.argmax(logits, dim=1), torch.argmax(swapped, dim=1)
    both = torch.argmax(logits.softmax(1).log() + swapped.softmax(1).log(), dim=1)
    return [float(x.sum()) / labels.numel() for x in (one.ne(other), one.eq(labels), both.eq(labels))]
