#!/usr/bin/env python3
"""Answers "!echo words" with the words. Python 3.8 or newer, nothing to install:
RIALTO_URL=http://127.0.0.1:4242 RIALTO_TOKEN=… python3 bot.py"""
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("RIALTO_URL", "http://127.0.0.1:4242").rstrip("/")
TOKEN = os.environ.get("RIALTO_TOKEN", "")


def ask(method, path, body, key=None):
    """The answer's JSON. What fails for a reason that passes is repeated; all else ends the program."""
    headers = {"Content-Type": "application/json"}
    if TOKEN:
        headers["Authorization"] = "Bearer " + TOKEN
    if key:
        headers["Idempotency-Key"] = key
    while True:
        request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            problem = error.read().decode()
            if error.code not in (408, 429) and error.code < 500:
                sys.exit(problem)
        except OSError as error:
            problem = error
        print(problem, "- trying again", file=sys.stderr)
        time.sleep(2)


# The consumer keeps its place on the server: what is said while this program is not there waits for it.
ask("PUT", "/v1/consumers/echo-py", {"filter": {"types": ["message.posted"]}})
restart = True  # What an earlier run was handed and did not finish comes first.
while True:
    pulled = ask("POST", "/v1/consumers/echo-py/pull", {"wait": "30s", "restart": restart})
    restart = False
    for each in pulled["events"]:
        event = each["event"]
        text = event["message"]["text"]
        if text.startswith("!echo "):
            words = {"text": text[len("!echo "):], "author": {"name": "echo"}, "reply_to": event["message"]["id"]}
            # With a key of its own, the answer is given once even when the event comes twice.
            ask("POST", "/v1/gateways/%s/messages" % event["gateways"][0], words, key="echo-py-" + event["seq"])
        # Without this, the event comes again.
        ask("POST", "/v1/consumers/echo-py/ack", {"ack": [event["seq"]]})
