"""Right answers to lesson 17, trees and graphs."""

import torch

from right_answers import right

# --- 17.tree_steps ----------------------------------------------------------------------------------------------------


@right("17.tree_steps")
def steps_by_lists(parents):
    n = len(parents)
    steps = torch.zeros(n, n, 2, dtype=torch.long)
    ways = []
    for i in range(n):
        way = [i]
        while way[-1] != 0:
            way.append(int(parents[way[-1]]))
        ways.append(way)
    for i in range(n):
        for j in range(n):
            for up, place in enumerate(ways[i]):
                if place in ways[j]:
                    steps[i, j, 0], steps[i, j, 1] = up, ways[j].index(place)
                    break
    return steps


@right("17.tree_steps")
def steps_by_common_ancestors(parents):
    n = len(parents)
    A = torch.eye(n, dtype=torch.long)
    A[torch.arange(n), parents] = 1
    for _ in range(n):
        A = (A @ A).clamp(max=1)
    common = A @ A.T
    own = common.diagonal()
    return torch.stack((own[:, None] - common, own[None] - common), -1)


@right("17.tree_steps")
def steps_by_climbing_the_deeper(parents):
    parents = parents.tolist()

    def depth(i):
        return 0 if i == 0 else 1 + depth(parents[i])

    def between(i, j):
        up = down = 0
        while i != j:
            if depth(i) >= depth(j):
                i, up = parents[i], up + 1
            else:
                j, down = parents[j], down + 1
        return up, down

    n = len(parents)
    return torch.tensor([[between(i, j) for j in range(n)] for i in range(n)])


@right("17.tree_steps")
def steps_by_search(parents):
    n = len(parents)
    found = torch.full((n, n, 2), -1)
    for i in range(n):
        found[i, i] = 0
        border = [i]
        while border:
            here = border.pop()
            for there in range(n):
                if found[i, there, 0] >= 0:
                    continue
                if parents[here] == there and found[i, here, 1] == 0:
                    found[i, there] = found[i, here] + torch.tensor([1, 0])
                    border.append(there)
                elif parents[there] == here:
                    found[i, there] = found[i, here] + torch.tensor([0, 1])
                    border.append(there)
    return found


@right("17.tree_steps")
def steps_by_tensors_of_places(parents):
    """Climbs with tensors of one number, never made Python's."""
    n = parents.shape[0]
    out = torch.zeros((n, n, 2), dtype=torch.int64)
    for i in range(n):
        above, here, up = {}, torch.tensor(i), 0
        while True:
            above[here.item()] = up
            if here == 0:
                break
            here, up = parents[here], up + 1
        for j in range(n):
            there, down = torch.tensor(j), 0
            while there.item() not in above:
                there, down = parents[there], down + 1
            out[i, j] = torch.stack([torch.tensor(above[there.item()]), torch.tensor(down)])
    return out


# --- 17.graph_scores --------------------------------------------------------------------------------------------------


@right("17.graph_scores")
def scores_by_loops(query, key, edges, table):
    batch, heads, n, d = query.shape
    rows = []
    for b in range(batch):
        for h in range(heads):
            for i in range(n):
                for j in range(n):
                    rows.append(query[b, h, i] @ (key[b, h, j] + table[edges[b, i, j]]))
    return torch.stack(rows).view(batch, heads, n, n) / d**0.5


@right("17.graph_scores")
def scores_by_broadcasting(query, key, edges, table):
    keys = key[:, :, None, :, :] + table[edges][:, None]
    return (query[:, :, :, None, :] * keys).sum(-1) / keys.shape[-1] ** 0.5


@right("17.graph_scores")
def scores_by_gather(query, key, edges, table):
    query = query / query.shape[-1] ** 0.5
    meets = query @ table.T
    return query @ key.transpose(-1, -2) + meets.gather(-1, edges.unsqueeze(1).expand(-1, query.shape[1], -1, -1))


@right("17.graph_scores")
def scores_by_one_hot(query, key, edges, table):
    r = torch.nn.functional.one_hot(edges, len(table)).to(table.dtype) @ table
    relative = (r[:, None] @ query[..., None]).squeeze(-1)
    return (torch.matmul(query, key.mT) + relative) * (1 / query.size(-1) ** 0.5)


@right("17.graph_scores")
def scores_by_embedding(query, key, edges, table):
    r = torch.nn.functional.embedding(edges, table)
    content = torch.einsum("bhid,bhjd->bhij", query, key)
    return (content + torch.einsum("bhid,bijd->bhij", query, r)) / torch.tensor(
        query.shape[-1], dtype=query.dtype
    ).sqrt()


# --- 17.parent_probabilities ------------------------------------------------------------------------------------------


@right("17.parent_probabilities")
def parents_by_loops(states, W_child, W_parent):
    rows = []
    for sentence in states:
        for i in range(1, len(sentence)):
            e = []
            for j in range(len(sentence)):
                score = (W_child @ sentence[i]) @ (W_parent @ sentence[j])
                e.append(score.exp() if i != j else score * 0)
            rows.append(torch.stack(e) / sum(e))
    return torch.stack(rows).view(len(states), states.shape[1] - 1, -1)


@right("17.parent_probabilities")
def parents_by_one_matrix(states, W_child, W_parent):
    U = W_child.T @ W_parent
    scores = torch.einsum("bid,de,bje->bij", states[:, 1:], U, states)
    own = torch.eye(states.shape[1], dtype=torch.bool)[1:]
    return torch.softmax(torch.where(own, float("-inf"), scores), -1)


@right("17.parent_probabilities")
def parents_closed_after_and_shared_out(states, W_child, W_parent):
    n = states.shape[1]
    scores = torch.nn.functional.linear(states, W_child) @ torch.nn.functional.linear(states, W_parent).transpose(1, 2)
    weights = scores.softmax(2) * (1 - torch.eye(n, dtype=states.dtype))
    return (weights / weights.sum(2, keepdim=True))[:, 1:]


@right("17.parent_probabilities")
def parents_with_a_large_number(states, W_child, W_parent):
    n = states.size(1)
    scores = (states @ W_child.T) @ (states @ W_parent.T).mT
    scores = scores - 1e9 * torch.eye(n, dtype=scores.dtype)
    return torch.softmax(scores, dim=-1)[:, 1:, :]


@right("17.parent_probabilities")
def parents_by_shifted_eye(states, W_child, W_parent):
    children, parents = states[:, 1:] @ W_child.mT, states @ W_parent.mT
    scores = children @ parents.mT
    own = torch.ones_like(scores).triu(1) * torch.ones_like(scores).tril(1) > 0
    return scores.masked_fill(own, float("-inf")).softmax(-1)
