"""Add commands to pgbraid: files, evaluation, the workbench, tools for agents, clusters."""

from pgbraid_tools._version import __version__

__all__ = ["__version__"]
