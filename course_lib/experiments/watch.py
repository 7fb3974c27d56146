"""What the stored runs measure on their way."""

import time
from collections.abc import Callable, Container


class Watch:
    """Measures after so many steps, and how many CPU seconds of training alone it took to get there."""

    def __init__(self, steps: Container[int], measure: Callable[[], dict]):
        self.steps, self.measure, self.rows = steps, measure, []
        self.start, self.paused = time.process_time(), 0.0

    def __call__(self, step: int) -> None:
        if step in self.steps:
            now = time.process_time()
            self.rows.append({"step": step, "cpu_seconds": round(now - self.start - self.paused, 1)} | self.measure())
            self.paused += time.process_time() - now
