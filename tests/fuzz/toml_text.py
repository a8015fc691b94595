"""Tables as TOML, whatever is in them."""

import math


def toml_text(tables):
    """Return tables as one TOML text: a line a key, values as inline tables and arrays."""
    return "".join(f"{quoted(key)} = {value(part)}\n" for key, part in tables.items())


def value(given):
    """Return a value as TOML writes it."""
    match given:
        case bool():
            return "true" if given else "false"
        case float() if math.isnan(given) or math.isinf(given):
            return str(given)
        case str():
            return quoted(given)
        case list():
            return f"[{', '.join(map(value, given))}]"
        case dict():
            return "{" + ", ".join(f"{quoted(k)} = {value(v)}" for k, v in given.items()) + "}"
    return repr(given)


def quoted(text):
    """Return a basic string, with everything that is not plain escaped."""
    plain = "".join(c if c.isprintable() and c not in '"\\' else f"\\u{ord(c):04x}" for c in text)
    return f'"{plain}"'
