"""Which visitors belong to a share of all: the same ones every time, and no others when the share shrinks; no state."""

import hashlib

_POINTS = 2**64


def is_in_share(visitor: str, share: float) -> bool:
    """Whether a visitor's id falls into `share` (0 to 1) of all; who is in a share is in every larger one."""
    point = int.from_bytes(hashlib.sha256(visitor.encode()).digest()[:8])
    return point < share * _POINTS
