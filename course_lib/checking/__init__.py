"""The engine, in the order in which a check goes through it. It knows torch; no lesson, no Jupyter, no file.

kinds         what an exercise is
task          what of it the student's side needs: inputs, and how to call the answer (`calls`). No right answer
collect       runs a student's code on the cases, within `limits`, in a `usual_state`; `student_code` reads the code
answers       what came of it, as plain data (`wire`) that can go to another process
judge         compares with the reference, by `differences`, and gives the verdict
recognise     which mistake it is: a listed one; one that nobody listed, by `suspects` (two at once, inputs confused)
              and `mutants` (one operation replaced); what it has to do with the right answer, by `relations`
explain       what a student reads about wrong code: what was recognised, torch's own error by `stops`, or else the
              first difference; and in which case it was
"""
