"""What grading says of one lesson."""

from dataclasses import dataclass, field

from course_lib.checking.judge import Verdict
from course_lib.workbook.workbook import LessonFile


@dataclass
class LessonGrade:
    """One lesson's verdicts, in the order of the course. `failed` says why it could not be graded at all."""

    lesson: LessonFile
    title: str
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: str = ""

    @property
    def points(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def possible(self) -> int:
        return sum(verdict.exercise.points for verdict in self.verdicts)
