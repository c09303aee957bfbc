"""From values to JSON texts."""

import json

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _quick_encoder():
    """The C function that JSONEncoder.encode makes anew for each value; None where there is none."""
    try:
        make, text = json.encoder.c_make_encoder, json.encoder.encode_basestring
        quick = make(None, _encoder.default, text, None, ":", ",", False, False, False)
        return quick if "".join(quick({"a": [1, "ü"]}, 0)) == '{"a":[1,"ü"]}' else None
    except Exception:
        return None


_quick = _quick_encoder()


def json_bytes(value):
    """As JSON in UTF-8, without blanks. Raises TypeError or ValueError for what JSON cannot say."""
    if _quick is None:
        return _encoder.encode(value).encode()
    try:
        return "".join(_quick(value, 0)).encode()
    except RecursionError:
        return _encoder.encode(value).encode()  # has words for a value that contains itself
