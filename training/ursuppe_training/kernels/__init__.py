"""What a step does to one game, compiled for processor and GPU, and the memory that it and torch share."""
