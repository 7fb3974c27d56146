"""How a design is asked for: the words that it is tried on are no arguments."""


def without_inputs(submission, *inputs):
    return submission()
