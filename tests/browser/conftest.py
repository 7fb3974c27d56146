"""Browser tests: one Chromium for the whole run, a fresh tab for each test.

Without Chromium the tests are skipped on a person's machine, and fail in CI, where nobody would notice.
"""

import os

import pytest

from .lab import chromium, chromium_path, open_page


@pytest.fixture(scope="session")
def browser():
    if chromium_path() is None:
        message = "Chromium is missing: install it, on Debian and Ubuntu with `apt-get install chromium`."
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser):
    with open_page(browser) as page:
        yield page
