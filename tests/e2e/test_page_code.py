"""Code in a real browser: its parts in colours, its button, and the text as it was."""

import pytest
from playwright.async_api import expect

from tests.support.browser import needs_browser
from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_fakes import EVIL, FakeBackend
from tests.support.page_site import Site

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

PYTHON = "def turn(n):  # 🌊 once\n    return 'six' + str(6)"
SOURCE = f"""# Code

Run:

```python
{PYTHON}
```

```
plain {EVIL}
```

```no-such
<b>x
```
"""


async def read(backend: FakeBackend) -> str:
    backend.documents["c.md"] = parse_and_show("c.md", SOURCE)
    return "/#/tide-mills/c.md"


async def test_parts_of_code_are_set_apart_and_the_text_stays_what_it_is(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(backend)
    async with site.reading(address) as watched:
        page = watched.page
        await page.wait_for_selector(".code-keyword")
        assert await page.locator("pre .code-keyword").all_text_contents() == ["def", "return"]
        assert await page.locator("pre .code-comment").all_text_contents() == ["# 🌊 once"]
        assert await page.locator("pre .code-string").all_text_contents() == ["'six'"]
        text = await page.evaluate("document.querySelector('.page').textContent")
        assert text == backend.documents["c.md"].text
        colours = await page.evaluate(
            "[...document.querySelectorAll('pre span')].map((one) => getComputedStyle(one).color)"
        )
        assert len(set(colours)) >= 4


async def test_a_range_of_code_is_lit_exactly_before_and_after_its_parts_are_known(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(backend)
    words = "turn(n):  # 🌊 once\n    ret"
    start = backend.documents["c.md"].text.index(words)
    async with site.reading(f"{address}?range={start}-{start + len(words)}") as watched:
        await watched.page.wait_for_selector(".code-keyword mark")
        assert "".join(await watched.highlighted()) == words
        assert await watched.page.locator(".code-comment mark").inner_text() == "# 🌊 once"


async def test_code_is_copied_by_a_button_that_the_keyboard_reaches(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(backend)
    async with site.reading(address, permissions=["clipboard-read", "clipboard-write"]) as watched:
        page = watched.page
        await page.wait_for_selector(".code-keyword")
        await page.locator("pre").first.focus()
        await page.keyboard.press("Tab")
        button = page.get_by_role("button", name="Copy the code").first
        await expect(button).to_be_focused()
        assert await button.evaluate("(one) => getComputedStyle(one).opacity") == "1"
        await page.keyboard.press("Enter")
        await expect(page.locator("#announcement")).to_have_text("The code was copied.")
        assert await page.evaluate("navigator.clipboard.readText()") == PYTHON
        shown = await button.evaluate("(one) => getComputedStyle(one, '::before').content")
        assert shown == '"Copied"'
        size = await button.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 24
