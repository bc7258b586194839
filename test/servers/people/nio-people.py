"""People on a Matrix homeserver, on matrix-nio: takes commands as JSON lines ({"n", "who", "do", ...}), answers each, and prints the events they see."""
import asyncio
import io
import json
import sys

import nio

PEOPLE = {}


def tell(**fields):
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def checked(response):
    if isinstance(response, nio.ErrorResponse):
        raise RuntimeError(str(response))
    return response


class Person:
    def __init__(self, server, name):
        self.name = name
        self.client = nio.AsyncClient(server, name, config=nio.AsyncClientConfig(max_limit_exceeded=20, max_timeouts=3))
        self.syncing = None

    async def start(self, password, deaf=False, **_):
        checked(await self.client.register(self.name, password))
        if deaf:
            return self.client.user_id
        checked(await self.client.sync(timeout=0, full_state=True))
        self.client.add_event_callback(self.heard, nio.Event)
        self.client.add_ephemeral_callback(self.typing, nio.TypingNoticeEvent)
        self.syncing = asyncio.ensure_future(self.listen())
        return self.client.user_id

    async def listen(self):
        # It gives up where the server of a busy machine is slow; what came meanwhile comes with the next sync.
        while True:
            try:
                await self.client.sync_forever(timeout=10000)
            except Exception as error:
                print(f"{self.name} listens anew after {error!r}", file=sys.stderr, flush=True)
                await asyncio.sleep(1)

    async def heard(self, room, event):
        tell(who=self.name, room=room.room_id, by=room.user_name(event.sender), event=event.source)

    async def typing(self, room, event):
        tell(who=self.name, room=room.room_id, by="", event={"type": "m.typing", "content": {"user_ids": event.users}})

    async def create(self, alias, private=False, encrypted=False, version=None, **_):
        preset = nio.RoomPreset.private_chat if private else nio.RoomPreset.public_chat
        state = [{"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}]
        made = await self.client.room_create(alias=alias, preset=preset, room_version=version, initial_state=state if encrypted else [])
        return checked(made).room_id

    async def join(self, room, **_):
        return checked(await self.client.join(room)).room_id

    async def leave(self, room, reason="", **_):
        # nio's own method has no reason.
        path = f"/_matrix/client/v3/rooms/{room}/leave"
        return await self.raw("POST", path, {"reason": reason})

    async def send(self, room, type, content, **_):
        return checked(await self.client.room_send(room, type, content)).event_id

    async def state(self, room, type, content, key="", **_):
        return checked(await self.client.room_put_state(room, type, content, key)).event_id

    async def redact(self, room, event, **_):
        return checked(await self.client.room_redact(room, event)).event_id

    async def kick(self, room, user, reason, **_):
        checked(await self.client.room_kick(room, user, reason))

    async def ban(self, room, user, reason, **_):
        checked(await self.client.room_ban(room, user, reason))

    async def invite(self, room, user, **_):
        checked(await self.client.room_invite(room, user))

    async def rename(self, name, **_):
        checked(await self.client.set_displayname(name))

    async def upload(self, content, mime, file, **_):
        data = bytes.fromhex(content)
        made, _ = await self.client.upload(io.BytesIO(data), content_type=mime, filename=file, filesize=len(data))
        return checked(made).content_uri

    async def download(self, mxc, **_):
        server, media = mxc.removeprefix("mxc://").split("/")
        path = f"/_matrix/client/v1/media/download/{server}/{media}"
        headers = {"Authorization": f"Bearer {self.client.access_token}"}
        async with self.client.client_session.get(self.client.homeserver + path, headers=headers) as response:
            return (await response.read()).hex()

    async def upgrade(self, room, version, **_):
        return (await self.raw("POST", f"/_matrix/client/v3/rooms/{room}/upgrade", {"new_version": version}))["replacement_room"]

    async def raw(self, method, path, body, **_):
        headers = {"Authorization": f"Bearer {self.client.access_token}"}
        async with self.client.client_session.request(method, self.client.homeserver + path, json=body, headers=headers) as response:
            answer = await response.json()
            if response.status >= 300:
                raise RuntimeError(json.dumps(answer))
            return answer

    async def quit(self, **_):
        if self.syncing is not None:
            self.syncing.cancel()
        await self.client.close()


async def obey(server, command):
    n, who, do = command.pop("n"), command.pop("who"), command.pop("do")
    try:
        person = PEOPLE.setdefault(who, Person(server, who))
        tell(n=n, ok=True, result=await getattr(person, do)(**command))
        if do == "quit":
            del PEOPLE[who]
    except Exception as error:  # whatever it was, the test is to read it
        tell(n=n, ok=False, result=f"{type(error).__name__}: {error}")


async def main():
    reader = asyncio.StreamReader(limit=1 << 26)
    await asyncio.get_event_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    waiting = {}
    while line := await reader.readline():
        command = json.loads(line)
        # What one person does happens in its order.
        before = waiting.get(command["who"])
        task = asyncio.ensure_future(after(before, obey(sys.argv[1], command)))
        waiting[command["who"]] = task


async def after(before, task):
    if before is not None:
        await before
    await task


asyncio.run(main())
