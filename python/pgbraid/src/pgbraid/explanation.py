"""What the client's `explain_search` and `explain_score` return."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from pgbraid.display import Style, clean, plain


@dataclass(frozen=True)
class ScorePart:
    """What a lexeme of the query adds to the BM25 score of a chunk: the row of `braid.explain_score`."""

    chunk_id: int
    term: str
    lexeme: str
    frequency: float
    title_frequency: float
    document_frequency: int
    idf: float
    query_frequency: int
    length: float
    average_length: float
    length_normalisation: float
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """A search explained: the JSON object of `braid.explain_search`.

    Each of `results` has its score as an expression, `arithmetic`, whose value in double precision is the score
    to the last bit; `formula` is the same expression with the name of each number. `document` says what became of
    the document asked for, and is None without one. `str()` draws all of it as text.
    """

    query: dict[str, Any]
    legs: dict[str, Any]
    fusion: dict[str, Any] | None
    results: list[dict[str, Any]]
    document: dict[str, Any] | None
    statistics: dict[str, Any]
    timings: dict[str, Any]
    warnings: list[dict[str, Any]]
    # What scores share with those of their neighbours; None if they share nothing.
    spread: dict[str, Any] | None = None

    @classmethod
    def from_json(cls, answer: dict[str, Any]) -> Explanation:
        return cls(**{column.name: answer[column.name] for column in fields(cls)})

    def __str__(self) -> str:
        return self.format()

    def format(self, style: Style | None = None) -> str:
        """As text. `style(text, kind)` may colour; kind is title, score, faint or warning."""
        style = style or plain
        blocks = [self._head(style), *(_row(row, style) for row in self.results)]
        if self.document is not None:
            blocks.append(_document(self.document, style))
        if self.warnings:
            notes = (clean(f"warning: {note.get('message', note.get('code'))}") for note in self.warnings)
            blocks.append("\n".join(style(note, "warning") for note in notes))
        return "\n\n".join(blocks)

    def _head(self, style: Style) -> str:
        terms = "  ".join(
            f"{clean(term['term'])} (in {term['document_frequency']:,}, idf {term['idf']:.3f})"
            for term in self.query["terms"]
        )
        full_text, semantic = self.legs["full_text"], self.legs["semantic"]
        lines = [
            f"terms      {terms or '–'}",
            f"full text  {full_text['candidates']:,} candidates",
            f"semantic   {semantic['candidates']:,} candidates" + (f", {semantic['mode']}" if semantic["mode"] else ""),
        ]
        if self.fusion is not None:
            weights = self.fusion["weights"]
            normalisations = [
                (self.fusion.get(leg) or {}).get("normalisation") or "rank" for leg in ("full_text", "semantic")
            ]
            lines.append(
                f"fusion     {self.fusion['fusion']}: {weights['full_text']:.3g} × full text ({normalisations[0]}), "
                f"{weights['semantic']:.3g} × semantic ({normalisations[1]})"
            )
        if self.spread is not None:
            shared = [
                f"{name} {self.spread[name]:.3g} of {what}"
                for name, what in (
                    ("smoothing", "nearest, the mean score of the candidates most like it"),
                    ("neighbour_weight", "neighbours, the scores of the chunks beside it"),
                )
                if any(name in row["formula"] for row in self.results)
            ]
            if shared:
                lines.append(f"shared     {'; '.join(shared)}")
        times = ", ".join(f"{name.removesuffix('_ms')} {time:.1f}" for name, time in self.timings.items())
        lines.append(f"time       {self.statistics['query_time_ms']:.1f} ms ({times})")
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
        if boost["signal"] == "model":
            name = clean(boost["model"] or "given with the search")
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
