"""For authors: writes the README's table of the lessons that exist. python -m course_lib.app.readme"""

import re

from course_lib.exercises import lessons
from course_lib.support.paths import NOTEBOOKS, ROOT
from course_lib.workbook.notebook_files import read_notebook

README = ROOT / "README.md"
TABLE = re.compile(r"(<!-- `make readme` writes this table -->\n).*?(<!-- end -->)", re.DOTALL)


def promised_minutes(number: str) -> int:
    """The minutes that a lesson's first cell promises for all of it: reading, exercises, waiting."""
    first = read_notebook(next(NOTEBOOKS.glob(f"{number}_*.ipynb"))).cells[0].source
    return int(re.search(r"Time: about (\d+) minutes", first)[1])


def lesson_table() -> str:
    """Number, title, promise, count of exercises and minutes of each lesson, in Markdown."""
    rows = [
        f"| {number} | {lesson.title} | {lesson.promise} | {len(lesson.exercises)} | {promised_minutes(number)} |\n"
        for number, lesson in lessons().items()
    ]
    return "| no. | lesson | you will | exercises | minutes |\n|---|---|---|---|---|\n" + "".join(rows)


def with_table(readme: str) -> str:
    """The README with the table as it should be now."""
    return TABLE.sub(lambda marks: marks[1] + lesson_table() + marks[2], readme)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
