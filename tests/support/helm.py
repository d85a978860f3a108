"""Install, upgrade and roll back by Helm's package: one JSON object on standard input says what.

`{"verb": "install", "kubeconfig": …, "namespace": …, "arguments": {…}}`. A process of its own, since
Helm brings a Go run-time, which does not go well beside event loops.
"""

import json
import sys


def main() -> int:
    import helm_python

    asked = json.load(sys.stdin)
    config = helm_python.Config(kubeconfig_path=asked["kubeconfig"], namespace=asked["namespace"])
    try:
        getattr(config, asked["verb"])(**asked["arguments"])
    except helm_python.HelmError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
