"""Dictionaries, lists and texts as answers: what the student reads about them, whatever they hand in."""

import copy
import json
from collections import Counter, OrderedDict, UserDict, defaultdict, namedtuple
from types import MappingProxyType

import numpy as np
import pytest
import torch

from course_lib.checking.collect import collect
from course_lib.checking.explain import NOT_REPEATED
from course_lib.checking.judge import judge, judge_json
from course_lib.checking.kinds import Case, Code
from course_lib.checking.wire import MAX_ITEMS, Other, decode, encode
from course_lib.student.card import as_html, as_text

PAIRS = {("a", "b"): 2, ("b", "c</w>"): 5}
TOKENS = ["un", "##believ", "##able"]


def exercise(want, axes):
    return Code(
        "99.plain", title="Plain", points=1, minutes=1, difficulty=1, hints=[], axes=[axes],
        reference=lambda text: copy.deepcopy(want), cases=[Case("one", lambda g: ("text",)), Case("two", lambda g: ("more text",))],
    )  # fmt: skip


def verdict(want, answer, axes="counts"):
    """The judge's word on a function that returns `answer`, after a journey as JSON."""
    plain = exercise(want, axes)
    answers = collect(plain, lambda text: answer() if callable(answer) else answer, "1")
    found = judge_json(plain, "1", json.loads(json.dumps(answers.to_json())))
    assert found == judge(plain, "1", answers)
    assert "damaged" not in found.message and "Traceback" not in found.message and "Other(" not in found.message
    assert len(found.message) < 600 and as_text(found) and as_html(found)
    return found


def sentence(want, answer, axes="counts"):
    found = verdict(want, answer, axes)
    assert not found.passed
    return found.message.splitlines()[0].removesuffix(" (In the case “one”.)")


def numbered(_) -> str:
    """Ids that are the same in every process: pytest adds a number. A set is printed in another order each time."""
    return "case"


# --- dictionaries -----------------------------------------------------------------------------------------------------


class Own(dict):
    """A dictionary of the student's own."""


@pytest.mark.parametrize(
    "answer",
    [
        dict(PAIRS),
        Counter(PAIRS),
        defaultdict(int, PAIRS),
        OrderedDict(reversed(PAIRS.items())),
        Own(PAIRS),
        {pair: np.int64(n) for pair, n in PAIRS.items()},
        {(np.str_(a), np.str_(b)): np.uint8(n) for (a, b), n in PAIRS.items()},
        {namedtuple("Pair", "left right")(*pair): n for pair, n in PAIRS.items()},
    ],
    ids=numbered,
)
def test_a_dictionary_of_any_make_is_right(answer):
    assert verdict(PAIRS, answer).passed


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({("a", "b"): 2}, "The counts should have an entry for ('b', 'c</w>'), with 5, but yours has none."),
        ({}, "The counts should have an entry for ('a', 'b'), with 2, but yours has none."),
        ({**PAIRS, ("x", "y"): 0}, "The counts shouldn't have an entry for ('x', 'y'); yours has one, with 0."),
        (Counter({**PAIRS, ("x", "y"): 0}), "The counts shouldn't have an entry for ('x', 'y'); yours has one, with 0."),
        ({**PAIRS, ("a", "b"): 3}, "The counts should have 2 for ('a', 'b'); yours has 3."),
        ({**PAIRS, ("a", "b"): 2.0}, "The counts should have 2 (a whole number) for ('a', 'b'); yours has 2.0 (a float)."),
        ({**PAIRS, ("a", "b"): "2"}, "The counts should have 2 (a whole number) for ('a', 'b'); yours has '2' (a text)."),
        ({**PAIRS, ("a", "b"): None}, "The counts should have 2 for ('a', 'b'); yours has None."),
        ({**PAIRS, ("a", "b"): [2]}, "The counts should have 2 (a whole number) for ('a', 'b'); yours has [2] (a list)."),
        ({**PAIRS, ("a", "b"): torch.tensor(2)}, "The counts should have 2 (a whole number) for ('a', 'b'); yours has tensor(2) (a tensor of shape ())."),
        ({**PAIRS, ("a", "b"): torch.zeros(2, 2)}, "yours has tensor([[0., 0.], [0., 0.]]) (a tensor of shape (2, 2))."),
        ({**PAIRS, ("a", "b"): np.zeros(2)}, "yours has <NumPy array> (a NumPy array)."),
        ({**PAIRS, ("a", "b"): len}, "yours has <builtin_function_or_method> (a function: it is named without being called"),
        ({**PAIRS, ("a", "b"): float("nan")}, "yours has nan (a float)."),
        ({"a b": 2, "b c</w>": 5}, "The counts should have keys such as ('a', 'b'), a tuple; yours has 'a b', a text."),
        ({0: 2, 1: 5}, "keys such as ('a', 'b'), a tuple; yours has 0, a whole number."),
        ({frozenset(pair): n for pair, n in PAIRS.items()}, "keys such as ('a', 'b'), a tuple; yours has <frozenset>, a value of type frozenset."),
        ({torch.tensor(1): 2}, "keys such as ('a', 'b'), a tuple; yours has tensor(1), a tensor of shape ()."),
        ({float("nan"): 2}, "keys such as ('a', 'b'), a tuple; yours has nan, a float."),
        ({**PAIRS, float("nan"): 2}, "The counts shouldn't have an entry for nan; yours has one, with 2."),
        ({**PAIRS, torch.tensor(1): 2}, "The counts shouldn't have an entry for tensor(1); yours has one, with 2."),
        ({**PAIRS, None: 2}, "The counts shouldn't have an entry for None; yours has one, with 2."),
        ({**PAIRS, ("a", torch.tensor([1.0, 2.0])): 2}, "shouldn't have an entry for ('a', tensor([1., 2.])); yours has one"),
        (list(PAIRS.items()), "The counts should be a dictionary, yours is a list."),
        (lambda: PAIRS.items(), "The counts should be a dictionary, yours is the items of a dictionary: return the dictionary itself."),
        (set(PAIRS), "The counts should be a dictionary, yours is a set."),
        (UserDict(PAIRS), "The counts should be a dictionary, yours is a value of type UserDict."),
        (lambda: MappingProxyType(PAIRS), "The counts should be a dictionary, yours is a value of type mappingproxy."),
        (torch.tensor(7), "The counts should be a dictionary, yours is a tensor of shape ()."),
        (None, "Your function returns None. Is there a return at its end?"),
        ({("a", str(i)): i for i in range(MAX_ITEMS + 1)}, "The counts should be a dictionary, yours is 1,001 items, far more than the question asks for."),
        ({("a", "b"): {("a", "b"): {("a", "b"): {("a", "b"): {("a", "b"): {}}}}}}, "lists inside lists, too deep to be an answer"),
    ],
    ids=numbered,
)  # fmt: skip
def test_what_is_wrong_with_a_dictionary(answer, says):
    found = sentence(PAIRS, answer)
    assert says in found and (not says.startswith("The counts") or found.startswith(says))


def test_where_nothing_is_to_be_counted():
    assert verdict({}, Counter()).passed
    assert sentence({}, {("a", "b"): 0}) == "The counts shouldn't have an entry for ('a', 'b'); yours has one, with 0."
    assert sentence({}, []) == "The counts should be a dictionary, yours is a list."


class ListAsKey(list):
    def __hash__(self):
        return 1


class DictAsKey(dict):
    def __hash__(self):
        return 1


class Wild(dict):
    def items(self):
        raise SystemExit("no items")


class Untellable:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __repr__(self):
        raise RuntimeError("repr")


@pytest.mark.parametrize(
    "answer",
    [
        {ListAsKey([1, [2]]): 1},
        {DictAsKey(a=1): 1},
        {(1, DictAsKey(a=1)): 1},
        Wild(PAIRS),
        {Untellable(): 2},
        {**PAIRS, "x": Untellable()},
        {("a", "b"): Own(PAIRS)},
        {print: 1, len: 2},
    ],
    ids=numbered,
)
def test_wild_dictionaries_are_told_calmly(answer):
    assert sentence(PAIRS, answer).startswith("The counts should")


def test_a_dictionary_that_holds_itself():
    endless = {}
    endless["again"] = endless
    assert "too deep" in sentence(PAIRS, endless)


@pytest.mark.parametrize(
    "odd",
    [float("nan"), torch.tensor([1.0, float("nan")]), {float("nan"): 1}, {torch.tensor(1): 1}, [float("nan")]],
    ids=numbered,
)
def test_what_is_unequal_to_itself_is_no_other_answer_the_second_time(odd):
    assert not verdict(PAIRS, odd).message.startswith(NOT_REPEATED)


# --- lists ------------------------------------------------------------------------------------------------------------


def test_lists_and_tuples_of_tokens_are_right():
    for answer in (TOKENS, tuple(TOKENS), list(map(np.str_, TOKENS))):
        assert verdict(TOKENS, answer, "tokens").passed
    assert verdict([], (), "tokens").passed


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (["un"], "The tokens: expected ['un', '##believ', '##able'], yours ['un']."),
        ([*TOKENS, "s"], "The tokens: expected ['un', '##believ', '##able'], yours ['un', '##believ', '##able', 's']."),
        ([], "The tokens: expected ['un', '##believ', '##able'], yours []."),
        (("un", "able"), "The tokens: expected ['un', '##believ', '##able'], yours ['un', 'able']."),
        (["un", 7, "##able"], "The tokens: the first difference is at index 1: expected '##believ' (a text), yours 7 (a whole number)."),
        (["un", None, "##able"], "The tokens: the first difference is at index 1: expected '##believ', yours None."),
        ([TOKENS], "The tokens should have 3 items, yours has 1; the first difference is at index 0: expected 'un' (a text), yours ['un', '##believ', '##able'] (a list)."),
        (["un", torch.zeros(2)], "The tokens should have 3 items, yours has 2; the first difference is at index 1: expected '##believ' (a text), yours tensor([0., 0.]) (a tensor of shape (2,))."),
        (["un", len, "##able"], "expected '##believ' (a text), yours <builtin_function_or_method> (a function: it is named without being called, or its brackets () are missing)."),
        ("un ##believ ##able", "The tokens should be a list, yours is a text."),
        (np.array(TOKENS), "The tokens should be a list, yours is a NumPy array."),
        (torch.zeros(3), "The tokens should be a list, yours is a tensor of shape (3,)."),
        (lambda: iter(TOKENS), "The tokens should be a list, yours is a value of type list_iterator."),
        (lambda: map(str, TOKENS), "The tokens should be a list, yours is a map: make a list of it with list(...)."),
        (lambda: (token for token in TOKENS), "The tokens should be a list, yours is a generator"),
        (dict.fromkeys(TOKENS), "The tokens should be a list, yours is a dictionary."),
        (dict.fromkeys(TOKENS).keys(), "The tokens should be a list, yours is the keys of a dictionary: make a list of them with list(...)."),
        (["x"] * (MAX_ITEMS + 1), "The tokens should be a list, yours is 1,001 items, far more than the question asks for."),
        (["x" * 50_000], "The tokens should have 3 items, yours has 1; the first difference is at index 0: expected 'un', yours 'xxx"),
        (None, "Your function returns None."),
    ],
    ids=numbered,
)  # fmt: skip
def test_what_is_wrong_with_a_list(answer, says):
    found = sentence(TOKENS, answer, "tokens")
    assert says in found and (not says.startswith("The tokens") or found.startswith(says))


def test_long_lists_are_told_by_their_first_difference():
    want = [f"token{i}" for i in range(200)]
    assert verdict(want, want, "tokens").passed
    assert (
        sentence(want, want[:-1], "tokens")
        == "The tokens should have 200 items, yours has 199; the first difference is at index 199: expected 'token199', yours the end. Right, but the last item is missing."
    )
    assert (
        sentence(want, [*want, "x"], "tokens")
        == "The tokens should have 200 items, yours has 201; the first difference is at index 200: expected the end, yours 'x'. Right as far as it should go, but it doesn't stop there."
    )
    assert (
        sentence(want, [*want[:50], "x", *want[51:]], "tokens")
        == "The tokens: the first difference is at index 50: expected 'token50', yours 'x'."
    )


def test_pairs_in_a_list_are_tuples():
    want = [("e", "s"), ("es", "t</w>")]
    assert verdict(want, tuple(want), "merges").passed
    assert (
        sentence(want, [list(pair) for pair in want], "merges")
        == "The merges: the first difference is at index 0: expected ('e', 's') (a tuple), yours ['e', 's'] (a list)."
    )
    assert (
        sentence(want, [want[0], ("es", "t")], "merges")
        == "The merges: expected [('e', 's'), ('es', 't</w>')], yours [('e', 's'), ('es', 't')]."
    )
    assert sentence(want, want[0], "merges").endswith("expected ('e', 's') (a tuple), yours 'e' (a text).")


def test_numbers_in_lists_and_dictionaries_may_be_rounded():
    assert verdict([0.1 + 0.2, 1.0], [0.3, 1.0], "scores").passed
    assert verdict({"a": 0.1 + 0.2}, {"a": np.float32(0.3)}, "scores").passed
    assert sentence([0.3], [0.4], "scores") == "The scores: expected [0.3], yours [0.4]."
    assert sentence({"a": 0.3}, {"a": 0.4}, "scores") == "The scores should have 0.3 for 'a'; yours has 0.4."


def test_tensors_in_lists_are_compared_as_tensors():
    want = [torch.tensor([1.0, 2.0]), torch.tensor([3.0])]
    assert verdict(want, [torch.tensor([1.0, 2.0]), torch.tensor([3.0])], "rows").passed
    assert (
        sentence(want, [torch.tensor([1.0, 2.0]), torch.tensor([4.0])], "rows")
        == "The rows: expected [tensor([1., 2.]), tensor([3.])], yours [tensor([1., 2.]), tensor([4.])]."
    )


def test_texts():
    assert verdict("abc", np.str_("abc"), "text").passed
    assert sentence("abc", "abd", "text") == "The text should be 'abc', yours is 'abd'."
    assert sentence("abc", ["abc"], "text") == "The text should be a text, yours is a list."
    assert verdict(True, np.bool_(True), "answer").passed


# --- inputs and calls ---------------------------------------------------------------------------------------------------


def changing(change, answer=None):
    """The message for code that changes its inputs, a list that is always the same object and a dictionary."""
    shared = [("a", "b"), ("c", "d")]
    plain = exercise(TOKENS, "tokens")
    plain.reference = lambda pairs, table: list(TOKENS)
    plain.cases = [
        Case("one", lambda g: (shared, {("a", "b"): 1, "t": torch.zeros(2)})),
        Case("two", lambda g: (shared, {})),
    ]

    def submission(pairs, table):
        if pairs and table:
            change(pairs, table)
        return list(TOKENS)

    found = judge(plain, "1", collect(plain, submission, "1"))
    assert shared == [("a", "b"), ("c", "d")], "a case's own constant was changed"
    return found.message


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda pairs, table: pairs.pop(), "pairs"),
        (lambda pairs, table: pairs.reverse(), "pairs"),
        (lambda pairs, table: pairs.clear(), "pairs"),
        (lambda pairs, table: pairs.append(None), "pairs"),
        (lambda pairs, table: pairs.__setitem__(0, ["a", "b"]), "pairs"),
        (lambda pairs, table: pairs.__setitem__(0, np.zeros(3)), "pairs"),
        (lambda pairs, table: pairs.__setitem__(0, Untellable()), "pairs"),
        (lambda pairs, table: table.clear(), "table"),
        (lambda pairs, table: table.update(x=1), "table"),
        (lambda pairs, table: table.update({("a", "b"): 2}), "table"),
        (lambda pairs, table: table.update({("a", "b"): torch.tensor(1)}), "table"),
        (lambda pairs, table: table.update({("a", "b"): torch.zeros(3)}), "table"),
        (lambda pairs, table: table["t"].add_(1), "table"),
        (lambda pairs, table: table.update({torch.zeros(2): 1}), "table"),
    ],
    ids=numbered,
)
def test_changed_inputs_are_seen_and_do_no_harm(change, name):
    assert changing(change).startswith(f"Your code changes its input `{name}` in place.")
    assert changing(lambda pairs, table: (list(pairs), dict(table))) == ""


def test_the_call_is_shown_where_it_can_be_read():
    def lines(*inputs):
        plain = exercise(TOKENS, "tokens")
        plain.reference = lambda *inputs: list(TOKENS)
        plain.cases = [Case("one", lambda g: inputs)]
        return judge(plain, "1", collect(plain, lambda *inputs: [], "1")).message.splitlines()

    assert lines(("a", "b</w>"), [("a", "b")], 3)[1] == "The call: `plain(('a', 'b</w>'), [('a', 'b')], 3)`"
    assert lines({("a", "b"): 1}, 2.5)[1] == "The call: `plain({('a', 'b'): 1}, 2.5)`"
    cut = lines("word", [f"token{i}" for i in range(500)])[1]
    assert cut.startswith("The call: `plain('word', ['token0', ") and len(cut) < 200 and "characters in all" in cut
    assert lines(torch.zeros(2))[1] == "The inputs there: inputs (2,) = [0.0, 0.0]."
    assert len(lines([torch.zeros(2)])) == 1


# --- the wire -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        PAIRS,
        {1: "int", "1": "text", 2.5: "float", None: "none", ("a", 1): "tuple", (("a", "b"), 2): "tuples in tuples"},
        {True: 1, "": []},
        [],
        {},
        [(), [], {}],
        {"\ud800": "lone surrogate", "🙂": "\0"},
    ],
    ids=numbered,
)
def test_typed_keys_come_back(value):
    back = decode(json.loads(json.dumps(encode(value))))
    assert back == value and repr(back) == repr(value)


def test_keys_that_cannot_be_keys_keep_their_type_alone():
    back = decode(json.loads(json.dumps(encode({ListAsKey([[1]]): 1, (1, DictAsKey()): 2, print: 3}))))
    assert back == {Other("ListAsKey"): 1, Other("tuple"): 2, Other("builtin_function_or_method"): 3}


def test_limits_of_a_dictionary():
    most = {i: i for i in range(MAX_ITEMS)}
    assert decode(encode(most)) == most
