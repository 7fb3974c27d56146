"""The student's folder: made from `notebooks/`, refreshed, given back; and what they have done so far."""
