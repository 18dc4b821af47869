"""Which event may follow in which state, as one table; `static/js/core/states.js` is its twin."""

from webapp.core.events import Activity, Answer, Cancelled, Delta, Error, Event, State

_ENDS: dict[type, State] = {Answer: State.COMPLETED, Cancelled: State.CANCELLED, Error: State.FAILED}

TRANSITIONS: dict[State, dict[type, State]] = {
    # There is no event for running: it begins with the first event after `accepted`.
    State.ACCEPTED: {Delta: State.RUNNING, Activity: State.RUNNING, **_ENDS},
    State.RUNNING: {Delta: State.RUNNING, Activity: State.RUNNING, **_ENDS},
    State.COMPLETED: {},  # nothing follows an end
    State.CANCELLED: {},
    State.FAILED: {},
}


class IllegalEvent(Exception):
    """An event came that may not follow in `state`."""

    def __init__(self, state: State, event: Event) -> None:
        super().__init__(f"{type(event).__name__} may not follow in state {state}")
        self.state = state
        self.event = event


def advance(state: State, event: Event) -> State:
    """The state after `event`; raises IllegalEvent where the table has no such move."""
    try:
        return TRANSITIONS[state][type(event)]
    except KeyError:
        raise IllegalEvent(state, event) from None
