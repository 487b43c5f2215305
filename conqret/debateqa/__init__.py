"""DebateQA's two metrics, what is made of them, and how they are validated."""
