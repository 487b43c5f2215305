"""The public face: what ``import conqret`` offers, and what the commands of the same names call.

Every function is typed, takes its settings by keyword, and names a misspelt one; what is wrong with a call is a
:class:`conqret.DeclarationError`, and what the world does wrong becomes rows with a reason.
"""
