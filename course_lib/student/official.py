"""What differs in official grading: check cells send answers, and whatever asks or tells a student does nothing.

No exercise is needed here and no seed: the task says what to call the submission with, and the judge outside compares.
"""

import os

from IPython.display import display

from course_lib.checking.collect import answers_to
from course_lib.checking.task import unpack
from course_lib.checking.usual_state import usual_state
from course_lib.checking.wire import MIME

GRADING = "COURSE_GRADING"  # set in the kernels that the grader starts


def is_official() -> bool:
    return GRADING in os.environ


def answer(token: str, payload: str, key: str, submission) -> None:
    """Show the answers to a packed task. `token`: by which the grader knows that they come from this check."""
    with usual_state():
        task = unpack(payload)
    answers = answers_to(task, submission).to_json()
    display({MIME: {"token": token, "key": key, "answers": answers}, "text/plain": f"answers to {key}"}, raw=True)
