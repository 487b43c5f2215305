"""Improve a judge from human labels, and say on other topics whether it improved."""
