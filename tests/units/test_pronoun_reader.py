"""The corpus of pronouns, and the small trained model that reads it, against its card data/pronoun_reader.md."""

from collections import Counter

import pytest
import torch

from course_lib.corpora.pronouns import held_out, minimal_pairs, sentences, vocabulary
from course_lib.corpora.vocabulary import MASK, PAD, PAD_ID
from course_lib.errors import CourseError
from course_lib.experiments.pronoun_reader import CHECKPOINT, PronounReader

FAMOUS = "The animal did not cross the street because it was too {}."
NOUN_HEAD = (1, 1)  # layer, head: the numbers on the card
TELLING_HEAD = (0, 3)
NEXT_HEAD = (0, 0)
CARD_ACCURACY = 0.999
CARD_MASS = 0.92


@pytest.fixture(scope="module")
def reader():
    return PronounReader.pretrained()


# The corpus


def test_same_seed_same_sentences():
    assert sentences(3, 200) == sentences(3, 200)
    assert sentences(3, 200) != sentences(4, 200)
    assert minimal_pairs(3, 20) == minimal_pairs(3, 20)


def test_sentences_are_true_to_their_annotations():
    for s in sentences(0, 2000) + sentences(0, 500, "test"):
        assert set(s.tokens) <= set(vocabulary())
        assert len(s.tokens) <= 32
        assert (s.it is None) == ("it" not in s.tokens)
        if s.antecedent is not None:
            assert s.tokens[s.it] == "it" and s.antecedent in s.candidates
            assert s.tokens.count("it") == 1


def test_training_never_sees_held_out_nouns_together():
    for split, kept in [("train", False), ("test", True)]:
        assert all(held_out(*(s.tokens[i] for i in s.candidates)) == kept for s in sentences(5, 1000, split))
    assert held_out("street", "animal") and held_out("animal", "street")


def test_order_alone_does_not_decide():
    places = Counter(
        s.candidates.index(s.antecedent) for s in sentences(0, 4000) if len(s.candidates) == 2 and s.answer
    )
    assert abs(places[0] / places.total() - 0.5) < 0.03


def test_minimal_pairs_share_their_beginning_and_not_their_noun():
    for a, b in minimal_pairs(0, 100):
        assert a.answer != b.answer
        assert {a.tokens[i] for i in a.candidates} == {b.tokens[i] for i in b.candidates}


# The model


def test_checkpoint_is_small():
    assert CHECKPOINT.stat().st_size < 1_000_000


def test_loading_does_not_move_the_random_numbers():
    torch.manual_seed(0)
    PronounReader.pretrained()
    drawn = torch.rand(3)
    torch.manual_seed(0)
    assert torch.equal(drawn, torch.rand(3))


def test_checkpoint_knows_the_whole_corpus(reader):
    assert reader.config.words == vocabulary()
    assert reader.vocabulary.words == [PAD, MASK, *vocabulary()] and reader.ids[PAD] == PAD_ID


def test_names_the_noun_on_held_out_sentences(reader):
    asked = [s for s in sentences(2, 500, "test") if s.answer]
    right = sum(reader.stands_for(s.tokens, 1)[0][0] == s.answer for s in asked)
    assert right / len(asked) > CARD_ACCURACY - 0.02


def test_it_stands_for_nothing_when_it_rains(reader):
    assert reader.stands_for("the dog slept in the house because it rained all day .")[0][0] == "it"


@pytest.mark.parametrize(("ending", "noun"), [("tired", "animal"), ("wide", "street")])
def test_the_famous_sentence_flips(reader, ending, noun):
    tokens, weights = reader.attention(FAMOUS.format(ending))
    it = weights[:, :, tokens.index("it")]
    assert it[*NOUN_HEAD, tokens.index(noun)] > 0.9
    assert it[*TELLING_HEAD, tokens.index(ending)] > 0.6
    assert reader.stands_for(FAMOUS.format(ending))[0][0] == noun


def test_held_out_minimal_pairs_flip(reader):
    flips, mass = 0, 0.0
    for pair in (pairs := minimal_pairs(7, 100)):
        on_noun = [reader.attention(s.tokens)[1][*NOUN_HEAD, s.it, s.antecedent].item() for s in pair]
        flips += min(on_noun) > 0.6
        mass += sum(on_noun) / 2
    assert flips >= 90
    assert mass / len(pairs) > CARD_MASS - 0.04


def test_the_heads_of_a_layer_differ(reader):
    _, weights = reader.attention(FAMOUS.format("tired"))
    assert weights[*NEXT_HEAD].diagonal(1).mean() > 0.5
    assert weights[*TELLING_HEAD].diagonal(-1).mean() > 0.45
    for layer in weights:
        for i, one in enumerate(layer):
            for other in layer[i + 1 :]:  # half the L1 distance of two rows: 0 for equal heads, 1 for disjoint ones
                assert (one - other).abs().sum(-1).mean() / 2 > 0.2


def test_head_inputs_give_the_models_own_weights(reader):
    for layer in range(reader.config.num_layers):
        for head in range(reader.config.num_heads):
            h = reader.head_inputs(FAMOUS.format("wide"), layer, head)
            q, k = h.x @ h.W_Q.T, h.x @ h.W_K.T
            ours = (q @ k.T / h.W_Q.shape[0] ** 0.5).softmax(-1)
            torch.testing.assert_close(ours, h.weights, atol=1e-6, rtol=1e-5)
            assert h.x.shape == (len(h.tokens), 64) and h.W_Q.shape == h.W_K.shape == h.W_V.shape == (16, 64)


def test_heads_add_up_to_the_layer(reader):
    """What the heads of layer 0 add is all that this layer does: there is no feed-forward layer and no bias."""
    text = FAMOUS.format("wide")
    heads = [reader.head_inputs(text, 0, head) for head in range(4)]
    added = sum(h.weights @ (h.x @ h.W_V.T) @ h.W_O.T for h in heads)
    before = reader.word(reader.encode(text)) + reader.positions.table[: len(heads[0].tokens)]
    torch.testing.assert_close(
        reader.layers[1].attention_norm(before + added), reader.head_inputs(text, 1, 0).x, atol=1e-5, rtol=1e-5
    )


def test_fast_path_and_padding_change_nothing(reader):
    ids = reader.encode(FAMOUS.format("tired"))
    slow, weights = reader(ids[None], need_weights=True)
    fast, none = reader(torch.cat([ids, torch.full((5,), PAD_ID)])[None])
    assert none is None and weights.shape == (1, 2, 4, len(ids), len(ids))
    torch.testing.assert_close(slow, fast[:, : len(ids)], atol=1e-4, rtol=1e-4)


def test_save_and_load_give_the_same_reader(reader, tmp_path):
    reader.save(tmp_path / "copy.safetensors")
    copy = PronounReader.pretrained(tmp_path / "copy.safetensors")
    assert copy.config == reader.config
    assert torch.equal(copy.attention("it broke .")[1], reader.attention("it broke .")[1])


@pytest.mark.parametrize(("text", "sentence"), [
    ("the dogs slept", "The word 'dogs' isn't in this vocabulary of 261 words. Did you mean 'dog'?"),
    ("the xylophone", "The word 'xylophone' isn't in this vocabulary"),
    ("", "has no words"),
    ("the dog " * 20, "at most 32 words and marks, but this text has 40"),
])  # fmt: skip
def test_what_cannot_be_read_is_said_in_a_sentence(reader, text, sentence):
    with pytest.raises(CourseError) as error:
        reader.attention(text)
    assert sentence in str(error.value)


def test_other_mistakes_are_said_in_a_sentence(reader, tmp_path):
    with pytest.raises(CourseError, match="no 'it' in this sentence"):
        reader.stands_for("the dog slept")
    with pytest.raises(CourseError, match="layers 0 to 1, each with heads 0 to 3, but you asked for layer 2, head 0"):
        reader.head_inputs("it broke", 2, 0)
    with pytest.raises(CourseError, match="no such file.*python -m course_lib.experiments.pronoun_reader"):
        PronounReader.pretrained(tmp_path / "nothing.safetensors")
