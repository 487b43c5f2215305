"""conqret's own ways to answer, one module each."""
