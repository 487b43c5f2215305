"""Rankings beside qrels: the systems of Table 4, their measures, and the balance of the sides."""
