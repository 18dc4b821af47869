"""HTTP: routes, responses, security; no rule about answers lives here."""
