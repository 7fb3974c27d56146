"""What students predict in lesson 09."""

from course_lib.checking.kinds import Prediction
