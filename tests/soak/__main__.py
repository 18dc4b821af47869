"""Plays random faults in the real page, then listens to it through the real Orca; says what broke a promise.

    make soak
    make soak ARGS="--seed 123"
    make soak ARGS="--plans 0"

What has passed for a commit is kept in test-results/: a soak that was stopped goes on there.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.soak.plans import plan
from tests.soak.play import faults_of
from tests.soak.seeds import ROOT, commit, seeds
from tests.support.server import start_server
from webapp.qa.browsers import find_browser, launch_arguments

LISTENING = ROOT / "tests" / "qa" / "test_screen_reader.py"


def main() -> int:
    """The number of the exit code: 1 when a plan failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--plans", type=int, default=200, help="how many (200)")
    parser.add_argument("--heard", type=int, default=10, help="fresh runs through the screen reader (10)")
    parser.add_argument("--seed", type=int, help="play this one alone")
    given = parser.parse_args()
    passed = ROOT / "test-results" / f"soak-{commit()}"
    wanted = [given.seed] if given.seed is not None else _left(seeds(given.plans), passed)
    failed = _play(wanted, None if given.seed is not None else passed) if wanted else []
    print(f"Soak: {len(wanted) - len(failed)} of {len(wanted)} plans held" + (f"; failed: {failed}" if failed else ""))
    if given.seed is not None:
        return 1 if failed else 0
    exact = _listen(given.heard, passed.with_suffix(".heard"))
    print(f"Soak: {exact} of {given.heard} runs heard exactly what was expected")
    return 1 if failed or exact < given.heard else 0


def _listen(runs: int, passed: Path) -> int:
    """How many of these runs were exact, each with a desktop, a screen reader and a browser of its own."""
    exact = min(runs, len(passed.read_text().split())) if passed.exists() else 0
    for number in range(exact + 1, runs + 1):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(LISTENING)]
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        is_exact = done.returncode == 0 and "skipped" not in done.stdout
        print(f"listening {number}/{runs}: {'exact' if is_exact else 'FAILED'}", flush=True)
        if not is_exact:
            print(done.stdout[-4_000:], flush=True)
            continue
        exact += 1
        passed.parent.mkdir(exist_ok=True)
        with passed.open("a") as file:
            file.write(f"{number}\n")
    return exact


def _left(wanted: range, passed: Path) -> list[int]:
    done = set(map(int, passed.read_text().split())) if passed.exists() else set()
    return [seed for seed in wanted if seed not in done]


def _play(wanted: list[int], passed: Path | None) -> list[int]:
    failed: list[int] = []
    with sync_playwright() as playwright, start_server() as server:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=launch_arguments())
        for number, seed in enumerate(wanted, start=1):
            faults = faults_of(plan(seed), browser, server)
            print(f"{number}/{len(wanted)} seed {seed}: {'held' if not faults else 'FAILED'}", flush=True)
            for fault in faults:
                print(f"  {fault}\n  {plan(seed)}", flush=True)
            if faults:
                failed.append(seed)
            elif passed is not None:
                passed.parent.mkdir(exist_ok=True)
                with passed.open("a") as file:
                    file.write(f"{seed}\n")
        browser.close()
    return failed


if __name__ == "__main__":
    sys.exit(main())
