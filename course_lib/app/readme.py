"""For authors: writes the README's table of the lessons that exist. python -m course_lib.app.readme"""

import re

from course_lib.exercises import lessons
from course_lib.support.paths import ROOT

README = ROOT / "README.md"
TABLE = re.compile(r"(<!-- `make readme` writes this table -->\n).*?(<!-- end -->)", re.DOTALL)


def lesson_table() -> str:
    """Number, title, promise and count of exercises of each lesson, in Markdown."""
    rows = [
        f"| {number} | {lesson.title} | {lesson.promise} | {len(lesson.exercises)} |\n"
        for number, lesson in lessons().items()
    ]
    return "| | lesson | you will | exercises |\n|---|---|---|---|\n" + "".join(rows)


def with_table(readme: str) -> str:
    """The README with the table as it should be now."""
    return TABLE.sub(lambda marks: marks[1] + lesson_table() + marks[2], readme)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
