"""Who is asking: the person at this machine, or a job with its token."""
