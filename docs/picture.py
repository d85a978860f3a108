"""Take the pictures of the page that the README shows: an answer, and a citation followed to its place.

    python docs/picture.py [URL of a product that already runs]

Starts the product on the sample book unless a URL is given, asks one question, follows one
citation and writes `page-light.webp` and `page-dark.webp` beside this file.
"""

import asyncio
import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.async_api import Browser, async_playwright

from tests.support.browser import ARGUMENTS, CHROMIUM
from tests.support.stack import SAMPLE, SAMPLE_PATH, running_stack

FOLDER = Path(__file__).parent
QUESTION = "What benefits does the spring of a series elastic actuator bring?"
CITATION = 1
SIZE = (1280, 800)
LIMIT_BYTES = 150_000
Scheme = Literal["light", "dark"]


@contextmanager
def product(url: str | None) -> Iterator[str]:
    if url:
        yield url
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Path(folder) / "home", books={SAMPLE: SAMPLE_PATH}) as stack,
    ):
        yield stack.url


async def take_picture(browser: Browser, url: str, scheme: Scheme) -> bytes:
    width, height = SIZE
    page = await browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        device_scale_factor=2,
    )
    await page.goto(f"{url}/#/{SAMPLE}")
    await page.click(".front .begin a")
    await page.wait_for_selector(".page h1")
    await page.fill("#question", QUESTION)
    await page.click("#send")
    await page.wait_for_selector(".answer.whole .chip")
    await page.click(f".answer .chip >> nth={CITATION - 1}")
    await page.wait_for_selector(".page mark")
    await page.mouse.move(0, height - 1)  # so that nothing shows what it shows under the mouse
    await page.wait_for_timeout(500)  # what sticks is drawn in its place a few frames after a jump
    taken = await page.screenshot()
    await page.close()
    return taken


def small(png: bytes) -> bytes:
    """Return the picture as WebP below the limit, with as many colours as fit: text stays sharp."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    for colours in (64, 48, 32, 24, 16):
        out = io.BytesIO()
        flat = image.quantize(colours, dither=Image.Dither.NONE).convert("RGB")
        flat.save(out, "WEBP", lossless=True, method=6)
        if out.tell() < LIMIT_BYTES:
            return out.getvalue()
    raise SystemExit(f"The picture stays above {LIMIT_BYTES:,} bytes.")


async def take_all(url: str) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        schemes: tuple[Scheme, ...] = ("light", "dark")
        for scheme in schemes:
            path = FOLDER / f"page-{scheme}.webp"
            path.write_bytes(small(await take_picture(browser, url, scheme)))
            print(f"{path.name}: {path.stat().st_size:,} bytes")
        await browser.close()


if __name__ == "__main__":
    with product(sys.argv[1] if len(sys.argv) > 1 else None) as running:
        asyncio.run(take_all(running))
