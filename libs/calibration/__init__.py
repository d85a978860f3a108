"""Features of a search in, the probability that it answers the question out, and how that is learnt."""

from libs.calibration.calibration import SHIPPED, Calibration, load_calibration, load_calibrations

__all__ = ["SHIPPED", "Calibration", "load_calibration", "load_calibrations"]
