"""How soon a slider answers: from a key press to changed pixels, in a real JupyterLab.

python -m tests.benchmarks.slider_latency
"""

import statistics
import tempfile
from pathlib import Path

import nbformat

from tests.browser.lab import Lesson, chromium, lab_server, open_page

PRESSES = 25
CELLS = {
    "in the browser (softmax_temperature, 12 × 12)": "viz.softmax_temperature(scores, tokens)",
    "in the browser (merge_slider, 300 characters, 4096 merges)": "viz.merge_slider(merges, text, start=2000)",
    "in the kernel (redraw_slider, one axes)": "viz.redraw_slider(draw, temperature=(0.1, 4, 0.05))",
}
SETUP = """
import torch
from course_lib import viz
tokens = [f"word{i}" for i in range(12)]
scores = 3 * torch.randn(12, 12, generator=torch.Generator().manual_seed(0))
letters = "abcdefghijklmnop"
two = [(a.encode(), b.encode()) for a in letters for b in letters]
merges = two + [(a + b, c + d) for a, b in two for c, d in two][: 4096 - len(two)]
text = " ".join("".join(letters[i * k % 16] for k in (1, 5, 7, 3)) for i in range(60))

def draw(figure, temperature=1.0):
    figure.subplots().imshow(torch.softmax(scores / temperature, -1), vmin=0, vmax=1)
"""

# From the key event to the paint of the frame in which the weights, or the picture, changed.
ANSWER = """(output) => new Promise(done => {
  const picture = output.querySelector('.course-picture');
  let pressed;
  const drawn = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - pressed)));  // after the paint of that frame
  addEventListener('keydown', () => { pressed = performance.now(); }, {capture: true, once: true});
  if (picture) picture.addEventListener('load', drawn, {once: true});
  else new MutationObserver((_, self) => { self.disconnect(); drawn(); }).observe(output.querySelector('[role=status]'), {childList: true, characterData: true, subtree: true});
})"""


def measure() -> dict[str, float]:
    """Median milliseconds from key press to changed pixels, for each kind of slider."""
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        cells = [nbformat.v4.new_code_cell(source.strip()) for source in (SETUP, *CELLS.values())]
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), Path(folder, "sliders.ipynb"))
        with lab_server(folder) as address, chromium() as browser, open_page(browser) as page:
            lesson = Lesson(page, address, "sliders.ipynb")
            lesson.run_all()
            for index, name in enumerate(CELLS, start=1):
                lesson.show(index)
                output = lesson.output(index)
                output.locator(".noUi-handle").focus()
                handle, times = output.element_handle(), []
                for press in range(PRESSES + 3):  # the first three warm it up
                    answer = page.evaluate_handle(f"output => {{ window.answer = ({ANSWER})(output); }}", handle)
                    answer.dispose()
                    page.keyboard.press("ArrowRight" if press % 2 else "ArrowLeft")
                    times.append(page.evaluate("() => window.answer"))
                    page.wait_for_timeout(60)
                result[name] = statistics.median(times[3:])
    return result


if __name__ == "__main__":
    for name, milliseconds in measure().items():
        print(f"{name:50} {milliseconds:6.0f} ms")
