"""Dense retrieval: texts as vectors of an encoder, passages of a hundred words, and the nearest of them."""
