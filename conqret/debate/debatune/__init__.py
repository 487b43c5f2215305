"""DEBATunE: debates between models, controllability and quality of what they write, and models trained on it."""
