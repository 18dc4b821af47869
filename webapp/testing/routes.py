"""Routes by which tests put scenarios and see what the scripted model did."""

from collections.abc import Callable, Mapping

from flask import Blueprint, Response, request

from webapp.core.problems import Refused
from webapp.core.scenarios import BadScenario, Scenario, parse
from webapp.web.requests import json_object
from webapp.web.responses import json_response


def blueprint(put: Callable[[str, Scenario], None], run: Callable[[str], Mapping[str, object] | None]) -> Blueprint:
    """`put` keeps a scenario; `run` tells of the answer with a message id, None where there was none."""
    testing = Blueprint("testing", __name__, url_prefix="/testing")

    @testing.put("/scenarios/<name>")
    def put_scenario(name: str) -> Response:
        try:
            put(name, parse(json_object(request)))
        except BadScenario as error:
            raise Refused("validation_failed", str(error)) from error
        return Response(status=204)

    @testing.get("/runs/<message_id>")
    def read_run(message_id: str) -> Response:
        told = run(message_id)
        if told is None:
            raise Refused("not_found")
        return json_response(told)

    return testing
