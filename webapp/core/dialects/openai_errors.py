"""Which of our codes a provider's error stands for, whatever its wording; what it wrote is for the log only."""

import json

from webapp.core.signs import ModelFailure

# Names that OpenAI, Azure, vLLM, OpenRouter and Google write into `code`, `type` or `status`.
_RATE_LIMITED = ("rate_limit", "ratelimit", "too_many_requests", "quota", "resource_exhausted")
_FILTERED = ("content_filter", "content_policy", "responsibleaipolicyviolation")
# A gateway that finds nobody behind it, or a server that still loads its model: nothing has been asked of a model.
_UNAVAILABLE = (502, 503, 504)


def failure(error: object, *, status: int = 200, has_text: bool = False) -> ModelFailure:
    """The failure for an `error` of any shape (JSON values or text) that came under an HTTP `status`.

    Asked too often: `provider_rate_limited`. A filter that let no text through: `content_blocked`. Of the others a
    gateway's statuses are `provider_unavailable` (waiting helps), the rest `provider_error`.
    """
    names = " ".join(_names(error)).lower()
    inner = f"the provider answered an error{f' with status {status}' if status != 200 else ''}: {_written(error)}"
    if status == 429 or "429" in names.split() or any(name in names for name in _RATE_LIMITED):
        return ModelFailure("provider_rate_limited", inner)
    if not has_text and any(name in names for name in _FILTERED):
        return ModelFailure("content_blocked", inner)
    return ModelFailure("provider_unavailable" if status in _UNAVAILABLE else "provider_error", inner)


def _names(error: object) -> list[str]:
    """The words of `error` that are made for programs; a message, which may quote anything, is not looked at."""
    if isinstance(error, str):
        return [] if " " in error else [error]
    if not isinstance(error, dict):
        return []
    levels = [error, *(error.get(key) for key in ("error", "innererror", "inner_error"))]
    values = [level.get(key) for level in levels if isinstance(level, dict) for key in ("code", "type", "status")]
    return [str(value) for value in values if isinstance(value, str | int)]


def _written(error: object) -> str:
    """One line of ASCII: nothing that a provider writes can start a new line in the log."""
    try:
        return json.dumps(error)
    except RecursionError:
        return "nested too deeply to be written"
