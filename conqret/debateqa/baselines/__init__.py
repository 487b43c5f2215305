"""The metrics that Perspective Diversity and Dispute Awareness are compared with (DebateQA, B.1.2 and C.1)."""
