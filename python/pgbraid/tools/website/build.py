"""Make the site from README.md, CHANGELOG.md and docs/: `make site`, or `build.py FOLDER`.

Each version has a folder of its own. The theme's menu lists the versions that the folder has.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
REPOSITORY = "https://github.com/pgbraid/pgbraid"
# Pages that do not keep their place below docs/.
PLACES = {"README.md": "index.md", "docs/README.md": "pages.md", "CHANGELOG.md": "changelog.md"}
# A link or picture: its text, and its target without a scheme.
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# Groups of pages that docs/README.md leaves to other lists.
MORE = {"Internals": "internals", "Lab": "lab"}


def version() -> str:
    text = (ROOT / "python" / "pgbraid" / "src" / "pgbraid" / "_version.py").read_text()
    (found,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(found)


def sources() -> dict[str, str]:
    """Return the files of the site: the path in the repository, and the path in the site."""
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*") if path.is_file()]
    return PLACES | {file: file.removeprefix("docs/") for file in files if file not in PLACES}


def with_links(text: str, path: str, places: dict[str, str]) -> str:
    """Return a page's text with links that hold in the site. Files outside of the site are shown by the repository."""

    def placed(link: re.Match[str]) -> str:
        label, target, anchor = link[1], link[2], link[3] or ""
        file = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if file in places:
            there = os.path.relpath(places[file], os.path.dirname(places[path]) or ".")
        else:
            kind = "tree" if (ROOT / file).is_dir() else "blob"
            there = f"{REPOSITORY}/{kind}/HEAD/{file}"
        return f"{label}({there}{anchor})"

    pieces = []
    end = 0
    for block in FENCE.finditer(text):
        pieces += [LINK.sub(placed, text[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*pieces, LINK.sub(placed, text[end:])])


def first_screen(readme: str) -> str:
    """Return the page that says what pgbraid is, for whom, how to start, how fast and how good. All of it is README.md
    in another order: the tables of figures go up, beside the commands."""
    title, rest = readme.split("\n", 1)
    about, _, after = rest.partition("\n**For you**")
    suits, _, after = after.partition("\n## Install\n")
    install, _, after = after.partition("\n## How fast, how good\n")
    figures, _, others = after.partition("\n## ")
    (start, *_) = re.findall(r"^```console\n.*?^```$", install, re.MULTILINE | re.DOTALL)
    tables = re.findall(r"(?:^\|.*\n)+", figures, re.MULTILINE)
    said = re.sub(r"<!--.*?-->|^\|.*\n", "", figures, flags=re.MULTILINE).strip()
    cards = [
        f"## Is it for me?\n\n**For you**{suits.rstrip()}",
        f"## Start\n\n{start}",
        f"## How fast {{ #how-fast-how-good }}\n\n{_narrow(tables[0])}",
        f"## How good\n\n{tables[1]}\n{said}",
    ]
    grid = "\n\n".join(f"<div markdown>\n\n{card}\n\n</div>" for card in cards)
    return (
        f"---\nhide: [navigation, toc]\n---\n{title}\n{about}\n\n"
        f'<div class="first grid" markdown>\n\n{grid}\n\n</div>\n\n## Install\n{install}\n## {others}'
    )


def _narrow(table: str) -> str:
    """Return a table of figures with its first column, one of the middle and the last, which fit beside another."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
    middle = (len(rows[0]) - 1) // 2
    what = rows[0][0].partition(": ")
    rows[0] = [what[0], *rows[0][1:]]
    rows[0][middle] = f"ms, {rows[0][middle]} words"
    return "".join(f"| {row[0]} | {row[middle]} | {row[-1]} |\n" for row in rows)


def navigation(places: dict[str, str]) -> list[object]:
    """Return the menu: the groups of docs/README.md, where each page stands once, and the pages for contributors."""
    known = {"docs/README.md"}

    def listed(page: str, text: str) -> Iterator[str]:
        for _, target, _ in LINK.findall(text):
            file = os.path.normpath(os.path.join(os.path.dirname(page), target))
            if file not in known and file.startswith("docs/") and file.endswith(".md"):
                known.add(file)
                yield places[file]

    menu: list[object] = [{"pgbraid": "index.md"}, {"Find the page": "pages.md"}]
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        if pages := list(listed("docs/README.md", body)):
            menu.append({title: pages})
    for title, folder in MORE.items():
        left = [file for file in sorted(places) if file.startswith(f"docs/{folder}/") and file.endswith(".md")]
        menu.append({title: [places[file] for file in left if file not in known]})
        known.update(left)
    left = [file for file in sorted(places) if file.startswith("docs/") and file.endswith(".md") and file not in known]
    return [*menu, *(places[file] for file in left), {"Changes": "changelog.md"}]


def write_sources(folder: Path) -> None:
    """Write the pages and pictures of the site into a folder."""
    places = sources()
    for path, place in places.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if not path.endswith(".md"):
            shutil.copy(ROOT / path, target)
            continue
        text = (ROOT / path).read_text(encoding="utf-8")
        text = with_links(text, path, places)
        target.write_text(first_screen(text) if path == "README.md" else text, encoding="utf-8")
    shutil.copy(HERE / "site.css", folder)


def build(target: Path) -> Path:
    """Write the site of this version below the target, and the list of versions; return the version's folder."""
    site = target / version()
    with tempfile.TemporaryDirectory() as scratch:
        pages = Path(scratch, "pages")
        write_sources(pages)
        settings = {
            "docs_dir": str(pages),
            "site_dir": str(site.absolute()),
            "nav": navigation(sources()),
        }
        # YAML contains JSON.
        lines = [f"{name}: {json.dumps(value)}\n" for name, value in settings.items()]
        text = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
        Path(scratch, "mkdocs.yml").write_text("".join(lines) + text, encoding="utf-8")
        command = [sys.executable, "-m", "mkdocs", "build", "--config-file", f"{scratch}/mkdocs.yml"]
        # The theme prints advice on the future of mkdocs unless told not to.
        subprocess.run(command, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "true"})
    _write_versions(target)
    return site


def _write_versions(target: Path) -> None:
    """List the versions, newest first, and let the folder's own address lead to the newest one."""
    numbered = [path.name for path in target.iterdir() if re.fullmatch(r"\d+\.\d+\.\d+", path.name)]
    names = sorted(numbered, key=lambda name: [int(number) for number in name.split(".")], reverse=True)
    versions = [{"version": name, "title": name, "aliases": ["latest"] if name == names[0] else []} for name in names]
    (target / "versions.json").write_text(json.dumps(versions), encoding="utf-8")
    newest = f"{names[0]}/index.html"
    (target / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>pgbraid</title>'
        f'<meta http-equiv="refresh" content="0; url={newest}"><a href="{newest}">pgbraid</a>\n',
        encoding="utf-8",
    )


def main() -> None:
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    try:
        print(f"{build(target) / 'index.html'}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"mkdocs ended with {error.returncode}: its lines above say why")


if __name__ == "__main__":
    main()
