"""The code that a student of the small lesson is given to repair."""


def broken(x):
    return x - 1
