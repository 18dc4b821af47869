"""Times as they are kept (milliseconds since 1970, UTC) and as they are written (RFC 3339); no clock."""

from datetime import UTC, datetime


def rfc3339(milliseconds: int) -> str:
    """`2026-11-30T21:55:10.123Z` for milliseconds since 1970-01-01T00:00:00Z (RFC 3339, section 5.6)."""
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
