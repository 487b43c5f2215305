"""Lambda of maximal marginal relevance: relevance against likeness to what stands above."""

TRADE_OFF = 0.95
"""Lambda: what BeRDS chose on its development set for BM25 over search results (Table 7; tried: 0.5 to 0.99)."""

TRADE_OFFS = (0.5, 0.75, 0.9, 0.95, 0.99)
"""What BeRDS tried (footnote 10). It chose 0.95 or 0.99 for BM25 and DPR, 0.75 or 0.95 for Contriever (Table 7)."""
