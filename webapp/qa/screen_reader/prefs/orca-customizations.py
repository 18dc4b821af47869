"""Orca runs this file when it starts with this folder: what it would hand to its synthesizer goes into a file.

Each utterance is one line of JSON: `at` (seconds since the epoch), `kind` and `text`. Nothing else of Orca is changed.
It runs in the system's Python, as a part of Orca (43 and later): it imports nothing of Motamot.
"""

import json
import os
import sys
import time
import types

from orca import speechserver

spoken = open(os.environ["ORCA_SPOKEN"], "a", buffering=1, encoding="utf-8")  # noqa: SIM115 - open as long as Orca


def write(kind, text):
    spoken.write(json.dumps({"at": time.time(), "kind": kind, "text": text}) + "\n")


class SpeechServer(speechserver.SpeechServer):
    """Takes the place of speech-dispatcher: says nothing, and is never busy."""

    _only = None

    @staticmethod
    def getFactoryName():
        return "file"

    @staticmethod
    def getSpeechServers():
        return [SpeechServer.getSpeechServer()]

    @classmethod
    def getSpeechServer(cls, info=None):
        cls._only = cls._only or cls()
        return cls._only

    @staticmethod
    def shutdownActiveServers():
        pass

    def getInfo(self):
        return ["file", "file"]

    def getVoiceFamilies(self):
        return []

    def speak(self, text=None, acss=None, interrupt=True):
        if text and text.strip():
            write("speak", text)

    def speakCharacter(self, character, acss=None):
        write("character", character)

    def speakKeyEvent(self, event, acss=None):
        write("key", event.getKeyName() or "")

    def sayAll(self, utteranceIterator, progressCallback):
        for context, _ in utteranceIterator:
            write("speak", context.utterance)

    def isSpeaking(self):
        return False

    def stop(self):
        pass

    def shutdown(self):
        pass

    def reset(self, text=None, acss=None):
        pass


factory = types.ModuleType("orca.speechdispatcherfactory")
factory.SpeechServer = SpeechServer
sys.modules["orca.speechdispatcherfactory"] = factory

# A second Orca of the same person is refused, even on another desktop; tests may run beside each other.
program = sys.modules.get("__main__")
if hasattr(program, "otherOrcas"):
    program.otherOrcas = list
