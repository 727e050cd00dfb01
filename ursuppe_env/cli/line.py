"""What is said about somebody else's input: one line that any terminal can show."""

_LONGEST = 600


def in_one_line(text: str) -> str:
    """The text without line breaks and control characters, and without its middle if it is very long."""
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
