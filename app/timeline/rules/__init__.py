"""What happened against what was sealed, and what follows from it."""
