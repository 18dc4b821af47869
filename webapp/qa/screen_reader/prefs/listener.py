"""Writes what applications tell every screen reader over AT-SPI, one line of JSON each: a witness beside Orca.

Runs in the system's Python, which has `gi`: it imports nothing of Motamot. Arguments: the file to write, and a part of
the application's name.
"""

import json
import signal
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

KINDS = ("object:text-changed:insert", "object:children-changed:add", "object:announcement", "object:notification")
MARKS = ("live", "container-live", "atomic", "container-atomic", "id")

out = open(sys.argv[1], "a", buffering=1, encoding="utf-8")  # noqa: SIM115 - open as long as this runs
application = sys.argv[2].lower()


def tell(event):
    told = {"at": time.time(), "kind": event.type}
    try:
        owner = event.source.get_application()
        if owner is None or application not in (owner.get_name() or "").lower():
            return
        marks = event.source.get_attributes() or {}
        told |= {name: marks[name] for name in MARKS if name in marks}
        value = event.any_data
        if isinstance(value, Atspi.Accessible):
            value = value.get_name()
        told["text"] = value if isinstance(value, str) else ""
    except Exception as error:  # noqa: BLE001 - the element may be gone already
        told["error"] = str(error)
    out.write(json.dumps(told) + "\n")


Atspi.init()
listener = Atspi.EventListener.new(tell)
for kind in KINDS:
    listener.register(kind)
out.write(json.dumps({"at": time.time(), "kind": "ready"}) + "\n")
loop = GLib.MainLoop()
for number in (signal.SIGTERM, signal.SIGINT):
    GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, loop.quit)
loop.run()
