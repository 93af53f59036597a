"""Provide the TypeScript compiler, with the packages that the code imports."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support import npm

FUNCTIONS = Path(__file__).parents[3] / "docker" / "supabase" / "functions"
Compile = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def packages() -> Path:
    """Return a folder with node_modules."""
    return npm.installed(npm.SUPABASE_JS, npm.TYPESCRIPT, npm.DENO_TYPES)


@pytest.fixture(scope="session")
def tsc(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return a function that compiles files strictly and resolves imports as Deno would: `tsc(out, *files)`. It
    writes JavaScript to `out`."""
    modules = packages / "node_modules"
    options = {
        "strict": True,
        "noUnusedLocals": True,
        "skipLibCheck": True,
        "target": "ES2022",
        "module": "ES2022",
        "moduleResolution": "bundler",
        "rewriteRelativeImportExtensions": True,
        "lib": ["ES2022", "DOM", "DOM.Iterable"],
        "types": ["deno"],
        "typeRoots": [str(modules / "@types")],
        "paths": {
            "npm:@supabase/supabase-js@2": [str(modules / "@supabase" / "supabase-js")],
            "npm:@supabase/supabase-js@2/cors": [str(modules / "@supabase" / "supabase-js" / "dist" / "cors.d.mts")],
            "jsr:@supabase/functions-js/edge-runtime.d.ts": [
                str(modules / "@supabase" / "functions-js" / "src" / "edge-runtime.d.ts")
            ],
            "braid": [str(FUNCTIONS / "_shared" / "braid.ts")],
        },
    }

    def run(out: Path, *files: Path) -> subprocess.CompletedProcess[str]:
        project = tmp_path_factory.mktemp("project") / "tsconfig.json"
        config = {"compilerOptions": {**options, "rootDir": "/", "outDir": str(out)}, "files": list(map(str, files))}
        project.write_text(json.dumps(config))
        return subprocess.run(
            ["node", modules / "typescript" / "bin" / "tsc", "--project", project],
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run
