"""One new word through one attention layer, with the keys and values of the words before it kept."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _cache_step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    x = W_e[new_id] + W_p[keys.shape[1]]
    query = x @ W_Q
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    weights = (query @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1)
    return weights @ values, keys, values


def _model(g, batch, past, vocab=9, d=6, d_k=4, d_v=5, longest=12, dtype=torch.float32):
    ids = torch.randint(vocab, (batch, 1), generator=g)
    kept = randn(g, batch, past, d_k, dtype=dtype), randn(g, batch, past, d_v, dtype=dtype)
    tables = randn(g, vocab, d, dtype=dtype), randn(g, longest, d, dtype=dtype)
    return ids, *kept, *tables, *(randn(g, d, size, dtype=dtype) / 2 for size in (d_k, d_k, d_v))


cache_step = Code(
    "13.cache_step",
    title="Remember what was computed",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_cache_step,
    forbidden=("keyvaluecache",),
    axes=["batch 1 d_v", "batch word d_k", "batch word d_v"],
    results=("output", "keys", "values"),
    differentiable=True,
    cases=[
        Case("three words before it", lambda g: _model(g, 2, 3)),
        Case("a single text", lambda g: _model(g, 1, 4)),
        Case("one word before it", lambda g: _model(g, 2, 1)),
        Case("as long as the positions reach", lambda g: _model(g, 2, 11)),
        Case("all of one width", lambda g: _model(g, 2, 4, d=4, d_k=4, d_v=4)),
        Case("any sizes", lambda g: _model(g, integer(g, 2, 4), integer(g, 3, 9), d=integer(g, 5, 8))),
        Case("double precision", lambda g: _model(g, 2, 5, dtype=torch.float64)),
    ],
    hints=[
        "How many words were there before? The cache knows: keys.shape[1]. That is the new word's position, since they are counted from 0.",
        "Compute the new word's own query, key and value, each (batch, 1, …), and put key and value behind the old ones: torch.cat([keys, key], dim=1).",
        "The query looks at all keys, the new one among them, and needs no mask: nothing in the cache is its future. softmax(query @ keys.mT / √d_k) @ values.",
    ],
)


@cache_step.variants
def steps(
    new_id,
    keys,
    values,
    W_e,
    W_p,
    W_Q,
    W_K,
    W_V,
    *,
    place=lambda past: past,
    embed=lambda W_e, W_p, new_id, place: W_e[new_id] + W_p[place],
    kept_key=lambda query, key, x: key,
    join=lambda old, new: torch.cat([old, new], 1),
    seen=lambda old, new, joined: joined,
    scale=lambda scores, d_k: scores / d_k**0.5,
    weights=lambda scores: scores.softmax(-1),
    given=lambda output, keys, values, old: (output, keys, values),
):
    x = embed(W_e, W_p, new_id, place(keys.shape[1]))
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    old = keys, values
    keys, values = join(keys, kept_key(query, key, x)), join(values, value)
    look = seen(old[0], key, keys), seen(old[1], value, values)
    w = weights(scale(query @ look[0].mT, W_K.shape[-1]))
    return given(w @ look[1], keys, values, old)


steps.mistake(
    "Your new word believes it is the first: its position isn't 0, but the number of words in the cache, keys.shape[1].",
    place=lambda past: 0,
)
steps.mistake(
    "One position too far: with `past` words in the cache, at positions 0 to past − 1, the new one stands at `past`.",
    place=lambda past: min(past + 1, 11),
)
steps.mistake(
    "Two words at one position: past − 1 is the last word's of the cache. The new one stands at `past`.",
    place=lambda past: past - 1,
)
steps.mistake(
    "Position past + 1 is one too far: counted from 0, the new word stands at `past`. At the end of the table there is no such row.",
    place=lambda past: past + 1,
)
steps.mistake(
    "The new word has no position: add W_p[past] to its embedding.", embed=lambda W_e, W_p, new_id, place: W_e[new_id]
)
steps.mistake(
    "The new word's vector is its position alone: W_e[new_id] is missing.",
    embed=lambda W_e, W_p, new_id, place: W_p[place].expand(len(new_id), 1, -1),
)
steps.mistake(
    "You look the position up in W_e. Each has its own table: W_e for words, W_p for positions.",
    embed=lambda W_e, W_p, new_id, place: W_e[new_id] + W_e[min(place, len(W_e) - 1)],
)
steps.mistake(
    "n + 2 keys after one word: you put the new key and value in twice.",
    join=lambda old, new: torch.cat([old, new, new], 1),
)
steps.mistake(
    "The new key stands in front of the old ones. Each step's goes behind: torch.cat([keys, key], dim=1).",
    join=lambda old, new: torch.cat([new, old], 1),
)
steps.mistake(
    "You add the new key and value to every old one. They join the cache as one more row, behind the others: torch.cat([keys, key], dim=1).",
    join=lambda old, new: old + new,
)
steps.mistake(
    "The cache doesn't grow: return the keys and values with the new ones behind them.",
    given=lambda output, keys, values, old: (output, *old),
)
steps.mistake(
    "The cache is as long as before: the new key has taken the oldest one's place. Nothing is thrown out.",
    join=lambda old, new: torch.cat([old[:, 1:], new], 1),
)
steps.mistake(
    "Only the new key and value come back. The cache holds all of them, the old ones in front.",
    given=lambda output, keys, values, old: (output, keys[:, -1:], values[:, -1:]),
)
steps.mistake(
    "The new word doesn't see itself: attend after its key and value have joined the others.",
    seen=lambda old, new, joined: old,
)
steps.mistake(
    "The new word sees only itself: the output is its own value. The query looks at all keys in the cache.",
    seen=lambda old, new, joined: new,
)
steps.mistake(
    "You keep the query in the cache. Later words look for this word's *key*.", kept_key=lambda query, key, x: query
)
steps.mistake("The scores aren't divided by √d_k.", scale=lambda scores, d_k: scores)
steps.mistake("You divide by d_k. Divide the scores by its root.", scale=lambda scores, d_k: scores / d_k)
steps.mistake("You multiply by √d_k. Divide the scores by it.", scale=lambda scores, d_k: scores * d_k**0.5)
steps.mistake(
    "Your softmax runs over the queries, and there is one: each weight becomes 1. Over the keys, dim=-1.",
    weights=lambda scores: scores.softmax(-2),
)
steps.mistake(
    "Your softmax runs over the texts of the batch. Over the keys, dim=-1.", weights=lambda scores: scores.softmax(0)
)
steps.mistake("The softmax is missing: weights are positive and sum to 1 over the keys.", weights=lambda scores: scores)
steps.mistake(
    "You hide all keys but the first: a causal mask of one row, cut from its beginning. One query at the end of the text may see every key: no mask.",
    weights=lambda scores: scores.masked_fill(
        ~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf")
    ).softmax(-1),
)
steps.mistake(
    "One query: one row. A square mask makes a row of output for each key. The new word may see every key: no mask.",
    weights=lambda scores: scores.masked_fill(
        ~torch.ones(scores.shape[-1], scores.shape[-1], dtype=torch.bool).tril(), float("-inf")
    ).softmax(-1),
)
steps.mistake(
    "The keys and values are returned in each other's places: output, keys, values.",
    given=lambda output, keys, values, old: (output, values, keys),
)
steps.mistake(
    "The order of the results is output, keys, values: the output first.",
    given=lambda output, keys, values, old: (keys, values, output),
)
steps.mistake(
    "Only the output comes back. The next step needs the keys and values too: return output, keys, values.",
    given=lambda output, keys, values, old: output,
)
steps.mistake(
    "The new word's number in the text is added, not its vector: W_p[past], a row of W_p.",
    embed=lambda W_e, W_p, new_id, place: W_e[new_id] + place,
)
steps.mistake(
    "The output has lost its axis of one word: (batch, 1, d_v) is asked for.",
    given=lambda output, keys, values, old: (output.squeeze(1), keys, values),
)
steps.mistake(
    "Two things: your new word believes it is the first (its position is keys.shape[1]), and it doesn't see itself (attend after its key and value have joined).",
    place=lambda past: 0,
    seen=lambda old, new, joined: old,
)


@cache_step.mistake(
    "You divide by √d, the width of the embedding. Queries and keys have d_k numbers: √d_k, keys.shape[-1]."
)
def root_of_d(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    root = W_e.shape[1] ** 0.5
    return steps(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V, scale=lambda scores, d_k: scores / root)


@cache_step.mistake("You divide by the root of the number of keys. Queries and keys have d_k numbers: √d_k.")
def root_of_the_keys(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    root = (keys.shape[1] + 1) ** 0.5
    return steps(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V, scale=lambda scores, d_k: scores / root)


@cache_step.mistake(
    "You add the word's vector to the output. A skip connection belongs to the block; here attention's output alone is asked for, (batch, 1, d_v)."
)
def skip(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    output, keys, values = _cache_step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V)
    return W_e[new_id] + W_p[keys.shape[1] - 1] + output, keys, values


def standing_at(places):
    """The new word gets the position that `places(keys, W_p)` gives."""

    def answer(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
        def place(past):
            return places(keys, W_p)

        return steps(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V, place=place)

    return answer


cache_step.mistake(
    "Your new word always stands at the table's end. Its position is the number of words in the cache, keys.shape[1]."
)(standing_at(lambda keys, W_p: len(W_p) - 1))
cache_step.mistake(
    "keys.shape[-1] is d_k, the width of a key. The number of words in the cache, and so the new one's position, is keys.shape[1]."
)(standing_at(lambda keys, W_p: keys.shape[-1]))
cache_step.mistake(
    "keys.shape[0] counts the texts of the batch. The number of words in the cache, and so the new one's position, is keys.shape[1]."
)(standing_at(lambda keys, W_p: keys.shape[0]))
cache_step.mistake(
    "You add the positions of all words, and the one new word becomes as many. It stands at one place: W_p[past]."
)(standing_at(lambda keys, W_p: slice(keys.shape[1] + 1)))


@cache_step.mistake("The weights come back in the output's place. The output is weights @ values.")
def weights_for_output(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    _, keys, values = _cache_step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V)
    x = W_e[new_id] + W_p[keys.shape[1] - 1]
    return (x @ W_Q @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1), keys, values


@cache_step.mistake(
    "You put the word's vector itself into the cache. The cache holds keys and values: x @ W_K and x @ W_V."
)
def vector_in_the_cache(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x], 1), torch.cat([values, x], 1)
    return (x @ W_Q @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@cache_step.mistake("Your keys have grown, your values haven't: the new word's value, x @ W_V, goes behind them, too.")
def values_as_before(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    _, keys, _ = _cache_step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V)
    return ((W_e[new_id] + W_p[keys.shape[1] - 1]) @ W_Q @ keys.mT).softmax(-1) @ values


@cache_step.mistake("Your values have grown, your keys haven't: the new word's key, x @ W_K, goes behind them, too.")
def keys_as_before(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    _, _, values = _cache_step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V)
    return ((W_e[new_id] + W_p[keys.shape[1]]) @ W_Q @ keys.mT).softmax(-1) @ values


def without_position(key, value):
    """The query has its position; the new key or the new value, or both, haven't."""

    def answer(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
        x = W_e[new_id] + W_p[keys.shape[1]]
        keys = torch.cat([keys, (W_e[new_id] if key else x) @ W_K], 1)
        values = torch.cat([values, (W_e[new_id] if value else x) @ W_V], 1)
        return (x @ W_Q @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values

    return answer


for which, lacking in {"key and value": (True, True), "key": (True, False), "value": (False, True)}.items():
    cache_step.mistake(
        f"Your query has its position, your new {which} not. All three are made from the same x = W_e[new_id] + W_p[past]."
    )(without_position(*lacking))


@cache_step.mistake(
    "Your query has no position: it is made from W_e[new_id] alone. All three are made from the same x = W_e[new_id] + W_p[past]."
)
def query_without_position(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    _, keys, values = _cache_step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V)
    return (W_e[new_id] @ W_Q @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@cache_step.mistake(
    "You project the old keys and values again. They have been through W_K and W_V already, when their words were new; only the new word goes through them."
)
def projected_again(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys @ W_K, x @ W_K], 1), torch.cat([values @ W_V, x @ W_V], 1)
    return (x @ W_Q @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


# --- what an answer was made of ---------------------------------------------------------------------------------------


def same(a, b):
    return a.shape == b.shape and torch.allclose(a, b, atol=1e-4)


def times(a, b):
    """The number c for which b = c a, or None."""
    c = float((a * b).sum() / (a * a).sum())
    return c if same(c * a, b) else None


def vectors(new_id, keys, W_e, W_p):
    """What the new word's vector may have been taken for, the right one first."""
    word, past = W_e[new_id], keys.shape[1]
    yield "W_e[new_id] + W_p[past]", word + W_p[past]
    yield "W_e[new_id] alone, without a position", word
    yield "the position alone, without W_e[new_id]", W_p[past].expand_as(word)
    for place in range(len(W_p)):
        yield f"W_e[new_id] + W_p[{place}], and here past = {past}", word + W_p[place]
    yield "W_e[new_id] + W_p[new_id]: a position is looked up by its number, not by the word's", word + W_p[new_id]
    yield "W_e[past] + W_p[past]: a word is looked up by its id", (W_e[past] + W_p[past]).expand_as(word)
    yield "W_e[new_id] · W_p[past]: the two are added", word * W_p[past]
    yield "W_e[new_id] − W_p[past]: the two are added", word - W_p[past]
    yield "the sum of W_e[new_id] and all positions up to past", word + W_p[: past + 1].sum(0)


@cache_step.symptom("Your new key or value is made from another vector, or by another matrix.")
def new_row_of_another_vector(inputs, answer):
    """The old ones are right, the new key or value isn't: made from which vector, by which matrix?"""
    new_id, keys, _, W_e, W_p, *matrices = inputs
    own, right = answer[1:], _cache_step(*inputs)[1:]
    said = []
    for what, W, old, new in zip(("key", "value"), ("W_K", "W_V"), own, right, strict=True):
        if same(old, new):
            continue
        if not same(old[:, :-1], new[:, :-1]):
            return False
        made = {
            (vector, name): x @ matrix
            for vector, x in vectors(new_id, keys, W_e, W_p)
            for name, matrix in zip(("W_Q", "W_K", "W_V"), matrices, strict=True)
            if matrix.shape[-1] == new.shape[-1]
        }
        vector, name = next((how for how, row in made.items() if times(row, old[:, -1:])), (None, None))
        if vector is None:
            return False
        c = times(made[vector, name], old[:, -1:])
        how = [f"is made from {vector}"] * (not vector.endswith("W_p[past]")) + [f"is made by {name}"] * (name != W)
        how += [f"comes out multiplied by {c:.3g}"] * (abs(c - 1) > 1e-3)
        said.append(f"your new {what} {' and '.join(how)}")
    if len(said) == 2 and said[0].replace("key", "value") == said[1]:
        said = [said[0].replace("new key is", "new key and value are").replace("comes", "come")]
    return (
        f"{'; '.join(said)[0].upper()}{'; '.join(said)[1:]}. Query, key and value are made from one x = W_e[new_id] + W_p[past], by W_Q, W_K and W_V."
        if said
        else False
    )


@cache_step.symptom("The keys and values that you keep are right. The output isn't.")
def another_attention(inputs, answer):
    """Keys and values are right: which query looks at which keys, divided by what?"""
    new_id, _, _, W_e, W_p, W_Q, W_K, _ = inputs
    output, keys, values = answer
    if not all(same(a, b) for a, b in zip(answer[1:], _cache_step(*inputs)[1:], strict=True)):
        return False
    n, d_k = keys.shape[1:]
    sizes = {"√d_k": d_k**0.5, "nothing": 1, "√d_v": values.shape[-1] ** 0.5, "√d": W_e.shape[1] ** 0.5, "d_k": d_k}
    sizes |= {"√n, n keys": n**0.5, "d_v": values.shape[-1], "n, the number of keys": n, "1 / √d_k": d_k**-0.5}
    seen = {"": slice(None), "it doesn't see itself": slice(0, -1), "it doesn't see the first word": slice(1, None)}
    seen |= {"it sees only the last two": slice(-2, None), "it sees only the first": slice(0, 1)}
    for vector, x in vectors(new_id, inputs[1], W_e, W_p):
        for name, W in {"W_Q": W_Q, "W_K": W_K}.items():
            for by, size in sizes.items():
                for blind, part in seen.items():
                    made = (x @ W @ keys[:, part].mT / size).softmax(-1) @ values[:, part]
                    if same(made, output):
                        wrong = [f"the query is made from {vector}"] * (not vector.endswith("W_p[past]"))
                        wrong += [f"the query is made by {name}"] * (name != "W_Q")
                        wrong += [f"the scores are divided by {by}, not by √d_k"] * (by != "√d_k") + [blind] * bool(
                            blind
                        )
                        return f"The keys and values that you keep are right. The output isn't: {', and '.join(wrong)}."
    return False


@cache_step.symptom(
    "The keys and values that you keep are right, but the output isn't: softmax(query keysᵀ / √d_k) values, with all keys."
)
def only_the_output_is_wrong(inputs, answer):
    right = _cache_step(*inputs)
    return all(a.shape == b.shape and torch.allclose(a, b, atol=1e-4) for a, b in zip(answer[1:], right[1:]))
