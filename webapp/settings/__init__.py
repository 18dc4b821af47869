"""What an operator can set: read once from the environment and one TOML file, checked as a whole, frozen."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import platformdirs

from webapp.settings.actions import ActionSettings, read_actions
from webapp.settings.entries import Members, doubles, is_http, typed, words

Kind = Literal["remote", "local", "scripted"]
KINDS: tuple[Kind, ...] = ("remote", "local", "scripted")
DIALECTS = ("openai",)
LIMITS = ("connect", "first", "silence", "answer", "abandoned", "grace", "answer_bytes")
_MAY_BE_ZERO = ("abandoned", "grace")

_TOP_LEVEL = {"models", "actions", "limits", "streaming_share"}
_MODEL_MEMBERS: Members = {
    "id": str,
    "label": str,
    "note": str,
    "kind": str,
    "dialect": str,
    "url": str,
    "name": str,
    "key_env": str,
    "system": str,
    "max_tokens": int,
    "temperature": (int, float),
    "context": int,
    "parallel": int,
    "actions": list,
    "limits": dict,
}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One entry of the list of models. `key` is the secret itself; `name` "" means the first that the service lists.

    `context` in tokens; `limits` by name, in seconds (`answer_bytes` in bytes), over those of all models.
    """

    id: str
    kind: Kind
    label: str = ""
    note: str = ""
    url: str = ""
    name: str = ""
    key: str = field(default="", repr=False)
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    context: int | None = None
    parallel: int | None = None
    actions: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was set. `models` empty stands for the embedded one. Durations in seconds, sizes in bytes.

    `streaming_share` is the part of the visitors, 0 to 1, whose pages stream.
    """

    database_url: str
    data_dir: Path
    secret_key: str = field(default="", repr=False)
    public_urls: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    api_key: str = field(default="", repr=False)
    models: tuple[ModelSettings, ...] = ()
    actions: tuple[ActionSettings, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    streaming_share: float = 1.0
    is_testing: bool = False


class BadSettings(ValueError):
    """Some values cannot be used; `complaints` names every one, with what would be right."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


def read_settings(environment: Mapping[str, str], *, is_testing: bool = False) -> Settings:
    """The settings from `environment` and the TOML file it names, or else `motamot.toml` beside the data.

    Raises BadSettings with all complaints at once.
    """
    complaints: list[str] = []
    database_url = environment.get("MOTAMOT_DATABASE_URL", "")
    if database_url and not database_url.startswith("sqlite:///"):
        complaints.append("MOTAMOT_DATABASE_URL: an SQLite address such as sqlite:////var/lib/motamot/motamot.db")
        database_url = ""
    if environment.get("MOTAMOT_REDIS_URL"):
        complaints.append("MOTAMOT_REDIS_URL: Redis is not used yet; leave it out")
    data_dir = _data_dir(database_url)
    public = _list(environment.get("MOTAMOT_PUBLIC_URL", ""))
    complaints += [f"MOTAMOT_PUBLIC_URL: {url!r} is no http address" for url in public if not is_http(url)]
    api_key = environment.get("MOTAMOT_API_KEY", "")
    if not all("!" <= sign <= "~" for sign in api_key):
        complaints.append("MOTAMOT_API_KEY: visible ASCII characters, without blanks")
    table = _read_file(environment, data_dir, complaints)
    models = _models(table.get("models", []), environment, complaints) or _from_openai(environment, complaints)
    actions = read_actions(table.get("actions", []), environment, complaints)
    complaints += _unknown_actions(models, actions)
    settings = Settings(
        database_url=database_url or f"sqlite:///{data_dir / 'motamot.db'}",
        data_dir=data_dir,
        secret_key=environment.get("MOTAMOT_SECRET_KEY", ""),
        public_urls=tuple(url.rstrip("/") for url in public),
        trusted_proxies=tuple(_list(environment.get("MOTAMOT_TRUSTED_PROXIES", ""))),
        api_key=api_key,
        models=models,
        actions=actions,
        limits=_limits(table.get("limits", {}), "[limits]", complaints),
        streaming_share=_share(table.get("streaming_share", 1.0), complaints),
        is_testing=is_testing,
    )
    if complaints:
        raise BadSettings(complaints)
    return settings


def _data_dir(database_url: str) -> Path:
    path = database_url.removeprefix("sqlite:///")
    if path and ":memory:" not in path:
        return Path(path).absolute().parent
    return platformdirs.user_data_path("motamot")


def _read_file(environment: Mapping[str, str], data_dir: Path, complaints: list[str]) -> Mapping[str, Any]:
    named = environment.get("MOTAMOT_CONFIG")
    path = Path(named) if named else data_dir / "motamot.toml"
    if not named and not path.exists():
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        complaints.append(f"{path}: cannot be read ({error.strerror})")
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        complaints.append(f"{path}: is no TOML ({error})")
        return {}
    unknown = sorted(set(table) - _TOP_LEVEL)
    complaints += [f"{path}: {name!r} means nothing here; there are {words(_TOP_LEVEL)}" for name in unknown]
    return table


def _models(entries: object, environment: Mapping[str, str], complaints: list[str]) -> tuple[ModelSettings, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        complaints.append("models: a list of tables, each headed [[models]]")
        return ()
    models = tuple(_model(entry, f"models[{place}]", environment, complaints) for place, entry in enumerate(entries))
    complaints += [f"models: the id {name!r} stands twice" for name in doubles(model.id for model in models)]
    return models


def _model(
    entry: Mapping[str, Any], place: str, environment: Mapping[str, str], complaints: list[str]
) -> ModelSettings:
    entry = typed(entry, _MODEL_MEMBERS, place, complaints)
    kind = _kind(entry.get("kind", "remote"), place, complaints)
    if not entry.get("id"):
        complaints.append(f'{place}: needs an id, such as id = "llama"')
    if kind == "remote" and not is_http(entry.get("url", "")):
        complaints.append(f'{place}: needs a url, such as url = "http://127.0.0.1:11434/v1"')
    if entry.get("dialect", "openai") not in DIALECTS:
        complaints.append(f"{place}: dialect is one of {words(DIALECTS)}")
    if kind != "remote" and entry.get("actions"):
        complaints.append(f"{place}: actions are for a remote model")
    if kind == "scripted":
        complaints.append(f"{place}: the scripted model comes with --testing alone")
    key_env = entry.get("key_env", "")
    if key_env and key_env not in environment:
        complaints.append(f"{place}: key_env names {key_env}, which is not in the environment")
    return ModelSettings(
        id=entry.get("id", ""),
        kind=kind,
        label=entry.get("label", ""),
        note=entry.get("note", ""),
        url=entry.get("url", "").rstrip("/"),
        name=entry.get("name", ""),
        key=environment.get(key_env, ""),
        system=entry.get("system", ""),
        max_tokens=_positive(entry, "max_tokens", place, complaints),
        temperature=entry.get("temperature"),
        context=_positive(entry, "context", place, complaints),
        parallel=_positive(entry, "parallel", place, complaints),
        actions=tuple(map(str, entry.get("actions", ()))),
        limits=_limits(entry.get("limits", {}), f"{place}.limits", complaints),
    )


def _kind(value: object, place: str, complaints: list[str]) -> Kind:
    for kind in KINDS:
        if value == kind:
            return kind
    complaints.append(f"{place}: kind is one of remote, local")
    return "remote"


def _unknown_actions(models: Iterable[ModelSettings], actions: Iterable[ActionSettings]) -> list[str]:
    known = {action.name for action in actions}
    return [
        f"model {model.id}: there is no action {name!r}; there are {words(known) or 'none'}"
        for model in models
        for name in model.actions
        if name not in known
    ]


def _positive(entry: Mapping[str, Any], name: str, place: str, complaints: list[str]) -> int | None:
    value: int | None = entry.get(name)
    if value is not None and value < 1:
        complaints.append(f"{place}: {name} is a whole number from 1")
    return value


def _limits(table: object, place: str, complaints: list[str]) -> Mapping[str, float]:
    if not isinstance(table, dict):
        complaints.append(f"{place}: a table of seconds by name")
        return {}
    for name, value in table.items():
        if name not in LIMITS:
            complaints.append(f"{place}: {name!r} means nothing here; there are {words(LIMITS)}")
        elif not _is_number(value) or value < 0 or (value == 0 and name not in _MAY_BE_ZERO):
            complaints.append(f"{place}: {name} is a number above 0")
    return table


def _share(value: Any, complaints: list[str]) -> float:
    if not _is_number(value) or not 0 <= value <= 1:
        complaints.append(f"streaming_share: a number from 0 to 1, not {value!r}")
        return 1.0
    return float(value)


def _from_openai(environment: Mapping[str, str], complaints: list[str]) -> tuple[ModelSettings, ...]:
    """The one model of OPENAI_BASE_URL, then the embedded one."""
    url = environment.get("OPENAI_BASE_URL", "")
    if not url:
        return ()
    if not is_http(url):
        complaints.append(f"OPENAI_BASE_URL: {url!r} is no http address")
    name = environment.get("OPENAI_MODEL", "")
    remote = ModelSettings(
        id=name or "remote",
        kind="remote",
        label=name or urlsplit(url).netloc,
        url=url.rstrip("/"),
        name=name,
        key=environment.get("OPENAI_API_KEY", ""),
    )
    return (remote, EMBEDDED)


EMBEDDED = ModelSettings(id="smollm2", kind="local")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]
