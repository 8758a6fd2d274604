"""Ranks texts by bm25s and rank_bm25. Reads and writes JSON; see bm25_peers.ts."""

import json
import sys

import bm25s
import numpy
from rank_bm25 import BM25Okapi

given = json.load(sys.stdin)
texts, queries, cut = given["texts"], given["queries"], given["cut"]


def by_bm25s(method):
    index = bm25s.BM25(method=method, k1=1.2, b=0.75)
    index.index(texts, show_progress=False)
    found = []
    for query in queries:
        # It cannot search for nothing.
        scores = index.get_scores(query) if query else numpy.zeros(len(texts))
        found.append(best(scores))
    return found


def by_rank_bm25():
    index = BM25Okapi(texts)
    return [best(index.get_scores(query)) for query in queries]


def best(scores):
    return [int(n) for n in numpy.argsort(-scores, kind="stable")[:cut] if scores[n] > 0]


json.dump(
    {
        "bm25s lucene": by_bm25s("lucene"),
        "bm25s bm25+": by_bm25s("bm25+"),
        "rank_bm25": by_rank_bm25(),
    },
    sys.stdout,
)
