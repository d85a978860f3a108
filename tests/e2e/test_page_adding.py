"""Adding books from the page: files, folders, drops, editions, reports, and taking back."""

import io
import tarfile
from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Dialog, expect

from services.gateway.model.ingests import Edition
from tests.support.browser import needs_browser
from tests.support.gateway_fakes import BOOK, EDITION, REPORT, FakeBackend, make_job
from tests.support.page_site import Site

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

LONG = "a-folder-whose-name-is-long/" * 4 + "über.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "my mills"
    for path, text in {
        "quoth.toml": 'title = "Mills"\n',
        "a.md": "# A\n",
        LONG: "# Ü\n",
        "picture.png": "x",
        ".git/b.md": "# B\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


async def test_a_folder_is_sent_as_an_archive_of_its_documents_with_the_options(
    site: Site, backend: FakeBackend, folder: Path
) -> None:
    backend.states = [make_job(book="my-mills", state="published", edition=3)]
    async with site.open("/#/") as watched:
        page = watched.page
        await page.get_by_text("Add a book").click()
        await page.get_by_label("Or a folder").set_input_files(folder)
        await expect(page.locator(".add-form > .hint")).to_have_text("4 files, 1 kB")
        await expect(page.get_by_label("Name in its address")).to_have_value("my-mills")
        await page.get_by_label("Language").fill("de")
        await page.get_by_label("Leave out documents").check()
        await page.get_by_role("button", name="Add it").click()
        await expect(page.locator(".published")).to_contain_text("Edition 3 is there")
        assert watched.complaints == []
    source, content = backend.sources[0]
    assert (source.book, source.file_name, source.language) == ("my-mills", "my-mills.tar", "de")
    assert source.allow_partial
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        held = {member.name: archive.extractfile(member) for member in archive.getmembers()}
        assert sorted(held) == sorted(["quoth.toml", "a.md", LONG, "picture.png"])
        told = held[LONG]
        assert told is not None
        assert told.read() == "# Ü\n".encode()


@pytest.mark.parametrize("place", [".add-form", ".bar"])
async def test_files_are_dropped_anywhere_on_the_shelf(
    site: Site, backend: FakeBackend, place: str
) -> None:
    drop = """place => {
      const data = new DataTransfer();
      for (const name of ["b.md", "a.md"]) data.items.add(new File([`# ${name}\\n`], name));
      const options = { bubbles: true, cancelable: true, dataTransfer: data };
      document.querySelector(place).dispatchEvent(new DragEvent("drop", options));
    }"""
    backend.states = [make_job(book="dropped", state="published", edition=1)]
    async with site.open("/#/") as watched:
        page = watched.page
        await expect(page.locator(".add-form")).to_be_attached()
        await page.evaluate(drop, place)
        await expect(page.locator(".add-form > .hint")).to_have_text("2 files, 1 kB")
        await page.get_by_label("Name in its address").fill("dropped")
        await page.get_by_role("button", name="Add it").click()
        await expect(page.locator(".published")).to_be_visible()
    with tarfile.open(fileobj=io.BytesIO(backend.sources[0][1])) as archive:
        assert archive.getnames() == ["a.md", "b.md"]


async def test_the_name_follows_the_files_until_the_reader_writes_one(site: Site) -> None:
    async with site.open("/#/") as watched:
        page = watched.page
        await page.get_by_text("Add a book").click()
        slug = page.get_by_label("Name in its address")
        for name, own, expected in (("a.md", "", "a"), ("b.md", "mine", "b"), ("c.md", "", "mine")):
            await page.get_by_label("The book", exact=True).set_input_files(
                {"name": name, "mimeType": "", "buffer": b"# A\n"}
            )
            await expect(slug).to_have_value(expected)
            if own:
                await slug.fill(own)


async def test_a_name_that_is_taken_asks_for_a_new_edition_or_a_new_book(
    site: Site, backend: FakeBackend
) -> None:
    async with site.open("/#/") as watched:
        page = watched.page
        await page.get_by_text("Add a book").click()
        await page.get_by_label("The book", exact=True).set_input_files(
            {"name": "a.md", "mimeType": "", "buffer": b"# A\n"}
        )
        slug = page.get_by_label("Name in its address")
        await slug.fill(BOOK.slug)
        await page.get_by_role("button", name="Add it").click()
        assert backend.sources == []
        await page.get_by_label("New book").click()
        await expect(slug).to_have_value(f"{BOOK.slug}-2")
        await expect(page.locator(".taken")).to_have_count(0)
        await slug.fill(BOOK.slug)
        await page.get_by_label("New edition of").check()
        await page.get_by_role("button", name="Add it").click()
        await expect(page.locator(".published")).to_be_visible()
    assert [source.book for source, _ in backend.sources] == [BOOK.slug]


async def test_the_outcome_of_documents_is_shown_in_groups(
    site: Site, backend: FakeBackend
) -> None:
    backend.states = [make_job(book="x", state="published", edition=3, report=REPORT)]
    async with site.open("/#/") as watched:
        page = watched.page
        await page.get_by_text("Add a book").click()
        await page.get_by_label("The book", exact=True).set_input_files(
            {"name": "x.md", "mimeType": "", "buffer": b"# A\n"}
        )
        await page.get_by_role("button", name="Add it").click()
        report = page.locator(".report")
        await expect(report.locator("p")).to_have_text("1 document changed.")
        await report.get_by_text("7 warnings").click()
        await expect(report.locator("li").first).to_have_text(
            "5 times: picture: it has no description "
            "(keeping.md, line 0; keeping.md, line 1; keeping.md, line 2 and 2 more)"
        )


async def test_an_edition_is_gone_back_to_and_a_book_deleted_only_when_confirmed(
    site: Site, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = msgspec.structs.replace(EDITION, number=2, current=False)

    async def list_two(*_: object) -> tuple[list[Edition], str]:
        return [EDITION, before], ""

    monkeypatch.setattr(backend, "list_editions", list_two)
    answers = [False, True, False, True]
    asked: list[str] = []

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await (dialog.accept() if answers.pop(0) else dialog.dismiss())

    async with site.reading() as watched:
        page = watched.page
        page.on("dialog", answer)
        back = page.get_by_role("button", name="Go back to edition 2")
        await page.locator("#bar-edition").click()
        await back.click()
        async with page.expect_event("load"):
            await back.click()
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
        for _ in range(2):
            await page.locator("#bar-edition").click()
            await page.get_by_role("button", name="Delete this book").click()
            await page.keyboard.press("Escape")
        await expect(page.locator(".shelf")).to_be_visible()
    told = [call for call in backend.asked if call[0] in {"rollback", "delete"}]
    assert told == [("rollback", BOOK.slug, 2), ("delete", BOOK.slug)]
    assert len(asked) == 4


async def test_a_book_is_renamed_and_keeps_its_address(site: Site, backend: FakeBackend) -> None:
    answers = ["", " Mills & <b>tides</b> "]

    async def answer(dialog: Dialog) -> None:
        assert dialog.default_value == BOOK.title
        await dialog.accept(answers.pop(0))

    async with site.reading() as watched:
        page = watched.page
        page.on("dialog", answer)
        for _ in range(2):
            await page.locator("#bar-edition").click()
            await page.get_by_role("button", name="Rename this book").click()
            await page.keyboard.press("Escape")
        await expect(page.locator("#bar-title")).to_have_text("Mills & <b>tides</b>")
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
    told = [call for call in backend.asked if call[0] == "rename"]
    assert told == [("rename", BOOK.slug, "Mills & <b>tides</b>")]
