"""The engine: what an exercise is, a student's answers collected within limits, and a judge that explains. Knows torch; no lesson, no Jupyter, no file."""
