"""nbval compares the stored outputs of `notebooks/` with what a fresh run gives; this says what can't be compared."""

# Random or measured each time: widgets' model ids, the HTML of cards with their seconds, pictures' bytes.
NOT_COMPARED = ("text/html", "application/vnd.jupyter.widget-view+json", "application/vnd.course.answers+json", "image/svg+xml")


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += NOT_COMPARED
