"""Write a search of the page as SQL, supabase-js, curl and Python, to run elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.spaces import LOCAL_MODEL

if TYPE_CHECKING:
    from pgbraid_tools.workbench.requests import SearchRequest

__all__ = ["copies"]

FUNCTIONS = {"hybrid": "hybrid_search", "full_text": "full_text_search", "semantic": "semantic_search"}
DEFAULTS = {"match_count": 10, "collection": "default", "match": "any", "strategy": "hybrid"}
# Functions of a single leg do not have these arguments.
OF_SEVERAL_LEGS = ("full_text_weight", "semantic_weight", "fusion")


def copies(request: SearchRequest, vector: Sequence[float] | None, tenant: str, model: str) -> dict[str, str]:
    """Return the search as code, by language. `vector` is the query's embedding by the collection's `model`, if the
    search takes one."""
    function, arguments = _call(request, vector)
    return {
        "sql": _sql(function, arguments, tenant),
        "supabase-js": _supabase_js(function, arguments),
        "curl": _curl(function, arguments),
        "python": _python(request, tenant, None if model == LOCAL_MODEL or vector is None else model),
    }


def _call(request: SearchRequest, vector: Sequence[float] | None) -> tuple[str, dict[str, Any]]:
    """Return the API function and its arguments, without arguments at their default."""
    given: dict[str, Any] = {
        "query_text": request.query or None,
        "query_embedding": None if vector is None else list(vector),
        "timeframe": request.timeframe,
        "strategy": None if request.timeframe is None else request.mode,
        "match_count": request.match_count,
        "full_text_weight": request.full_text_weight,
        "semantic_weight": request.semantic_weight,
        "filters": request.filters,
        "collection": request.collection,
        "fusion": request.fusion,
        "match": request.match,
        "options": dict(request.options) or None,
    }
    function = FUNCTIONS[request.mode]
    if request.timeframe is not None:
        function = "recall"
    elif request.mode == "full_text":
        # query_text has no default in this function.
        given["query_text"] = request.query
    elif request.mode == "semantic":
        del given["query_text"], given["match"]
    return function, {name: value for name, value in given.items() if value is not None and DEFAULTS.get(name) != value}


def _sql(function: str, arguments: Mapping[str, Any], tenant: str) -> str:
    given = ",\n".join(f"  {name} => {_literal(value)}" for name, value in arguments.items())
    # A login may act for several tenants, so the statement names the tenant.
    acting = "" if tenant == "default" else f"set braid.tenant = {_quoted(tenant)};\n"
    return f"{acting}select external_id, chunk_index, score, content\nfrom braid.{function}(\n{given});\n"


def _literal(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    return _quoted(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _quoted(text: str) -> str:
    quoted = text.replace("'", "''")
    # An E string is correct whatever standard_conforming_strings is.
    return f"""E'{quoted.replace(chr(92), chr(92) * 2)}'""" if "\\" in text else f"'{quoted}'"


def _supabase_js(function: str, arguments: Mapping[str, Any]) -> str:
    lines = [f"  {name}: {_javascript(value)}," for name, value in arguments.items()]
    given = "\n".join(lines)
    return (
        "import { createClient } from '@supabase/supabase-js'\n\n"
        "const supabase = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_KEY)\n"
        f"const {{ data, error }} = await supabase.schema('braid').rpc('{function}', {{\n{given}\n}})\n"
        "if (error) throw error\n"
        "for (const row of data) console.log(row.score, row.external_id, row.content)\n"
    )


def _javascript(value: Any) -> str:
    if isinstance(value, Mapping):
        # A plain key __proto__ would set the prototype.
        names = ('["__proto__"]' if name == "__proto__" else json.dumps(name, ensure_ascii=False) for name in value)
        return (
            f"{{{', '.join(f'{name}: {_javascript(each)}' for name, each in zip(names, value.values(), strict=True))}}}"
        )
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_javascript, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _curl(function: str, arguments: Mapping[str, Any]) -> str:
    body = json.dumps(arguments, ensure_ascii=False).replace("'", """'"'"'""")
    return (
        "# REST_URL is https://PROJECT.supabase.co/rest/v1, or the address of your PostgREST.\n"
        f"""curl --fail-with-body "$REST_URL/rpc/{function}" \\\n"""
        """  --header "apikey: $REST_KEY" --header "Authorization: Bearer $REST_KEY" \\\n"""
        """  --header 'Content-Profile: braid' --header 'Content-Type: application/json' \\\n"""
        f"  --data '{body}'\n"
    )


def _python(request: SearchRequest, tenant: str, model: str | None) -> str:
    """Return Python code; `model` is the service's model that embeds the query, None for the offline model."""
    named: dict[str, Any] = {
        "match_count": request.match_count,
        "filters": request.filters,
        "collection": request.collection,
        "full_text_weight": request.full_text_weight,
        "semantic_weight": request.semantic_weight,
        "fusion": request.fusion,
        "match": request.match,
        "options": dict(request.options) or None,
    }
    defaults = {"match_count": 10, "collection": "default", "match": "any"}
    lines = [f"        {request.query!r},"]
    if request.timeframe is not None:
        lines.append(f"        {request.timeframe!r},")
    if request.mode != "hybrid":
        lines.append(f"        {'mode' if request.timeframe is None else 'strategy'}={request.mode!r},")
    lines += [
        f"        {name}={value!r},"
        for name, value in named.items()
        if value is not None and defaults.get(name) != value
    ]
    method = "search" if request.timeframe is None else "recall"
    given = [*([] if tenant == "default" else [f"tenant={tenant!r}"]), *(["embedder=embedder"] if model else [])]
    acting = ", ".join(given)
    service = (
        "from pgbraid.embedders import HttpEmbedder\n\n"
        "# Its api and base_url are those of your service; the key is in the environment.\n"
        f'embedder = HttpEmbedder("openai", {model!r})\n'
        if model
        else "\n"
    )
    arguments = "\n".join(lines)
    return (
        f"import pgbraid\n{service}with pgbraid.connect({acting}) as client:\n"
        f"    results = client.{method}(\n{arguments}\n    )\n"
        "    for result in results:\n"
        '        print(f"{result.score:.3f} {result.external_id}: {result.content}")\n'
    )
