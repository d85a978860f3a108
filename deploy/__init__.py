"""Run Quoth on one machine, operate it by the command `quoth`, and measure it."""
