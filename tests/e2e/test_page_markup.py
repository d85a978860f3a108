"""Links, emphasis and the like in a real browser, over documents that ingest has parsed."""

from urllib.parse import quote

import pytest
from playwright.async_api import expect

from tests.support.browser import Watched, needs_browser
from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_fakes import EVIL, FakeBackend
from tests.support.page_site import Site

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

GATES = """# Gates

The *sea gate* opens **before** the [wheel gate](02-wheels.md#the-wheel), see `open()` and
[the coast](https://coast.example/tides?x=1). There are 2<sup>n − 1</sup> gates of H<sub>2</sub>O 🌊.

$X, Y, Z$ and $-q$ are formulas, `$HOME and $PATH$` is none. Oak lasts[^oak].

| Gate | `code` |
|------|--------|
| [sea](#gates) | 10<sup>6</sup> |

[^oak]: Forty *years*.
"""
WHEELS = """# Wheels

Much before.

## The wheel

It turns.
"""
HOSTILE = f"""<h1>Hostile</h1><p id='{quote(EVIL)}"'>
<a href='https://evil.example/"><img src=x onerror=alert(1)>'>out</a>
<a href="java&#9;script:window.hacked=1">run</a>
<a href="&#34;&gt;&lt;img src=x onerror=window.hacked=1&gt;.md">lost</a>
<a href='#{EVIL}'>here</a></p>"""


async def read(site: Site, backend: FakeBackend, path: str, source: str) -> str:
    backend.documents[path] = parse_and_show(path, source)
    return f"/#/tide-mills/{quote(path)}"


async def text_of(watched: Watched) -> str:
    return str(await watched.page.evaluate("document.querySelector('.page').textContent"))


async def test_markup_is_drawn_and_the_text_stays_what_it_is(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(site, backend, "01-gates.md", GATES)
    await read(site, backend, "02-wheels.md", WHEELS)
    async with site.reading(address) as watched:
        page = watched.page.locator(".page")
        assert await text_of(watched) == backend.documents["01-gates.md"].text
        await expect(page.locator("em").first).to_have_text("sea gate")
        await expect(page.locator("strong")).to_have_text("before")
        assert await page.locator("code").all_text_contents() == [
            *("open()", "$HOME and $PATH$", "code")
        ]
        assert await page.locator("sup").all_text_contents() == ["^(n − 1)", "^6"]
        assert await page.locator("sub").all_text_contents() == ["2"]
        assert await page.locator(".tex").all_text_contents() == ["$X, Y, Z$", "$-q$"]


async def test_no_hyphen_of_short_code_ends_a_line(site: Site, backend: FakeBackend) -> None:
    options = (
        "Use `--check`, " * 9
        + "or `--a-name-that-is-too-long-for-the-line-of-a-phone-and-for-two`."
    )
    address = await read(site, backend, "01-gates.md", f"# Gates\n\n{options}\n")
    async with site.reading(address, size=(320, 640)) as watched:
        lines = await watched.page.locator(".page code").evaluate_all(
            "parts => parts.map((part) => part.getClientRects().length)"
        )
        assert lines[:-1] == [1] * 9
        assert lines[-1] > 1
        assert not await watched.overflows()


async def test_raised_text_is_seen_without_its_signs_and_copied_with_them(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(site, backend, "01-gates.md", GATES)
    async with site.reading(address) as watched:
        widths = await watched.page.evaluate(
            "[...document.querySelectorAll('.written')].map((one) => one.offsetWidth)"
        )
        assert widths == [0, 0, 0]
        await watched.select("There are 2", "gates of H")
        assert await watched.page.evaluate("getSelection().toString()") == (
            "There are 2^(n − 1) gates of H"
        )


async def test_a_link_inside_the_book_goes_to_its_section(site: Site, backend: FakeBackend) -> None:
    address = await read(site, backend, "01-gates.md", GATES)
    await read(site, backend, "02-wheels.md", WHEELS)
    async with site.reading(address) as watched:
        await watched.page.get_by_role("link", name="wheel gate").click()
        await expect(watched.page.locator(".page h1")).to_have_text("Wheels")
        await expect(watched.page.locator("[data-anchor='the-wheel']")).to_be_focused()
        await watched.page.go_back()
        await expect(watched.page.locator(".page h1")).to_have_text("Gates")


TABLE = """<h1>T</h1><table><tr><th>a<th align="right">b<th>c
<tr><th rowspan="2">r<td>1<td>2<tr><td colspan="2">3</table><p>See <span lang="fr">oui</span>,
<bdi dir="rtl">abc</bdi>.</p>"""


async def test_cells_span_and_align_as_in_the_source(site: Site, backend: FakeBackend) -> None:
    address = await read(site, backend, "t.html", TABLE)
    async with site.reading(address) as watched:
        cells = await watched.page.locator(".page td, .page th").evaluate_all(
            """(all) => all.map((one) => [one.tagName, one.textContent.replace(/ \\| $/, ""),
                one.colSpan, one.rowSpan, one.className])"""
        )
        assert cells == [
            *(["TH", "a", 1, 1, ""], ["TH", "b", 1, 1, "to-right"], ["TH", "c", 1, 1, ""]),
            *(["TH", "r", 1, 2, ""], ["TD", "1", 1, 1, "to-right"], ["TD", "2", 1, 1, ""]),
            ["TD", "3", 2, 1, "to-right"],
        ]
        assert await text_of(watched) == backend.documents["t.html"].text
        await expect(watched.page.locator("[lang='fr']")).to_have_text("oui")
        await expect(watched.page.locator("[dir='rtl']")).to_have_text("abc")


async def test_a_source_of_a_diagram_is_a_figure_with_its_caption(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(site, backend, "m.md", "# M\n\n```mermaid\ngraph TD; A-->B\n```\n")
    async with site.reading(address) as watched:
        await expect(watched.page.locator("pre.diagram")).to_have_text("graph TD; A-->B")
        caption = await watched.page.locator("pre.diagram").evaluate(
            "(one) => getComputedStyle(one, '::after').content"
        )
        assert "Diagram" in caption


@pytest.mark.control("V7")
async def test_a_link_out_of_the_book_shows_its_host_and_gives_nothing_away(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(site, backend, "01-gates.md", GATES)
    async with site.reading(address) as watched:
        link = watched.page.get_by_role("link", name="the coast")
        await expect(link).to_have_attribute("href", "https://coast.example/tides?x=1")
        await expect(link).to_have_attribute("rel", "noopener noreferrer")
        await expect(link).to_have_attribute("target", "_blank")
        shown = await link.evaluate("(one) => getComputedStyle(one, '::after').content")
        assert "coast.example" in shown


@pytest.mark.control("V7")
async def test_an_address_that_is_written_out_says_its_host_once_unless_it_pretends_to_another(
    site: Site, backend: FakeBackend
) -> None:
    source = "# Ways\n\n<https://coast.example/map> <https://coast.example@far.example/>\n"
    async with site.reading(await read(site, backend, "02-ways.md", source)) as watched:
        hosts = await watched.page.locator(".page a").evaluate_all(
            "(links) => links.map((one) => one.dataset.host)"
        )
        assert hosts == ["", "far.example"]


async def test_a_footnote_mark_leads_to_its_footnote(site: Site, backend: FakeBackend) -> None:
    address = await read(site, backend, "01-gates.md", GATES)
    async with site.reading(address) as watched:
        await watched.page.get_by_role("link", name="Footnote 1").click()
        await expect(watched.page.locator(".footnote mark").first).to_be_in_viewport()
        assert "".join(await watched.highlighted()) == "Forty years."


@pytest.mark.parametrize(
    "words",
    ["opens before the wheel gate, see open() and", "n − 1) gates of H2O 🌊", "sea | 10^6"],
)
async def test_a_range_is_lit_exactly_across_markup(
    site: Site, backend: FakeBackend, words: str
) -> None:
    address = await read(site, backend, "01-gates.md", GATES)
    start = backend.documents["01-gates.md"].text.index(words)
    async with site.reading(f"{address}?range={start}-{start + len(words)}") as watched:
        await expect(watched.page.locator("mark").first).to_be_in_viewport()
        assert "".join(await watched.highlighted()) == words.replace(" | ", "")
        assert await text_of(watched) == backend.documents["01-gates.md"].text


@pytest.mark.control("V7", "V8")
async def test_hostile_links_and_names_run_nothing_and_leave_the_page_whole(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(site, backend, "hostile.html", HOSTILE)
    async with site.reading(address) as watched:
        assert await text_of(watched) == backend.documents["hostile.html"].text
        assert await watched.page.locator(".page img, .page script").count() == 0
        links = await watched.page.locator(".page a").evaluate_all(
            "(all) => all.map((one) => [one.textContent, one.protocol, one.host])"
        )
        own = watched.url.split("/")[2]
        assert links == [["out", "https:", "evil.example"], ["here", "http:", own]]
        await watched.page.get_by_role("link", name="here").click()
        await expect(watched.page.locator(".page h1")).to_have_text("Hostile")
