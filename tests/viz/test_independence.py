"""Pictures know no model: what `course_lib.viz` imports, seen in a fresh interpreter."""

import json
import subprocess
import sys

import pytest

SEEN = """
import json, sys
import course_lib.viz as viz
early = [name for name in ("torch", "ipywidgets", "bertviz") if name in sys.modules]
for name in dir(viz):
    getattr(viz, name)
ours = {name for name in sys.modules if name.startswith("course_lib.") and not name.startswith("course_lib.viz")}
print(json.dumps([early, sorted(ours)]))
"""


@pytest.mark.slow
def test_a_still_picture_needs_no_torch_and_no_picture_a_model():
    found = subprocess.run([sys.executable, "-c", SEEN], capture_output=True, text=True, check=True)
    early, ours = json.loads(found.stdout)
    assert early == []
    assert ours == ["course_lib.errors", "course_lib.support", "course_lib.support.messages"]
