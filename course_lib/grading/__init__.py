"""Official grading: a student's notebooks run in kernels of their own, judged from outside, and the report."""
