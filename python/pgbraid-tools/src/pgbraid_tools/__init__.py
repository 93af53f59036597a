"""Commands for pgbraid, and what they are made of: files, evaluation, the workbench, tools for agents, clusters."""

from pgbraid_tools._version import __version__

__all__ = ["__version__"]
