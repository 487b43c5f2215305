"""Labels from annotators: what they are shown and asked, who gets what, and the file in which each answer is kept."""
