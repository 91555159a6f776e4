"""6 nimmt!: pick a card, and hope that it is not the sixth in its row."""
