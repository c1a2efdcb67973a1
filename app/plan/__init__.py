"""Steps, estimates, schedule, fit, sealing and versions."""
