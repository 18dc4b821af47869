"""The kit for QA: any streaming chat in a real browser, put to the proof; a pytest plugin, beside pytest-playwright.

Of Motamot it knows `core` alone: it judges a Motamot as it judges any other chat, from outside.
"""
