"""Tell which elements of a page nobody sees, by their own style and by the sheets in the page."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from lxml import etree

from services.ingest.parsers.css.colours import colour
from services.ingest.parsers.css.declarations import read_style
from services.ingest.parsers.css.effect import Around, Effect, effect_of
from services.ingest.parsers.css.laid import Laid, lay_all, lay_sheets
from services.ingest.parsers.css.media import SCREENS
from services.ingest.parsers.css.parsed import attribute_key
from services.ingest.parsers.css.rules import Rule
from services.ingest.parsers.css.selectors import Holds, Matcher
from services.ingest.parsers.css.shorthands import expand, lay, may_open
from services.ingest.parsers.css.tokens import Said
from services.ingest.parsers.css.veils import veil_of
from services.ingest.parsers.html.generated import Generated, GeneratedText
from services.ingest.parsers.html.marks import classes_of
from services.ingest.parsers.html.sheets import Sheets

_MOST_STEPS = 1_000_000
"""Questions that are asked of the elements of one page: a sheet may have thousands for each of them."""
_LOOKS_OF_A_STEP = 16
"""At a rule, of which none was asked as what it needs is not there."""
_LAID_AGAIN = 500
_MOST_SCRIPT = 400_000
_MOST_RULES_OF_ONE = 2_000
_SCRIPT_TYPES = ("", "module", "text/javascript", "application/javascript")
_NAMES = re.compile(r"[\w-]+")
_CONTROLS = ("aria-controls", "data-target", "data-bs-target", "commandfor", "popovertarget")
_TOGGLES = ("data-toggle", "data-bs-toggle", "aria-expanded")
_PAINTING = frozenset(("img", "svg", "video", "canvas", "picture", "object", "iframe", "embed"))
_FOR_NO_EYES = frozenset(("sr-only", "visually-hidden"))
"""Classes of what is written for programs that read a page aloud, with or without their sheet."""
_OF_LINES = frozenset(
    (
        *(
            "span",
            "a",
            "b",
            "i",
            "em",
            "strong",
            "code",
            "small",
            "s",
            "u",
            "sub",
            "sup",
            "q",
            "cite",
        ),
        *("abbr", "label", "mark", "kbd", "samp", "var", "dfn", "ins", "del", "font", "big", "tt"),
        *("time", "bdi", "bdo", "strike", "acronym", "data"),
    )
)
_ROOTS = ("html", "body")
"""Elements of which browsers paint the ground on the whole window, beyond their filters."""
_FRAMES = ("absolute", "fixed", "sticky")


class Verdict(NamedTuple):
    """Whether nobody sees an element at all, what hides its own words, and whether a sheet says so."""

    hides_all: bool = False
    hides_words: str = ""
    is_by_sheet: bool = False


class _State(NamedTuple):
    """What an element hands on, on each screen, and whether its own words are unseen."""

    arounds: tuple[Around, ...]
    verdict: Verdict = Verdict()
    names: frozenset[str] = frozenset()
    """Of the element and of those around it."""
    is_alike: bool = True
    """Whether another element of which the same is said is judged alike: nothing of it may open."""


class Unseen:
    """Judges the elements of one page, each after what it stands in."""

    def __init__(self, sheets: Sheets, root: etree._Element) -> None:
        self._sheets = sheets
        scripts = [one for one in root.iter("script") if _is_run(one)]
        words = chain.from_iterable(_NAMES.findall(text) for text in _script_texts(root, scripts))
        scripted = frozenset(word.lower() for word in words)
        self._matcher, beside = (
            Matcher(
                scripted=scripted,
                has_others=any(one.get("src") for one in scripts),
                folds=_is_old(root),
                most_steps=_MOST_STEPS,
            )
            for _ in range(2)
        )
        self._generated = GeneratedText(sheets, beside)
        self._has_scripts = bool(scripts or scripted)
        self._opened = _controlled(root) | scripted
        rules = list(chain.from_iterable(sheets.rules.values()))
        self._needed = frozenset(chain.from_iterable(one.needs for one in rules))
        """Names that rules ask for of elements around those that they are about."""
        self._asks_around = any(name[0] == "[" for name in self._needed)
        self._asks = any(name[0] == "[" for name in sheets.rules)
        others = (at for at in (1, 2) if any(one.screens[at] != one.screens[0] for one in rules))
        self._screens = (0, *others)
        self._paints = any(one.tag in _PAINTING for one in root.iter()) or any(map(_paints, rules))
        self._places = self._paints and any(
            one.said.get("position", Said("")).value in _FRAMES for one in rules
        )
        first = Around() if sheets.is_whole else Around(ground=None)
        self._alike: dict[tuple[object, ...], _State] = {}
        """By what is said of an element and what it takes over."""
        self._laid: dict[tuple[object, ...], tuple[Laid, Laid]] = {}
        """What sheets say on a screen, by the rules that hold."""
        self._states: dict[etree._Element | None, _State] = {None: _State((first,) * len(SCREENS))}

    @property
    def is_tired(self) -> bool:
        """Whether the sheets ask more of the page than is answered, so that more may be hidden."""
        return self._matcher.is_tired or self._sheets.is_cut or self._generated.is_tired

    def generated(self, element: etree._Element) -> list[Generated]:
        """Return what sheets write before and after the text of an element that was looked at."""
        if not self._sheets.parts:
            return []
        keys = [*_names_of(element), *_keys_of(element)]
        return self._generated.look(element, self._states[element].arounds[0], keys)

    def look(self, element: etree._Element) -> Verdict:
        """Return what is hidden of an element on every screen, whatever a reader opens.

        Where it was not looked at what an element stands in, that hides nothing.
        """
        parent = self._states.get(element.getparent()) or self._states[None]
        rules = self._rules(element, parent.names)
        base, style = _hints(element), read_style(element.get("style") or "")
        is_loose = not (self._sheets.rules or self._sheets.parts) and _is_named(element)
        if not (rules or base or style or is_loose):
            state = parent
        else:
            said = (element.get("style"), *base.items(), is_loose)
            key = (id(parent.arounds), *((holds, rule.weight) for holds, rule in rules), *said)
            state = self._alike.get(key) or self._judge(
                element, parent, rules, base, style, is_loose=is_loose
            )
            if state.is_alike:
                self._alike[key] = state
        names = parent.names
        own = self._needed.intersection(_names_of(element))
        if self._asks_around:
            own |= self._needed.intersection(map(attribute_key, map(str, element.keys())))
        if not own <= names:
            names |= own
            self._matcher.spend(len(names) // _LOOKS_OF_A_STEP)
        self._states[element] = state._replace(names=names)
        return state.verdict

    def _judge(
        self,
        element: etree._Element,
        parent: _State,
        rules: list[tuple[Holds, Rule]],
        base: Mapping[str, Said],
        style: Mapping[str, Said],
        *,
        is_loose: bool,
    ) -> _State:
        arounds = list(parent.arounds)
        hides_all, hides_words = True, "color"
        by_sheet, is_alike = False, True
        for screen in self._screens:
            around = arounds[screen]
            laid = lay_all(self._said_by(rules, screen), base, style)
            own = {name: value for name, value in laid.said.items() if name.startswith("--")}
            if own:
                around = around._replace(variables={**around.variables, **own})
            said = lay(laid.said, around.variables)
            said |= self._sheets.ended(said)
            if element.tag in _OF_LINES:
                said.setdefault("display", "inline")
            is_root = element.tag in _ROOTS and veil_of(said) is not None
            if is_loose or is_root or self._may_lie_elsewhere(said, screen):
                around = around._replace(ground=None)
            effect = effect_of(said, around)
            is_alike = is_alike and not effect.hides_all and effect.around.is_seen
            effect = self._as_opened(element, Laid(said, laid.holds), screen, around, effect)
            arounds[screen] = effect.around
            is_menu = hides_all and screen != 0 and _leads_on(element)
            hides_all = hides_all and (bool(effect.hides_all) or is_menu)
            hides_words = hides_words and effect.hides_words
            name = effect.hides_all or effect.hides_words
            by_sheet |= bool(name) and name not in style and name not in base
        verdict = Verdict(hides_all, hides_words, by_sheet)
        return _State(tuple(arounds), verdict, is_alike=is_alike)

    def _said_by(self, rules: list[tuple[Holds, Rule]], screen: int) -> tuple[Laid, Laid]:
        key = (screen, *((holds, rule.weight[-1]) for holds, rule in rules))
        if key not in self._laid:
            if len(self._laid) > _LAID_AGAIN:
                self._laid.clear()
            now = [pair for pair in rules if pair[1].screens[screen]]
            self._matcher.spend(len(now))
            self._laid[key] = lay_sheets(now)
        return self._laid[key]

    def _may_lie_elsewhere(self, said: Mapping[str, str], screen: int) -> bool:
        """Whether an element may lie on what another one paints, or in the colours of the night."""
        scheme = said.get("color-scheme", "")
        if "dark" in scheme and not ("light" in scheme and SCREENS[screen].scheme == "light"):
            return True
        position = said.get("position", "")
        return (position in _FRAMES and self._paints) or (position == "relative" and self._places)

    def _as_opened(
        self,
        element: etree._Element,
        laid: Laid,
        screen: int,
        around: Around,
        effect: Effect,
    ) -> Effect:
        """Return what is still hidden once a reader has opened what the page lets them open."""
        is_seen = effect.around.is_seen
        for name in (effect.hides_all, "visibility" if around.is_seen and not is_seen else ""):
            if not (name and may_open(name)):
                continue
            if self._opens(element, name, laid, screen, around):
                effect = effect_of({**laid.said, name: _SHOWN.get(name, "auto")}, around)
        return effect

    def _opens(
        self,
        element: etree._Element,
        name: str,
        laid: Laid,
        screen: int,
        around: Around,
    ) -> bool:
        if _leads_on(element):
            return False  # a menu, which is no text
        named = (element.get("id") or "").lower()
        if (named and named in self._opened) or element.get("role") == "tabpanel":
            return True
        if laid.holds.get(name) is Holds.NOW:
            return True
        rules = (one for one in self._rules(element) if one[1].screens[screen])
        later = [rule.said for holds, rule in rules if holds is Holds.LATER]
        played = laid.said.get("animation-name", "").split(" ")
        later += [self._sheets.ends[one] for one in played if one in self._sheets.ends]
        return any(_shows(name, said, laid.said, around) for said in later)

    def _rules(
        self, element: etree._Element, around: frozenset[str] | None = None
    ) -> list[tuple[Holds, Rule]]:
        """Return the rules about an element, the lightest first, and whether they hold.

        With the names `around` it those that hold now are enough.
        """
        if not self._sheets.rules:
            return []
        found: dict[int, tuple[Holds, Rule]] = {}
        is_fixed = around is not None or not self._has_scripts
        by_name = self._sheets.rules if is_fixed else self._sheets.later
        keys = _keys_of(element) if is_fixed and self._asks else ()
        rows = [by_name[name] for name in chain(_names_of(element), keys) if name in by_name]
        self._matcher.spend(sum(map(len, rows)) // _LOOKS_OF_A_STEP)
        for row in () if self._matcher.is_tired else rows:
            for rule in row:
                number = rule.weight[-1]
                if around is not None and not rule.needs <= around:
                    continue
                if number not in found and len(found) < _MOST_RULES_OF_ONE:
                    found[number] = (self._matcher.asks(rule.tree, element), rule)
        holding = [pair for pair in found.values() if pair[0]]
        return sorted(holding, key=lambda pair: pair[1].weight)


_SHOWN = {"display": "block", "visibility": "visible", "opacity": "1", "scale": "1"}


def _shows(name: str, more: Mapping[str, Said], said: Mapping[str, str], around: Around) -> bool:
    """Whether what a property hides is seen once more is said."""
    parts = dict(chain.from_iterable(expand(one, part) for one, part in more.items()))
    if name not in parts:
        return False
    effect = effect_of({**said, name: parts[name].value}, around)
    return effect.around.is_seen if name == "visibility" else effect.hides_all != name


def _hints(element: etree._Element) -> dict[str, Said]:
    """Return what browsers and old attributes say of an element, less than any sheet."""
    found: dict[str, Said] = {}
    tag, get = element.tag, element.get
    if get("hidden") is not None and get("hidden", "").lower() != "until-found":
        found["display"] = Said("none")
    if get("popover") is not None:
        found["display"] = Said("none")
    if not classes_of(element).isdisjoint(_FOR_NO_EYES):
        found["display"] = Said("none")
    if tag == "a" and get("href") is not None:
        found["color"] = Said("#0000ee")
    elif tag == "mark":
        found = {"background-color": Said("yellow"), "color": Said("black"), **found}
    ink = get("text") if tag == "body" else get("color") if tag in ("font", "basefont") else None
    if ink:
        found["color"] = Said(_old_colour(ink))
    if get("bgcolor"):
        found["background-color"] = Said(_old_colour(get("bgcolor", "")))
    if get("background"):
        found["background-image"] = Said("url()")
    return found


def _old_colour(value: str) -> str:
    plain = value.strip().lower()
    return plain if colour(plain) else f"#{plain.removeprefix('#')}"


def _names_of(element: etree._Element) -> Iterator[str]:
    for name in (element.get("class") or "").lower().split():
        yield f".{name}"
    if element.get("id"):
        yield f"#{element.get('id')}".lower()
    yield str(element.tag).lower()
    yield "*"


def _keys_of(element: etree._Element) -> Iterator[str]:
    for name, value in element.items():
        key = str(name).lower()
        yield attribute_key(key)
        yield attribute_key(key, str(value))


def _is_named(element: etree._Element) -> bool:
    """Whether an element has a class, which some sheet may be about that is not there."""
    return element.tag not in ("html", "body") and bool(classes_of(element))


def _leads_on(element: etree._Element) -> bool:
    """Whether all words of an element are links to elsewhere."""
    words = "".join(map(str, element.itertext()))
    links = ("".join(map(str, one.itertext())) for one in element.iter("a") if one.get("href"))
    in_links = sum(sum(map(str.isalpha, link)) for link in links)
    return bool(in_links) and sum(map(str.isalpha, words)) <= in_links


def _is_old(root: etree._Element) -> bool:
    """Whether a page says no kind, or an old one: browsers read its classes as large as small."""
    kind = root.getroottree().docinfo.public_id or ""
    return kind.startswith(("-//W3C//DTD HTML 3", "-//W3C//DTD HTML 4.0 Transitional"))


def _is_run(script: etree._Element) -> bool:
    return (script.get("type") or "").strip().lower() in _SCRIPT_TYPES


def _script_texts(root: etree._Element, scripts: list[etree._Element]) -> Iterator[str]:
    room = _MOST_SCRIPT
    handlers = (
        str(value)
        for one in root.iter()
        if isinstance(one.tag, str)
        for name, value in one.items()
        if str(name).startswith("on")
    )
    for text in chain((one.text or "" for one in scripts), handlers):
        yield text[:room]
        room = max(room - len(text), 0)


def _controlled(root: etree._Element) -> frozenset[str]:
    """Return the ids of what buttons and links of a page open."""
    found: set[str] = set()
    for one in root.iter():
        if not isinstance(one.tag, str) or not one.keys():
            continue
        for name in _CONTROLS:
            found.update((one.get(name) or "").replace("#", " ").lower().split())
        if (one.get("href") or "").startswith("#") and any(one.get(name) for name in _TOGGLES):
            found.add(one.get("href", "")[1:].lower())
    return frozenset(found)


def _paints(rule: Rule) -> bool:
    """Whether a rule gives a ground other than a page's own."""
    for name in ("background", "background-color", "background-image"):
        said = rule.said.get(name)
        value = said.value if said else "none"
        shown = colour(value)
        if value not in ("none", "transparent", "0", "inherit") and (not shown or min(shown) < 1):
            return True
    return False
