"""Small models that lessons measure with. Each remakes its file in `data/`: `python -m course_lib.experiments.…`."""
