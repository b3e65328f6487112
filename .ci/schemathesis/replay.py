"""Sends the requests of a cassette to another server, one after another, and compares the answers.

    replay.py CASSETTE PORT

The other server stands on a copy of the database that the first one had, so the ids of new orders are the same too.
Compared are status, reason, every header and the body, byte for byte, but for:

    the request's id       made at random where the client sent none; it is compared with the body's, which must be it
    date, created_at       the time; its fraction has no trailing zeros, so content-length may differ with it
    the body of /metrics   figures of a process: threads here, tasks there
"""

import base64
import http.client
import re
import sys
from collections import Counter
from urllib.parse import urlsplit

import yaml

CREATED_AT = re.compile(rb'"created_at":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"')
SHOWN = 10


def main(cassette, port):
    with open(cassette, encoding="utf-8") as file:
        interactions = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["http_interactions"]
    statuses, different = Counter(), 0
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=15)
    for interaction in interactions:
        request, first = interaction["request"], recorded(interaction["response"])
        second = send(connection, request)
        statuses[first["status"]] += 1
        if first != second:
            different += 1
            if different <= SHOWN:
                show(request, first, second)
    print(f"      {len(interactions)} requests:", ", ".join(f"{n} × {s}" for s, n in sorted(statuses.items())))
    # Without these, little would be proved.
    missing = {200, 201, 204, 400, 404, 405, 415, 422} - statuses.keys()
    if missing:
        sys.exit(f"no request was answered with {missing}")
    if different:
        sys.exit(f"{different} answers differ")


def recorded(response):
    body = response.get("body") or {}
    headers = [(name.lower(), value) for name, values in response["headers"].items() for value in values]
    status = response["status"]
    return comparable(int(status["code"]), status["message"], headers, base64.b64decode(body.get("base64_string", "")))


def send(connection, request):
    """As it was: the target is not normalized, and no header is added or left out."""
    target = urlsplit(request["uri"])
    connection.putrequest(
        request["method"],
        target.path + (f"?{target.query}" if target.query else ""),
        skip_host="Host" in request["headers"],
        skip_accept_encoding=True,
    )
    for name, values in request["headers"].items():
        for value in values:
            connection.putheader(name, value.encode("latin-1"))
    body = (request.get("body") or {}).get("base64_string", "")
    connection.endheaders(base64.b64decode(body))
    answer = connection.getresponse()
    headers = [(name.lower(), value) for name, value in answer.getheaders()]
    return comparable(answer.status, answer.reason, headers, answer.read())


def comparable(status, reason, headers, body):
    fields = dict(headers)
    id = fields.pop("x-request-id", None)
    fields.pop("date", None)
    if fields.get("content-type", "").startswith("text/plain; version="):
        body = b""
        fields.pop("content-length", None)
    if id:
        body = body.replace(f'"request_id":"{id}"'.encode(), b'"request_id":ID')
    body, times = CREATED_AT.subn(b'"created_at":TIME', body)
    if times:
        fields.pop("content-length", None)
    return {"status": status, "reason": reason, "headers": fields, "body": body}


def show(request, first, second):
    body = base64.b64decode((request.get("body") or {}).get("base64_string", ""))
    print(f"{request['method']} {request['uri']} {request['headers']} {body!r}", file=sys.stderr)
    for key in first:
        if first[key] != second[key]:
            print(f"    {key}: {first[key]!r}\n    {' ' * len(key)}  {second[key]!r}", file=sys.stderr)


main(*sys.argv[1:])
