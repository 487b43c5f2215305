"""``conqret check``: how good a judge is, from one table of its verdicts and human labels."""
