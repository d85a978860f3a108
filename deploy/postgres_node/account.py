"""Who PostgreSQL runs as, and which folders that user may enter."""

import os
import pwd
import tempfile
from dataclasses import dataclass
from pathlib import Path

from deploy.embedded import StartError

UNPRIVILEGED_USER = "nobody"


@dataclass(frozen=True)
class Account:
    """Who runs PostgreSQL: ourselves, or for root an unprivileged user."""

    uid: int
    gid: int
    name: str
    is_other: bool

    @staticmethod
    def current() -> "Account":
        is_root = os.geteuid() == 0
        try:
            entry = pwd.getpwnam(UNPRIVILEGED_USER) if is_root else pwd.getpwuid(os.geteuid())
        except KeyError as error:
            who = UNPRIVILEGED_USER if is_root else f"uid {os.geteuid()}"
            raise StartError(
                f"PostgreSQL does not start as a user without a name, and {who} has none here: "
                "run as another user, or set QUOTH_POSTGRES_DSN to a server of yours"
            ) from error
        return Account(entry.pw_uid, entry.pw_gid, entry.pw_name, is_root)

    def own(self, path: Path) -> None:
        if self.is_other:
            os.chown(path, self.uid, self.gid)

    def barred_at(self, folder: Path) -> Path | None:
        """The first folder on the way to `folder` that is closed to the other user, if any."""
        if not self.is_other:
            return None
        for step in reversed((folder, *folder.parents)):
            if step.exists() and not self._may_enter(step.stat()):
                return step
        return None

    def _may_enter(self, status: os.stat_result) -> bool:
        if status.st_uid == self.uid:
            return bool(status.st_mode & 0o100)
        if status.st_gid == self.gid:
            return bool(status.st_mode & 0o010)
        return bool(status.st_mode & 0o001)


def temporary_folder(account: Account) -> Path:
    """The system's folder for temporary files, unless the other user has no way to it."""
    folder = Path(tempfile.gettempdir())
    return folder if account.barred_at(folder) is None else Path("/tmp")  # noqa: S108


def refuse_strangers(folder: Path, *owners: int) -> None:
    """Anybody may have made a folder of this name under /tmp before us."""
    if folder.is_symlink() or folder.stat().st_uid not in owners:
        raise StartError(f"the folder {folder} belongs to somebody else")
