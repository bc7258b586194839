"""A person on an XMPP server, on slixmpp: does what JSON lines on its standard input say, prints what it sees as JSON lines."""
import asyncio
import base64
import json
import sys
import urllib.request

import slixmpp
from slixmpp.xmlstream import ET

MUC_USER = "{http://jabber.org/protocol/muc#user}"
PLUGINS = ("0030", "0045", "0054", "0059", "0066", "0077", "0084", "0153", "0199", "0308", "0363", "0421", "0424", "0425", "0444", "0461")


def tell(**fields):
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def first(element, path):
    found = element.find(path)
    return None if found is None else found


def attribute(element, path, name):
    found = element.find(path)
    return None if found is None else found.get(name)


def text(element, path):
    found = element.find(path)
    return None if found is None else (found.text or "")


def described(message):
    """What the message says, by the elements of its extensions."""
    xml = message.xml
    room = message["from"].bare
    ids = [one.get("id") for one in xml.findall("{urn:xmpp:sid:0}stanza-id") if one.get("by") == room]
    fallbacks = [
        [body.get("start"), body.get("end")]
        for one in xml.findall("{urn:xmpp:fallback:0}fallback")
        if one.get("for") == "urn:xmpp:reply:0"
        for body in one.findall("{urn:xmpp:fallback:0}body")
    ]
    reactions = xml.find("{urn:xmpp:reactions:0}reactions")
    moderated = xml.find("{urn:xmpp:fasten:0}apply-to/{urn:xmpp:message-moderate:0}moderated")
    return {
        "room": room,
        "nick": message["from"].resource,
        "id": xml.get("id"),
        "sid": ids[0] if ids else None,
        "body": text(xml, "{jabber:client}body"),
        "subject": text(xml, "{jabber:client}subject"),
        "late": xml.find("{urn:xmpp:delay}delay") is not None,
        "replaces": attribute(xml, "{urn:xmpp:message-correct:0}replace", "id"),
        "reply": attribute(xml, "{urn:xmpp:reply:0}reply", "id"),
        "quote": fallbacks[0] if fallbacks else None,
        "retracts": attribute(xml, "{urn:xmpp:message-retract:1}retract", "id"),
        "moderates": None if moderated is None else attribute(xml, "{urn:xmpp:fasten:0}apply-to", "id"),
        "reacts": None if reactions is None else reactions.get("id"),
        "emojis": [] if reactions is None else [one.text for one in reactions],
        "oob": text(xml, "{jabber:x:oob}x/{jabber:x:oob}url"),
        "state": next((one.tag.split("}")[1] for one in xml if one.tag.startswith("{http://jabber.org/protocol/chatstates}")), None),
        "unstyled": xml.find("{urn:xmpp:styling:0}unstyled") is not None,
    }


class Person(slixmpp.ClientXMPP):
    def __init__(self, jid, password):
        super().__init__(jid, password)
        for number in PLUGINS:
            self.register_plugin(f"xep_{number}")
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("failed_auth", lambda _: sys.exit("failed to log in"))
        self.add_event_handler("groupchat_message", lambda message: tell(kind="message", **described(message)))
        self.add_event_handler("groupchat_subject", lambda message: tell(kind="message", **described(message)))
        self.add_event_handler("groupchat_message_error", lambda message: tell(kind="error", condition=message["error"]["condition"]))
        # Without a body it is no groupchat_message to slixmpp.
        matcher = slixmpp.xmlstream.matcher.StanzaPath("message@type=groupchat")
        self.register_handler(slixmpp.xmlstream.handler.Callback("bodiless", matcher, self.bodiless))
        self.add_event_handler("groupchat_presence", self.presence)
        self.add_event_handler("presence_error", lambda presence: tell(kind="refused", room=presence["from"].bare, condition=presence["error"]["condition"]))

    async def begin(self, _):
        self.send_presence()
        tell(kind="online", jid=self.boundjid.full)

    def bodiless(self, message):
        if message.xml.find("{jabber:client}body") is None and message.xml.find("{jabber:client}subject") is None:
            tell(kind="message", **described(message))

    def presence(self, presence):
        item = presence.xml.find(f"{MUC_USER}x/{MUC_USER}item")
        codes = [one.get("code") for one in presence.xml.findall(f"{MUC_USER}x/{MUC_USER}status")]
        tell(
            kind="presence",
            room=presence["from"].bare,
            nick=presence["from"].resource,
            here=presence.xml.get("type") is None,
            codes=codes,
            rename=None if item is None else item.get("nick"),
        )

    async def do(self, command):
        muc = self["xep_0045"]
        what, room = command["do"], command.get("room")
        if what == "join":
            muc.join_muc(room, command["nick"], maxhistory="0", password=command.get("password", ""))
        elif what == "leave":
            muc.leave_muc(room, command["nick"], command["reason"])
        elif what == "say":
            self.say(command)
        elif what == "nick":
            self.send_presence(pto=f"{room}/{command['nick']}")
        elif what == "subject":
            self.send_message(mto=room, mbody=None, msubject=command["subject"], mtype="groupchat")
        elif what == "kick":
            await muc.set_role(room, command["nick"], "none", reason=command["reason"])
        elif what == "affiliate":
            await muc.set_affiliation(room, command["affiliation"], jid=command["jid"])
        elif what == "configure":
            form = self["xep_0004"].make_form(ftype="submit")
            form.add_field(var="FORM_TYPE", ftype="hidden", value="http://jabber.org/protocol/muc#roomconfig")
            for name, value in command["fields"].items():
                form.add_field(var=name, value=value)
            await muc.set_room_config(room, form)
        elif what == "moderate":
            await self["xep_0425"].moderate(slixmpp.JID(room), command["id"], reason=command["reason"])
        elif what == "picture":
            await self["xep_0153"].set_avatar(avatar=base64.b64decode(command["content"]), mtype="image/png")
        elif what == "upload":
            return await self.upload(command)
        elif what == "raw":
            self.send_raw(command["xml"])
        return None

    def say(self, command):
        message = self.make_message(mto=command["room"], mbody=command.get("body"), mtype="groupchat")
        message["id"] = command["id"]
        for namespace, name, attributes, children in command.get("extensions", []):
            element = ET.SubElement(message.xml, f"{{{namespace}}}{name}", attributes)
            for child_namespace, child, child_attributes, words in children:
                inner = ET.SubElement(element, f"{{{child_namespace}}}{child}", child_attributes)
                inner.text = words
        message.send()

    async def upload(self, command):
        content = base64.b64decode(command["content"])
        slots = self["xep_0363"]
        answer = await slots.request_slot(slixmpp.JID(command["service"]), command["name"], len(content), command["mime"])
        slot = answer["http_upload_slot"]
        headers = {header["name"]: header["value"] for header in slot["put"]["headers"]}
        request = urllib.request.Request(slot["put"]["url"], data=content, method="PUT", headers=headers)
        request.add_header("Content-Type", command["mime"])
        await asyncio.get_running_loop().run_in_executor(None, urllib.request.urlopen, request)
        return slot["get"]["url"]

    async def answer(self, command):
        try:
            result = await self.do(command)
            tell(kind="done", tag=command["tag"], result=result)
        except Exception as error:
            tell(kind="failed", tag=command["tag"], error=f"{type(error).__name__}: {error}")


async def listen(person):
    reader = asyncio.StreamReader(limit=1 << 28)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    pending = set()
    while line := await reader.readline():
        command = json.loads(line)
        # One after the other, but for what waits for an answer.
        if command["do"] in ("upload", "kick", "affiliate", "configure", "moderate", "picture"):
            task = asyncio.ensure_future(person.answer(command))
            pending.add(task)
            task.add_done_callback(pending.discard)
        else:
            await person.answer(command)
    person.disconnect()


def main():
    port, jid, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    person = Person(jid, password)
    person.add_event_handler("disconnected", lambda _: sys.exit("disconnected"))
    person.connect(("127.0.0.1", port), use_ssl=False, force_starttls=False, disable_starttls=True)
    # The loop itself holds tasks loosely.
    person.listening = asyncio.ensure_future(listen(person))
    person.process(forever=True)


main()
