import { charsetOf } from "../../../src/adapters/irc/wire/charset.ts";
import type { IrcConnection } from "../../../src/adapters/irc/wire/connection.ts";
import { IrcSession } from "../../../src/adapters/irc/live.ts";
import { Pace } from "../../../src/adapters/irc/sending/pace.ts";
import { ircSettings } from "../../../src/adapters/irc/settings.suite.ts";
import type { Cursor } from "../../../src/contract/ids.ts";
import type { Ended } from "../../../src/contract/session.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { mutated, text, word } from "../text.ts";
import { cross } from "./crossing.ts";

const COMMANDS =
  "PRIVMSG PRIVMSG PRIVMSG NOTICE TAGMSG REDACT JOIN PART KICK QUIT NICK MODE TOPIC INVITE CAP BATCH ACCOUNT AWAY CHGHOST SETNAME PING PONG AUTHENTICATE FAIL WARN NOTE RELAYMSG WALLOPS 001 004 005 042 104 221 301 302 305 324 332 333 352 353 354 366 372 376 396 401 403 404 405 407 412 417 421 422 432 433 436 437 441 442 451 464 465 470 471 473 474 475 476 477 478 479 482 489 520 730 900 901 902 903 904 905 906 907 908".split(
    " ",
  );
const NAMES = ["rialto", "alice", "bob", "#a", "#b", "#A", "@#a", "*", "irc.test", "rialto_", "alice/net", ""];
const TAGS =
  "time=2026-01-01T00:00:00.000Z time=x msgid=m1 msgid=m2 account=alice batch=1 batch=2 label=l1 +draft/reply=m1 +draft/react=👍 draft/relaymsg=rialto draft/multiline-concat bot inspircd.org/bot".split(
    " ",
  );
const BATCHES = ["chathistory", "draft/multiline", "netsplit", "netjoin", "labeled-response", "x"];
const CAPS =
  "message-tags server-time batch labeled-response echo-message account-tag extended-join multi-prefix chghost setname draft/chathistory draft/multiline=max-bytes=4096,max-lines=10 draft/message-redaction draft/relaymsg=/ cap-notify sasl=PLAIN,EXTERNAL standard-replies invite-notify";
const SUPPORT = [
  "CASEMAPPING=rfc1459",
  "CASEMAPPING=ascii",
  "CHANTYPES=#&",
  "PREFIX=(ov)@+",
  "PREFIX=x",
  "PREFIX=(",
  "STATUSMSG=@+",
  "NICKLEN=0",
  "NICKLEN=30",
  "LINELEN=-5",
  "LINELEN=99999999999",
  "LINELEN=512",
  "USERLEN=1e9",
  "CHATHISTORY=100",
  "CHATHISTORY=0",
  "MSGREFTYPES=msgid,timestamp",
  "TOPICLEN=1",
  "UTF8ONLY",
  "CHANMODES=",
  "CHANLIMIT=#:1",
  "TARGMAX=PRIVMSG:",
  "-CASEMAPPING",
];

function param(random: Random): string {
  if (random.chance(0.6)) return random.pick(NAMES);
  if (random.chance(0.2)) return random.pick(["1", "2", "+1", "-1", "+2", "-2", ...BATCHES, "LS", "ACK", "NEW", "DEL"]);
  return random.chance(0.2) ? random.pick(SUPPORT) : text(random, 2).replaceAll(/[ \r\n]/gu, "");
}

function line(random: Random): string {
  if (random.chance(0.02)) return text(random, 20);
  const tags = random.chance(0.4)
    ? `@${random.some(5, () => (random.chance(0.9) ? random.pick(TAGS) : word(random))).join(";")} `
    : "";
  const who = random.pick([
    "alice!a@host",
    "rialto!~r@client",
    "irc.test",
    "bob",
    "*.net *.split",
    "",
    "@",
    "!",
    "x!y",
  ]);
  const command = random.chance(0.97) ? random.pick(COMMANDS) : word(random);
  const params = random.some(6, () => param(random)).join(" ");
  const last = random.chance(0.8)
    ? ` :${random.chance(0.2) ? `\u0001ACTION ${text(random)}\u0001` : text(random)}`
    : "";
  const whole = `${tags}${random.chance(0.9) ? `:${who} ` : ""}${command} ${params}${last}`;
  return (random.chance(0.05) ? mutated(random, whole) : whole).replaceAll(
    /[\r\n]/gu,
    random.chance(0.01) ? "\n" : " ",
  );
}

/** What the server does with a line of ours, if it does what it should. */
function answers(sent: string): readonly string[] {
  const [command = "", first = "", second = ""] = sent.replace(/^@\S+ /u, "").split(" ");
  switch (command) {
    case "CAP":
      if (first === "LS") return [`:irc.test CAP * LS :${CAPS}`];
      return first === "REQ" ? [`:irc.test CAP * ACK ${sent.slice("CAP REQ ".length)}`] : WELCOME;
    case "JOIN":
      return [
        `:rialto!~r@client JOIN ${first}`,
        `:irc.test 353 rialto = ${first} :rialto @alice +bob`,
        `:irc.test 366 rialto ${first} :End`,
      ];
    case "PING":
      return [`:irc.test PONG irc.test :${first.replace(/^:/u, "")}`];
    case "USERHOST":
      return [":irc.test 302 rialto :rialto=+~r@client"];
    case "MODE":
      return [`:irc.test 324 rialto ${first} +nt ${second}`];
    default:
      return [];
  }
}

const WELCOME = [
  ":irc.test 001 rialto :Welcome rialto!~r@client",
  ":irc.test 005 rialto CASEMAPPING=ascii CHATHISTORY=50 PREFIX=(ov)@+ :are supported",
  ":irc.test 376 rialto :End",
];

/** The socket of a server that the fuzzer is. */
class Wire implements IrcConnection {
  readonly sent: string[] = [];
  readonly ended: Promise<Ended>;
  isOver = false;
  onBytes: (bytes: Uint8Array) => void = () => undefined;
  readonly #end: (ended: Ended) => void;

  constructor() {
    const over = Promise.withResolvers<Ended>();
    this.ended = over.promise;
    this.#end = over.resolve;
  }

  write(bytes: Uint8Array): void {
    const written = Buffer.from(bytes).toString();
    if (!/^[^\r\n\0]+\r\n$/u.test(written)) throw new Error(`not one line is sent: ${JSON.stringify(written)}`);
    this.sent.push(written.slice(0, -2));
  }

  listen(onBytes: (bytes: Uint8Array) => void): void {
    this.onBytes = onBytes;
  }

  end(ended: Ended): void {
    this.isOver = true;
    this.#end(ended);
  }

  cork(): void {}
  uncork(): void {}
  pause(): void {}
  resume(): void {}
}

async function live(random: Random, lines: readonly string[]): Promise<void> {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const wire = new Wire();
  const charset = charsetOf("utf-8");
  if (charset === null) throw new Error("there is no UTF-8");
  const settings = ircSettings({ NickServPassword: "pw", UseSASL: random.chance(0.2), NickServNick: "NickServ" });
  const since = random.chance(0.3) ? (text(random, 3) as Cursor) : null;
  const pace = new Pace(settings.MessageDelay, clock);
  const session = new IrcSession({ connection: wire, charset, pace, settings, host, since });
  const say = (each: string): void => wire.onBytes(Buffer.from(`${each}\r\n`));
  let at = 0;
  const answer = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn += 1) {
      for (; at < wire.sent.length; at += 1) {
        for (const each of answers(wire.sent[at] ?? "")) say(random.chance(0.02) ? line(random) : each);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const begun = session.begin(new AbortController().signal);
  const joined = begun.then((failed) =>
    failed === null ? session.join({ name: "#a", options: {} }, new AbortController().signal) : null,
  );
  await answer();
  for (const each of lines) {
    say(each);
    if (!random.chance(0.05)) continue;
    await clock.advance(random.pick([100, 10_000, 60_000]));
    await answer();
  }
  await answer();
  await session.quiesce();
  wire.end({ cause: "lost", why: { code: "network", message: "over" } });
  await Promise.all([begun, joined, session.ended]);
  if (clock.waiting > 0) throw new Error(`${clock.waiting} timers outlive the session`);
  for (const { fields, message } of host.records) {
    if (message.includes("bug")) throw new Error(`${message}: ${JSON.stringify(fields)}`);
  }
  cross(host.events);
}

/** Lines of an IRC server, through a whole session. */
export const irc: Target = {
  name: "irc",
  make: (random): Case => {
    const lines = random.some(60, () => line(random));
    return {
      show: () => lines.map((each) => JSON.stringify(each)).join("\n"),
      run: async () => await live(random, lines),
    };
  },
};
