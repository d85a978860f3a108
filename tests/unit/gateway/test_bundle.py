"""The page's modules and style sheets are sent as one file each, named by their content."""

import re
from pathlib import Path

import pytest

from services.gateway.routes.bundle import (
    BundleError,
    bundle_page,
    bundle_script,
    bundle_widget,
)
from services.gateway.routes.page import BUNDLE, WEB

LINK = re.compile(r'(?:href|src)="(/[^"#]+)"')
ON_DEMAND = re.compile(r'import\("\./(\w+\.js)"\)')


def write_modules(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        path = folder / f"{name}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def write_page(folder: Path, style: str) -> Path:
    return write_page_with(folder, "console.log(1);\n", style)


def write_page_with(folder: Path, app: str, style: str = "") -> Path:
    (folder / "style").mkdir(exist_ok=True)
    (folder / "style/one.css").write_text(style, "utf-8")
    (folder / "style/two.css").write_text("p { margin: 0 }\n", "utf-8")
    (folder / "index.html").write_text(
        '<link rel="stylesheet" href="/static/style/one.css">\n'
        '<link rel="stylesheet" href="/static/style/two.css">\n'
        '<script type="module" src="/static/app.js"></script>\n',
        "utf-8",
    )
    return write_modules(folder, app=app)


def test_the_page_names_one_script_one_style_sheet_and_its_icon() -> None:
    page = bundle_page(WEB, BUNDLE)
    named = LINK.findall(page.index)
    script = next(page.files[name.rpartition("/")[2]] for name in named if name.endswith(".js"))
    later = [f"{BUNDLE}/{name}" for name in ON_DEMAND.findall(script)]
    assert sorted(named + later) == sorted(f"{BUNDLE}/{name}" for name in page.files)
    assert sorted(name.rpartition(".")[2] for name in named) == ["css", "js", "svg"]
    assert len(later) == len(list(WEB.glob("languages/*.js"))) - 1


def test_a_page_is_sent_without_indentation_in_one_buffer_of_a_client() -> None:
    index = bundle_page(WEB, BUNDLE).index
    assert not any(line.startswith((" ", "\t")) for line in index.splitlines())
    assert len(index.encode()) < 4096


def test_every_module_and_every_style_sheet_is_in_a_page_or_else_in_the_widget() -> None:
    page, widget = bundle_page(WEB, BUNDLE), bundle_widget(WEB, BUNDLE)
    review = bundle_page(WEB, BUNDLE, "review.html")
    sent = "".join([*page.files.values(), *review.files.values()])
    both = sent + "".join(widget.files.values())
    for path in WEB.rglob("*.js"):
        module = path.relative_to(WEB).with_suffix("")
        if module.parts[0] == "languages" and module.name != "en":
            assert path.read_text("utf-8").rpartition("*/\n")[2].splitlines()[-2].strip() in sent
        elif module.parts[0] != "docusaurus":
            assert f"const module_{'_'.join(module.parts)} = " in both, path.name
    for path in WEB.rglob("*.css"):
        if path.stem == "widget":
            continue
        rules = re.sub(r"(?m)^/\*.*?\*/\n|^\s+", "", path.read_text("utf-8"))
        assert rules in sent, path.name


def test_the_widget_is_one_script_with_its_styles_for_a_shadow() -> None:
    widget = bundle_widget(WEB, BUNDLE)
    [name] = re.findall(rf'import "\.{BUNDLE}/(\w+\.js)";\n', widget.index)
    script = widget.files[name]
    assert widget.files.keys() - {name} == set(ON_DEMAND.findall(script))
    *_, last = script.splitlines()
    assert last.startswith("module_widget_widget.defineChat(")
    assert ":root" not in last
    assert ':host([theme=\\"dark\\"]) {' in last
    sized = re.findall(r"[\w.]+rem\b", last)
    assert set(sized) == {"1rem", "72.01rem", "32rem", "34rem"}  # its unit, and sizes of windows
    assert "module_ingest" not in script


def test_comments_and_indentation_are_not_sent_and_what_looks_like_one_is(tmp_path: Path) -> None:
    app = (
        "// @ts-check\n/** Of many\n * lines. */\nconst a = 1; // beside\n  // indented\n"
        'const b = "/* no */ // comment";\n/* last */\n'
    )
    folder = write_modules(tmp_path, app=app)
    body = bundle_script(folder, "app")
    assert body.splitlines()[1:-3] == [
        "const a = 1; // beside",
        'const b = "/* no */ // comment";',
    ]


def test_another_content_has_another_name(tmp_path: Path) -> None:
    first = bundle_page(write_page(tmp_path, "p { color: red }\n"), "/x").files
    second = bundle_page(write_page(tmp_path, "p { color: blue }\n"), "/x").files
    assert first.keys() & second.keys() == {name for name in first if name.endswith(".js")}
    assert "".join(first.values()).index("color: red") < "".join(first.values()).index("margin")


def test_a_module_stands_behind_those_that_it_imports_and_once(tmp_path: Path) -> None:
    folder = write_modules(
        tmp_path,
        app='import { two } from "./b.js";\nimport { one as first } from "./a.js";\nfirst(two);\n',
        b='import { one } from "./a.js";\nexport const two = one();\n',
        a="const hidden = 1;\nexport function one() { return hidden; }\n",
    )
    script = bundle_script(folder, "app")
    assert re.findall(r"const module_(\w+) =", script) == ["a", "b", "app"]
    assert "const { one: first } = module_a;" in script
    assert "return { two };" in script
    assert "export" not in script


def test_modules_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    folder = write_modules(
        tmp_path,
        app='import { one } from "./near/words.js";\nconsole.log(one);\n',
        **{
            "near/words": 'import { two } from "../far/words.js";\nexport const one = two;\n',
            "far/words": "export const two = 2;\n",
        },
    )
    script = bundle_script(folder, "app")
    assert re.findall(r"const module_(\w+) =", script) == ["far_words", "near_words", "app"]
    assert "const { two } = module_far_words;" in script


def test_a_module_that_is_imported_on_demand_is_a_file_of_its_own(tmp_path: Path) -> None:
    folder = write_modules(
        write_page_with(tmp_path, 'const later = () => import("./far/later.js");\nlater();\n'),
        **{"far/later": "// Why.\nexport const one = 1;\n"},
    )
    page = bundle_page(folder, "/x")
    [name] = [name for name, text in page.files.items() if text == "export const one = 1;\n"]
    assert any(f'const later = () => import("./{name}");' in text for text in page.files.values())


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"app": 'import all from "./a.js";\n'}, r"app\.js: .*import all"),
        ({"app": "export default 1;\n"}, r"app\.js: .*export default"),
        ({"app": 'import { a } from "https://example.org/a.js";\n'}, r"app\.js: .*example"),
        (
            {"app": 'import { a } from "./a.js";\n', "a": 'import { b } from "./app.js";\n'},
            r"app\.js imports a\.js imports app\.js",
        ),
        (
            {"app": 'import("./a.js");\n', "a": 'import { b } from "./b.js";\n'},
            r"a\.js: is sent alone, and imports",
        ),
    ],
)
def test_modules_that_cannot_be_bundled_are_refused_by_name(
    tmp_path: Path, modules: dict[str, str], message: str
) -> None:
    with pytest.raises(BundleError, match=message):
        bundle_script(write_modules(tmp_path, **modules), "app")


def test_a_page_without_a_script_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>", "utf-8")
    with pytest.raises(BundleError, match=r"index\.html"):
        bundle_page(tmp_path, "/x")
