"""Fill the workbench of the tests with documents; each text also holds markup that would run if it were not escaped."""

from __future__ import annotations

from typing import Any

EVIL = """<img src=x onerror="harmed = true">"""
SCRIPT = """"><script>harmed = true</script>"""

DOCUMENTS: list[dict[str, Any]] = [
    {
        "external_id": "call-1",
        "title": "Pricing call",
        "speaker": "Ana",
        "category": "sales",
        "occurred_at": "2026-02-03T10:00:00Z",
        "metadata": {"tags": ["pricing"], "team": "north"},
        "content": "They object to the price per seat and ask for a discount.",
    },
    {
        "external_id": "call-2",
        "title": "Renewal call",
        "speaker": "Ben",
        "category": "sales",
        "occurred_at": "2026-02-10T10:00:00Z",
        "metadata": {"tags": ["renewal"], "team": "north"},
        "content": "Their main objections: our price went up twice in a year.",
    },
    {
        "external_id": "meeting-1",
        "title": "Weekly meeting",
        "category": "sales",
        "occurred_at": "2026-03-12T09:00:00Z",
        "metadata": {"team": "south"},
        "chunks": [
            {"speaker": "Ana", "content": "What do customers say about our price?"},
            {"speaker": "Ben", "content": "They find that they pay too much for small teams."},
            {"speaker": "Cleo", "content": "Then let us offer a discount for the first year."},
        ],
    },
    {
        "external_id": "ticket-1",
        "title": "Export fails",
        "category": "bug",
        "occurred_at": "2026-01-15T08:00:00Z",
        "metadata": {"team": "south"},
        "content": "After the update to 2.3.1 the export stops with error E-4012.",
    },
    *(
        {
            "external_id": f"{EVIL}{number}",
            "title": f"Title {SCRIPT}",
            "speaker": EVIL,
            "category": SCRIPT,
            "source_uri": "javascript:harmed=true",
            "metadata": {EVIL: SCRIPT, "team": EVIL},
            "content": f"A zebra {EVIL} and <mark>another</mark> zebra{SCRIPT} number {number}.",
        }
        for number in (1, 2)
    ),
]
OTHERS: list[dict[str, Any]] = [
    {
        "external_id": "hidden-1",
        "title": "Hidden price",
        "speaker": "Dana",
        "category": "hidden",
        "metadata": {"hidden_key": "hidden"},
        "content": "The price that only the other tenant may see.",
    },
    {"external_id": "hidden-2", "category": "hidden", "metadata": {"hidden_key": "hidden"}, "content": "A price too."},
]
