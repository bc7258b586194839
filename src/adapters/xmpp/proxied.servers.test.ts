import { afterAll, beforeAll, onTestFinished } from "vitest";
import { describeProxied } from "../../../test/contract/proxied.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { needs } from "../../../test/servers/installed.ts";
import { SlixmppPerson } from "../../../test/servers/people/slixmpp.ts";
import { startProsody } from "../../../test/servers/xmpp/prosody.ts";
import type { XmppServer } from "../../../test/servers/xmpp/server.ts";
import { open } from "./session.ts";
import { xmppSettings } from "./settings.suite.ts";

const PASSWORD = "open-sesame";
let server: XmppServer;
let count = 0;

needs(["prosody", "python3-slixmpp"], () => {
  beforeAll(async () => {
    server = await startProsody();
    // By connections of the test's own, which a test would see.
    for (const name of ["alice1", "bot1", "alice2", "bot2"]) await server.register(name, PASSWORD);
  });
  afterAll(async () => await server.stop());

  // The stream, and the upload of a file.
  describeProxied(2, async (Proxy) => {
    count += 1;
    const [user, bot, room] = [`alice${count}`, `bot${count}`, `room${count}`];
    const client = { port: server.port, jid: `${user}@localhost`, password: PASSWORD, nick: user };
    const person = await SlixmppPerson.connect(client);
    onTestFinished(async () => await person.quit());
    const channel = `${room}@conference.localhost`;
    await person.join(channel);
    const login = { Jid: `${bot}@localhost`, Password: PASSWORD, Muc: "conference.localhost", Nick: bot };
    const settings = xmppSettings({ Server: `127.0.0.1:${server.port}`, ...login, NoStartTLS: true, Proxy });
    const host = new RecordingHost();
    const { signal } = new AbortController();
    const opened = await open({ settings, host, since: null, signal });
    if (!opened.ok) throw new Error(opened.ended.why.message);
    const { session } = opened;
    onTestFinished(async () => await session.close(AbortSignal.timeout(1_000)));
    const joined = await session.join({ name: room, options: {} }, signal);
    if (!joined.ok) throw new Error(joined.why.message);
    return { host, session, channel: joined.ref, say: (text) => person.say(channel, text) };
  });
});
