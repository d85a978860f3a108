"""Follow citations of a running product's answers in a browser, and compare what is lit with them.

    python -m tests.quality.lit URL [CITATIONS]

Titles drawn by lot from every book are asked until each has given its share of the citations (200 in
all unless told). Each is followed by a click, as a reader does. Prints how many of each kind of block
were lit exactly, and those that were not.
"""

import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx
from playwright.async_api import Browser, async_playwright

from tests.support.browser import ARGUMENTS, CHROMIUM

_CITATIONS = 200
_SEED = 17
_MOST_ASKED = 60
"""Questions for a book, of which some are refused."""
_OF_AN_ANSWER = 5
_DRAWN_MS = 60_000
_FOLLOW = """async (index) => {
  for (const mark of document.querySelectorAll(".page mark")) mark.classList.add("before");
  document.querySelectorAll(".proof")[index].click();
  for (let look = 0; look < 1500; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (document.querySelector(".page mark") && !document.querySelector(".page mark.before")) break;
  }
  const marks = [...document.querySelectorAll(".page mark:not(.before)")];
  return marks.map((one) => one.textContent).join("");
}"""


async def main(url: str, wanted: int) -> int:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client, async_playwright() as started:
        browser = await started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        books = (await client.get("/v1/books")).json()["books"]
        share = -(-wanted // len(books))
        lit: Counter[str] = Counter()
        missed: list[str] = []
        for book in books:
            async for kind, told in _followed(client, browser, book["slug"], share):
                lit[kind] += not told
                missed += [told] if told else []
        await browser.close()
    print(
        f"{lit.total()} of {lit.total() + len(missed)} citations of {len(books)} books lit exactly"
    )
    print(", ".join(f"{kind} {count}" for kind, count in lit.most_common()), *missed, sep="\n")
    return len(missed)


async def _followed(
    client: httpx.AsyncClient, browser: Browser, slug: str, share: int
) -> AsyncIterator[tuple[str, str]]:
    """Yield the kind of block of each citation, and what was lit otherwise, "" where nothing was."""
    left = share
    async for answer in _answers(client, slug):
        # A tab of its own, which knows of no answer before.
        page = await browser.new_page(reduced_motion="reduce")
        page.set_default_timeout(_DRAWN_MS)
        await page.goto(f"{client.base_url}/#/{slug}?answer={answer['answer_id']}")
        await page.wait_for_selector(".proof", state="attached")
        for index, citation in enumerate(answer["citations"][: min(left, _OF_AN_ANSWER)]):
            shown = await page.evaluate(_FOLLOW, index)
            is_same = _plain(shown) == _plain(citation["quote"])
            place = f"{slug} {citation['document']} {citation['start']}-{citation['end']}"
            told = "" if is_same else f"{place}: lit {shown!r}, cited {citation['quote']!r}"
            yield await _kind_of(client, slug, citation), told
        await page.close()
        left -= len(answer["citations"][: min(left, _OF_AN_ANSWER)])
        if not left:
            return


async def _answers(client: httpx.AsyncClient, slug: str) -> AsyncIterator[dict[str, Any]]:
    documents = (await client.get(f"/v1/books/{slug}/documents")).json()["documents"]
    lot = random.Random(_SEED)
    for _ in range(_MOST_ASKED):
        path = lot.choice(documents)["path"]
        part = (await client.get(f"/v1/books/{slug}/documents/{path}?length=1")).json()
        if part["sections"]:
            title = lot.choice(part["sections"])["path"][-1]
            asked = {"question": title[:200]}
            answer = (await client.post(f"/v1/books/{slug}/answers", json=asked)).json()
            if answer.get("citations"):
                yield answer


async def _kind_of(client: httpx.AsyncClient, slug: str, citation: dict[str, Any]) -> str:
    query = {"start": citation["start"], "length": 1}
    part = await client.get(f"/v1/books/{slug}/documents/{citation['document']}", params=query)
    at = citation["start"]
    kinds = (one["kind"] for one in part.json()["blocks"] if one["start"] <= at < one["end"])
    return str(next(kinds, "between"))


def _plain(text: str) -> str:
    """Without the space and the bars of cells between what is lit, which nobody sees."""
    return "".join(text.replace("|", " ").split())


if __name__ == "__main__":
    address, *count = sys.argv[1:]
    sys.exit(asyncio.run(main(address, int(count[0]) if count else _CITATIONS)) > 0)
