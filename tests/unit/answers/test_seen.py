"""What pages tell, kept within bounds."""

from tests.support.answers import OWNER, store_with_answer
from tests.support.figures import ToldMetrics
from webapp.answers.seen import Sightings
from webapp.ports.metrics import Sight


def test_only_the_last_answers_that_were_told_of_are_remembered() -> None:
    store, _ = store_with_answer()
    metrics = ToldMetrics()
    sightings = Sightings(store.message, metrics, remembered=0)
    for _ in range(2):
        sightings.tell(OWNER, "msg", Sight(repeats=1))
    assert len(metrics.sights) == 2
