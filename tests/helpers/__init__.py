"""What tests share besides fixtures."""

from __future__ import annotations

from helpers.embedder import HashEmbedder
from helpers.json_server import JsonServer
from helpers.servers import clone, durable_server, make_fast, temporary_folder

__all__ = ["HashEmbedder", "JsonServer", "clone", "durable_server", "make_fast", "temporary_folder"]
