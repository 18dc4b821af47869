"""The proxy that the machine's environment wants for an origin, and how a tunnel through it is opened; no TLS."""

import base64
import http.client
import ipaddress
import socket
import urllib.request
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy; `headers` are for it alone (RFC 9110 §11.7)."""

    host: str
    port: int
    headers: dict[str, str]

    def open_tunnel(self, line: socket.socket, authority: str) -> None:
        """Make the connected `line` lead to `authority` (RFC 9110 §9.3.6). Raises OSError when the proxy refuses."""
        lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        line.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        response = http.client.HTTPResponse(line, method="CONNECT")
        response.begin()
        if response.status != 200:
            raise ConnectionRefusedError(f"the proxy {self.host} answered {response.status} {response.reason}")


def proxy_for(host: str, *, is_tls: bool) -> Proxy | None:
    """The proxy for `host`, from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`; none for this machine itself.

    Raises OSError for a proxy that does not speak HTTP.
    """
    if is_loopback(host) or urllib.request.proxy_bypass(host):
        return None
    known = urllib.request.getproxies()
    address = known.get("https" if is_tls else "http") or known.get("all")
    if not address:
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise OSError(f"a proxy of kind {parts.scheme} is not supported")
    headers = {}
    if parts.username is not None:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(credentials).decode()}"
    return Proxy(parts.hostname, parts.port or 80, headers)


def is_loopback(host: str) -> bool:
    """Whether `host` names this machine (RFC 6761 §6.3) or is an address of its own."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
