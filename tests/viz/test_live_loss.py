"""The loss drawn while a model learns: what it says, what it refuses, and what stays in the notebook."""

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib import viz


def test_it_says_where_the_loss_began_and_ended_and_draws_anew():
    watch = viz.live_loss(steps=300, title="Learning")
    assert watch.picture is None
    watch([5.0])
    first = watch.picture
    watch([5.0] * 10 + [4.0] * 100 + [1.0] * 10)
    assert first.png != watch.picture.png
    words = repr(watch.picture)
    assert (
        words
        == "Learning. Line chart of the loss, nats for each token against the step: this run from 5.00 to 1.00 at step 120."
    )


@pytest.mark.parametrize("count", [1, 2, 59, 60, 61, 119, 121, 1234])
def test_any_number_of_steps(count):
    watch = viz.live_loss()
    watch([float(i) for i in range(count)])
    assert f"at step {count}." in repr(watch.picture)


def test_a_loss_that_is_no_number_ends_no_training():
    watch = viz.live_loss()
    watch([5.0, 4.0, float("inf"), float("nan")])
    assert "from step 3 on, not a number" in repr(watch.picture)


def test_earlier_runs_stand_beside_it():
    watch = viz.live_loss({"without warm-up": [3.0, 2.0]}, y="loss")
    watch([3.0, 1.0, 0.5])
    assert "this run from 3.00 to 0.50 at step 3; without warm-up from 3.00 to 2.00 at step 2" in repr(watch.picture)


@pytest.mark.parametrize(("others", "sentence"), [
    ([1.0], "others should be a dictionary"),
    ({name: [1.0] for name in "abcd"}, "at most 3 earlier runs"),
    ({"a": []}, "one number for each step"),
    ({"a": "words"}, "should hold numbers"),
])  # fmt: skip
def test_what_are_no_runs(others, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.live_loss(others)


TRAINING = """
import os, signal, torch
from course_lib import viz
from course_lib.training import fit
torch.set_num_threads(1)
model = torch.nn.Linear(1, 1)
steps = 0
def loss(x):
    global steps
    steps += 1
    if steps == 40:
        os.kill(os.getpid(), signal.SIGINT)  # as the stop button does
    return (model(x) - 3).square().mean()
losses = fit(model, [torch.ones(4, 1)] * 1000, loss, 1000, torch.optim.SGD(model.parameters(), 0.01),
             watch=viz.live_loss(steps=1000))
"""


@pytest.mark.slow
def test_in_a_notebook_the_stop_button_keeps_model_and_picture():
    cells = [TRAINING, "print(len(losses), model.training, losses[-1] < losses[0])"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    training, after = (cell.outputs for cell in notebook.cells)
    [shown] = [output for output in training if output.output_type == "display_data" and "image/png" in output.data]
    assert "at step 40." in shown.data["text/plain"], "the last picture stays"
    assert "Stopped after 40 of 1000 steps" in "".join(output.get("text", "") for output in training)
    assert after[0].text == "40 False True\n"
