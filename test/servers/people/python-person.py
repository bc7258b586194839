"""A person on an IRC server, on python3-irc: sends the lines that come in (each a JSON string), prints what it hears as JSON objects."""
import json
import os
import select
import sys

import irc.client


def nick_of(source):
    return str(source or "").split("!")[0]


def tell(kind, channel="", nick="", text=""):
    fields = {"kind": kind, "channel": channel, "nick": nick, "text": text}
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def first(event):
    return event.arguments[0] if event.arguments else ""


def handlers():
    kinds = {"pubmsg": "message", "action": "action", "pubnotice": "notice", "part": "leave", "topic": "topic"}
    # What is said to this person alone is heard under the own nick.
    for name, kind in {**kinds, "privmsg": "message", "privnotice": "notice"}.items():
        yield name, lambda _, event, kind=kind: tell(kind, event.target, nick_of(event.source), first(event))
    yield "join", lambda _, event: tell("join", event.target, nick_of(event.source))
    # Whom it hit is the nick, by whom and why the text.
    yield "kick", lambda _, event: tell("leave", event.target, first(event), f"{nick_of(event.source)}: {event.arguments[-1]}")
    yield "quit", lambda _, event: tell("leave", "*", nick_of(event.source), first(event))
    yield "nick", lambda _, event: tell("nick", "*", nick_of(event.source), event.target)
    yield "all_raw_messages", lambda _, event: tell("raw", text=first(event))
    yield "disconnect", lambda *_: sys.exit("disconnected")


def main():
    port, nick, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    client = irc.client.IRC()
    for name, handler in handlers():
        client.add_global_handler(name, handler)
    connection = client.server()
    connection.buffer_class.errors = "replace"
    connection.connect("127.0.0.1", port, nick, password=password or None)
    rest = b""
    while True:
        ready, _, _ = select.select([sys.stdin.fileno(), connection.socket], [], [])
        if connection.socket in ready:
            client.process_data([connection.socket])
        if sys.stdin.fileno() in ready:
            part = os.read(sys.stdin.fileno(), 65536)
            if not part:
                break
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                connection.send_raw(json.loads(line))


main()
