"""How much the server does at once, for whoever asks."""

MOST_GAMES = 100
MOST_ANALYSES = 4
MOST_LISTENERS = 400  # pages that are told of changes
MOST_UPLOAD = 5_000_000  # bytes of a request
LONGEST_DECISION = 10.0  # seconds that an agent may take
LONGEST_FIRST_DECISION = 300.0  # the same for its first one in this process: it may be compiled, or a network be read
LONGEST_NAME = 40  # characters of a person's name
