"""ONNX Runtime with its telemetry switched off."""

import os

# Read when the library is loaded; disable_telemetry_events() comes after its first report is set up.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort

__all__ = ["ort"]
