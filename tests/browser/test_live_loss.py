"""A training in a real JupyterLab: the loss is drawn while it falls, and the stop button keeps picture and model."""

import re

import nbformat
import pytest

from .lab import Lesson, lab_server, open_page

CELL = """
import time, torch
from course_lib import viz
from course_lib.training import fit
model = torch.nn.Linear(1, 1)
def loss(x):
    time.sleep(0.02)
    return (model(x) - 3).square().mean()
losses = fit(model, [torch.ones(4, 1)] * 100_000, loss, 100_000, torch.optim.SGD(model.parameters(), 0.002),
             watch=viz.live_loss(title="Learning"))
"""


@pytest.fixture(scope="module")
def lesson(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(source) for source in (CELL.strip(), "print(len(losses) > 9, model.training)")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "training.ipynb")
    with lab_server(folder) as address, open_page(browser) as page:
        lesson = Lesson(page, address, "training.ipynb")
        lesson.file = folder / "training.ipynb"
        yield lesson


def test_the_loss_is_drawn_while_it_falls_and_the_stop_button_keeps_it(lesson):
    def step() -> int:
        found = lesson.output(0).locator('img[alt*="at step"]')
        said = found.evaluate_all("all => all.map(img => img.alt)")  # in one look: the picture is replaced meanwhile
        return int(re.search(r"at step (\d+)", said[0])[1]) if said else 0

    lesson._begin("jupyterapp.commands.execute('notebook:run-all-cells');")
    assert lesson.until(lambda: step() > 1), "the picture is drawn anew while the cell runs"
    lesson._begin("jupyterapp.commands.execute('notebook:interrupt-kernel');")
    assert lesson.until(lambda: "Stopped after" in lesson.output(0).inner_text())
    lesson.wait_idle()
    assert lesson.until(lambda: lesson.output(0).locator("img").count() == 1) and lesson.errors() == []
    for dark in (True, False):
        lesson.dark(dark)
        lesson.screenshot(f"live_loss_{'dark' if dark else 'light'}")
    lesson.save()
    first, second = nbformat.read(lesson.file, 4).cells
    kept = [output for output in first.outputs if "image/png" in output.get("data", {})]
    stopped = int(re.search(r"Stopped after (\d+) of", str(first.outputs))[1])
    assert len(kept) == 1 and f"at step {stopped}." in kept[0].data["text/plain"]
    assert second.outputs[0].text == "True False\n", "the cells below run on with the model as it is"
