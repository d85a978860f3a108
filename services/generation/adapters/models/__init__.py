"""What writes answers and judges sentences by a model: two providers and an ONNX graph."""
