"""Draws formulas in a process of its own: `python -m services.gateway.adapters.formula_child`.

A line of JSON for each formula on standard input, one with its MathML on standard output. The system
ends the process at the formula that takes too long: the time of some doubles with each bracket.
"""

import json
import re
import resource
import signal
import sys

from math_core import LatexError, LatexToMathML

CPU_S = 0.3
"""Seconds of processor time that one formula may take; the ones books hold take a millisecond."""
_MEMORY = 512 * 2**20
_STYLE = re.compile(r' style="(?:text-align: (left|right))?[^"]*"')
"""The page allows no inline style. Of what the converter writes only sides of columns say something."""


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    converter = LatexToMathML(fancy_error=False)
    for line in sys.stdin:
        tex, display = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, CPU_S)
        drawn = _draw(converter, tex, display=display)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(drawn), flush=True)


def _draw(converter: LatexToMathML, tex: str, *, display: bool) -> str:
    try:
        drawn = converter.convert_with_local_state(tex, displaystyle=display)
    except LatexError:
        return ""
    return _STYLE.sub(lambda found: f' class="{found[1]}"' if found[1] else "", drawn)


if __name__ == "__main__":
    main()
