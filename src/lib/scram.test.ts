import { describe, expect, test } from "vitest";
import { type Prepared, saslprep } from "./saslprep.ts";
import { scramFinal, scramProves, scramStart } from "./scram.ts";

async function prepared(text: string): Promise<Prepared> {
  const preparation = await saslprep(text);
  if (!preparation.ok) throw new Error(preparation.why);
  return preparation.text;
}

const USER = await prepared("user");
const PASSWORD = await prepared("pencil");

// RFC 7677 §3.
const START = scramStart("sha256", USER, "rOprNGfwEbeRWgbNEkqO");
const CHALLENGE = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const PROOF =
  "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
const VERIFIER = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

describe("the example of RFC 7677", () => {
  test("what we say, and what proves the server", async () => {
    expect(START.message).toBe("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    const final = await scramFinal(START, CHALLENGE, PASSWORD);
    expect(final?.message).toBe(PROOF);
    if (final === null) throw new Error("no answer");
    expect(scramProves(final, VERIFIER)).toBe(true);
  });

  test.each(["v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", "v=", "", "e=invalid-proof", "v=AAAA"])(
    "no proof: %j",
    async (message) => {
      const final = await scramFinal(START, CHALLENGE, PASSWORD);
      expect(final !== null && scramProves(final, message)).toBe(false);
    },
  );
});

test("the example of RFC 5802 §5, by SHA-1", async () => {
  const start = scramStart("sha1", USER, "fyko+d2lbbFgONRv9qkxdawL");
  const challenge = "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096";
  const final = await scramFinal(start, challenge, PASSWORD);
  expect(final?.message).toBe("c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=");
  expect(final !== null && scramProves(final, "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")).toBe(true);
});

test.each([
  ["another nonce", "r=evil,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"],
  ["only our nonce", "r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"],
  ["too little work", "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1"],
  ["too much work", "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=999999999"],
  ["no number", "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096x"],
  ["no salt", "r=rOprNGfwEbeRWgbNEkqOx,s=,i=4096"],
  ["an extension that must be known", "m=x,r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"],
  ["nothing", ""],
])("a challenge that is not answered: %s", async (_, challenge) => {
  expect(await scramFinal(START, challenge, PASSWORD)).toBeNull();
});

test("names and passwords are prepared", async () => {
  expect(scramStart("sha256", await prepared("a,b=c"), "n").message).toBe("n,,n=a=2Cb=3Dc,r=n");
  // RFC 4013 §3: a soft hyphen is nothing, a feminine ordinal is an a.
  expect(scramStart("sha256", await prepared("I\u00adX\u00aa"), "n").message).toBe("n,,n=IXa,r=n");
  const final = async (password: string) => (await scramFinal(START, CHALLENGE, await prepared(password)))?.message;
  expect(await final("pen\u00adcil")).toBe(PROOF);
});
