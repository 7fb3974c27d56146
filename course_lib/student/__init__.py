"""What a lesson's cell calls: check, hint, solution, predict, part, board; and their cards, in `templates/`."""
