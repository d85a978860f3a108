"""Check the files of pictures: what a browser may be given, and nothing else."""

from services.ingest.parsers.images.check import VERSION, check_image, is_image

__all__ = ["VERSION", "check_image", "is_image"]
