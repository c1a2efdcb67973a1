"""Orders: what was really rented, under which reference, for how much and until when."""
