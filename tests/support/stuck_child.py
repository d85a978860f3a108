"""A child that dies of one language, as of a grammar that takes too long, and reads any other."""

import json
import sys

if __name__ == "__main__":
    for line in sys.stdin:
        if json.loads(line)[0] == "stuck":
            sys.exit(1)
        print(json.dumps([[0, 1, "name"]]), flush=True)
