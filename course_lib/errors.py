"""The one exception that students may see from the course itself."""


class CourseError(Exception):
    """Something the reader can put right. Its message is a full sentence: what was expected, what came, what to do."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows the sentence alone: a stack of our own frames would help nobody."""
        return [str(self)]
