"""Tell in which code page a text is that is no UTF-8 and does not say so: texts of before 2005 are."""

import re
from typing import NamedTuple

_WESTERN = "cp1252"
_HIGH = re.compile(r"[^\x00-\x7f]")
_BESIDE_LETTER = re.compile(r"(?<=[A-Za-z])[^\W\d_A-Za-zÿ]|[^\W\d_A-Za-zÿ](?=[A-Za-z])")
"""The last letter of the page is in hardly any word, but in much that is no text."""
_SIGN = re.compile(r"[\xa0‘’“”„‚–—…•©®™°§«»‹›·£€¼½¾±×µ¿¡´²³]")
_LEAST_FITTING = 0.8
"""Of the letters and signs that ASCII lacks: at a letter of ASCII, or as print has them."""
_LEAST_FREQUENT, _LEAST = 0.1, 10
_LEAST_TO_OTHERS = 10
"""Letters that UTF-8 has, for each byte that it has not."""
_BYTE = re.compile("[\udc80-\udcff]")
"""How Python keeps a byte that is no UTF-8."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")


class _Page(NamedTuple):
    """A code page with the letters that are frequent in what is written in it, and only there."""

    encoding: str
    frequent: re.Pattern[str]


_HAN = (
    "的一是不了在有人我他这这個个上们來来到时時大地为為子中你说說"
    "生国國年着就那和要她出也得里後后自以会會"
)
_PAGES = (
    _Page("cp932", re.compile("[\u3041-\u3093]")),
    _Page("euc_jp", re.compile("[\u3041-\u3093]")),
    _Page("gb18030", re.compile(f"[{_HAN}]")),
    _Page("big5", re.compile(f"[{_HAN}]")),
    _Page("cp949", re.compile("[이다는에을의가고를하은로기지사]")),
    _Page("cp1251", re.compile("[оеаинтсрвл]")),
    _Page("koi8_r", re.compile("[оеаинтсрвл]")),
    _Page("cp1253", re.compile("[αοιετσνρ]")),
    _Page("cp1255", re.compile("[יואלהמרת]")),
    _Page("cp1256", re.compile("[ايلمونرت]")),
)
"""The frequency of letters is that of the languages' own texts, roughly."""


def guess_code_page(data: bytes) -> str:
    """Return the name of the code page that bytes are text in; "" where none is likely."""
    western = _decode(data, _WESTERN)
    if western and _is_western(western):
        return _WESTERN
    found = [(_share_of_frequent(data, page), page.encoding) for page in _PAGES]
    share, encoding = max(found)
    return encoding if share >= _LEAST_FREQUENT and _letters(data, encoding) >= _LEAST else ""


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


def _letters(data: bytes, encoding: str) -> int:
    return len(_HIGH.findall(_decode(data, encoding)))


def _decode(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return ""
    return "" if _CONTROL.search(text) else text


def _is_western(text: str) -> bool:
    high = len(_HIGH.findall(text))
    fitting = len(_BESIDE_LETTER.findall(text)) + len(_SIGN.findall(text))
    return fitting >= _LEAST_FITTING * high > 0


def _share_of_frequent(data: bytes, page: _Page) -> float:
    text = _decode(data, page.encoding)
    high = len(_HIGH.findall(text))
    return len(page.frequent.findall(text)) / high if high else 0.0
