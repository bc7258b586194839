import { expect, test } from "vitest";
import type { Body, Style } from "../../../contract/content.ts";
import type { OpId } from "../../../contract/ids.ts";
import type { PostDraft, PostOp } from "../../../contract/ops.ts";
import type { Session } from "../../../contract/session.ts";
import { plainBody } from "../../../../test/contract/texts.ts";
import { settled } from "../../../../test/support/fake-clock.ts";
import { type Peer, post, session } from "../scripted-server.suite.ts";

/** What a channel does not take, and the form in which it takes the same words. */

const AGAIN = { is: "deferred", retryInMs: 0 };
const BARE = "Cannot send to channel";

interface Saying extends Partial<PostDraft & Pick<PostOp, "id" | "resume">> {
  /** The numeric and its text with which the server refuses a line; null: it takes it. */
  readonly refuse?: (line: string) => string | null;
  readonly style?: Style;
}

const none = (): null => null;
const words = (text: string, style: Style = "normal"): Body => ({
  ...plainBody(text, style),
  source: { format: "irc", text },
});

/** Posts until the core would wait for longer than a moment. The lines that the server got, and how the op ended. */
async function say(live: Session, peer: Peer, text: string, { style, ...more }: Saying = {}) {
  const lines: string[] = [];
  const id = `op ${text}` as OpId;
  for (let tries = 0; tries < 5; tries++) {
    const one = await sayOnce(live, peer, { body: words(text, style), id, ...more });
    lines.push(...one.lines);
    if (one.ended.is !== "deferred" || one.ended.retryInMs > 0) return { lines, ended: one.ended };
  }
  throw new Error(`it is tried again and again: ${JSON.stringify(lines)}`);
}

async function sayOnce(live: Session, peer: Peer, { refuse = none, ...draft }: Saying) {
  const { outcome, attempt } = post(live, "", draft);
  const lines: string[] = [];
  const serve = async (): Promise<void> => {
    for (;;) {
      const line = await peer.next();
      if (line === "PONG end") return;
      if (line.startsWith("PING ")) {
        peer.pong(line);
        continue;
      }
      lines.push(line);
      const refused = refuse(line);
      if (refused !== null) peer.send(`:irc.test ${refused.slice(0, 3)} rialto #a :${refused.slice(4)}`);
    }
  };
  const served = serve();
  const ended = await outcome;
  // What the client sends up to here belongs to this op.
  peer.send("PING end");
  await served;
  return { lines, ended, attempt };
}

// oxlint-disable-next-line eslint/no-control-regex -- these are the codes
const hasCodes = (line: string): boolean => /[\x02\x03\x11]/u.test(line);
const whenCodes = (refusal: string) => (line: string) => (hasCodes(line) ? refusal : null);
const whenNotice = (refusal: string) => (line: string) => (line.startsWith("NOTICE") ? refusal : null);

test.each([
  "404 You cannot send messages containing formatting characters to this channel whilst the +c (blockcolor) mode is set.",
  "404 Color is not permitted in this channel",
  "404 Cannot send to channel (+c set): colours",
  "408 You cannot use colors on this channel. Not sent: \x02big\x02 news",
  "408 You cannot use control codes on this channel. Not sent: x",
  `404 ${BARE}`,
])("refused for its codes, a line goes again without, and so do all after it: %s", async (refusal) => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const first = await say(live, peer, "\x02big\x02 news", { refuse: whenCodes(refusal) });
  expect(first.lines).toEqual(["PRIVMSG #a :\x02big\x02 news", "PRIVMSG #a :big news"]);
  expect(first.ended).toMatchObject({
    is: "delivered",
    receipt: { losses: [{ what: "format", note: "the channel takes no formatting codes" }] },
  });
  const second = await say(live, peer, "run \x11make\x11", { refuse: whenCodes(refusal) });
  expect(second.lines).toEqual(["PRIVMSG #a :run make"]);
});

test.each([
  "404 You cannot send notices to this channel whilst the +T (nonotice) mode is set.",
  "404 NOTICEs are not permitted in this channel",
  `404 ${BARE}`,
])("where notices are refused they go as messages: %s", async (refusal) => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const first = await say(live, peer, "anna joins", { style: "notice", refuse: whenNotice(refusal) });
  expect(first.lines).toEqual(["NOTICE #a :anna joins", "PRIVMSG #a :anna joins"]);
  const second = await say(live, peer, "anna parts", { style: "notice", refuse: whenNotice(refusal) });
  expect(second.lines).toEqual(["PRIVMSG #a :anna parts"]);
  expect(second.ended).toMatchObject({ is: "delivered", receipt: { losses: [] } });
});

test.each([
  "404 Your message cannot contain 80% or more capital letters if it's longer than 10 characters",
  "404 Your message exceeded the 80% upper case character threshold for #a and was blocked.",
])("a text in capitals goes in small letters, and others stay as they are: %s", async (refusal) => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const refuse = (line: string) => (/ALL|NOT/u.test(line) ? refusal : null);
  const first = await say(live, peer, "ALL IS DOWN", { refuse });
  expect(first.lines).toEqual(["PRIVMSG #a :ALL IS DOWN", "PRIVMSG #a :all is down"]);
  expect((await say(live, peer, "NASA is up", { refuse })).lines).toEqual(["PRIVMSG #a :NASA is up"]);
  expect((await say(live, peer, "not NOW", { refuse: () => refusal })).ended).toMatchObject({ is: "rejected" });
});

test("an action goes as a text where the channel takes no CTCP", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const refuse = (line: string) => (line.includes("\x01") ? "404 CTCPs are not permitted in this channel" : null);
  const { lines } = await say(live, peer, "waves", { style: "action", refuse });
  expect(lines).toEqual(["PRIVMSG #a :\x01ACTION waves\x01", "PRIVMSG #a :* waves"]);
});

test("of a refusal for both reasons each is found", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const refuse = (line: string) =>
    whenCodes("408 no colours here")(line) ?? (line.includes("LOUD") ? "404 too many capital letters" : null);
  const { lines } = await say(live, peer, "\x02LOUD NEWS\x02", { refuse });
  expect(lines.map((line) => line.slice("PRIVMSG #a :".length))).toEqual([
    "\x02LOUD NEWS\x02",
    "LOUD NEWS",
    "loud news",
  ]);
});

test("without a reason it is tried once without codes; if that is refused too, the channel is at fault", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const shut = await say(live, peer, "\x02big\x02", { refuse: () => `404 ${BARE}` });
  expect(shut.lines).toEqual(["PRIVMSG #a \x02big\x02", "PRIVMSG #a big"]);
  expect(shut.ended).toMatchObject({ is: "deferred", retryInMs: 30_000, why: { code: "forbidden" } });
  // Once it is open it takes the codes, of the same op too.
  expect((await say(live, peer, "\x02big\x02")).lines).toEqual(["PRIVMSG #a \x02big\x02"]);
});

test.each(["You need voice (+v)", "Cannot send to channel (+m)", "You are banned", "You need a registered nick (+R)"])(
  "a channel that is closed to all words is not tried without codes: %s",
  async (reason) => {
    const { peer, session: live } = await session({ channels: ["#a"] });
    const { lines, ended } = await say(live, peer, "\x02big\x02", { refuse: () => `404 ${reason}` });
    expect([lines.length, ended]).toMatchObject([1, { is: "deferred", retryInMs: 30_000 }]);
  },
);

test.each([
  ["the mode is removed", ":op!o@h MODE #a -c", true],
  ["it is removed among others", ":op!o@h MODE #A +ov-tc alice bob", true],
  ["the server lists the modes without it", ":irc.test 324 rialto #a +nt", true],
  ["Rialto enters again", ":rialto!~rialto@client.test JOIN #a", true],
  ["somebody gets a voice", ":op!o@h MODE #a +v alice", false],
  ["another mode is removed", ":op!o@h MODE #a -t", false],
  ["the server lists the modes with it", ":irc.test 324 rialto #a +ntcl 5", false],
  ["another channel changes", ":op!o@h MODE #b -c", false],
])("codes are tried again when %s: %s", async (_, line, isForgotten) => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  await say(live, peer, "\x02one\x02", { refuse: whenCodes("404 no colours whilst the +c (blockcolor) mode is set") });
  peer.send(line, "PING now");
  await peer.until(/^PONG/u);
  const next = await say(live, peer, "\x02two\x02");
  expect(next.lines).toEqual([isForgotten ? "PRIVMSG #a \x02two\x02" : "PRIVMSG #a two"]);
});

test("a restriction of an unknown mode ends when any mode is removed", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  await say(live, peer, "\x02one\x02", { refuse: whenCodes(`404 ${BARE}`) });
  const after = async (line: string) => {
    peer.send(line, "PING now");
    await peer.until(/^PONG/u);
    return (await say(live, peer, "\x02two\x02")).lines;
  };
  expect(await after(":op!o@h MODE #a -ob alice *!*@host")).toEqual(["PRIVMSG #a two"]);
  expect(await after(":op!o@h MODE #a -c")).toEqual(["PRIVMSG #a \x02two\x02"]);
});

test("the first line with codes is alone on its way, so that the order holds; then all go together", async () => {
  const { peer, session: live } = await session({ channels: ["#a", "#b"] });
  const posts = ["one", "\x02two\x02", "three", "\x02four\x02"].map((text) => post(live, "", { body: words(text) }));
  const other = post(live, "other", { channel: "#b" });
  const take = async (count: number) => {
    const lines: string[] = [];
    while (lines.length < count) lines.push(await peer.next());
    const ping = await peer.next();
    await settled();
    expect([ping.slice(0, 4), peer.waiting]).toEqual(["PING", []]);
    peer.pong(ping);
    return lines;
  };
  expect(await take(2)).toEqual(["PRIVMSG #a one", "PRIVMSG #b other"]);
  expect(await take(1)).toEqual(["PRIVMSG #a \x02two\x02"]);
  expect(await take(2)).toEqual(["PRIVMSG #a three", "PRIVMSG #a \x02four\x02"]);
  for (const { outcome } of [...posts, other]) expect((await outcome).is).toBe("delivered");
});

test("of a text of several lines those that are there are not sent again", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const refuse = whenCodes("408 no colours");
  const first = await sayOnce(live, peer, { body: words("one\n\x02two\x02\nthree"), refuse });
  expect([first.ended, first.lines]).toMatchObject([AGAIN, ["PRIVMSG #a one", "PRIVMSG #a \x02two\x02"]]);
  const [resume] = first.attempt.confirmed;
  const rest = await say(live, peer, "one\n\x02two\x02\nthree", { refuse, resume: resume ?? null });
  expect(rest.lines).toEqual(["PRIVMSG #a two", "PRIVMSG #a three"]);
});

test("one message of several lines is refused and sent again as a whole", async () => {
  const caps = "message-tags echo-message labeled-response batch draft/multiline=max-bytes=4096,max-lines=24";
  const { peer, session: live } = await session({ caps, channels: ["#a"] });
  const { outcome } = post(live, "", { body: words("one\n\x02two\x02") });
  const label = /label=(?<label>[^; ]+)/u.exec(await peer.next())?.groups?.["label"];
  await peer.until(/BATCH -/u);
  peer.send(`@label=${label} :irc.test 404 rialto #a :colours are not permitted`);
  expect(await outcome).toMatchObject(AGAIN);
  post(live, "", { body: words("one\n\x02two\x02") });
  await peer.until(/BATCH \+/u);
  expect([await peer.next(), await peer.next()].map((line) => line.split(" ").at(-1))).toEqual(["one", "two"]);
});
