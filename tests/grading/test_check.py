"""check, hint and solution as a student meets them, and the progress that they keep."""

import errno
import json
import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from course_lib.checking.judge import Verdict
from course_lib.checking.task import pack
from course_lib.checking.wire import MIME
from course_lib.errors import CourseError
from course_lib.exercises import all_exercises, find, lessons
from course_lib.student import official
from course_lib.student.board import board
from course_lib.student.card import as_html, marked_up, message_card
from course_lib.student.check import check, hint, solution
from course_lib.student.parts import part
from course_lib.support import files
from course_lib.workbook import progress

ORDER = find("02.order")
RIGHT = ORDER.answer
WRONG = next(letter for letter in ORDER.options if letter != RIGHT)


def saved(root) -> dict:
    return json.loads((root / ".course" / "progress.json").read_text())


# --- the card ---------------------------------------------------------------------------------------------------------


def test_wrong_then_right(student, shown):
    check("02.order", WRONG)
    assert shown[-1].text.startswith(f"✗ Not yet · {ORDER.title} · 0 of 1 point\n{ORDER.options[WRONG]}")
    assert 'hint("02.order")' in shown[-1].text and "solution" not in shown[-1].text
    check("02.order", RIGHT)
    assert shown[-1].text.startswith(f"✓ Passed · {ORDER.title} · 1 of 1 point")
    assert "Checked in" in shown[-1].html and 'role="status"' in shown[-1].html
    record = progress.load(student).exercise("02.order")
    assert (record.status, record.tries, record.points) == ("passed", 2, 1) and record.passed_at


def test_not_attempted(student, shown):
    check("02.order", None)
    assert shown[-1].text.startswith("○ Not attempted yet")
    assert not (student / ".course" / "progress.json").exists()


def test_points_and_passing_are_never_taken_back(student, shown):
    check("02.by_hand", {"first scaled score": 10.0, "first weight": None})
    assert (
        "◐ Partly there" in shown[-1].text
        and "✓ first scaled score (1 p.)" in shown[-1].text
        and "✗ first weight" in shown[-1].text
    )
    check("02.by_hand", {"first scaled score": 1.0, "first weight": 1.0})
    assert progress.load(student).exercise("02.by_hand").points == 1
    check("02.by_hand", {"first scaled score": 10.0, "first weight": 0.982})
    when = progress.load(student).exercise("02.by_hand").passed_at
    check("02.by_hand", {"first scaled score": 1.0, "first weight": 1.0})
    record = progress.load(student).exercise("02.by_hand")
    assert (record.status, record.points, record.passed_at) == ("passed", 2, when)


SCRIPT = "<script>alert('x')</script>"


def test_nothing_of_the_students_becomes_html(student, shown):
    def attend(query, keys, values):
        print(SCRIPT, "<img src=x onerror=alert(1)>")
        raise type(SCRIPT, (Exception,), {})(f"{SCRIPT} `{SCRIPT}` & <b>bold</b>")

    attend.__name__ = attend.__qualname__ = SCRIPT
    check("02.attend", attend)
    check("02.order", SCRIPT)
    check("02.attend", type(SCRIPT, (), {})())
    check("02.attend", lambda query, keys, values: type(SCRIPT, (), {})())
    check("02.attend", lambda x: SCRIPT)
    check("02.by_hand", {SCRIPT: SCRIPT, "first weight": SCRIPT})
    assert len(shown) == 6
    for card in shown:
        assert "<script" not in card.html and "<img src=x" not in card.html and "<b>bold" not in card.html
    assert "&lt;script&gt;" in shown[0].html
    assert SCRIPT in shown[0].text  # plain text stays as it is


def test_damaged_detail_from_elsewhere_is_escaped():
    verdict = Verdict(find("02.attend"), message=SCRIPT, trace=SCRIPT, printed=SCRIPT, criteria={"": False})
    assert "<script" not in as_html(verdict, [SCRIPT])


def test_the_card_for_a_wrong_table_has_a_picture_with_a_text(student, shown):
    check("00.all_dots", lambda queries, keys: queries @ keys.mT + 1)
    assert "<img" in shown[-1].html and "alt=" in shown[-1].html
    assert "aria-hidden" in shown[-1].html
    bundle = shown[-1]._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}


def test_unknown_exercise(student):
    with pytest.raises(CourseError, match=r"There is no exercise '02.atend'. Did you mean '02.attend'\?"):
        check("02.atend", None)
    with pytest.raises(CourseError, match="There is no exercise 7"):
        check(7, None)
    assert CourseError("one sentence")._render_traceback_() == ["one sentence"]


@pytest.mark.slow
def test_at_a_kernels_start_nothing_is_loaded_that_only_solutions_need():
    code = "import sys, course_lib; course_lib.check, course_lib.part; print({'nbformat', 'matplotlib'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "set()\n", run.stderr


# --- hints and solutions ------------------------------------------------------------------------------------------------


def test_hints_come_one_by_one_and_are_remembered(student, shown):
    hints = find("02.attend").hints
    for count in range(1, len(hints) + 2):
        hint("02.attend")
        seen = [text in shown[-1].text for text in hints]
        assert seen == [i < count for i in range(len(hints))]
    assert "That was the last hint." in shown[-1].text
    assert progress.load(student).exercise("02.attend").hints == len(hints)


def test_a_hint_is_no_try(student, shown):
    hint("02.order")
    record = progress.load(student).exercise("02.order")
    assert (record.status, record.tries) == ("open", 0)


def test_solution_after_three_tries(student, shown):
    answers = (
        lambda query, keys, values: values.mean(0),
        lambda query, keys, values: values.sum(0),
        lambda query, keys, values: values[0],
    )
    for left, answer in zip(("3 more tries", "2 more tries", "one more try"), answers):
        solution("02.attend")
        assert left in shown[-1].text and "return" not in shown[-1].text
        check("02.attend", answer)
    assert 'solution("02.attend")' in shown[-1].text
    solution("02.attend")
    assert "A solution" in shown[-1].text and "softmax" in shown[-1].text and "###" not in shown[-1].text


def test_the_same_again_is_no_try(student, shown):
    def answer(query, keys, values):
        return helper(values)

    def helper(values):
        return values.mean(0)

    for _ in range(4):
        check("02.attend", answer)
        check("02.by_hand", {"first scaled score": 1.0, "first weight": 1.0})
    mine = progress.load(student)
    assert mine.exercise("02.attend").tries == mine.exercise("02.by_hand").tries == 1
    check("02.attend", lambda query, keys, values: values.mean(0) + 1)
    check("02.by_hand", {"first scaled score": 2.0, "first weight": 1.0})
    mine = progress.load(student)
    assert mine.exercise("02.attend").tries == mine.exercise("02.by_hand").tries == 2


def test_what_hit_a_limit_is_no_try(student, shown, monkeypatch):
    monkeypatch.setattr("course_lib.checking.collect.SECONDS", 0.2)

    def endless(query, keys, values):
        while True:
            pass

    check("02.attend", endless)
    assert "this is no try" in shown[-1].text
    assert progress.load(student).exercise("02.attend").tries == 0


def test_solution_after_passing(student, shown):
    check("02.order", RIGHT)
    solution("02.order")
    assert "A solution" in shown[-1].text


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda e: e.key)
def test_every_exercise_has_its_solution_in_its_lesson(exercise, student, shown):
    for _ in range(3):
        with progress.changing() as mine:
            mine.exercise(exercise.key).tries += 1
    solution(exercise.key)
    assert exercise.name in shown[-1].text and "A solution" in shown[-1].text


# --- where progress is kept -----------------------------------------------------------------------------------------------


def test_outside_a_workbook_nothing_is_written(nowhere, shown):
    check("02.order", RIGHT)
    assert "Passed" in shown[-1].text
    assert list(nowhere.iterdir()) == []
    assert progress.current().exercise("02.order").status == "passed"


def test_from_a_folder_below(student, shown, monkeypatch):
    (student / "mine").mkdir()
    monkeypatch.chdir(student / "mine")
    check("02.order", RIGHT)
    assert saved(student)["exercises"]["02.order"]["status"] == "passed"


def test_named_by_the_environment(student, shown, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    monkeypatch.setenv("COURSE_WORKBOOK", str(student))
    check("02.order", RIGHT)
    assert saved(student)["exercises"]["02.order"]["status"] == "passed"


def test_the_folder_was_deleted(student, shown, monkeypatch):
    gone = student / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    check("02.order", RIGHT)
    assert "Passed" in shown[-1].text
    monkeypatch.chdir(student)


DAMAGES = {
    "cut": '{"exercises": {"02.order": {"sta',
    "empty": "",
    "list": "[]",
    "null": "null",
    "binary": b"\xff\xfe\x00\x00",
    "not a record": '{"exercises": {"02.order": 3}, "predictions": {}}',
    "predictions": '{"exercises": {}, "predictions": 3}',
    "missing": '{"exercises": {}}',
    "deep": '{"exercises": ' + '{"a": ' * 100_000,
    "deep lists": "[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_progress_is_set_aside(student, shown, damage):
    file = student / ".course" / "progress.json"
    file.write_bytes(damage if isinstance(damage, bytes) else damage.encode())
    check("02.order", RIGHT)
    assert "Passed" in shown[-1].text
    assert saved(student)["exercises"]["02.order"]["status"] == "passed"
    (aside,) = (student / ".course").glob("progress.damaged-*.json")
    assert aside.read_bytes() == (damage if isinstance(damage, bytes) else damage.encode())


@pytest.mark.parametrize(
    "record",
    [
        {"status": 3},
        {"points": "x"},
        {"tries": None},
        {"hints": "1"},
        {"points": float("nan")},
        {"points": float("inf")},
        {"points": -1},
        {"tries": -1},
        {"passed_at": 3},
    ],
)
def test_damaged_records_are_set_aside(student, shown, record):
    whole = {"exercises": {"02.order": record}, "predictions": {}}
    (student / ".course" / "progress.json").write_text(json.dumps(whole))
    check("02.order", RIGHT)
    assert "Passed" in shown[-1].text and saved(student)["exercises"]["02.order"]["status"] == "passed"
    hint("02.order")
    assert "1." in shown[-1].text
    assert board().text


def test_readable_records_of_a_damaged_file_are_kept(student, shown):
    good, newer = {"status": "passed", "points": 1.0}, {"status": "tried", "tries": 2, "of_a_newer_course": True}
    whole = {"exercises": {"02.order": good, "02.attend": newer, "02.by_hand": {"status": 3}}, "predictions": {}}
    (student / ".course" / "progress.json").write_text(json.dumps(whole))
    text = board().text
    assert "order ✓" in text and "attend ✗" in text and "damaged" in text
    assert "damaged" not in board().text, "said once"


def test_points_are_at_most_those_that_the_exercise_gives(student, shown):
    whole = {"exercises": {"02.order": {"status": "passed", "points": 99}}, "predictions": {}}
    (student / ".course" / "progress.json").write_text(json.dumps(whole))
    assert f"1 / {lessons()['02'].points} points" in board().text
    check("02.order", WRONG)
    assert saved(student)["exercises"]["02.order"]["points"] == 1


def test_of_a_file_that_was_cut_off_all_whole_records_are_kept(student, shown):
    check("02.order", RIGHT)
    check("02.by_hand", {"first scaled score": 10.0, "first weight": 1.0})
    with progress.changing() as mine:
        mine.predictions |= {"02.looks_at": 'the "animal" {', "02.other": "street"}
    file = student / ".course" / "progress.json"
    whole = file.read_text()
    file.write_text(whole[: whole.index("street")])
    mine = progress.load(student)
    assert (mine.exercise("02.order").points, mine.exercise("02.by_hand").points) == (1, 1)
    assert mine.predictions == {"02.looks_at": 'the "animal" {'} and "2 exercises could be read" in mine.note
    file.write_text(whole[: whole.index("02.by_hand") + 30])
    assert list(progress.load(student).exercises) == ["02.order"]


@pytest.mark.parametrize("call", [lambda key: check(key, "(2, 4)"), hint, solution], ids=["check", "hint", "solution"])
def test_a_prediction_is_no_exercise(student, shown, call):
    with pytest.raises(CourseError, match="is a prediction"):
        call("00.first_guess")


def test_grading_spends_no_hint(student, shown, monkeypatch):
    monkeypatch.setenv("COURSE_GRADING", "1")
    hint("02.order")
    assert not (student / ".course" / "progress.json").exists()


def refuse(code):
    def replace(*args, **kwargs):
        raise OSError(code, os.strerror(code))

    return replace


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("step", ["mkstemp", "replace", "fdopen"])
def test_a_disk_that_refuses(student, shown, monkeypatch, code, step):
    check("02.order", WRONG)
    before = saved(student)
    where = {"mkstemp": files.tempfile, "replace": files.os, "fdopen": files.os}[step]
    with monkeypatch.context() as patch:
        patch.setattr(where, step, refuse(code))
        check("02.order", RIGHT)
        hint("02.order")
    assert "✓ Passed" in shown[1].text and "Your progress couldn't be saved" in shown[1].text
    assert os.strerror(code) in shown[1].text
    assert "1." in shown[2].text
    assert saved(student) == before
    assert not [p for p in (student / ".course").iterdir() if p.name.startswith(".progress") and step != "fdopen"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder(student, shown):
    (student / ".course").chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        check("02.order", RIGHT)
        assert "Passed" in shown[-1].text and "couldn't be saved" in shown[-1].text
    finally:
        (student / ".course").chmod(0o755)


def test_a_lock_that_cannot_be_had(student, shown, monkeypatch):
    class Locked(progress.FileLock):
        def acquire(self, *args, **kwargs):
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(progress, "FileLock", Locked)
    check("02.order", RIGHT)
    assert "✓ Passed" in shown[-1].text and "couldn't be saved" in shown[-1].text


def try_often(root: str, key: str) -> None:
    os.environ["COURSE_WORKBOOK"] = root
    for _ in range(20):
        with progress.changing() as mine:
            mine.exercise(key).tries += 1
            mine.exercise("00.shared").tries += 1


@pytest.mark.slow
def test_two_notebooks_at_once(student):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(try_often, [str(student)] * 2, ["02.order", "03.parameters"]))
    mine = progress.load(student)
    assert (
        mine.exercise("02.order").tries,
        mine.exercise("03.parameters").tries,
        mine.exercise("00.shared").tries,
    ) == (20, 20, 40)


@pytest.mark.parametrize("graded", [False, True], ids=["live", "graded"])
def test_without_an_own_one_a_part_is_the_reference_itself(student, monkeypatch, graded):
    """So that the check knows it again, and refuses it."""
    if graded:  # in official grading own parts don't count
        monkeypatch.setenv("COURSE_GRADING", "1")
        (student / "my_transformer").mkdir()
        (student / "my_transformer" / "attend.py").write_text("def attend(query, keys, values): ...")
    for exercise in all_exercises():
        if exercise.kind == "code" and not exercise.start:
            assert part(exercise.name) is exercise.reference


# --- the board -------------------------------------------------------------------------------------------------------------


def test_the_board(student, shown):
    empty = board()
    assert all(
        f"{lesson.number} {lesson.title}: 0 / {lesson.points} points" in empty.text for lesson in lessons().values()
    )
    check("02.order", RIGHT)
    check("03.parameters", {"8 heads, without bias": 1_048_576, "16 heads, without bias": 1, "8 heads, with bias": 1})
    card = board()
    assert "02 Self-attention: 1 / " in card.text and "order ✓" in card.text
    assert "03 Multi-head attention: 1 / " in card.text and "parameters ✗" in card.text
    assert card.html.count("<progress") == len(lessons()) and "aria-label" in card.html


# --- official grading --------------------------------------------------------------------------------------------------------


def test_in_official_grading_only_answers_leave(student, shown, monkeypatch):
    sent = []
    monkeypatch.setattr(official, "display", lambda bundle, raw: sent.append(bundle))
    monkeypatch.setenv("COURSE_GRADING", "1")
    for key, submission in {"02.order": RIGHT, "02.attend": lambda query, keys, values: values.mean(0)}.items():
        official.answer("token", pack(find(key).task("cafe")), key, submission)
        check(key, submission)
    assert [set(bundle) for bundle in sent] == [{MIME, "text/plain"}] * 2 and not shown
    assert sent[0][MIME] == {
        "token": "token",
        "key": "02.order",
        "answers": {"value": {"type": "plain", "value": RIGHT}},
    }
    assert "Every word counts" not in json.dumps(sent) and "cafe" not in json.dumps(sent)
    assert not (student / ".course" / "progress.json").exists()


@pytest.mark.parametrize("doing", ["autograde", "validate"])
def test_to_nbgrader_no_check_is_right(student, shown, monkeypatch, doing):
    monkeypatch.setenv("NBGRADER_EXECUTION", doing)
    with pytest.raises(CourseError, match="nbgrader can't grade or validate this course: use `course grade`"):
        check("02.order", RIGHT)


# --- the look: everything that a card shows, in its order ---------------------------------------------------------------


def look(html: str) -> str:
    """The HTML without its style sheet and without the line breaks between tags."""
    _, _, shown = html.partition("</style>")
    return re.sub(r"\s*\n\s*", "", shown)


def test_the_look_of_a_verdict():
    exercise = find("02.by_hand")
    verdict = Verdict(
        exercise,
        message="first weight: it's `exp` & more\nsecond line",
        trace="in f, line 1:\n    x",
        printed="<hello>",
        criteria={"first scaled score": True, "first weight": False},
    )
    assert look(as_html(verdict, ["One more ` line."])) == (
        '<div class="course-card" role="status" style="--edge:#c98a00">'
        '<h4><span class="mark" aria-hidden="true">◐</span>Partly there · Two scores by hand · 1 of 2 points</h4>'
        "<p>first weight: it&#39;s <code>exp</code> &amp; more</p><p>second line</p>"
        "<p>✓ first scaled score (1 p.)</p><p>✗ first weight (1 p.)</p><p>One more ` line.</p>"
        "<pre aria-label='where it happened'>in f, line 1:x</pre>"
        "<p><small>Printed by your code in the first case:</small></p><pre>&lt;hello&gt;</pre></div>"
    )


def test_the_look_of_a_verdict_that_passed():
    verdict = Verdict(find("02.order"), passed=True, message="Right & good.", checked=["the letter", "its <case>"])
    assert look(as_html(verdict, [], 0.1234)) == (
        '<div class="course-card" role="status" style="--edge:#2a9d5c">'
        f'<h4><span class="mark" aria-hidden="true">✓</span>Passed · {ORDER.title} · 1 of 1 point</h4>'
        "<p>Right &amp; good.</p><p><small>Checked in 123 ms: the letter; its &lt;case&gt;.</small></p></div>"
    )


def test_the_look_of_a_message():
    assert look(message_card("Hints · <b>", ["1. `a`"], code="x < 1").html) == (
        '<div class="course-card" role="note" style="--edge:#8a8a8a">'
        "<h4>Hints · &lt;b&gt;</h4><p>1. <code>a</code></p><pre>x &lt; 1</pre></div>"
    )


@pytest.mark.parametrize(
    "said, html",
    [
        ("the words *before* it (*all* of them), γ *and* β", "the words <em>before</em> it (<em>all</em> of them), γ <em>and</em> β"),
        ("not *two words*", "not <em>two words</em>"),
        ("2*n*d, a * b * c, *rows, **kw", "2*n*d, a * b * c, *rows, **kw"),
        ("`x*y*z` *so* `a", "<code>x*y*z</code> <em>so</em> `a"),
        ("*a* < b", "<em>a</em> &lt; b"),
    ],
)  # fmt: skip
def test_stress_is_set_in_italics(said, html):
    assert marked_up(said) == html


def test_the_look_of_the_board(student, shown):
    check("02.order", RIGHT)
    html, lesson = look(board().html), lessons()["02"]
    label = f"{ORDER.title}: passed, 1 of 1 points"
    assert html.startswith(
        '<div class="course-card" role="region" aria-label="Your progress" style="--edge:#8a8a8a">'
        '<p class="title">Your progress</p>'
    )
    assert f"<tr><td>02</td><td style='text-align:left'>{lesson.title}</td><td><span title=" in html
    assert f'<span title="{label}" aria-label="{label}" style="color:#2a9d5c;font-weight:700">✓</span>' in html
    percent = f"{100 / lesson.points:.0f}"
    assert (
        f"<td style='text-align:right'>1 / {lesson.points}</td>"
        f"<td><progress max='100' value='{percent}' aria-label='{percent} % of lesson 02'></progress></td></tr>"
    ) in html
    assert html.endswith("<p><small>✓ passed · ✗ tried · ○ open</small></p><p></p></div>")
