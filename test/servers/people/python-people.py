"""People on IRC servers, on python3-irc. Each line that comes in is JSON: {"who", "connect": [port, nick, password]}, {"who", "line"} or {"who", "quit"}. Prints what they hear as JSON objects, each with "who"; the last one of a person is an "end"."""
import json
import os
import select
import sys

import irc.client

CLIENT = irc.client.IRC()
PEOPLE = {}


def nick_of(source):
    return str(source or "").split("!")[0]


def tell(connection, kind, channel="", nick="", text=""):
    fields = {"who": connection.who, "kind": kind, "channel": channel, "nick": nick, "text": text}
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def end(connection, why):
    if PEOPLE.pop(connection.who, None) is not None:
        tell(connection, "end", text=str(why))


def first(event):
    return event.arguments[0] if event.arguments else ""


def handlers():
    kinds = {"pubmsg": "message", "action": "action", "pubnotice": "notice", "part": "leave", "topic": "topic"}
    # What is said to this person alone is heard under the own nick.
    for name, kind in {**kinds, "privmsg": "message", "privnotice": "notice"}.items():
        yield name, lambda of, event, kind=kind: tell(of, kind, event.target, nick_of(event.source), first(event))
    yield "join", lambda of, event: tell(of, "join", event.target, nick_of(event.source))
    # Whom it hit is the nick, by whom and why the text.
    yield "kick", lambda of, event: tell(of, "leave", event.target, first(event), f"{nick_of(event.source)}: {event.arguments[-1]}")
    yield "quit", lambda of, event: tell(of, "leave", "*", nick_of(event.source), first(event))
    yield "nick", lambda of, event: tell(of, "nick", "*", nick_of(event.source), event.target)
    yield "all_raw_messages", lambda of, event: tell(of, "raw", text=first(event))
    yield "disconnect", lambda of, event: end(of, f"disconnected: {first(event)}")


def obey(who, connect=None, line=None, quit=False):
    if connect is not None:
        port, nick, password = connect
        PEOPLE[who] = connection = CLIENT.server()
        connection.who = who
        connection.buffer_class.errors = "replace"
    elif who not in PEOPLE:
        return  # has ended meanwhile, which was told
    connection = PEOPLE[who]
    try:
        if connect is not None:
            connection.connect("127.0.0.1", port, nick, password=password or None)
        elif quit:
            # Without a word, as a client that is killed.
            connection.socket.close()
            CLIENT.connections.remove(connection)
            end(connection, "has quit")
        else:
            connection.send_raw(line)
    except (irc.client.IRCError, OSError) as error:
        end(connection, repr(error))


def main():
    for name, handler in handlers():
        CLIENT.add_global_handler(name, handler)
    rest = b""
    while True:
        sockets = [connection.socket for connection in PEOPLE.values()]
        ready, _, _ = select.select([sys.stdin.fileno(), *sockets], [], [])
        CLIENT.process_data([socket for socket in sockets if socket in ready])
        if sys.stdin.fileno() in ready:
            part = os.read(sys.stdin.fileno(), 65536)
            if not part:
                break
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                obey(**json.loads(line))


main()
