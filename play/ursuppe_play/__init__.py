"""A person against agents: the game of ``ursuppe play``, without the terminal."""
