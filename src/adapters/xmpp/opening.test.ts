import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Credentials } from "./login.ts";
import { BIND, features, HEADER, mechanisms, SASL, streamTo } from "./stream.suite.ts";

/** A server that says these one by one, each when it hears something. What it heard is put into `heard`. */
function scripted(says: readonly string[], heard: string[] = []): (socket: Socket) => void {
  return (socket) => {
    const left = [...says];
    socket.on("data", (part: Buffer) => {
      heard.push(part.toString());
      const id = /<iq[^>]* id="(?<id>[^"]*)"/u.exec(part.toString())?.groups?.["id"];
      const next = left.shift();
      if (next !== undefined) socket.write(next.replace("ID", id ?? ""));
    });
  };
}

const PLAIN = { mechanism: "PLAIN" } as const;
const LOGIN = features(mechanisms("PLAIN"));
const SUCCESS = `<success xmlns='${SASL}'/>`;
const BINDS = features(`<bind xmlns='${BIND}'/>`);
const failure = (inner: string): string => `<failure xmlns='${SASL}'>${inner}</failure>`;
const streamError = (inner: string): string => `${HEADER}<stream:error>${inner}</stream:error>`;
const STREAM_ERRORS = "urn:ietf:params:xml:ns:xmpp-streams";
const STANZAS = "urn:ietf:params:xml:ns:xmpp-stanzas";

type Situation = readonly [
  name: string,
  says: readonly string[],
  given: Partial<Credentials>,
  ended: { readonly cause: string; readonly code: string; readonly message: string | RegExp },
];

test.each<Situation>([
  [
    "a wrong password",
    [LOGIN, failure("<not-authorized/><text>No such account</text>")],
    PLAIN,
    {
      cause: "auth",
      code: "auth",
      message: "the server refuses the login: not-authorized (No such account); check Jid and Password",
    },
  ],
  [
    "a login that cannot be checked just now",
    [LOGIN, failure("<temporary-auth-failure/>")],
    PLAIN,
    { cause: "lost", code: "remote_error", message: "the server refuses the login: temporary-auth-failure" },
  ],
  [
    "a login that needs TLS",
    [LOGIN, failure("<encryption-required/>")],
    PLAIN,
    {
      cause: "config",
      code: "config",
      message: "the server refuses the login: encryption-required; remove NoTLS and NoStartTLS",
    },
  ],
  [
    "no mechanism that we have",
    [features(mechanisms("EXTERNAL", "X-OAUTH2"))],
    {},
    { cause: "config", code: "config", message: "the server offers no way to log in that Rialto supports" },
  ],
  [
    "no mechanism that we may use",
    [features(mechanisms("EXTERNAL", "PLAIN"))],
    {},
    {
      cause: "config",
      code: "config",
      message:
        'the server offers PLAIN, but Rialto does not use PLAIN here; use TLS, or set Mechanism = "PLAIN" if nobody on the way can read it',
    },
  ],
  [
    "a domain that is not there",
    [streamError(`<host-unknown xmlns='${STREAM_ERRORS}'/>`)],
    PLAIN,
    { cause: "config", code: "config", message: "here ended the stream: host-unknown; check the domain of Jid" },
  ],
  [
    "an error of the stream in the middle of the login",
    [
      LOGIN,
      `<stream:error><policy-violation xmlns='${STREAM_ERRORS}'/><text xmlns='${STREAM_ERRORS}'>slow</text></stream:error>`,
    ],
    PLAIN,
    { cause: "lost", code: "rate_limited", message: "here ended the stream: policy-violation (slow)" },
  ],
  [
    "the end of the stream in the middle of the login",
    [LOGIN, "</stream:stream>"],
    PLAIN,
    { cause: "lost", code: "network", message: "here closed the connection" },
  ],
  [
    "a web server",
    ["HTTP/1.1 400 Bad Request\r\n\r\n<html>"],
    PLAIN,
    {
      cause: "lost",
      code: "remote_error",
      message: "logging in to here failed: HTTP/1.1 400 Bad Request     must be a child.",
    },
  ],
  [
    "wrong ends",
    [`${HEADER}<a></b></a></c>`],
    PLAIN,
    { cause: "lost", code: "remote_error", message: "logging in to here failed: a must be closed." },
  ],
  [
    "an end before all else",
    ["</a>"],
    PLAIN,
    { cause: "lost", code: "remote_error", message: "logging in to here failed: a was not opened." },
  ],
  [
    "an entity that is none",
    [`${HEADER}<a>&evil;</a>`],
    PLAIN,
    { cause: "lost", code: "remote_error", message: "logging in to here failed: Illegal XML entity &evil;" },
  ],
  [
    "a stanza without end",
    [`${HEADER}<message>${"x".repeat(3_000_000)}`],
    PLAIN,
    {
      cause: "lost",
      code: "remote_error",
      message: "logging in to here failed: a stanza of more than 2097152 characters",
    },
  ],
  [
    "a challenge that nobody can answer",
    [features(mechanisms("SCRAM-SHA-1")), `<challenge xmlns='${SASL}'>${btoa("r=evil,s=AAAA,i=4096")}</challenge>`],
    {},
    {
      cause: "lost",
      code: "remote_error",
      message: "logging in to here failed: the server's challenge cannot be answered",
    },
  ],
  [
    "a success without proof",
    [features(mechanisms("SCRAM-SHA-1")), SUCCESS],
    {},
    {
      cause: "auth",
      code: "auth",
      message: "the server does not prove that it knows the password: it may be an impostor",
    },
  ],
  [
    "no address",
    [
      LOGIN,
      SUCCESS,
      BINDS,
      `<iq type='error' id='ID'><error type='cancel'><conflict xmlns='${STANZAS}'/></error></iq>`,
    ],
    PLAIN,
    { cause: "lost", code: "remote_error", message: "logging in to here failed: conflict" },
  ],
  [
    "a challenge behind a challenge",
    [LOGIN, `<challenge xmlns='${SASL}'/>`.repeat(2)],
    PLAIN,
    {
      cause: "lost",
      code: "remote_error",
      message: "logging in to here failed: the server's challenge cannot be answered",
    },
  ],
  [
    "a password that SCRAM cannot use",
    [features(mechanisms("PLAIN", "SCRAM-SHA-1"))],
    { password: "geheim\u202e" },
    {
      cause: "config",
      code: "config",
      message:
        "Password cannot be used to log in by SCRAM: character 7 in it is forbidden (a control character, one for private use, or one that changes how others are shown); change the password on the server and here",
    },
  ],
  [
    "a name that SCRAM cannot use",
    [features(mechanisms("SCRAM-SHA-256"))],
    { user: "\u06271" },
    {
      cause: "config",
      code: "config",
      message:
        "Jid cannot be used to log in by SCRAM: where letters are written from right to left, the first and the last character must be such letters, and none of another script may stand between; change it",
    },
  ],
  [
    "a success before we said who we are",
    [`${features(mechanisms("PLAIN"))}${SUCCESS}`],
    PLAIN,
    {
      cause: "auth",
      code: "auth",
      message: "the server does not prove that it knows the password: it may be an impostor",
    },
  ],
  [
    "no way to log in but TLS first",
    [features("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>")],
    {},
    {
      cause: "config",
      code: "config",
      message: "the server lets nobody log in without TLS; remove NoTLS and NoStartTLS",
    },
  ],
  [
    "an address for everybody who comes",
    [BINDS],
    {},
    { cause: "config", code: "config", message: "the server offers no way to log in that Rialto supports" },
  ],
  [
    "a login after which there is no address",
    [LOGIN, SUCCESS, features("")],
    PLAIN,
    { cause: "lost", code: "remote_error", message: "logging in to here failed: the server offers no address" },
  ],
  [
    "an answer without an address",
    [LOGIN, SUCCESS, BINDS, `<iq type='result' id='ID'><bind xmlns='${BIND}'/></iq>`],
    PLAIN,
    { cause: "lost", code: "remote_error", message: "logging in to here failed: the server gives no address" },
  ],
  [
    "a refusal without a reason",
    [LOGIN, failure("")],
    PLAIN,
    {
      cause: "auth",
      code: "auth",
      message: "the server refuses the login: undefined-condition; check Jid and Password",
    },
  ],
])("%s", async (_, says, given, { cause, code, message }) => {
  const stream = await streamTo(scripted(says), given);
  const ended = await stream.begin();
  expect(ended).toEqual({ cause, why: { code, message } });
  expect(await stream.ended).toEqual(ended);
});

const jidAnswer = (jid: string): string =>
  `<iq type='result' id='ID'><bind xmlns='${BIND}'><jid>${jid}</jid></bind></iq>`;

/** What the server says in a login by SCRAM (RFC 5802 §5), with the password that it knows. */
function scramServer(hash: "sha1" | "sha256", password: string, socket: Socket): void {
  const salted = pbkdf2Sync(password, "salt", 4096, hash === "sha1" ? 20 : 32, hash);
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();
  const said = (part: string, name: string) => atob(new RegExp(`<${name}[^>]*>([^<]*)<`, "u").exec(part)?.[1] ?? "");
  let bare = "";
  let challenge = "";
  let isKnown = false;
  socket.on("data", (data: Buffer) => {
    const part = data.toString();
    if (part.includes("<stream:stream")) {
      const name = hash === "sha1" ? "SCRAM-SHA-1" : "SCRAM-SHA-256";
      socket.write(isKnown ? BINDS : features(mechanisms("PLAIN", name)));
    } else if (part.includes("<auth")) {
      bare = said(part, "auth").replace("n,,", "");
      const nonce = /r=(?<nonce>.*)$/u.exec(bare)?.groups?.["nonce"] ?? "";
      challenge = `r=${nonce}theirs,s=${btoa("salt")},i=4096`;
      socket.write(`<challenge xmlns='${SASL}'>${btoa(challenge)}</challenge>`);
    } else if (part.includes("<response")) {
      const [withoutProof = "", proof = ""] = said(part, "response").split(",p=");
      const all = `${bare},${challenge},${withoutProof}`;
      const key = hmac(salted, "Client Key");
      const signature = hmac(createHash(hash).update(key).digest(), all);
      const ours = Buffer.from(key.map((byte, at) => byte ^ (signature[at] ?? 0))).toString("base64");
      isKnown = ours === proof;
      const last = `v=${hmac(hmac(salted, "Server Key"), all).toString("base64")}`;
      socket.write(isKnown ? `<success xmlns='${SASL}'>${btoa(last)}</success>` : failure("<not-authorized/>"));
    } else socket.write(jidAnswer("Rialto@LocalHost/Here").replace("ID", "bind"));
  });
}

test("passwords are prepared for it as servers prepare them", async () => {
  const stream = await streamTo((socket) => scramServer("sha256", "zoé a", socket), {
    password: "zoe\u0301\u00a0\uff41",
  });
  expect(await stream.begin()).toBeNull();
  stream.end({ cause: "asked", why: { code: "stopping", message: "" } });
});

test.each(["sha1", "sha256"] as const)("both sides prove the password by %s", async (hash) => {
  const clock = new FakeClock();
  const stream = await streamTo((socket) => scramServer(hash, "x", socket), {}, clock);
  expect(await stream.begin()).toBeNull();
  expect(stream.jid).toBe("rialto@localhost/Here");
  expect(clock.waiting).toBe(0);
  stream.end({ cause: "asked", why: { code: "stopping", message: "" } });
  const other = await streamTo((socket) => scramServer(hash, "y", socket));
  expect(await other.begin()).toMatchObject({ cause: "auth", why: { message: /not-authorized/u } });
});

test("a challenge is answered where the first words were not taken, and nobody's login says nothing", async () => {
  const heard: string[] = [];
  const says = [features(mechanisms("ANONYMOUS")), `<challenge xmlns='${SASL}'/>`, SUCCESS, BINDS, jidAnswer("a@b/c")];
  const stream = await streamTo(scripted(says, heard), { anonymous: true });
  expect(await stream.begin()).toBeNull();
  expect(heard.slice(1, 3)).toEqual([`<auth xmlns="${SASL}" mechanism="ANONYMOUS"/>`, `<response xmlns="${SASL}"/>`]);
  stream.end({ cause: "asked", why: { code: "stopping", message: "" } });
});

test("what stands behind the end of the login is not read", async () => {
  const heard: string[] = [];
  const behind = `<stream:features><bind xmlns='${BIND}'/></stream:features></stream:stream><`;
  const says = [LOGIN, `${SUCCESS}${behind}`, BINDS, jidAnswer("a@b/c")];
  const stream = await streamTo(scripted(says, heard), PLAIN);
  expect(await stream.begin()).toBeNull();
  expect(heard.map((part) => /<(?<name>[a-z]+[ :])/u.exec(part)?.groups?.["name"])).toEqual([
    "stream:",
    "auth ",
    "stream:",
    "iq ",
  ]);
  expect(stream.jid).toBe("a@b/c");
  stream.end({ cause: "asked", why: { code: "stopping", message: "" } });
});

test.each([
  ["a header", [], 20_000],
  ["a header after the login", [LOGIN, SUCCESS], 20_000],
  ["an address", [LOGIN, SUCCESS, BINDS], 30_000],
] as const)("%s that does not come is waited for so long, and no longer", async (_, says, ms) => {
  const [heard, clock]: [string[], FakeClock] = [[], new FakeClock()];
  const stream = await streamTo(scripted(says, heard), PLAIN, clock);
  const begun = stream.begin();
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(says.length + 1);
  await clock.advance(ms - 1);
  expect(clock.waiting).toBe(1);
  await clock.advance(1);
  expect(await begun).toEqual({ cause: "lost", why: { code: "timeout", message: "here does not answer" } });
  expect(clock.waiting).toBe(0);
});

test("a stream that ends before it begins does nothing", async () => {
  const [heard, clock]: [string[], FakeClock] = [[], new FakeClock()];
  const stream = await streamTo(scripted([LOGIN], heard), PLAIN, clock);
  const ended = { cause: "lost", why: { code: "stopping", message: "" } } as const;
  stream.end(ended);
  expect(await stream.begin()).toEqual(ended);
  expect([clock.waiting, heard]).toEqual([0, []]);
});
