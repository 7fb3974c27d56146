"""What a lesson's cell calls: check, hint, solution, predict, part, board, and the cards that they show (`templates/`)."""
