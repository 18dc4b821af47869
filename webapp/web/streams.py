"""How many streams and waiting readers there are, so that one too many is refused at once rather than left waiting."""

from collections.abc import Callable

from webapp.core.problems import Refused


class Streams:
    """At most `most` at once."""

    def __init__(self, most: int) -> None:
        self._free = most

    def take(self) -> Callable[[], None]:
        """Count a stream; the function that counts it out, once however often it is called. Raises Refused (`busy`)."""
        if self._free <= 0:
            raise Refused("busy")
        self._free -= 1
        is_open = [True]

        def release() -> None:
            if is_open:
                is_open.pop()
                self._free += 1

        return release
