import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { opening } from "../scripted-server.suite.ts";

const SASL = { UseSASL: true, NickServNick: "jilles", NickServPassword: "sesame" };

/** What the server says and hears in a login by SCRAM-SHA-256 (RFC 5802 §5), with the keys it keeps of the password. */
function scramServer(password: string) {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, 4096, 32, "sha256");
  const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const parts = (message: string) => new Map(message.split(",").map((part) => [part[0] ?? "", part.slice(2)]));
  let challenge = "";
  let bare = "";
  return {
    challenge: (first: string): string => {
      bare = first.replace(/^n,,/u, "");
      challenge = `r=${parts(bare).get("r")}theirs,s=${salt.toString("base64")},i=4096`;
      return challenge;
    },
    /** Our proof, or null when what came is none. */
    proof: (last: string): string | null => {
      const all = `${bare},${challenge},${last.replace(/,p=.*$/u, "")}`;
      const clientKey = hmac(salted, "Client Key");
      const signature = hmac(createHash("sha256").update(clientKey).digest(), all);
      const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))).toString("base64");
      if (parts(last).get("p") !== proof) return null;
      return `v=${hmac(hmac(salted, "Server Key"), all).toString("base64")}`;
    },
  };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const decoded = (line: string) => Buffer.from(line.replace(/^AUTHENTICATE /u, ""), "base64").toString();

/** `behind`: what comes in one piece with the challenge. */
async function scramBegins(settings: Parameters<typeof opening>[0], password: string, behind: readonly string[] = []) {
  const opened = await opening(settings);
  const { peer } = opened;
  peer.send(":irc.test CAP * LS :sasl=PLAIN,SCRAM-SHA-256");
  await peer.until(/^CAP REQ/);
  peer.send(":irc.test CAP * ACK :sasl");
  expect(await peer.next()).toBe("AUTHENTICATE SCRAM-SHA-256");
  peer.send("AUTHENTICATE +");
  const server = scramServer(password);
  const first = decoded(await peer.next());
  expect(first).toMatch(/^n,,n=jilles,r=[!-+\--~]{20,}$/u);
  peer.send(`AUTHENTICATE ${base64(server.challenge(first))}`, ...behind);
  return { ...opened, server };
}

test("SASL SCRAM-SHA-256 goes before PLAIN: both sides prove the password, and nobody tells it", async () => {
  const { peer, opened, server } = await scramBegins(SASL, "sesame");
  const proof = server.proof(decoded(await peer.next()));
  peer.send(`AUTHENTICATE ${base64(proof ?? "e=invalid-proof")}`);
  expect(await peer.next()).toBe("AUTHENTICATE +");
  peer.send(":irc.test 900 * * jilles :You are now logged in", ":irc.test 903 * :SASL successful");
  expect(await peer.next()).toBe("CAP END");
  peer.send(":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  expect((await opened).ok).toBe(true);
});

test("a server without a key of that kind for us gets PLAIN; a wrong password needs a person", async () => {
  const { peer, opened, server } = await scramBegins(SASL, "other");
  expect(server.proof(decoded(await peer.next()))).toBeNull();
  peer.send(":irc.test 904 * :SASL authentication failed");
  expect(await peer.next()).toBe("AUTHENTICATE PLAIN");
  peer.send(":irc.test 904 * :SASL authentication failed");
  const result = await opened;
  expect(result).toMatchObject({ ok: false, ended: { cause: "auth" } });
  expect(result.ok ? "" : result.ended.why.message).toContain("check NickServNick");
});

test.each([
  ["a wrong proof", `AUTHENTICATE ${base64("v=AAAA")}`, "906"],
  ["no proof", null, "903"],
])("a server that gives %s of the password never gets it", async (_, answer, numeric) => {
  const { peer, opened } = await scramBegins(SASL, "sesame");
  await peer.next();
  if (answer !== null) {
    peer.send(answer);
    expect(await peer.next()).toBe("AUTHENTICATE *");
  }
  peer.send(`:irc.test ${numeric} * :SASL`);
  const result = await opened;
  expect(result).toMatchObject({ ok: false, ended: { cause: "auth" } });
  expect(result.ok ? "" : result.ended.why.message).toContain("Rialto stopped the SCRAM login");
  expect(peer.waiting).toEqual([]);
});

test("what the server has against our proof is told, and is not tried in another way", async () => {
  const { peer, opened } = await scramBegins(SASL, "other");
  await peer.next();
  peer.send(`AUTHENTICATE ${base64("e=invalid-proof")}`, ":irc.test 904 * :SASL authentication failed");
  expect(await peer.next()).toBe("AUTHENTICATE *");
  const result = await opened;
  expect(result).toMatchObject({ ok: false, ended: { cause: "auth" } });
  expect(result.ok ? "" : result.ended.why.message).toMatch(/invalid-proof.*check NickServNick/u);
  expect(peer.waiting).toEqual([]);
});

test("only one challenge is answered, and none that the server has refused meanwhile", async () => {
  const more = Array.from({ length: 20 }, () => `AUTHENTICATE ${base64("r=x,s=c2FsdA==,i=4096")}`);
  const { peer, server } = await scramBegins(SASL, "sesame", more);
  const proof = server.proof(decoded(await peer.next()));
  peer.send(`AUTHENTICATE ${base64(proof ?? "")}`);
  expect(await peer.next()).toBe("AUTHENTICATE +");
  const refused = await scramBegins(SASL, "sesame", [":irc.test 904 * :No"]);
  expect(await refused.peer.next()).toBe("AUTHENTICATE PLAIN");
  refused.peer.send("AUTHENTICATE +");
  expect(decoded(await refused.peer.next())).toBe("\0jilles\0sesame");
  expect(refused.peer.waiting).toEqual([]);
});

test("a challenge that asks for too little work is not answered", async () => {
  const { peer, opened } = await opening(SASL);
  peer.send(":irc.test CAP * LS :sasl=SCRAM-SHA-256");
  await peer.until(/^CAP REQ/);
  peer.send(":irc.test CAP * ACK :sasl");
  await peer.next();
  peer.send("AUTHENTICATE +");
  const nonce = /r=(?<nonce>.*)$/u.exec(decoded(await peer.next()))?.groups?.["nonce"];
  peer.send(`AUTHENTICATE ${base64(`r=${nonce}x,s=c2FsdA==,i=1`)}`);
  expect(await peer.next()).toBe("AUTHENTICATE *");
  peer.send(":irc.test 906 * :SASL aborted");
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "auth" } });
});

/** Up to where the server asks for our first message of SCRAM. */
async function scramAsked(settings: Parameters<typeof opening>[0], offered = "SCRAM-SHA-256") {
  const opened = await opening(settings);
  opened.peer.send(`:irc.test CAP * LS :sasl=${offered}`);
  await opened.peer.until(/^CAP REQ/);
  opened.peer.send(":irc.test CAP * ACK :sasl");
  expect(await opened.peer.next()).toBe("AUTHENTICATE SCRAM-SHA-256");
  opened.peer.send("AUTHENTICATE +");
  return opened;
}

test("the password is prepared for SCRAM as the server prepared it", async () => {
  const { peer, server } = await scramBegins({ ...SASL, NickServPassword: "zoe\u0301\u00a0\uff41" }, "zoé a");
  expect(server.proof(decoded(await peer.next()))).not.toBeNull();
});

test.each([
  [{ NickServPassword: "geheim\u202e" }, /^NickServPassword cannot be used to log in by SCRAM: character 7 in it is/u],
  [{ NickServNick: "jilles\ue000" }, /^NickServNick cannot be used to log in by SCRAM: character 7 in it is/u],
])("what SCRAM cannot use is not tried: %j", async (given, message) => {
  const { peer, opened } = await scramAsked({ ...SASL, ...given });
  expect(await peer.next()).toBe("AUTHENTICATE *");
  peer.send(":irc.test 906 * :SASL aborted");
  const result = await opened;
  expect(result).toMatchObject({ ok: false, ended: { cause: "auth" } });
  expect(result.ok ? "" : result.ended.why.message).toMatch(message);
  expect(result.ok ? "" : result.ended.why.message).toMatch(/; change it on the network and here$/u);
});

test("what SCRAM cannot use goes by PLAIN, as it is", async () => {
  const { peer } = await scramAsked({ ...SASL, NickServPassword: "geheim\u202e" }, "PLAIN,SCRAM-SHA-256");
  expect(await peer.next()).toBe("AUTHENTICATE *");
  peer.send(":irc.test 906 * :SASL aborted");
  expect(await peer.next()).toBe("AUTHENTICATE PLAIN");
  peer.send("AUTHENTICATE +");
  expect(decoded(await peer.next())).toBe("\0jilles\0geheim\u202e");
});
