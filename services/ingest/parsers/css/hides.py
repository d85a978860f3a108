"""Tell whether an element's own style hides it, whatever it stands in or where that is known."""

from services.ingest.parsers.css.declarations import read_style
from services.ingest.parsers.css.effect import Around, Effect, effect_of
from services.ingest.parsers.css.shorthands import expand, lay


def hides(style: str) -> bool:
    """Whether an inline style shows nothing: gone, of no size, or in the colour it stands on."""
    if not style:
        return False
    effect = effect_in(style, Around(ground=None))
    return bool(effect.hides_all or effect.hides_words)


def effect_in(style: str, around: Around) -> Effect:
    """Return what an inline style hides of an element that stands in another one."""
    said = {
        one: part.value
        for name, value in read_style(style).items()
        for one, part in expand(name, value)
    }
    return effect_of(lay(said, {}), around)
