"""Cited arguments from ranked documents: few-shot with a language model, or by extraction offline."""
