"""Real frameworks on a CPU, each in a process of its own; collected by ``bin/test --integrations``
alone, since nothing of the product needs their packages."""
