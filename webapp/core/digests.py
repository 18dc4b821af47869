"""The length and digest by which two sides know that they hold the same text; no other hashing."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Digest:
    """`bytes`: length in UTF-8 bytes; `sha256`: 64 lower-case hexadecimal digits (FIPS 180-4)."""

    bytes: int
    sha256: str


def digest(text: str) -> Digest:
    """The digest of `text` in UTF-8.

    Raises UnicodeEncodeError for a lone surrogate: such text has no UTF-8 form.
    """
    encoded = text.encode("utf-8")
    return Digest(len(encoded), hashlib.sha256(encoded).hexdigest())
