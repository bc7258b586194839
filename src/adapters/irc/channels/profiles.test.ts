import { expect, test } from "vitest";
import { opening, session } from "../scripted-server.suite.ts";

/** Pictures and names that people give themselves (IRCv3 "Metadata"). */

const CAPS = "batch draft/metadata-2=maxsub=10";
const ALICE = ":alice!a@host";

/** What everybody sees of who says something after these lines: name and picture. */
async function shown(lines: readonly string[], settings: { readonly UseDisplayNames?: boolean } = {}) {
  const { peer, host } = await session({ caps: CAPS, channels: ["#a", "#b"], settings });
  peer.send(...lines, `${ALICE} PRIVMSG #a hi`, "PING end");
  await peer.until(/^PONG end/u);
  const [event] = host.posted;
  return [event?.author.name, event?.author.avatar?.url ?? null, event?.author.id];
}

const avatar = (value: string): string => `:irc.test METADATA alice avatar * :${value}`;

test.each<[string, readonly string[], string | null]>([
  ["a picture", [avatar("https://x.example/a.png")], "https://x.example/a.png"],
  ["a picture of any size", [avatar("https://x.example/{size}/a.png")], "https://x.example/256/a.png"],
  ["by another spelling", [":irc.test METADATA ALICE Avatar * :https://x.example/a.png"], "https://x.example/a.png"],
  ["in an answer", [":irc.test 761 rialto alice avatar * :https://x.example/a.png"], "https://x.example/a.png"],
  [
    "in a batch",
    [":irc.test BATCH +1 metadata #a", `@batch=1 ${avatar("https://x.example/a.png")}`, ":irc.test BATCH -1"],
    "https://x.example/a.png",
  ],
  ["another one", [avatar("https://x.example/a.png"), avatar("https://x.example/b.png")], "https://x.example/b.png"],
  ["none any more", [avatar("https://x.example/a.png"), ":irc.test METADATA alice avatar *"], null],
  ["none any more, as an answer", [avatar("https://x.example/a.png"), ":irc.test 766 rialto alice avatar :no"], null],
  ["not for all", [":irc.test METADATA alice avatar ops :https://x.example/a.png"], null],
  ["not encrypted", [avatar("http://x.example/a.png")], null],
  ["a program", [avatar("javascript:alert(1)")], null],
  ["with a password", [avatar("https://me:secret@x.example/a.png")], null],
  ["no address", [avatar("https://")], null],
  ["too long", [avatar(`https://x.example/${"a".repeat(1024)}`)], null],
  ["somebody else's", [":irc.test METADATA bob avatar * :https://x.example/a.png"], null],
  ["of a channel", [":irc.test METADATA #a avatar * :https://x.example/a.png"], null],
  ["another key", [":irc.test METADATA alice url * :https://x.example/a.png"], null],
  [
    "with a new nick",
    [":irc.test METADATA bob avatar * :https://x.example/a.png", ":bob!a@host NICK alice"],
    "https://x.example/a.png",
  ],
  ["after a quit", [avatar("https://x.example/a.png"), `${ALICE} QUIT`, `${ALICE} JOIN #a`], null],
  [
    "after the last channel",
    [`${ALICE} JOIN #a`, avatar("https://x.example/a.png"), `${ALICE} PART #a`, `${ALICE} JOIN #a`],
    null,
  ],
  [
    "after one of two channels",
    [`${ALICE} JOIN #a`, `${ALICE} JOIN #b`, avatar("https://x.example/a.png"), `:op!o@h KICK #b alice`],
    "https://x.example/a.png",
  ],
])("the picture: %s", async (_, lines, url) => {
  expect(await shown(lines)).toEqual(["alice", url, "a@host"]);
});

test.each([
  ["Alice Liddell", "Alice Liddell (alice)"],
  ["ALICE", "alice"],
  ["  \x02Alice\x02\t Liddell ", "Alice Liddell (alice)"],
  ["op (bob)", "op bob (alice)"],
  ["\u202eecila\u202c", "ecila (alice)"],
  ["\u200b", "alice"],
  ["x".repeat(100), `${"x".repeat(64)} (alice)`],
])("with UseDisplayNames the name %j stands before the nick: %j", async (name, expected) => {
  const lines = [`:irc.test METADATA alice display-name * :${name}`];
  expect(await shown(lines, { UseDisplayNames: true })).toEqual([expected, null, "a@host"]);
  expect(await shown(lines)).toEqual(["alice", null, "a@host"]);
});

test.each([
  ["batch draft/metadata-2", "batch draft/metadata-2", true],
  ["batch draft/metadata-3=x draft/metadata-2", "batch draft/metadata-3", true],
  ["batch", "batch", false],
])("of %j Rialto asks for %j, and then for pictures and names", async (caps, requested, isAsked) => {
  const { peer, opened } = await opening();
  await peer.until(/^USER /u);
  peer.send(`:irc.test CAP * LS :${caps}`);
  const request = (await peer.until(/^CAP REQ/u)).replace(/^CAP REQ :?/u, "");
  expect(request).toBe(requested);
  peer.send(`:irc.test CAP * ACK :${request}`);
  await peer.until(/^CAP END/u);
  peer.send(":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  expect((await opened).ok).toBe(true);
  peer.send("PING end");
  const lines: string[] = [];
  while (lines.at(-1) !== "PONG end") lines.push(await peer.next());
  expect(lines.includes("METADATA * SUB avatar display-name")).toBe(isAsked);
});

test("what the server has no time for now is asked for when it says", async () => {
  const { peer, clock } = await session({ caps: CAPS, channels: ["#a"] });
  const later = async (line: string): Promise<void> => {
    peer.send(line, "PING end");
    await peer.until(/^PONG end/u);
  };
  await later(":irc.test 774 rialto #a 4");
  await clock.advance(3999);
  expect(peer.waiting).toEqual([]);
  await clock.advance(1);
  expect(await peer.next()).toBe("METADATA #a SYNC");
  await later(":irc.test 774 rialto #a");
  await clock.advance(30_000);
  expect(await peer.next()).toBe("METADATA #a SYNC");
});
