import { expect, test } from "vitest";
import type { OpAuthor } from "../../../contract/ops.ts";
import { plainBody } from "../../../../test/contract/texts.ts";
import type { Peer } from "../scripted-server.suite.ts";
import { post, session } from "../scripted-server.suite.ts";

const TAGS = "message-tags echo-message labeled-response batch";
const RELAY = `${TAGS} draft/relaymsg=/`;
const WANTED = { UseRelayMsg: true };

const labelOf = (line: string): string => /^@(?:[^ ]*;)?label=(?<label>[^; ]+)/u.exec(line)?.groups?.["label"] ?? "";

function author(shown: string, name: string): OpAuthor {
  return { id: "a@elsewhere", name, shown, avatar: null, account: "xmpp" };
}

/** The next line that is no PING; those are answered. */
async function said(peer: Peer): Promise<string> {
  for (;;) {
    const line = await peer.next();
    if (!line.startsWith("PING ")) return line;
    peer.pong(line);
  }
}

test("letters beyond ASCII are tried once; a server that refuses them gets the fallback for all such names", async () => {
  const { peer, session: live } = await session({
    caps: RELAY,
    isupport: "NICKLEN=30",
    channels: ["#a"],
    settings: WANTED,
  });
  const write = (name: string) => post(live, "hi", { author: author(`${name}/api`, name) });
  const next = async (): Promise<string> => (await said(peer)).replace(/^@\S+ /u, "");
  const refused = write("Jürgen");
  const line = await said(peer);
  expect(line).toMatch(/ RELAYMSG #a Jürgen\/api hi$/u);
  peer.send(`@label=${labelOf(line)} :irc.test FAIL RELAYMSG INVALID_NICK #a :No`);
  expect(await refused.outcome).toMatchObject({ is: "deferred" });
  for (const name of ["Jürgen", "日本", "Зоя"]) {
    write(name);
    expect(await next()).toBe(`RELAYMSG #a unknown/x :${name}/api: hi`);
  }
  write("bob");
  expect(await next()).toBe("RELAYMSG #a bob/api hi");
});

test.each(["UTF8MAPPING=rfc8265", "CASEMAPPING=precis"])(
  "%s says that letters beyond ASCII are taken: one refusal is of one name",
  async (isupport) => {
    const { peer, session: live } = await session({
      caps: RELAY,
      isupport: `NICKLEN=30 ${isupport}`,
      channels: ["#a"],
      settings: WANTED,
    });
    const { outcome } = post(live, "hi", { author: author("Зоя/api", "Зоя") });
    peer.send(`@label=${labelOf(await said(peer))} :irc.test FAIL RELAYMSG INVALID_NICK #a :No`);
    expect(await outcome).toMatchObject({ is: "deferred" });
    post(live, "hi", { author: author("日本/api", "日本") });
    expect(await said(peer)).toMatch(/ RELAYMSG #a 日本\/api hi$/u);
  },
);

test("in another charset than UTF-8 such names are not tried", async () => {
  const settings = { ...WANTED, Charset: "iso-8859-1" };
  const { peer, session: live } = await session({ caps: RELAY, isupport: "NICKLEN=30", channels: ["#a"], settings });
  post(live, "hi", { author: author("Jürgen/api", "Jürgen") });
  expect(await said(peer)).toMatch(/ RELAYMSG #a unknown\/x /u);
});

test.each([
  ["notice", /NOTICE #a :u\/api: note$/u],
  ["normal", /PRIVMSG #a :u\/api: note$/u],
] as const)("a format for nicks, before the text of a %s, is no part of it", async (style, line) => {
  const caps = style === "notice" ? RELAY : TAGS;
  const { peer, session: live } = await session({ caps, channels: ["#a"], settings: WANTED });
  post(live, "note", { author: author("u/api", "u"), body: plainBody("note", style) });
  expect(await said(peer)).toMatch(line);
});
