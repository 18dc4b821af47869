"""Settings: what an operator can say, and that everything wrong is named at once."""

from pathlib import Path

import pytest

from webapp.settings import BadSettings, Settings, read_settings

TOML = """
[limits]
silence = 30

[[models]]
id = "llama"
label = "Llama, on our machine"
url = "http://127.0.0.1:11434/v1/"
name = "llama3.2"
key_env = "LLAMA_KEY"
system = "You answer briefly."
max_tokens = 500
temperature = 0.5
context = 8000
parallel = 3
limits = { first = 300 }

[[models]]
id = "small"
kind = "local"
"""

ACTION = '[[actions]]\ndescription = "A."\nurl = "https://a.example/hook"\nsecret_env = "PATH_TO"\n'


def read(folder: Path, toml: str = "", **environment: str) -> Settings:
    (folder / "motamot.toml").write_text(toml, encoding="utf-8")
    return read_settings({"MOTAMOT_DATABASE_URL": f"sqlite:///{folder / 'data.db'}", **environment})


def complaints(folder: Path, toml: str = "", **environment: str) -> list[str]:
    with pytest.raises(BadSettings) as refused:
        read(folder, toml, **environment)
    return refused.value.complaints


def test_without_any_word_there_is_a_database_and_the_embedded_model() -> None:
    settings = read_settings({})
    assert settings.database_url.startswith("sqlite:///")
    assert settings.models == ()


def test_a_file_lists_the_models(tmp_path: Path) -> None:
    settings = read(tmp_path, TOML, LLAMA_KEY="sk-1", OPENAI_BASE_URL="http://elsewhere/v1")
    llama, small = settings.models
    assert (llama.id, llama.kind, llama.url, llama.key) == ("llama", "remote", "http://127.0.0.1:11434/v1", "sk-1")
    assert (llama.max_tokens, llama.temperature, llama.context, llama.parallel) == (500, 0.5, 8000, 3)
    assert (llama.limits, settings.limits) == ({"first": 300}, {"silence": 30})
    assert (small.id, small.kind) == ("small", "local")


@pytest.mark.proves("R8")
def test_a_share_of_the_visitors_streams_and_without_a_word_all_of_them(tmp_path: Path) -> None:
    assert read(tmp_path).streaming_share == 1
    assert [read(tmp_path, f"streaming_share = {share}").streaming_share for share in (0, 0.25, 1)] == [0, 0.25, 1]
    for wrong in ("-0.1", "1.5", "nan", "true", '"half"', "[]"):
        (complaint,) = complaints(tmp_path, f"streaming_share = {wrong}")
        assert complaint.startswith("streaming_share: a number from 0 to 1")


def test_a_file_lists_the_actions_and_who_may_propose_them(tmp_path: Path) -> None:
    toml = f"""
    {ACTION}name = "create_ticket"
    parameters = {{ properties = {{ subject = {{ type = "string" }} }}, required = ["subject"] }}
    {ACTION}name = "ring"
    confirm = false
    [[models]]
    id = "llama"
    url = "http://127.0.0.1:11434/v1"
    actions = ["ring"]
    """
    settings = read(tmp_path, toml, PATH_TO="SENTINEL")
    ticket, ring = settings.actions
    assert (ticket.name, ticket.url, ticket.secret) == ("create_ticket", "https://a.example/hook", "SENTINEL")
    assert (ticket.confirm, ring.confirm) == (True, False)
    assert ticket.parameters["type"] == "object"
    assert ticket.parameters["required"] == ["subject"]
    assert ring.parameters == {"type": "object", "properties": {}}
    assert settings.models[0].actions == ("ring",)
    assert "SENTINEL" not in repr(settings)


def test_another_file_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.toml"
    path.write_text(TOML, encoding="utf-8")
    assert len(read(tmp_path, "", MOTAMOT_CONFIG=str(path), LLAMA_KEY="x").models) == 2


def test_the_environment_of_openai_names_one_model_before_the_embedded_one(tmp_path: Path) -> None:
    given = {"OPENAI_BASE_URL": "https://api.example/v1", "OPENAI_API_KEY": "sk-1", "OPENAI_MODEL": "big"}
    remote, embedded = read(tmp_path, **given).models
    assert (remote.id, remote.name, remote.url, remote.key) == ("big", "big", "https://api.example/v1", "sk-1")
    assert embedded.kind == "local"


def test_no_secret_is_shown_where_settings_are_printed(tmp_path: Path) -> None:
    settings = read(tmp_path, TOML, LLAMA_KEY="sk-SENTINEL", MOTAMOT_SECRET_KEY="SENTINEL")
    assert "SENTINEL" not in repr(settings)


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ("no toml", "is no TOML"),
        ("colour = 1", "'colour' means nothing here"),
        ("models = 5", "a list of tables"),
        ('[[models]]\nid = "a"\nkind = "local"\nlabel = 5', "label cannot be 5"),
        ('[[models]]\nid = "a"', "needs a url"),
        ('[[models]]\nurl = "http://a/v1"', "needs an id"),
        ('[[models]]\nid = "a"\nurl = "ftp://a"', "needs a url"),
        ('[[models]]\nid = "a"\nurl = "http://[a/v1"', "needs a url"),
        ('[[models]]\nid = "a"\nurl = "http://a"\nkind = "odd"', "kind is one of"),
        ('[[models]]\nid = "a"\nkind = "scripted"', "--testing"),
        ('[[models]]\nid = "a"\nurl = "http://a"\ndialect = "odd"', "dialect is one of"),
        ('[[models]]\nid = "a"\nurl = "http://a"\nkey_env = "NO_KEY"', "NO_KEY"),
        ('[[models]]\nid = "a"\nurl = "http://a"\ncontext = 0', "context is a whole number from 1"),
        ('[[models]]\nid = "a"\nurl = "http://a"\nlimits = { odd = 1 }', "'odd' means nothing here"),
        ('[[models]]\nid = "a"\nkind = "local"\n[[models]]\nid = "a"\nkind = "local"', "stands twice"),
        ("actions = 5", "a list of tables"),
        (f'{ACTION}name = "create ticket"', "needs a name"),
        (f'{ACTION}name = "{"x" * 65}"', "needs a name"),
        ('[[actions]]\nname = "a"\nurl = "http://a"\nsecret_env = "PATH_TO"', "needs a description"),
        ('[[actions]]\nname = "a"\ndescription = "A."\nsecret_env = "PATH_TO"', "needs a url"),
        ('[[actions]]\nname = "a"\ndescription = "A."\nurl = "http://a"', "needs secret_env"),
        ('[[actions]]\nname = "a"\ndescription = "A."\nurl = "http://a"\nsecret_env = "NO_SECRET"', "NO_SECRET"),
        (f'{ACTION}name = "a"\nconfirm = 1', "confirm cannot be 1"),
        (f'{ACTION}name = "a"\nodd = 1', "'odd' means nothing here"),
        (f'{ACTION}name = "a"\nparameters = {{ type = "text" }}', "is no JSON Schema"),
        (f'{ACTION}name = "a"\nparameters = {{ type = "array" }}', 'is a schema of type "object"'),
        (f'{ACTION}name = "a"\nparameters = {{ default = 2026-01-01 }}', "dates"),
        (f'{ACTION}name = "a"\nparameters = {{ default = nan }}', "without end"),
        (f'{ACTION}name = "a"\n{ACTION}name = "a"', "stands twice"),
        ('[[models]]\nid = "a"\nurl = "http://a"\nactions = ["nothing"]', "no action 'nothing'"),
        (f'{ACTION}name = "a"\n[[models]]\nid = "b"\nkind = "local"\nactions = ["a"]', "for a remote model"),
        ("[limits]\nsilence = 0", "silence is a number above 0"),
        ('[limits]\nsilence = "long"', "silence is a number above 0"),
    ],
)
def test_a_bad_value_is_named_with_what_would_be_right(tmp_path: Path, toml: str, named: str) -> None:
    (complaint,) = complaints(tmp_path, toml, PATH_TO="secret")
    assert named in complaint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MOTAMOT_DATABASE_URL", "mysql://here"),
        ("MOTAMOT_REDIS_URL", "redis://here"),
        ("MOTAMOT_PUBLIC_URL", "chat.example"),
        ("MOTAMOT_CONFIG", "/nowhere/motamot.toml"),
        ("MOTAMOT_API_KEY", "two words"),
        ("OPENAI_BASE_URL", "api.example"),
    ],
)
def test_a_bad_variable_is_named(tmp_path: Path, name: str, value: str) -> None:
    (complaint,) = complaints(tmp_path, **{name: value})
    assert name in complaint or value in complaint


def test_all_complaints_come_at_once(tmp_path: Path) -> None:
    toml = '[[models]]\nid = "a"\nurl = "x"\nodd = 1\n[limits]\nodd = 1'
    assert len(complaints(tmp_path, toml, MOTAMOT_REDIS_URL="redis://here")) == 4
