"""What every lesson's module tests first, with the fixture `lesson`: the student's copy as it was given runs without an error,
and what it shows can be used by everyone, in both themes."""

from axe_playwright_python.sync_playwright import Axe

BROKEN = "text=/Error displaying widget|Javascript Error|\\[Open Browser Console/i"
OURS = {"include": [[".jp-OutputArea-output"], [".jp-MarkdownOutput"]]}  # what is around them is JupyterLab's
# Pictures on white paper in a dark page. A drawing's image stands in only where its SVG may not.
GLARING = """() => [...document.querySelectorAll(".jp-OutputArea-output :is(img, iframe)")]
    .filter(node => node.checkVisibility() && node.clientWidth > 40
        && !node.closest(".course-on-white") && !node.src.startsWith("data:image/svg"))
    .map(node => `${node.closest(".jp-Cell").dataset.windowedListIndex}: ${node.alt || node.title}`)"""


def test_the_untouched_lesson_runs_from_top_to_bottom(lesson):
    assert lesson.errors() == []
    for cell in lesson.cells_with_output():
        lesson.show(cell)
        assert lesson.output(cell).locator(BROKEN).count() == 0, cell
        lesson.screenshot(f"{lesson.name}/{cell}")
    assert lesson.page.problems == []


def test_all_that_it_shows_is_accessible_in_both_themes(lesson):
    with lesson.all_cells_in_the_page():
        for dark in (False, True):
            lesson.dark(dark)
            found = Axe().run(lesson.page, OURS)
            assert found.violations_count == 0, found.generate_report()
            if dark:
                assert lesson.page.evaluate(GLARING) == []
        lesson.dark(False)
