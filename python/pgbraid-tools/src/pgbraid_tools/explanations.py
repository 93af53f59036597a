"""Render explained searches as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgbraid.display import Style, clean, plain

if TYPE_CHECKING:
    from pgbraid.explanation import Explanation

__all__ = ["explanation_text"]


def explanation_text(explanation: Explanation, style: Style | None) -> str:
    """Return the explanation as text. `style(text, kind)` may add colour; `kind` is title, score, faint or warning."""
    style = style or plain
    blocks = [_head(explanation, style), *(_row(row, style) for row in explanation.results)]
    if explanation.document is not None:
        blocks.append(_document(explanation.document, style))
    if explanation.warnings:
        notes = (clean(f"warning: {note.get('message', note.get('code'))}") for note in explanation.warnings)
        blocks.append("\n".join(style(note, "warning") for note in notes))
    return "\n\n".join(blocks)


def _head(explanation: Explanation, style: Style) -> str:
    terms = "  ".join(
        f"{clean(term['term'])} (in {term['document_frequency']:,}, idf {term['idf']:.3f})"
        for term in explanation.query["terms"]
    )
    full_text, semantic = explanation.legs["full_text"], explanation.legs["semantic"]
    lines = [
        f"terms      {terms or '–'}",
        f"full text  {full_text['candidates']:,} candidates",
        f"semantic   {semantic['candidates']:,} candidates" + (f", {semantic['mode']}" if semantic["mode"] else ""),
    ]
    if explanation.fusion is not None:
        weights = explanation.fusion["weights"]
        normalisations = [
            (explanation.fusion.get(leg) or {}).get("normalisation") or "rank" for leg in ("full_text", "semantic")
        ]
        lines.append(
            f"fusion     {explanation.fusion['fusion']}: {weights['full_text']:.3g} × full text ({normalisations[0]}), "
            f"{weights['semantic']:.3g} × semantic ({normalisations[1]})"
        )
    if explanation.spread is not None:
        shared = [
            f"{name} {explanation.spread[name]:.3g} of {what}"
            for name, what in (
                ("smoothing", "nearest, the mean score of the candidates most like it"),
                ("neighbour_weight", "neighbours, the scores of the chunks beside it"),
                ("document_weight", "best_of_document, the best score in its document"),
            )
            if any(name in row["formula"] for row in explanation.results)
        ]
        if shared:
            lines.append(f"shared     {'; '.join(shared)}")
    times = ", ".join(f"{name.removesuffix('_ms')} {time:.1f}" for name, time in explanation.timings.items())
    lines.append(f"time       {explanation.statistics['query_time_ms']:.1f} ms ({times})")
    return "\n".join(style(line, "faint") for line in lines)


def _row(row: dict[str, Any], style: Style) -> str:
    score = style(f"score {row['score']:.4f}", "score") + style(f" = {row['arithmetic']}", "faint")
    lines = [f"{row['place']:>2}. {style(_name(row), 'title')}", f"    {score}"]
    if row["formula"] != row["arithmetic"]:
        indent = " " * len(f"    score {row['score']:.4f} ")
        lines.append(style(f"{indent}= {row['formula']}", "faint"))
    if (leg := row["full_text"]) is not None:
        parts = " + ".join(f"{part['contribution']:.3f} {clean(part['lexeme'])}" for part in leg["terms"])
        lines.append(f"    full text {_leg(leg)}" + (f" = {parts}" if parts else ""))
    if (leg := row["semantic"]) is not None:
        lines.append(f"    semantic  {_leg(leg)}")
    for boost in row["boosts"] or []:
        if "weight" in boost:
            lines.append(
                f"    signal    {clean(boost['signal'])}: {boost['weight']:.4g} × {boost['normalised_value']:.4g}"
            )
            continue
        if "share" in boost:
            normalised = boost["normalised_value"]
            effect = "no token vectors" if boost["value"] is None else f"similarity {boost['value']:.4g}"
            if normalised is not None:
                effect += f", {boost['share']:.4g} × {normalised:.4g}"
            lines.append(f"    signal    {clean(boost['signal'])}: {effect}")
            continue
        if boost["signal"] == "ranking_model":
            name = clean(boost["ranking_model"] or "given with the search")
            lines.append(f"    model     {name}: sum {boost['value']:.4g}, score {boost['score']:.4f}")
            continue
        effect = f"× {boost['factor']:.4g}" if "factor" in boost else f"+ {boost['addend']:.4g}"
        lines.append(f"    boost     {clean(boost['signal'])}: {effect}")
    return "\n".join(lines)


def _name(row: dict[str, Any]) -> str:
    title = f"{row['title']}  {row['external_id']}" if row["title"] else row["external_id"]
    return clean(title) + (f" [{row['chunk_index']}]" if row["chunk_index"] else "")


def _leg(leg: dict[str, Any]) -> str:
    rank = "–" if leg["rank"] is None else f"#{leg['rank']}"
    score = "no embedding" if leg["score"] is None else f"{leg['score']:.3f}"
    return f"{rank} ({score})"


def _document(document: dict[str, Any], style: Style) -> str:
    lines = [f"{style(clean(document['external_id']), 'title')}: {document['outcome']}. {clean(document['reason'])}"]
    for chunk in document["chunks"]:
        legs = "  ".join(
            f"{label} {'–' if rank is None else f'#{rank}'} ({'–' if score is None else f'{score:.3f}'})"
            for label, rank, score in (
                ("full text", chunk["full_text_rank"], chunk["full_text_score"]),
                ("semantic", chunk["semantic_rank"], chunk["semantic_score"]),
                *([("sparse", chunk["sparse_rank"], chunk["sparse_score"])] if "sparse_rank" in chunk else []),
            )
        )
        lines.append(f"    [{chunk['chunk_index']}] {chunk['outcome']}  {style(legs, 'faint')}")
    return "\n".join(lines)
