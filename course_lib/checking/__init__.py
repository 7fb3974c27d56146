"""The engine, in the order in which a check goes through it. It knows torch; no lesson, no Jupyter, no file.

kinds         what an exercise is
collect       runs a student's code on its cases, within `limits`; `student_code` reads the code without running it
answers       what came of it, as plain data (`wire`) that can go to another process
judge         compares with the reference, by `differences`, and gives the verdict
explain       chooses the sentence that a student reads about wrong code
"""
