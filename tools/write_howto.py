"""Put the examples into docs/howto-clients.md, below each line ``<!-- example: name -->``.

Run without arguments to write the page, with --check to fail where it is stale. Of an example the
page shows what stands between the lines ``# [inject`` and ``# inject]``, and the imports that are
not the standard library's.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "howto-clients.md"
EXAMPLES = ROOT / "examples"

_PLACE = re.compile(
    r"(<!-- example: (\w+) -->\n)(?:```python\n.*?^```\n)?", re.MULTILINE | re.DOTALL
)
_IMPORT = re.compile(r"^(?:import|from) ([\w.]+).*$", re.MULTILINE)


def snippet(source: str) -> str:
    """Return what the page shows of an example."""
    _, _, rest = source.partition("# [inject\n")
    block, end, _ = rest.partition("# inject]")
    if not end:
        raise ValueError("an example needs the lines '# [inject' and '# inject]'")
    lines = [
        found[0]
        for found in _IMPORT.finditer(source.partition("# [inject")[0])
        if found[1].partition(".")[0] not in {*sys.stdlib_module_names, "aiohttp_failfast"}
    ]
    ours = [line for line in source.splitlines() if line.startswith("from aiohttp_failfast")]
    imports = "\n".join([*lines, *([""] if lines else []), *ours])
    return f"{imports}\n\n\n{block.strip()}\n"


def filled(page: str) -> str:
    """Return the page with every example as it is now."""

    def place(found: re.Match[str]) -> str:
        source = (EXAMPLES / f"{found[2]}.py").read_text(encoding="utf-8")
        return f"{found[1]}```python\n{snippet(source)}```\n"

    return _PLACE.sub(place, page)


def main(arguments: list[str]) -> int:
    """Write the page, or check it."""
    page = PAGE.read_text(encoding="utf-8")
    fresh = filled(page)
    if "--check" in arguments:
        if fresh != page:
            print(f"{PAGE} is stale: run tools/write_howto.py", file=sys.stderr)
        return int(fresh != page)
    PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
