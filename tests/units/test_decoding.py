"""Greedy, beam search and sampling, from tables of probabilities that are small enough to be searched through."""

import itertools
import math

import pytest
import torch

from course_lib.decoding import NextToken, beam_search, greedy, penalise_repetition, sample, sampling_probabilities
from course_lib.errors import CourseError
from course_lib.masks import padding_mask
from course_lib.transformer import Transformer, TransformerConfig

START, END = 0, 1
INFINITY = float("inf")


class Table:
    """Random logits for each beginning of a text, a table for each row; it remembers which row is which, as a cache would."""

    def __init__(self, rows: int, vocab: int = 4, seed: int = 0, end_at=None):
        self.vocab, self.seed, self.end_at, self.rows, self.calls = vocab, seed, end_at or {}, torch.arange(rows), 0

    def __call__(self, ids):
        assert len(ids) == len(self.rows), "select wasn't asked"
        self.calls += 1
        return torch.stack([self.logits(int(row), text) for row, text in zip(self.rows, ids.tolist(), strict=True)])

    def select(self, rows):
        self.rows = self.rows[rows]

    def logits(self, row, text):
        generator = torch.Generator().manual_seed(hash((self.seed, row, *text)) % 2**32)
        logits = 2 * torch.randn(self.vocab, generator=generator)
        if row in self.end_at:
            logits[END] = 20.0 if len(text) >= self.end_at[row] else -20.0
        return logits

    def one(self, row):
        """The same table for one row alone."""
        alone = Table(1, self.vocab, self.seed, self.end_at)
        alone.rows = torch.tensor([row])
        return alone

    def log_probability(self, row, ids, ended):
        """Of a whole text, token by token."""
        text, total = [START], 0.0
        for token in [*ids, *[END] * ended]:
            total += float(self.logits(row, text).double().log_softmax(-1)[token])
            text.append(token)
        return total


def starts(rows):
    return torch.full((rows, 1), START)


def chain(*probabilities):
    """A plain function: the same probabilities after any text of the same length, the last ones for ever."""

    def next_token(ids):
        row = probabilities[min(ids.shape[1] - 1, len(probabilities) - 1)]
        return torch.tensor(row).log().expand(len(ids), -1)

    return next_token


def same(one, other):
    return (one.ids, one.ended) == (other.ids, other.ended) and one.log_probability == pytest.approx(
        other.log_probability, abs=1e-9
    )


# --- greedy -----------------------------------------------------------------------------------------------------------


def test_greedy_takes_the_likeliest_until_the_end_token():
    [text] = greedy(chain([0.1, 0.2, 0.3, 0.4], [0.1, 0.1, 0.5, 0.3], [0, 0.6, 0.2, 0.2]), starts(1), END, 9)
    assert text.ids == [3, 2] and text.ended
    assert text.log_probability == pytest.approx(math.log(0.4 * 0.5 * 0.6))


def test_it_says_when_max_len_stopped_it():
    [text] = greedy(chain([0, 0.4, 0.6]), starts(1), END, 3)
    assert text.ids == [2, 2, 2] and not text.ended and text.log_probability == pytest.approx(3 * math.log(0.6))
    [text] = greedy(chain([0, 0.4, 0.6], [0, 0.4, 0.6], [0, 0.6, 0.4]), starts(1), END, 3)
    assert text.ids == [2, 2] and text.ended, "the end token is the third"
    [text] = greedy(chain([0, 0.6, 0.4]), starts(1), None, 3)
    assert text.ids == [1, 1, 1] and not text.ended, "without an end token nothing ends"
    [text] = greedy(chain([0, 0.6, 0.4]), starts(1), END, 3)
    assert text.ids == [] and text.ended


def test_rows_that_have_ended_are_dropped_and_come_back_in_their_order():
    table = Table(5, end_at={0: 4, 1: 2, 2: 9, 3: 2, 4: 6})
    texts = greedy(table, starts(5), END, 6)
    assert [len(text.ids) for text in texts] == [3, 1, 6, 1, 5] and table.rows.tolist() == [2]
    assert all(same(text, greedy(table.one(row), starts(1), END, 6)[0]) for row, text in enumerate(texts))
    assert {text.ended for text in texts} == {True, False}


def test_nothing_is_asked_after_the_last_row_has_ended():
    table = Table(3, end_at=dict.fromkeys(range(3), 2))
    greedy(table, starts(3), END, 50)
    assert table.calls <= 2


def test_decoding_goes_on_from_a_prompt():
    def next_token(ids):  # counts upwards from the last token
        return torch.nn.functional.one_hot((ids[:, -1] + 1) % 10, 10) * 50.0

    prompts = torch.tensor([[0, 5, 6], [0, 2, 3]])
    texts = greedy(next_token, prompts, 9, 20)
    assert [text.ids for text in texts] == [[7, 8], [4, 5, 6, 7, 8]]
    assert [beam.best.ids for beam in beam_search(next_token, prompts, 9, 20, k=1)] == [text.ids for text in texts]
    assert greedy(next_token, prompts[:0], 9, 20) == [] == beam_search(next_token, prompts[:0], 9, 20)


# --- beam search ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_one_hypothesis_is_greedy(seed):
    texts = greedy(Table(4, seed=seed), starts(4), END, 6)
    beams = beam_search(Table(4, seed=seed), starts(4), END, 6, k=1)
    assert all(same(beam.best, text) and len(beam.hypotheses) == 1 for beam, text in zip(beams, texts, strict=True))


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_as_wide_as_everything_is_brute_force(seed, alpha):
    vocab, longest, table = 4, 4, Table(2, seed=seed)
    others = [token for token in range(vocab) if token != END]
    ended = [ids for n in range(longest) for ids in itertools.product(others, repeat=n)]
    cut = list(itertools.product(others, repeat=longest))
    beams = beam_search(Table(2, seed=seed), starts(2), END, longest, k=len(ended) + len(cut), alpha=alpha)
    for row, beam in enumerate(beams):
        scores = {ids: table.log_probability(row, ids, True) / ((6 + len(ids)) / 6) ** alpha for ids in ended}
        best = sorted(scores, key=scores.get, reverse=True)
        assert [tuple(text.ids) for text in beam.hypotheses if text.ended] == best
        assert [text.score(alpha) for text in beam.hypotheses[:3]] == pytest.approx([scores[ids] for ids in best[:3]])
        assert {tuple(text.ids) for text in beam.hypotheses if not text.ended} == set(cut)
        assert sum(math.exp(text.log_probability) for text in beam.hypotheses) == pytest.approx(1)


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_a_batch_gives_what_its_rows_give_alone(k):
    end_at = {0: 3, 1: 5, 2: 99, 3: 2}
    table = Table(4, vocab=5, seed=3, end_at=end_at)
    beams = beam_search(table, starts(4), END, 7, k=k)
    for row, beam in enumerate(beams):
        [alone] = beam_search(table.one(row), starts(1), END, 7, k=k)
        assert len(beam.hypotheses) == len(alone.hypotheses) <= k
        assert all(same(one, other) for one, other in zip(beam.hypotheses, alone.hypotheses, strict=True))
        assert [[c.token for c in step] for step in beam.steps] == [[c.token for c in step] for step in alone.steps]


def test_log_probabilities_are_those_of_the_whole_text():
    table = Table(3, vocab=6, seed=1, end_at={0: 5})
    for row, beam in enumerate(beam_search(Table(3, vocab=6, seed=1, end_at={0: 5}), starts(3), END, 6, k=3)):
        for text in beam.hypotheses:
            assert text.log_probability == pytest.approx(table.log_probability(row, text.ids, text.ended))


def test_a_beam_finds_what_greedy_walks_past():
    # A is likelier at first, but what follows it is never sure; B leads to a certain end.
    after = {(): [0, 0, 0.6, 0.4], (2,): [0, 0.4, 0.3, 0.3], (3,): [0, 1.0, 0, 0]}

    def next_token(ids):
        return torch.tensor([after.get(tuple(text[1:]), [0, 1.0, 0, 0]) for text in ids.tolist()]).log()

    [text] = greedy(next_token, starts(1), END, 5)
    [beam] = beam_search(next_token, starts(1), END, 5, k=2)
    assert (text.ids, math.exp(text.log_probability)) == ([2], pytest.approx(0.24))
    assert (beam.best.ids, math.exp(beam.best.log_probability)) == ([3], pytest.approx(0.4))


def test_the_penalty_counts_only_when_finished_texts_are_compared():
    # The end at once: .5; four tokens and the end: .45. By log probability the short text wins, by its score the long.
    after = {0: [0, 0.5, 0.45, 0.05], 1: [0, 0, 1.0, 0], 2: [0, 0, 1.0, 0], 3: [0, 0, 1.0, 0], 4: [0, 1.0, 0, 0]}

    def next_token(ids):
        return torch.tensor([after[len(text) - 1] for text in ids.tolist()]).log()

    [short], [long] = (beam_search(next_token, starts(1), END, 9, k=2, alpha=alpha) for alpha in (0.0, 0.6))
    assert short.best.ids == [] and long.best.ids == [2, 2, 2, 2]
    assert long.best.score() == pytest.approx(math.log(0.45) / (10 / 6) ** 0.6)
    assert short.steps == long.steps


def test_a_finished_text_goes_before_one_that_max_len_cut_off():
    [beam] = beam_search(chain([0, 0.1, 0.9]), starts(1), END, 3, k=2)
    assert [(text.ids, text.ended) for text in beam.hypotheses] == [([], True), ([2, 2, 2], False)]
    assert beam.hypotheses[1].score() > beam.best.score()


def test_a_finished_hypothesis_keeps_its_place_and_grows_no_more():
    [beam] = beam_search(Table(1, vocab=5, seed=8), starts(1), END, 8, k=3)
    assert len(beam.hypotheses) == 3 and all(END not in text.ids for text in beam.hypotheses)
    finished = 0
    for step in beam.steps:
        assert sum(c.kept for c in step) == min(3 - finished, len(step))
        finished += sum(c.kept and c.ended for c in step)


def test_what_is_impossible_is_never_kept():
    [beam] = beam_search(chain([0, 0, 0.5, 0.5], [0, 1.0, 0, 0]), starts(1), END, 5, k=4)
    assert [text.ids for text in beam.hypotheses] == [[2], [3]]
    assert all(c.total > -INFINITY for step in beam.steps for c in step)


def test_among_equals_the_better_hypothesis_and_the_lower_id_go_first():
    vocab = 300  # so many that topk picks any of them
    flat = lambda ids: torch.zeros(len(ids), vocab)  # noqa: E731
    assert greedy(flat, starts(1), None, 2)[0].ids == [0, 0]
    [beam] = beam_search(flat, starts(1), None, 2, k=3)
    assert [text.ids for text in beam.hypotheses] == [[0, 0], [0, 1], [0, 2]]
    assert sampling_probabilities(torch.zeros(vocab), top_k=3).nonzero().flatten().tolist() == [0, 1, 2]


def test_the_steps_tell_the_whole_search():
    [beam] = beam_search(Table(1, vocab=6, seed=2), starts(1), END, 6, k=3)
    found = []
    for n, step in enumerate(beam.steps):
        assert [c.total for c in step] == sorted((c.total for c in step), reverse=True) and len(step) <= 6
        assert all(c.kept for c in step[: sum(c.kept for c in step)])
        for place, c in enumerate(step):
            assert c.ended == (c.token == END)
            before = 0.0 if c.parent is None else beam.steps[n - 1][c.parent].total
            assert c.total == pytest.approx(before + c.log_probability)
            assert (n == 0) == (c.parent is None)
            if n:
                parent = beam.steps[n - 1][c.parent]
                assert parent.kept and not parent.ended
            if c.kept and (c.ended or n == len(beam.steps) - 1):
                found.append(path(beam.steps, n, place))
    texts = [[*text.ids, *[END] * text.ended] for text in beam.hypotheses]
    assert sorted(found) == sorted(texts)


def path(steps, n, place):
    token, parent, *_ = steps[n][place]
    return [token] if parent is None else [*path(steps, n - 1, parent), token]


# --- sampling ---------------------------------------------------------------------------------------------------------


def test_samples_are_as_frequent_as_they_are_probable():
    shares = [0.1, 0.2, 0.7]
    texts = sample(chain(shares), starts(5_000), None, 1, generator=torch.Generator().manual_seed(0))
    counts = torch.bincount(torch.tensor([text.ids[0] for text in texts]), minlength=3) / 5_000
    assert torch.allclose(counts, torch.tensor(shares), atol=0.03)
    assert {round(math.exp(text.log_probability), 6) for text in texts} == set(shares)


def test_the_same_generator_gives_the_same_texts():
    def run(seed):
        return sample(Table(6), starts(6), END, 6, temperature=1.5, generator=torch.Generator().manual_seed(seed))

    assert run(1) == run(1) != run(2)
    table = Table(6)
    for row, text in enumerate(run(1)):
        assert text.log_probability == pytest.approx(table.log_probability(row, text.ids, text.ended))


def test_a_choice_of_one_is_greedy():
    for options in ({"top_k": 1}, {"top_p": 1e-9}, {"temperature": 1e-300}):
        texts = sample(Table(4), starts(4), END, 6, **options)
        assert all(same(*pair) for pair in zip(texts, greedy(Table(4), starts(4), END, 6), strict=True))


def test_sampling_probabilities():
    logits = torch.tensor([0.1, 0.5, 0.1, 0.3]).log()
    shares = lambda **options: sampling_probabilities(logits, **options)  # noqa: E731
    close = lambda *numbers: pytest.approx(numbers, abs=1e-6)  # noqa: E731
    assert shares().tolist() == close(0.1, 0.5, 0.1, 0.3)
    assert shares(top_k=2).tolist() == close(0, 0.625, 0, 0.375)
    assert shares(top_p=0.5).tolist() == close(0, 1, 0, 0)
    assert shares(top_p=0.51).tolist() == close(0, 0.625, 0, 0.375)
    assert shares(top_p=0.85).tolist() == close(1 / 9, 5 / 9, 0, 3 / 9), "of equals the lower id"
    assert shares(temperature=0.5).tolist() == close(0.01 / 0.36, 0.25 / 0.36, 0.01 / 0.36, 0.09 / 0.36)
    assert shares(temperature=2.0, top_k=2, top_p=0.6).tolist() == close(0, 0.5**0.5 / (0.5**0.5 + 0.3**0.5), 0, 0.3**0.5 / (0.5**0.5 + 0.3**0.5))  # fmt: skip
    assert shares(top_k=2, top_p=0.6).tolist() == close(0, 1, 0, 0), "0.625 of what top_k has left"
    many = torch.randn(3, 2, 50)
    assert torch.allclose(sampling_probabilities(many), many.softmax(-1), atol=1e-6)


# --- with the Transformer ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translator():
    """An untrained model with strong opinions, and four sources of different length, padded."""
    torch.manual_seed(15)
    config = TransformerConfig(vocab_size=12, d_model=16, num_heads=2, d_ff=32, num_layers=2, max_len=40, pre_norm=True)
    model = Transformer(config).eval()
    with torch.no_grad():
        for parameter in model.decoder.parameters():
            parameter *= 4
    source = torch.randint(3, 12, (4, 7)) * (torch.arange(7) < torch.tensor([[7], [3], [5], [1]]))
    return model, source, padding_mask(source, 0)


def decode(how, model, source, mask, **options):
    end = 1 if how is not sample else None
    if how is sample:
        options["generator"] = torch.Generator().manual_seed(0)
    found = how(model.next_token(source, mask, **options.pop("cached", {})), starts(len(source)), end, 12, **options)
    return [text for beam in found for text in beam.hypotheses] if how is beam_search else found


@pytest.mark.parametrize("how", [greedy, beam_search, sample])
def test_a_cache_changes_nothing(how, translator):
    with_cache, without = (decode(how, *translator, cached={"cache": cache}) for cache in (True, False))
    assert len({len(text.ids) for text in with_cache}) > 1 or how is sample
    for one, other in zip(with_cache, without, strict=True):
        assert (one.ids, one.ended) == (other.ids, other.ended)
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-4)


@pytest.mark.parametrize("how", [greedy, beam_search])
def test_a_padded_batch_gives_what_each_source_gives_alone(how, translator):
    model, source, mask = translator
    together = decode(how, model, source, mask)
    alone = [text for row in source for text in decode(how, model, row[None, row > 0], None)]
    assert [text.ids for text in together] == [text.ids for text in alone]


@pytest.mark.parametrize("how", [greedy, beam_search, sample])
def test_the_model_gives_the_whole_text_the_same_log_probability(how, translator):
    model, source, mask = translator
    texts = decode(how, *translator)
    for i, text in enumerate(texts):
        row = i * len(source) // len(texts)
        ids = torch.tensor([[START, *text.ids, *[1] * text.ended]])
        logits, _ = model(source[row : row + 1], ids[:, :-1], mask[row : row + 1])
        log_p = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).sum().item()
        assert text.log_probability == pytest.approx(log_p, abs=1e-4)


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda d: d.beam_search(Table(1), starts(1), END, 5, k=0), "k should be a whole number from 1 up; got 0"),
        (lambda d: d.beam_search(Table(1), starts(1), END, 5, k=2.5), "k should be a whole number"),
        (lambda d: d.greedy(Table(1), starts(1), END, 0), "max_len should be a whole number from 1 up; got 0"),
        (lambda d: d.beam_search(Table(1), starts(1), END, -1), "max_len should be"),
        (lambda d: d.greedy(Table(1), starts(1), 4, 5), "end should be an id of the vocabulary, from 0 to 3; got 4"),
        (lambda d: d.beam_search(Table(1), starts(1), -1, 5), "end should be an id .*; got -1"),
        (lambda d: d.sample(Table(1), starts(1), END, 5, top_k=5), "top_k should be at most the size of the vocabulary, 4; got 5"),
        (lambda d: d.sample(Table(1), starts(1), END, 5, top_k=0), "top_k should be a whole number from 1 up"),
        (lambda d: d.sample(Table(1), starts(1), END, 5, temperature=0), "temperature should be above 0; got 0.*greedy"),
        (lambda d: d.sample(Table(1), starts(1), END, 5, top_p=0), "top_p should be a share above 0, up to 1; got 0"),
        (lambda d: d.sample(Table(1), starts(1), END, 5, top_p=1.1), "top_p should be"),
        (lambda d: d.greedy(lambda ids: torch.tensor([[1.0, 2.0], [1.0, float("nan")]]), starts(2), 1, 5), "logits in row 1, after 1 tokens: they hold NaN"),
        (lambda d: d.beam_search(lambda ids: torch.full((1, 3), -INFINITY), starts(1), 1, 5), "−∞ alone"),
        (lambda d: d.greedy(lambda ids: torch.zeros(*ids.shape, 3), starts(2), 1, 5), r"\(rows, vocab\); got the shape \(2, 1, 3\).*\[:, -1\]"),
        (lambda d: d.greedy(lambda ids: torch.zeros(1, 3), starts(2), 1, 5), "each of the 2 rows"),
    ],
)  # fmt: skip
def test_what_cant_be_gets_one_sentence(unchecked, call, sentence):
    with pytest.raises(CourseError, match=sentence):
        call(unchecked)


@pytest.mark.parametrize(
    ("prefix", "sentence"),
    [(torch.tensor([0]), r"prefix\[None\] makes one row"), (torch.zeros(2, 0, dtype=torch.long), "at least the start"),
     (torch.zeros(1, 1), "whole numbers.*float32"), (torch.ones(1, 1).bool(), "whole numbers.*bool"),
     (torch.ones(1, 1).byte(), "whole numbers.*uint8"), ([0], "a tensor of token ids.*got a list")],
)  # fmt: skip
def test_prefixes_that_arent_any(unchecked, prefix, sentence):
    for decode in (unchecked.greedy, unchecked.beam_search, unchecked.sample):
        with pytest.raises(CourseError, match=sentence):
            decode(Table(1), prefix, END, 5)


def test_what_has_memory_is_a_next_token():
    assert isinstance(Table(1), NextToken)
    assert not isinstance(chain([1.0]), NextToken)


# --- repetition -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [1.0, 1.2, 3.0])
def test_the_penalty_for_repetition_is_that_of_transformers(penalty):
    from transformers import RepetitionPenaltyLogitsProcessor

    torch.manual_seed(0)
    logits, ids = 3 * torch.randn(4, 11), torch.randint(11, (4, 6))
    logits[0, ids[0, 0]] = 0.0
    logits[1, ids[1, 0]] = -INFINITY
    before = logits.clone()
    expected = RepetitionPenaltyLogitsProcessor(penalty)(ids, logits.clone())
    torch.testing.assert_close(penalise_repetition(logits, ids, penalty), expected)
    assert torch.equal(logits, before), "the model's logits stay"


def test_a_penalty_keeps_a_text_from_turning_in_circles():
    """Token 1 is likeliest, always, then 2: without a penalty nearly all is token 1, with one the others come too."""
    logits = torch.tensor([[0.0, 6.0, 4.0, 3.0, 3.0, 3.0]])

    def drawn(**options):
        generator = torch.Generator().manual_seed(0)
        [text] = sample(
            lambda ids: logits.expand(len(ids), -1), torch.tensor([[5]]), None, 200, generator=generator, **options
        )
        return text

    plain, penalised = drawn(), drawn(repetition=2.0)
    assert plain.ids.count(1) > 140 > 110 > penalised.ids.count(1)
    assert plain.ids == drawn(repetition=1.0).ids
    own = logits.double().log_softmax(-1)[0]
    assert penalised.log_probability == pytest.approx(sum(own[i].item() for i in penalised.ids)), "the model's own"


def test_the_prompt_counts_as_said():
    logits = torch.tensor([[5.0, 5.0]])
    prompt = torch.tensor([[1]])
    texts = [
        sample(lambda ids: logits, prompt, None, 1, repetition=20.0, generator=torch.Generator().manual_seed(i))[0].ids
        for i in range(20)
    ]
    assert sum(ids == [0] for ids in texts) >= 18


@pytest.mark.parametrize("penalty", [0.9, 0.0, -1.0, INFINITY, float("nan")])
def test_a_penalty_is_from_1_up(penalty):
    with pytest.raises(CourseError, match=r"repetition should be a penalty from 1 \(none\) up, such as 1\.2; got"):
        sample(lambda ids: torch.zeros(len(ids), 3), starts(1), None, 2, repetition=penalty)
