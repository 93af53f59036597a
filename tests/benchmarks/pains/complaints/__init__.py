"""The ten pains, in the order of the page."""

from __future__ import annotations

from benchmarks.pains.complaints.documents import ModelChange, Permissions, StaleDocuments
from benchmarks.pains.complaints.ranking import ExactNames, MeaninglessScores, Rerankers
from benchmarks.pains.complaints.vectors import EqualVectors, ShortPages
from benchmarks.pains.complaints.words import MixedScripts, Typos
from benchmarks.pains.pain import Pain

PAINS: tuple[type[Pain], ...] = (
    ExactNames,
    MeaninglessScores,
    ShortPages,
    EqualVectors,
    StaleDocuments,
    ModelChange,
    MixedScripts,
    Typos,
    Permissions,
    Rerankers,
)
