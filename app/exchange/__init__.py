"""The campaign file in and out; a whole campaign exported and taken in again."""
