"""Commands of ``ursuppe`` that train and evaluate."""
