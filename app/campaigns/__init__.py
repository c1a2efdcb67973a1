"""One decision to buy: its question, where it stands, the list and the overview."""
