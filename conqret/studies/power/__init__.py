"""How many topics and labels a study needs, and which biases it would find."""
