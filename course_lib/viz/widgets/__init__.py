"""Sliders: one .py and one .js each where the browser computes, one .py where Python draws again at every move."""
