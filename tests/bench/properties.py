"""Run the property tests again and again with examples that nobody has seen yet, until the time is up.

    python -m tests.bench.properties [MINUTES] [what pytest is to run ...]

The tests themselves draw the same examples in every run. Stops at the first failure, which hypothesis has made small
and keeps in ``.hypothesis``; ends with 1 then.
"""

from __future__ import annotations

import subprocess
import sys
import time

WANTED = ["tests", "-k", "not bench"]
TOLD = ["-q", "-n", "2", "--hypothesis-profile=new", "-m", "", "-x", "-p", "no:cacheprovider"]


def main(minutes: float, wanted: list[str]) -> int:
    """Go round until the time is up."""
    end = time.monotonic() + 60 * minutes
    rounds = 0
    while time.monotonic() < end:
        code = subprocess.run([sys.executable, "-m", "pytest", *TOLD, *wanted], check=False).returncode
        if code:
            return 1
        rounds += 1
    print(f"{rounds} rounds without a failure")
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0, sys.argv[2:] or WANTED))
