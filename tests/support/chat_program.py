"""`llm`, a chat client of another project, run as its users run it."""

import asyncio
import os
import sys
from pathlib import Path

_MODELS = """
- model_id: book
  model_name: {book}
  api_base: {url}/v1
  api_key_name: quoth
  can_stream: {streams}
"""


class ChatProgram:
    """The program in a home of its own, with one book as its only model."""

    def __init__(self, home: Path, url: str, book: str, key: str, *, streams: bool = True) -> None:
        models = _MODELS.format(book=book, url=url, streams=str(streams).lower())
        (home / "extra-openai-models.yaml").write_text(models, "utf-8")
        self._environment = {**os.environ, "LLM_USER_PATH": str(home), "NO_PROXY": "*"}
        self._key = key

    async def say(self, *words: str) -> tuple[int, str]:
        """Return its exit status and all that it printed."""
        arguments = ("-m", "llm", "prompt", "-m", "book", "--key", self._key, *words)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode()
