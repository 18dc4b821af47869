"""What a model's stream tells, whatever the provider's dialect: signs in order, then a finish or a failure."""

from dataclasses import dataclass

from webapp.core.events import ActivityKind, FinishReason


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer; never empty; may hold half of a surrogate pair."""

    text: str


@dataclass(frozen=True, slots=True)
class Working:
    """The model works but says nothing: reasoning, a tool call that is being written, a place in a queue."""

    kind: ActivityKind
    label: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A whole tool call, put together from its fragments. `arguments` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the provider counted them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The model ended by itself. Signs that come later (usage, tool calls) still belong to the answer."""

    reason: FinishReason


Sign = Text | Working | ToolCall | TokenUsage | Finish


class ModelFailure(Exception):
    """The model gave no answer, or broke off. `code` is one of `problems.py`; `inner` is for the server's log only."""

    def __init__(self, code: str, inner: str) -> None:
        super().__init__(f"{code}: {inner}")
        self.code = code
        self.inner = inner
