"""Texts in, unit vectors out: the port, and the model that comes inside packages."""

from libs.embedding.port import Embedder, ModelStamp, Vectors

__all__ = ["Embedder", "ModelStamp", "Vectors"]
