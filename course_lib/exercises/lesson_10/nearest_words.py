"""The words nearest to a word: by the angle between vectors."""

import torch
import torch.nn.functional as F

from course_lib import word2vec
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _words(g, vocab, d, k, dtype=torch.float32, least=-0.87, most=0.9):
    """Vectors whose cosines with one of them are well apart, without their signs too, in another order than by length or distance."""
    unit = F.normalize(randn(g, d, dtype=torch.float64), dim=0)
    other = randn(g, vocab, d, dtype=torch.float64)
    other = F.normalize(other - (other @ unit)[:, None] * unit, dim=-1)  # at right angles with it
    steps = torch.linspace(least, most, vocab, dtype=torch.float64)
    cosine = steps[torch.randperm(vocab, generator=g)][:, None]
    lengths = (2 * torch.rand(vocab, 1, generator=g, dtype=torch.float64) - 1).exp() * 2
    vectors = lengths * (cosine * unit + (1 - cosine**2).sqrt() * other)
    word = integer(g, 0, vocab - 1)
    vectors[word] = 1.3 * unit
    return vectors.to(dtype), word, k


def _two_words(g):
    """They point away from each other, and are each other's nearest all the same."""
    return torch.tensor([[1.0], [-2.0]]) * randn(g, 1), integer(g, 0, 1), 1


nearest_words = Code(
    "10.nearest_words",
    title="Who stands near",
    points=2,
    minutes=8,
    difficulty=1,
    reference=word2vec.nearest,
    axes=["k"],
    cases=[
        Case("twelve words", lambda g: _words(g, 12, 5, 3)),
        Case("the nearest alone", lambda g: _words(g, 20, 6, 1)),
        Case("all other words, far ones too", lambda g: _words(g, 8, 4, 7)),
        Case("nobody near", lambda g: _words(g, 10, 4, 4, most=-0.1)),
        Case("two words, one number each", _two_words),
        Case("two numbers a word", lambda g: _words(g, 9, 2, 3)),
        Case("as many words as numbers", lambda g: _words(g, 8, 8, 3)),
        Case("any sizes", lambda g: _words(g, integer(g, 25, 60), integer(g, 8, 20), integer(g, 4, 8))),
        Case("double precision", lambda g: _words(g, 15, 5, 4, dtype=torch.float64)),
    ],
    hints=[
        "The cosine of two vectors is their product divided by both their lengths. If each vector has length 1, what is left?",
        "unit = vectors / vectors.norm(dim=-1, keepdim=True) are (vocab, d), each of length 1. unit @ unit[word] are all cosines, (vocab).",
        "The word itself has cosine 1, the highest: set its place to −∞ first. Then .topk(k).indices.",
    ],
)


def without_itself(cosines, word):
    cosines = cosines.clone()
    cosines[word] = -torch.inf
    return cosines


def cosines(vectors, word):
    return F.normalize(vectors, dim=-1) @ F.normalize(vectors[word], dim=0)


@nearest_words.variants
def steps(vectors, word, k, *, near=cosines, others=without_itself, best=lambda near, k: near.topk(k).indices):
    return best(others(near(vectors, word), word), k)


def kept(near, word):
    return near


steps.mistake("Each word is nearest to itself, and that says nothing. Leave the word out.", others=kept)
steps.mistake(
    "Long vectors win: the plain product grows with their length. Divide by both lengths: the cosine.",
    near=lambda v, word: v @ v[word],
)
steps.mistake(
    "Two mistakes: the plain product, in which long vectors win, and the word itself isn't left out.",
    near=lambda v, word: v @ v[word],
    others=kept,
)
steps.mistake(
    "Two mistakes: in the plain product long vectors win, and so the first that you drop need not be the word itself.",
    near=lambda v, word: v @ v[word],
    others=kept,
    best=lambda near, k: near.topk(k + 1).indices[1:],
)
steps.mistake(
    "That is the distance between the points, in which lengths count, too. The angle alone is asked for: the cosine.",
    near=lambda v, word: -(v - v[word]).norm(dim=-1),
)
steps.mistake(
    "You sort by distance, and take the *farthest*. Besides, lengths count in it: take the cosine.",
    near=lambda v, word: (v - v[word]).norm(dim=-1),
)
steps.mistake(
    "That is the distance between the points, and the word itself is among its neighbours. Take the cosine, and leave the word out.",
    near=lambda v, word: -(v - v[word]).norm(dim=-1),
    others=kept,
)
steps.mistake(
    "Your distance adds up the differences without their squares. The angle is asked for: the cosine.",
    near=lambda v, word: -(v - v[word]).abs().sum(-1),
)
steps.mistake(
    "You compared dimensions, not words: each *row* should be brought to length 1, dim=-1.",
    near=lambda v, word: F.normalize(v, dim=0) @ F.normalize(v, dim=0)[word],
)
steps.mistake(
    "The farthest words come out: the cosine is *highest* where words are near.",
    others=lambda near, word: near,
    best=lambda near, k: (-near).topk(k).indices,
)
steps.mistake(
    "The smallest come out, your −∞ first of all. The nearest have the *largest* cosines.",
    best=lambda near, k: near.topk(k, largest=False).indices,
)
steps.mistake(
    "These are the cosines. The ids of the words are asked for: .indices.", best=lambda near, k: near.topk(k).values
)
steps.mistake(
    "You take the signs away, by abs or a square: a vector that points the other way is far, not near.",
    near=lambda v, word: cosines(v, word).abs(),
)
steps.mistake(
    "You set the word's own cosine to 0. That leaves it in front of all that point away: −∞.",
    others=lambda near, word: near.index_fill(0, torch.tensor(word), 0.0),
)
steps.mistake(
    "You delete the word's row, and the ids of all words after it are one too small.",
    others=lambda near, word: torch.cat([near[:word], near[word + 1 :]]),
)
steps.mistake("One word too few comes out: k without the word itself.", best=lambda near, k: near.topk(k - 1).indices)
steps.mistake(
    "You leave out the nearest word, too: once the word itself is gone, the first is a true neighbour.",
    best=lambda near, k: near.topk(min(k + 1, len(near))).indices[1:],
)
steps.mistake(
    "k + 1 words come out, the word itself in front. It belongs there in topk, but not in the answer: drop it, [1:].",
    others=kept,
    best=lambda near, k: near.topk(k + 1).indices,
)
steps.mistake("One word too many comes out.", best=lambda near, k: near.topk(k + 1).indices)
steps.mistake(
    "The right words, but in the order of their ids. The nearest comes first.",
    best=lambda near, k: near.topk(k).indices.sort().values,
)
steps.mistake("The right words, but the nearest comes last.", best=lambda near, k: near.topk(k).indices.flip(0))
steps.mistake(
    "You take off each vector's mean before the angle: that is a correlation. The vectors as they are.",
    near=lambda v, word: cosines(v - v.mean(-1, keepdim=True), word),
)
steps.mistake(
    "You take off the words' mean vector before the angle. The vectors as they are.",
    near=lambda v, word: cosines(v - v.mean(0), word),
)
steps.mistake(
    "You divide by the square of the length. One length for each vector: cosine = v · w / (|v| |w|).",
    near=lambda v, word: (v @ v[word]) / v.square().sum(-1),
)
steps.mistake(
    "You divide by the root of the length. One length for each vector: cosine = v · w / (|v| |w|).",
    near=lambda v, word: (v @ v[word]) / v.norm(dim=-1).sqrt(),
)
steps.mistake(
    "You divide each vector by the sum of its numbers. Its length is the root of the sum of their squares: norm(dim=-1).",
    near=lambda v, word: (v / v.sum(-1, keepdim=True)) @ (v / v.sum(-1, keepdim=True))[word],
)
steps.mistake(
    "You divide each vector by the sum of its numbers without their signs. Its length is the root of the sum of their squares: norm(dim=-1).",
    near=lambda v, word: F.normalize(v, p=1, dim=-1) @ v[word],
)
steps.mistake(
    "You standardise each dimension over the words first. The vectors as they are, divided by their lengths.",
    near=lambda v, word: cosines((v - v.mean(0)) / v.std(0, correction=0), word),
)
steps.mistake(
    "The farthest words come out, but for the very farthest. Sort with descending=True.",
    others=kept,
    best=lambda near, k: near.argsort()[1 : k + 1],
)
steps.mistake(
    "You divide by the largest number of each vector. Its length is norm(dim=-1).",
    near=lambda v, word: (v / v.amax(-1, keepdim=True)) @ v[word],
)
steps.mistake(
    "You take a softmax of each vector. The vectors as they are, divided by their lengths.",
    near=lambda v, word: cosines(v.softmax(-1), word),
)
steps.mistake(
    "You multiply by the lengths instead of dividing by them.", near=lambda v, word: (v @ v[word]) * v.norm(dim=-1)
)
steps.mistake(
    "The longest vectors come out. The angle with the word's vector is asked for.", near=lambda v, word: v.norm(dim=-1)
)
steps.mistake(
    "Places come out in which a word stands, not the words at these places: argsort once, not twice.",
    best=lambda near, k: near.argsort(descending=True).argsort()[:k],
)
steps.mistake(
    "The order of *all* words comes out. The k nearest are asked for.",
    best=lambda near, k: near.argsort(descending=True)[:-1] if k < len(near) - 1 else near.argsort(descending=True),
)
steps.mistake(
    "Only the nearest word comes out. k of them are asked for.",
    best=lambda near, k: near.argmax()[None] if k > 1 else near.topk(2).indices,
)


steps.mistake(
    "dim=0 brings the table's columns to length 1. Each word is a *row*: dim=-1.",
    near=lambda v, word: F.normalize(v, dim=0) @ v[word],
)
steps.mistake(
    "You compared dimensions, not words: with dim=0 cosine_similarity adds up over the words. Each word's d numbers are the last axis, dim=-1.",
    near=lambda v, word: F.cosine_similarity(v, v[word], dim=0),
)


@nearest_words.mistake(
    "You compared dimensions, not words: the product's axes are (d, d). It should be a row for each word."
)
def of_dimensions(vectors, word, k):
    unit = F.normalize(vectors, dim=-1)
    return (
        without_itself(unit.mT @ unit[:, word % unit.shape[1]], word % unit.shape[1])
        .topk(min(k, unit.shape[1]))
        .indices
    )


@nearest_words.mistake("The nearest of *all* words come out, a row for each. Those of one word are asked for.")
def of_all_words(vectors, word, k):
    unit = F.normalize(vectors, dim=-1)
    return (unit @ unit.mT).fill_diagonal_(-torch.inf).topk(k).indices


@nearest_words.mistake(
    "These are the vectors of the nearest words. Their ids are asked for: what .indices gives, and no more."
)
def their_vectors(vectors, word, k):
    return vectors[word2vec.nearest(vectors, word, k)]


@nearest_words.mistake("k and the word have changed places.")
def arguments_swapped(vectors, word, k):
    return word2vec.nearest(vectors, k, min(max(word, 1), len(vectors) - 1))


@nearest_words.mistake("You measure with word 0, whichever word is asked for.")
def first_word(vectors, word, k):
    return word2vec.nearest(vectors, 0, k)


@nearest_words.mistake("You take the product with the word's *id*, not with its vector: vectors[word].")
def times_the_id(vectors, word, k):
    return without_itself((F.normalize(vectors, dim=-1) * word).sum(-1), word).topk(k).indices


@nearest_words.symptom("topk and sort give the numbers and the ids: take .indices.", any_shape=True)
def numbers_and_ids(inputs, answer):
    return isinstance(answer, (tuple, list)) and len(answer) == 2 and answer[1].dtype == torch.long


@nearest_words.symptom("")
def the_first_wrong_word(inputs, answer):
    """The word itself, one twice, the right ones in another order, or one that is farther away."""
    vectors, word, _ = inputs
    right, near = word2vec.nearest(*inputs).tolist(), cosines(vectors, word)
    own = answer.tolist()
    if word in own:
        return "The word itself is among its neighbours. Its own cosine is 1, the highest: leave it out."
    if len(set(own)) < len(own):
        return "One word comes out twice."
    if sorted(own) == sorted(right):
        return "The right words, in another order. The nearest comes first."
    i = next(i for i, (a, b) in enumerate(zip(own, right)) if a != b)
    if not 0 <= own[i] < len(vectors):
        return f"There is no word {own[i]}: ids run from 0 to {len(vectors) - 1}."
    return (
        f"Neighbour {i}, counted from 0, is word {own[i]} with you; its cosine with word {word} is {near[own[i]]:.3f}. "
        f"Word {right[i]} has {near[right[i]]:.3f}, and is nearer."
    )
