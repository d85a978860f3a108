"""Tell in which code page a text is that is no UTF-8 and does not say so: texts of before 2005 are."""

import re
from typing import NamedTuple

from libs.language.detect import detect_language
from libs.language.scripts import LATIN, main_script, scripts_of

_WESTERN = "cp1252"
_HIGH = re.compile(r"[^\x00-\x7f]")
_SIGNS = frozenset("\xa0‘’“”„‚–—…•©®™°§«»‹›·£€¼½¾±×µ¿¡´²³№「」『』、。，！？：；（）《》・ー～”“’")
_WITHIN_WORDS = frozenset("’·´—…")
_LEAST_FITTING = 0.9
"""Of what ASCII lacks: letters as words have them, or signs as print has them."""
_MOST_UTF_8 = 0.5
"""Share of the bytes beyond ASCII that are letters of UTF-8, above which no other page is likely."""
_LEAST_TO_OTHERS = 10
"""Letters that UTF-8 has, for each byte that it has not."""
_BYTE = re.compile("[\udc80-\udcff]")
"""How Python keeps a byte that is no UTF-8."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]")


_UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_LAST_OF_ASCII, _LAST_OF_LATIN = 0x7F, 0x2FFF


class _Page(NamedTuple):
    """A code page with the ISO 639-1 codes of the languages that it was made for."""

    encoding: str
    languages: frozenset[str]


def _page(encoding: str, languages: str) -> _Page:
    return _Page(encoding, frozenset(languages.split()))


_TELLING: dict[str, tuple[str, float]] = {
    "ja": ("ぁ-ん", 0.1),
    "zh": (
        "的一是不了在有人我他这這个個上们來来到时時大地为為子中你说說生国國年着就那和要她出也得里後后自以会會",
        0.1,
    ),
    "ko": ("이다는에을의가고를하은로기지사", 0.1),
    "en": ("éèëàäöüïôçñáíóúæœøåãšž", 0.8),
    "pl": ("ąćęłńóśźż", 0.8),
    "cs": ("áčďéěíňóřšťúůýž", 0.8),
    "sk": ("áäčďéíĺľňóôŕšťúýž", 0.8),
    "hu": ("áéíóöőúüű", 0.8),
    "ro": ("ăâîșțşţ", 0.8),
    "sl": ("čšž", 0.8),
    "hr": ("čćđšž", 0.8),
    "bs": ("čćđšž", 0.8),
    "ru": ("а-яё", 0.8),
    "uk": ("а-яєіїґ", 0.8),
    "el": ("ά-ώ", 0.8),
}
"""Letters that ASCII lacks and texts of a language have, with the least share of these among all that
ASCII lacks. Of the scripts of East Asia they are the frequent ones, roughly."""
_LEAST_OF_SCRIPT = 10
"""Letters of another script than ASCII's: fewer are no text."""
_OF_THE_WEST = "en de fr es it pt nl da sv nb nn no fi is ca gl eu ga cy af oc"
_OF_THE_MIDDLE = "pl cs sk hu sl hr bs ro sq"
_PAGES = (
    _page("cp932", "ja"),
    _page("euc_jp", "ja"),
    _page("gb18030", "zh"),
    _page("big5", "zh"),
    _page("cp949", "ko"),
    _page(_WESTERN, _OF_THE_WEST),
    _page("cp1250", _OF_THE_MIDDLE),
    _page("iso8859_2", _OF_THE_MIDDLE),
    _page("cp1251", "ru uk bg sr mk be"),
    _page("koi8_r", "ru bg"),
    _page("koi8_u", "uk"),
    _page("cp866", "ru be bg"),
    _page("iso8859_5", "ru bg sr mk"),
    _page("cp1253", "el"),
    _page("cp1254", "tr"),
    _page("cp1255", "he"),
    _page("cp1256", "ar fa ur"),
    _page("cp1257", "lt lv et"),
    _page("cp874", "th"),
    _page("mac_roman", _OF_THE_WEST),
    _page("cp850", _OF_THE_WEST),
)
"""Those of Windows first: of two that fit as well, it is the likelier."""


def guess_code_page(data: bytes) -> str:
    """Return the name of the code page that bytes are text in; "" where none is likely.

    Read in it they are in a language that it was made for, with letters and signs where these stand.
    """
    if _share_of_utf_8(data) > _MOST_UTF_8:
        return ""
    scores = {page.encoding: _score(_decode(data, page.encoding), page) for page in _PAGES}
    best = max(scores, key=lambda encoding: scores[encoding])
    return best if scores[best] else ""


def decode_mixed(data: bytes) -> str:
    """Return UTF-8 with few bytes of another code page among many letters; "" for anything else."""
    text = data.decode("utf-8", "surrogateescape")
    others = _BYTE.findall(text)
    letters = len(_HIGH.findall(text)) - len(others)
    if letters < _LEAST_TO_OTHERS * len(others):
        return ""
    read = _BYTE.sub(lambda one: _alone(ord(one[0]) - 0xDC00), text)
    return "" if _CONTROL.search(read) else read


def _alone(byte: int) -> str:
    return bytes((byte,)).decode(_WESTERN, "replace")


def _decode(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return ""
    return "" if _CONTROL.search(text) else text


def _score(text: str, page: _Page) -> float:
    """Return how well bytes that are `text` in the page fit it, in [0, 1]; 0 where they do not."""
    fitting = _share_fitting(text)
    language = detect_language(text) if fitting >= _LEAST_FITTING else ""
    if language not in page.languages:
        return 0.0
    letters = [one for one in _HIGH.findall(text) if one.isalpha() and one not in _SIGNS]
    script = main_script(text)
    if script not in scripts_of(language) or (script != LATIN and len(letters) < _LEAST_OF_SCRIPT):
        return 0.0
    telling, least = _TELLING.get(language, ("", 0.0))
    held = len(re.findall(f"[{telling}]", "".join(letters).lower())) if telling else len(letters)
    share = held / len(letters) if letters else 1.0
    return fitting * share if share >= least else 0.0


def _share_fitting(text: str) -> float:
    """Return the share, in [0, 1], of what ASCII lacks that stands where a letter or a sign does."""
    high = list(_HIGH.finditer(text))
    fitting = sum(_fits(text, found.start()) for found in high)
    return fitting / len(high) if high else 0.0


def _fits(text: str, at: int) -> bool:
    one, before = text[at], text[at - 1 : at]
    if one.isalpha() and one not in _SIGNS:
        return not (one.isupper() and before.islower())
    is_within = before.isalpha() and text[at + 1 : at + 2].isalpha()
    return one in _SIGNS and (not is_within or one in _WITHIN_WORDS or ord(one) > _LAST_OF_LATIN)


def _share_of_utf_8(data: bytes) -> float:
    high = sum(byte > _LAST_OF_ASCII for byte in data)
    return sum(map(len, _UTF_8.findall(data))) / high if high else 0.0
