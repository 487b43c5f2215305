"""One file, one grid of systems: retrieve, generate, judge and damage, resumed from what is done."""
