"""The state of an index compared with the edition that it should hold."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Condition:
    """How the index stands to an edition: chunks it lacks, others that it shows, damaged ones."""

    missing: int = 0
    foreign: int = 0
    damaged: int = 0

    @property
    def is_sound(self) -> bool:
        return not (self.missing or self.foreign or self.damaged)

    def __str__(self) -> str:
        return f"{self.missing} missing, {self.foreign} foreign, {self.damaged} damaged"
