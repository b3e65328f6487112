"""What the part `sentry` says to Bugsink and to a service, and what it expects to find afterwards.

    bugsink.py project SERVICE           makes a project; prints its id and its DSN
    bugsink.py fail SERVICE PORT PROJECT fails in every way, also many at once, and waits for the events
    bugsink.py verify SERVICE PROJECT    compares all events of the project with what was sent

Environment: BUGSINK_URL, BUGSINK_TOKEN; SECRET, what no event may contain. Standard library only.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

BURST = 150  # at once, from so many clients:
CLIENTS = 30
ARRIVE_WITHIN = 120  # seconds

SECRET = os.environ["SECRET"]
# The way of failing: the answer's status, the kind of exception, its text.
KINDS = {
    "error": (500, "asked to fail"),
    "panic": (500, "asked to panic"),
    "background": (202, "asked to fail in the background"),
}


def expected(service):
    """The id of every request that fails, and how."""
    ids = {f"ci-{service}-{kind}": kind for kind in KINDS}
    kinds = list(KINDS)
    ids |= {f"ci-{service}-burst-{n}": kinds[n % len(kinds)] for n in range(BURST)}
    return ids


# ---- The service


def fail(service, port):
    """Each way by itself, then many at once; in between, what is no failure of the service."""
    requests = list(expected(service).items())
    alone, burst = requests[: len(KINDS)], requests[len(KINDS) :]
    wrong = [post(port, request) for request in alone]
    for path, status in (("/fail?kind=nonsense", 422), ("/nowhere", 404)):
        wrong.append(send(port, path, f"ci-{service}-no-event", status))
    with ThreadPoolExecutor(CLIENTS) as clients:
        wrong += clients.map(lambda request: post(port, request), burst)
    return [line for line in wrong if line]


def post(port, request):
    id, kind = request
    return send(port, f"/fail?kind={kind}", id, KINDS[kind][0])


def send(port, path, id, status):
    """One request full of secrets; returns what is wrong with the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {
        "X-Request-Id": id,
        "Authorization": f"Bearer {SECRET}",
        "Proxy-Authorization": f"Basic {SECRET}",
        "Cookie": f"session={SECRET}",
        "X-Api-Key": SECRET,
        "X-Forwarded-For": SECRET,
        "Referer": f"http://example.test/?token={SECRET}",
        "Content-Type": "application/json",
    }
    connection.request("POST", path, json.dumps({"password": SECRET}), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != status or answer.headers["X-Request-Id"] != id:
        return f"POST {path}: {answer.status} for {answer.headers['X-Request-Id']}, not {status} for {id}"
    return None


# ---- Bugsink


def api(path, body=None):
    url = path if "://" in path else f"{os.environ['BUGSINK_URL']}/api/canonical/0{path}"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {os.environ['BUGSINK_TOKEN']}"})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"Bugsink answered {error.code} to {request.method} {url}: {error.read()[:500]}")


def pages(path):
    """Every row of a listing."""
    while path:
        page = api(path)
        yield from page["results"]
        path = page["next"]


def make_project(service):
    teams = list(pages("/teams/"))
    team = teams[0] if teams else api("/teams/", {"name": "ci"})
    project = api("/projects/", {"team": team["id"], "name": service})["id"]
    return project, api(f"/projects/{project}/")["dsn"]


def event_ids(project):
    for issue in pages(f"/issues/?project={project}"):
        for event in pages(f"/events/?issue={issue['id']}"):
            yield event["id"]


def wait_for_events(project, count):
    deadline = time.monotonic() + ARRIVE_WITHIN
    while (found := len(list(event_ids(project)))) < count and time.monotonic() < deadline:
        time.sleep(1)
    return [] if found == count else [f"{found} events after {ARRIVE_WITHIN} s, not {count}"]


# ---- What an event should be


def verify(service, project):
    events = [api(f"/events/{id}/")["data"] for id in event_ids(project)]
    wanted = expected(service) | {f"ci-{service}-last": "error"}
    found = Counter(id_of(event) for event in events)
    wrong = [f"{id}: {found[id]} events, not 1" for id in wanted if found[id] != 1]
    wrong += [f"{id}: an event that was not expected" for id in found if id not in wanted]
    faulty = defaultdict(list)
    for event in events:
        for what in faults(event, service, wanted.get(id_of(event))):
            faulty[what].append(event)
    for what, of in faulty.items():
        wrong.append(f"{what}: {len(of)} events, for example {id_of(of[0])}:\n{summary(of[0])}")
    frames = [len(frames_of(event)) for event in events]
    if not wrong:
        print(f"      {len(events)} events, {sum(frames) // len(frames)} stack frames each")
    return wrong


def id_of(event):
    return event.get("tags", {}).get("request_id")


def exception_of(event):
    """The last one is the one that happened."""
    return (event.get("exception", {}).get("values") or [{}])[-1]


def frames_of(event):
    return exception_of(event).get("stacktrace", {}).get("frames", [])


def faults(event, service, kind):
    frames = frames_of(event)
    request = event.get("request", {})
    for what, holds in {
        "the transaction is not the route": event.get("transaction") == "POST /fail",
        "the tag service is not the service": event.get("tags", {}).get("service") == service,
        "the method is wrong": request.get("method") == "POST",
        "the query is another request's": request.get("query_string") == f"kind={kind}",
        "the headers are another request's": request.get("headers", {}).get("x-request-id") == id_of(event),
        "the text is another failure's": kind and exception_of(event).get("value") == KINDS[kind][1],
        "there is no stack trace": frames,
        "no frame is in the handler": any(is_in_handler(frame, service) for frame in frames),
        "a frame has a place for its name": not any(name_of(frame).startswith("at ") for frame in frames),
        "a frame of a library counts as ours": not any(frame.get("in_app") for frame in frames if is_foreign(frame)),
        "a frame of ours has no line": all(frame.get("lineno") for frame in frames if is_ours(frame)),
        "there are cookies or a body": request.keys().isdisjoint({"cookies", "data"}),
        "there is a secret": SECRET not in json.dumps(event),
    }.items():
        if not holds:
            yield what


def path_of(frame):
    return frame.get("abs_path") or frame.get("filename") or ""


def is_in_handler(frame, service):
    return frame.get("in_app") and f"services/{service}/src/routes/experiments.rs" in path_of(frame)


def is_ours(frame):
    return any(folder in path_of(frame) for folder in ("services/", "shared/src/"))


def is_foreign(frame):
    return any(folder in path_of(frame) + name_of(frame) for folder in ("/rustc/", "/registry/src/"))


def name_of(frame):
    return frame.get("function") or ""


def summary(event):
    lines = [f"  {event.get('transaction')} {event.get('tags')} {exception_of(event).get('value')!r}"]
    for frame in frames_of(event):
        where = f"{path_of(frame)}:{frame.get('lineno')}"
        lines.append(f"  {'*' if frame.get('in_app') else ' '} {frame.get('module')} {frame.get('function')} {where}")
    return "\n".join(lines)


def main(command, service, *rest):
    if command == "project":
        print(*make_project(service))
        return
    if command == "fail":
        port, project = rest
        wrong = fail(service, int(port)) or wait_for_events(project, len(expected(service)))
    else:
        wrong = verify(service, rest[0])
    sys.exit("\n".join(wrong[:20]) if wrong else None)


main(*sys.argv[1:])
