"""Which perspectives on a question a ranking shows: who contains what, and measures over it (BeRDS)."""
