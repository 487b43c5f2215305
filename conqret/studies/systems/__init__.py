"""System-level evaluation: rank correlation of judge and human rankings of systems."""
