"""A small load on a service that is about to be stopped.

    load.py HOST PORT PREFIX

Some requests wait in the service (GET /sleep) when it is told to stop; meanwhile others place orders, each under a key
that begins with PREFIX, until the service takes no more. Prints "under-way" once all of that has begun, and at the end
what came of it. Exit code 0 only if each waiting request was answered, and no answer was cut short. Each request has a
connection of its own: on one that is kept, a client cannot know whether its next request is still taken.
"""

import http.client
import json
import sys
import threading
import time

WAITING = 20
WAIT_MS = 3000
PLACING = 4
ORDER = {"contract": 1, "side": "buy", "price_bp": 1500, "quantity": 1}


def main(host, port, prefix):
    waited, placed, cut, refused = [], [], [], []

    def connection():
        return http.client.HTTPConnection(host, int(port), timeout=20)

    def wait():
        waiting = connection()
        waiting.request("GET", f"/sleep?ms={WAIT_MS}")
        begun.wait()
        try:
            answer = waiting.getresponse()
            waited.append((answer.status, answer.read()))
        except (OSError, http.client.HTTPException) as error:
            cut.append(repr(error))

    def place(client):
        number = 0
        while not refused:
            number += 1
            placing = connection()
            try:
                placing.connect()
            except OSError:
                refused.append(client)
                return
            headers = {"Idempotency-Key": f"{prefix}-{client}-{number}", "Content-Type": "application/json"}
            try:
                placing.request("POST", "/markets/1/orders", json.dumps(ORDER), headers)
                answer = placing.getresponse()
            except (OSError, http.client.HTTPException):
                # The connection was made by the system and never taken by the service. If it was taken after all,
                # then there is an order that nobody was told of; whoever called this counts those.
                refused.append(client)
                return
            try:
                body = answer.read()
            except (OSError, http.client.HTTPException) as error:
                cut.append(repr(error))
                return
            if answer.status != 201:
                cut.append(f"{answer.status} {body!r}")
                return
            placed.append(json.loads(body)["id"])
            if len(placed) == PLACING * 5:
                enough.set()

    enough = threading.Event()
    begun = threading.Barrier(WAITING + 1)
    threads = [threading.Thread(target=wait) for _ in range(WAITING)]
    threads += [threading.Thread(target=place, args=(client,)) for client in range(PLACING)]
    for thread in threads:
        thread.start()
    begun.wait(timeout=10)
    if not enough.wait(timeout=10):
        sys.exit(f"no orders are taken: {cut}")
    time.sleep(0.2)  # what was sent has to arrive before "stop" does, which goes another way
    print("under-way")
    for thread in threads:
        thread.join()
    answered = waited.count((200, b"slept"))
    print(f"waiting requests answered: {answered} of {WAITING}")
    print(f"orders acknowledged: {len(placed)}")
    for what in cut:
        print("cut:", what)
    sys.exit(bool(cut) or answered != WAITING)


main(*sys.argv[1:])
