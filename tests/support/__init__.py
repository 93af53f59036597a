"""Share servers, stand-ins for services and independent models of pgbraid between tests and benchmarks."""

from __future__ import annotations

from support.embedder import HashEmbedder
from support.json_server import JsonServer
from support.servers import Templates, clone, durable_server, finish_drops, make_fast, temporary_folder
from support.tenants import OtherSession, Tenants

__all__ = [
    "HashEmbedder",
    "JsonServer",
    "OtherSession",
    "Templates",
    "Tenants",
    "clone",
    "durable_server",
    "finish_drops",
    "make_fast",
    "temporary_folder",
]
