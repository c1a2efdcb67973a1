"""The budget: rent that is committed, other expenses apart, what an accepted unit cost."""
