import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { SlixmppPerson } from "../servers/people/slixmpp.ts";
import { startProsody } from "../servers/xmpp/prosody.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

const ROOM = "square@conference.localhost";
const PASSWORD = "open-sesame";
const GATEWAY = "g";

/** The program between an account of the API and a room; `again` stops it and starts it with the same data. */
async function started(port: number): Promise<{ rialto: () => Rialto; again: () => Promise<void> }> {
  const config = `
[xmpp.net]
Server = "127.0.0.1:${port}"
JID = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
RemoteNickFormat = "<{NICK}> "
[api.local]
FullEvents = true
[[gateway]]
name = "${GATEWAY}"
enable = true
[[gateway.inout]]
account = "xmpp.net"
channel = "square"
[[gateway.inout]]
account = "api.local"
channel = "api"
`;
  let rialto = await startRialto({ config });
  onTestFinished(async () => await rialto.dispose());
  onTestFailed(() => console.error(rialto.output().slice(-4_000)));
  return {
    rialto: () => rialto,
    again: async () => {
      await rialto.stop();
      const { dataPath } = rialto;
      rialto = await startRialto({ config, dataPath });
      onTestFinished(async () => await rialto.dispose());
    },
  };
}

needs(["prosody", "python3-slixmpp", "openssl"], () => {
  test("a deletion takes the words out of the answers that quote them, after a restart too", async () => {
    const server = await startProsody();
    onTestFinished(async () => await server.stop());
    for (const user of ["rialto", "amy"]) await server.register(user, PASSWORD);
    const amy = await SlixmppPerson.connect({
      port: server.port,
      jid: "amy@localhost",
      password: PASSWORD,
      nick: "amy",
    });
    onTestFinished(async () => await amy.quit());
    await amy.join(ROOM);
    const { rialto, again } = await started(server.port);
    const say = async (text: string, more: object = {}): Promise<string> =>
      (
        await rialto()
          .client("local")
          .say({ gateway: GATEWAY, username: "anna", userid: "anna", text, ...more })
      ).id;
    const bodies = (): readonly string[] =>
      amy
        .messages(ROOM)
        .flatMap(({ body, replaces }) => (body === null ? [] : [`${replaces === null ? "" : "* "}${body}`]));
    const shows = async (body: string): Promise<void> =>
      await amy.until(() => bodies().includes(body), `${body}; it shows ${JSON.stringify(bodies())}`);

    await amy.until((seen) => seen.some((one) => one.kind === "presence" && one.nick === "rialto"), "Rialto to join");
    const stream = await rialto().client("local").stream();
    const ours = await say("my password is hunter2");
    await shows("<anna> my password is hunter2");
    await say("oops", { parent_id: ours });
    await shows("> anna: my password is hunter2\n<anna> oops");
    const hers = await amy.shown(ROOM, amy.say(ROOM, "my number is 4711"));
    let told = await stream.next();
    while (told.text !== "my number is 4711") told = await stream.next();
    await say("really?", { parent_id: told.id });
    await shows("> amy: my number is 4711\n<anna> really?");

    await again();
    await say("", { id: ours, event: "msg_delete" });
    await shows("* > anna:\n<anna> oops");
    amy.say(ROOM, null, [["urn:xmpp:message-retract:1", "retract", { id: hers.sid ?? "" }, []]]);
    await shows("* > amy:\n<anna> really?");
    const replaced = new Set(amy.messages(ROOM).map(({ replaces }) => replaces));
    const corrected = amy.messages(ROOM).filter(({ id }) => id !== null && replaced.has(id));
    expect(corrected.map(({ body }) => body?.split("> ").at(-1))).toEqual(["oops", "really?"]);
  });
});
