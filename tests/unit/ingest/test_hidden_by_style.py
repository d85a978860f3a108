"""What a browser draws of a style decides whether words are text: each was looked at in one."""

import pytest

from services.ingest.parsers.css.colours import colour
from services.ingest.parsers.css.reckon import reckon
from services.ingest.parsers.html import parse_html

ANIMATIONS = "@keyframes gone{to{opacity:0}} @keyframes come{to{opacity:1}}"


def is_read(page: str) -> bool:
    parsed = parse_html(
        f"<!doctype html><style>{ANIMATIONS}</style><h1>T</h1><p>Seen.</p>{page}", "F"
    )
    assert "Seen." in parsed.text
    return "Deep words." in parsed.text


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    "style",
    [
        "opacity:calc(0)",
        "opacity:calc(1 - 1)",
        "opacity:calc(5% * 0)",
        "opacity:min(0, 1)",
        "opacity:0%",
        "opacity:sin(0)",
        "filter:opacity(calc(1 - 1))",
        "filter:opacity(.5) opacity(.05)",
        "filter:blur(1em)",
        "filter:blur(32px)",
        "filter:brightness(0) invert(1)",
        "filter:invert(1)",
        "filter:contrast(0);background:white",
        "filter:brightness(0);background:white",
        "color:color-mix(in srgb, transparent 100%, red)",
        "color:color-mix(in oklch, white 98%, red)",
        "color:color-mix(in srgb, currentcolor 2%, white)",
        "color:rgb(from white r g b)",
        "color:rgb(from black calc(255 - r) calc(255 - g) calc(255 - b))",
        "color:oklch(from white l c h)",
        "color:rgb(from red r g b / 0)",
        "color:rgb(calc(200 + 55) 255 255)",
        "letter-spacing:-1em",
        "letter-spacing:-50%",
        "rotate:y 90deg",
        "rotate:0 1 0 90deg",
        "transform:rotateY(90deg)",
        "transform:rotateX(45deg) rotateX(45deg)",
        "transform:rotate3d(1, 0, 0, .25turn)",
        "transform:rotateY(100grad)",
        "transform:rotateY(180deg);backface-visibility:hidden",
        "transform:matrix(1, 0, 1, 0, 0, 0)",
        "transform:skewX(90deg)",
        "transform:scale(.1)",
        "transform:scaleZ(0)",
        "scale:1 0",
        "scale:0%",
        "clip-path:inset(0 100% 0 0)",
        "clip-path:polygon(0 0, 100% 0, 50% 0)",
        "clip-path:circle(calc(0px))",
        "clip-path:xywh(0 0 0 0)",
        "position:absolute;clip:rect(9px, 9px, 9px, 9px)",
        "mask:linear-gradient(transparent, #0000)",
        "mask:linear-gradient(red, red) 0 0/0 0",
        "font-size-adjust:0",
        "color:white;text-shadow:0 0 2px white",
        "color:white;text-shadow:9999px 0 black",
        "color:transparent;background:white;background-clip:text",
        "color:black;background:linear-gradient(black, #111)",
        "animation:gone 0s forwards",
        "animation-name:gone;animation-fill-mode:both",
        "padding-left:9999px",
        "position:fixed;bottom:100%",
        "display:table-column",
        "display:none;display:nonsense",
        "opacity:0;opacity:nonsense",
        "color:white;color:rgb(from red r g nonsense)",
        "font-size:0;font-size:12",
        "transform:scale(0);transform:nonsense(1)",
    ],
)
def test_no_words_are_text_that_a_browser_draws_nothing_of(style: str) -> None:
    assert not is_read(f"<p style='{style}'>Deep words.</p>")


@pytest.mark.parametrize(
    "style",
    [
        "opacity:calc(1 / 2)",
        "filter:blur(4px)",
        "filter:brightness(0)",
        "filter:invert(1);background:white",
        "filter:drop-shadow(0 0 1px black);color:white",
        "color:color-mix(in srgb, transparent, red)",
        "color:rgb(from teal r g b)",
        "letter-spacing:-.05em",
        "rotate:90deg",
        "transform:rotateY(180deg)",
        "transform:scale(.01) scale(100)",
        "transform:rotateX(90deg) rotateX(-90deg)",
        "transform:translateZ(9999px)",
        "scale:none",
        "clip-path:inset(0)",
        "clip-path:polygon(0 0, 100% 100%, 100% 0, 0 100%)",
        "mask:linear-gradient(transparent, black)",
        "mask-size:0 0",
        "zoom:0",
        "font-size:calc(0)",
        "overflow:hidden;height:0;min-height:2em",
        "display:table;width:0;overflow:hidden",
        "display:inline;transform:scale(0)",
        "display:inline;height:0;overflow:hidden",
        "display:contents;opacity:0",
        "color:white;text-shadow:0 0 2px black",
        "color:white;-webkit-text-stroke:1px black",
        "color:white;background:linear-gradient(white, black)",
        "color:transparent;background:red;background-clip:text",
        "opacity:0;animation:come 0s forwards",
        "animation:gone 0s",
        "opacity:nonsense",
        "display:block;display:nonsense",
    ],
)
def test_words_stay_text_that_a_browser_draws(style: str) -> None:
    assert is_read(f"<p style='{style}'>Deep words.</p>")


DEEP = "<p{}>Deep words.</p>"


@pytest.mark.control("V20")
@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<div popover>Deep words.</div>", False),
        ("<div popover style='display:block'>Deep words.</div>", True),
        ("<button popovertarget='x'>o</button><div popover id='x'>Deep words.</div>", True),
        ("<dialog>Deep words.</dialog>", False),
        ("<datalist>Deep words.</datalist>", False),
        ("<noembed>Deep words.</noembed>", False),
        ("<span style='transform:scale(0)'>Deep words.</span>", True),
        ("<span style='float:left;transform:scale(0)'>Deep words.</span>", False),
        ("<div style='display:flex'><span style='scale:0'>Deep words.</span></div>", False),
        ("<div style='opacity:.2'><p style='opacity:.2'>Deep words.</p></div>", False),
        ("<div style='zoom:.1'><p>Deep words.</p></div>", False),
        ("<div style='filter:invert(1)'><p style='filter:invert(1)'>Deep words.</p></div>", True),
        ("<div style='background:white'><p style='filter:invert(1)'>Deep words.</p></div>", False),
        (
            (
                "<div style='transform-style:preserve-3d;rotate:x -90deg'>"
                "<p style='rotate:x 90deg'>Deep words.</p></div>"
            ),
            True,
        ),
        (
            "<div style='perspective:300px'><p style='rotate:y 90deg'>Deep words.</p></div>",
            True,
        ),
        ("<style>html{filter:invert(1)}</style><p>Deep words.</p>", True),
    ],
)
def test_colours_around_words_decide_whether_they_are_seen(page: str, expected: bool) -> None:
    assert is_read(page) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("calc(1px + 2em)", (21.0, "px")),
        ("calc((1 + 2) * 10%)", (30.0, "%")),
        ("clamp(1px, 2px, 3px)", (2.0, "px")),
        ("hypot(3px, 4px)", (5.0, "px")),
        ("cos(90deg)", (pytest.approx(0, abs=1e-9), "")),
        ("calc(1px + 1%)", None),
        ("calc(1 +1)", None),
        ("calc(1px * 1px)", None),
        ("pow(2)", None),
        ("calc(0 / 0)", None),
        ("pow(9, 9999)", None),
    ],
)
def test_a_value_comes_to_what_css_says(value: str, expected: tuple[float, str] | None) -> None:
    assert reckon(value, 10.0) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("color-mix(in oklab, red, blue)", (140, 83, 162, 1.0)),
        ("color-mix(in lab, red, blue)", (193, 0, 136, 1.0)),
        ("color-mix(in hsl, red, blue)", (255, 0, 255, 1.0)),
        ("color-mix(in srgb, transparent, red)", (255, 0, 0, 0.5)),
        ("hwb(from teal h w b)", (0, 128, 128, 1.0)),
        ("lch(from teal l c h)", (0, 128, 128, 1.0)),
        ("color(from teal xyz x y z)", (0, 128, 128, 1.0)),
        ("color-mix(in srgb-linear, red 30%, blue)", (149, 0, 218, 1.0)),
        ("color(display-p3 1 1 1)", (255, 255, 255, 1.0)),
        ("color-mix(in hsl longer hue, red, blue)", None),
        ("rgb(from nonsense r g b)", None),
    ],
)
def test_a_colour_is_the_one_that_css_reckons(
    value: str, expected: tuple[int, int, int, float] | None
) -> None:
    found = colour(value)
    assert (found and (*(round(part * 255) for part in found[:3]), found[3])) == expected


@pytest.mark.fault("G4")
def test_a_value_of_very_many_brackets_is_not_known() -> None:
    assert reckon("calc(" * 190 + "1" + ")" * 190) is None
    assert colour("color-mix(in srgb," * 20 + "red") is None
