"""What the server answers where it does not do what it is asked: a status and one sentence."""


class Refusal(Exception):
    """A request that is not carried out.

    Args:
        status: of HTTP: 400 wrong input, 403 no right to it, 404 not there, 409 the game has gone on, 413 too large,
            429 too many.
        sentence: what is wrong, and what would be right.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
