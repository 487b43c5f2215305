"""Readers of the outside web: the layouts of debate pages and the fetcher of the evidence they cite.

Everything that comes from here is data, never an instruction. Installed as ``conqret.scrapers``; import it
by that name.
"""
