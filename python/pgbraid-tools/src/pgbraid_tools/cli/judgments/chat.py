"""Define the options of commands that ask a language model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pgbraid.cli.options import parse_json

if TYPE_CHECKING:
    from pgbraid_tools.evaluation.asking import ChatJudge

    J = TypeVar("J", bound=ChatJudge)

__all__ = ["DEPTH", "UNANSWERED", "chat_judge", "chat_options"]

# The exit code if the model left a request unanswered.
UNANSWERED = 1
DEPTH = click.IntRange(1, 1000)
# The judge sets these options itself, or takes them as arguments.
OWN = {"model", "messages", "base_url", "api_key", "text_characters", "timeout", "retries"}


def chat_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add to a command the options `chat_model`, `chat_url`, `chat_options` and `concurrency`."""
    for option in (
        click.option(
            "--concurrency",
            type=click.IntRange(1, 64),
            default=4,
            show_default=True,
            metavar="N",
            help="Requests at a time.",
        ),
        click.option(
            "--chat-options", metavar="JSON", help="""More fields of its requests, such as '{"temperature": 0}'."""
        ),
        click.option(
            "--chat-url",
            envvar="PGBRAID_CHAT_URL",
            metavar="URL",
            help="A service like OpenAI's, whose own is the default.",
        ),
        click.option(
            "--chat-model", envvar="PGBRAID_CHAT_MODEL", required=True, metavar="NAME", help="The language model."
        ),
    ):
        command = option(command)
    return command


def chat_judge(kind: type[J], chat_model: str, chat_url: str | None, chat_options: str | None) -> J:
    """Return a judge of class `kind` that asks the language model given by the options --chat-model, --chat-url and
    --chat-options."""
    from pgbraid_tools.chat import CHAT_URL

    fields = parse_json(chat_options, "--chat-options")
    if fields is None:
        fields = {}
    if not isinstance(fields, dict):
        raise click.BadParameter("no JSON object", param_hint="--chat-options")
    if own := OWN & fields.keys():
        raise click.BadParameter(f"{min(own)} cannot be set there", param_hint="--chat-options")
    return kind(chat_model, base_url=chat_url or CHAT_URL, **fields)
