"""Training with the games on a GPU, beside the networks (docs/gpu.md).

What is learned, and from whom, is what ``ursuppe_training`` says; here is where it happens. ``bodies.py`` says what a
thread of the GPU does with one game, by way of the functions that the processor uses, too. A group of games
(``game_group.py``) takes a step in two halves: up to the answers of agents that need the processor, and from there on.
Between the first step and the last one of a rollout nothing waits for the GPU, but for those answers.
"""
