"""What every lesson's module tests first, with the fixture `lesson`: the student's copy as it was given runs without an error."""

BROKEN = "text=/Error displaying widget|Javascript Error|\\[Open Browser Console/i"


def test_the_untouched_lesson_runs_from_top_to_bottom(lesson):
    assert lesson.errors() == []
    for cell in lesson.cells_with_output():
        lesson.show(cell)
        assert lesson.output(cell).locator(BROKEN).count() == 0, cell
        lesson.screenshot(f"{lesson.name}/{cell}")
    assert lesson.page.problems == []
