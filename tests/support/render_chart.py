"""Render the chart: `python -m tests.support.render_chart RELEASE`, sets of values on standard input.

A process of its own, since Helm brings a Go run-time, which does not go well beside event loops.
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).parents[2] / "deploy" / "kubernetes" / "quoth"


def main() -> None:
    import helm_python

    chart = helm_python.Chart.load(CHART)
    rendered: dict[str, Any] = {"lint": helm_python.lint(CHART, strict=True)["errors"], "sets": {}}
    for name, values in json.load(sys.stdin).items():
        try:
            # Rendering alone does not look at the schema, as `helm install` does.
            chart.validate_schema(values)
            texts = chart.render(values, name=sys.argv[1], namespace="books")
        except helm_python.HelmError as error:
            rendered["sets"][name] = {"error": str(error)}
            continue
        documents = [
            document
            for path, text in texts.items()
            if path.endswith(".yaml")
            for document in yaml.safe_load_all(text)
            if document
        ]
        rendered["sets"][name] = {"documents": documents}
    json.dump(rendered, sys.stdout)


if __name__ == "__main__":
    main()
