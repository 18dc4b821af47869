"""What of one answer stands in no checkpoint yet, and which event numbers it may still give; it stores nothing."""

import threading

from webapp.ports.store import RESERVED, Checkpoint

NEEDED = 4  # numbers for a sign (two), for what waits to be merged, and for the end


class Unkept:
    """Shared by the producer, which adds and waits, and by whoever keeps, who takes checkpoints and confirms them."""

    def __init__(self, message_id: str, reserved: int) -> None:
        self._message_id = message_id
        self._reserved = reserved
        self._pieces: list[str] = []
        self._start = 0  # code points that are kept
        self._lock = threading.Lock()
        self._has_changed = threading.Event()

    def add(self, text: str) -> None:
        """This was appended to the answer."""
        with self._lock:
            self._pieces.append(text)

    def is_half_used(self, seq: int) -> bool:
        """Whether `seq` is the number at which further ones are to be asked for."""
        return self._reserved - seq == RESERVED // 2

    def lacks_numbers(self, seq: int) -> bool:
        """Whether too few are left above `seq` for a sign and the end."""
        return self._reserved - seq < NEEDED

    def wait(self) -> None:
        """Wait until there are more numbers, or somebody calls `wake`."""
        self._has_changed.wait()
        self._has_changed.clear()

    def wake(self) -> None:
        """End the wait; the next one, where nobody waits."""
        self._has_changed.set()

    def checkpoint(self, seq: int) -> Checkpoint | None:
        """What is to be kept, with numbers above `seq`; None where nothing is new and enough numbers are left."""
        with self._lock:
            if not self._pieces and self._reserved - seq > RESERVED // 2:
                return None
            return Checkpoint(self._message_id, self._start, "".join(self._pieces), seq + RESERVED)

    def confirm(self, checkpoint: Checkpoint) -> None:
        """That checkpoint, the last that was taken, is stored."""
        with self._lock:
            rest = "".join(self._pieces)[len(checkpoint.text) :]
            self._pieces = [rest] if rest else []
            self._start += len(checkpoint.text)
            self._reserved = checkpoint.seq
        self.wake()
