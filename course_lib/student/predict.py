"""Predictions: the student commits to a guess; after the next cell has run, the answer appears. Never graded."""

import ipywidgets as widgets
from IPython import get_ipython
from IPython.display import display
from markupsafe import Markup, escape

from course_lib.checking.kinds import Prediction
from course_lib.errors import CourseError
from course_lib.exercises import find
from course_lib.student.card import PARTLY, PASSED, marked_up, render
from course_lib.student.official import is_official
from course_lib.workbook import progress

FRAME = {"border": "1px solid var(--jp-border-color2)", "padding": "6px 12px", "max_width": "58em", "margin": "4px 0"}


def predict(key: str) -> None:
    """Ask for a prediction. The choice is kept; the answer waits until another cell has run."""
    if is_official():
        return
    exercise = find(key)
    if not isinstance(exercise, Prediction):
        raise CourseError(f'{key} is an exercise, not a prediction: use check("{key}", …).')
    PredictionWidget(exercise).show()


class PredictionWidget:
    """One prediction on the page."""

    def __init__(self, exercise: Prediction):
        self.exercise = exercise
        self.revealed = False
        self.options = widgets.RadioButtons(options=exercise.options, value=self._kept(), layout={"width": "auto"})
        self.options.observe(self._choose, "value")
        self.answer = widgets.HTML()
        self._write()
        question = Markup("<b>Predict first.</b> {}").format(marked_up(exercise.question))
        self.box = widgets.VBox(
            [widgets.HTML(question, layout={"max_width": "54em"}), self.options, self.answer], layout=FRAME
        )

    def _kept(self) -> str | None:
        choice = progress.current().predictions.get(self.exercise.key)
        return choice if choice in self.exercise.options else None

    def _choose(self, change) -> None:
        try:
            with progress.changing() as mine:
                mine.predictions[self.exercise.key] = change["new"]
        except CourseError as error:
            self._write(str(error))
            return
        self._write()

    def _write(self, note: str = "") -> None:
        choice, exercise = self.options.value, self.exercise
        if not self.revealed:
            said = "Your choice is kept. Now run the next cell." if choice else "Choose, then run the next cell."
            self.answer.value = f"<small>{said} {escape(note)}</small>"
            return
        if choice is None:
            self.answer.value = "<small>Choose first; then the answer appears here.</small>"
            return
        right = choice == exercise.answer
        edge = PASSED if right else PARTLY
        self.answer.value = render(
            "prediction.html", role="status", state=edge, right=right, choice=choice, exercise=exercise
        )

    def _after_cell(self, result) -> None:
        if not self.own_cell_done:  # the event also comes for the cell that asked
            self.own_cell_done = True
            return
        self.revealed = True
        get_ipython().events.unregister("post_run_cell", self._after_cell)
        self._write()

    def show(self) -> None:
        shell = get_ipython()
        if shell:
            self.own_cell_done = False
            shell.events.register("post_run_cell", self._after_cell)
        text = "\n".join(f"- {option}" for option in self.exercise.options)
        display(
            {
                **self.box._repr_mimebundle_(),
                "text/html": render("question.html", exercise=self.exercise),
                "text/plain": f"Predict first. {self.exercise.question}\n{text}",
            },
            raw=True,
        )
