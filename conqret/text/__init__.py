"""Texts in any language, without a model.

Parts of a text:

- ``words``: words, their counts and normal forms; ``lexicons``: the word lists of ``words.toml``
- ``sentences``: sentences with their spans
- ``citations``: citation marks such as ``[3]`` found, checked and rewritten
- ``numbers``: numbers in cells, quantities in texts; ``language``: the language of a text or name, as a code

What the baselines see:

- ``analysis``: stems, sentences and negations, for the offline baseline
- ``boilerplate``: sentences that are no evidence
- ``text_passages``: passages and content stems, for the stance baseline
- ``stance_detection``: which side of a question a text takes (pro or con)
"""
