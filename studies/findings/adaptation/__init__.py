"""Balance that survives adaptation: what becomes of findings when players adapt to the rules.

``studies.py`` has all of it together, for the page and for ``python -m studies.findings.adaptation``; each study
is a module, with what is said of it in another one beside it. docs/balance-lab.md says what they are for.
"""
