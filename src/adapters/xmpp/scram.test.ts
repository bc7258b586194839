import { expect, test } from "vitest";
import { Scram } from "./scram.ts";

// The examples of RFC 5802 §5 and RFC 7677 §3.
test.each([
  {
    name: "SCRAM-SHA-1",
    nonce: "fyko+d2lbbFgONRv9qkxdawL",
    challenge: "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
    final: "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
    proof: "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
  },
  {
    name: "SCRAM-SHA-256",
    nonce: "rOprNGfwEbeRWgbNEkqO",
    challenge: "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
    final: "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
    proof: "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
  },
] as const)("$name", async ({ name, nonce, challenge, final, proof }) => {
  const scram = new Scram(name, "user", "pencil", nonce);
  expect(scram.first).toBe(`n,,n=user,r=${nonce}`);
  expect(scram.proves(proof)).toBe(false);
  expect(await scram.final(challenge)).toBe(final);
  expect(scram.proves(proof)).toBe(true);
  expect(scram.proves("v=AAAA")).toBe(false);
  expect(scram.proves("e=other-error")).toBe(false);
});

test.each([
  "r=other,s=QSXCR+Q6sek8bf92,i=4096",
  "r=mine,s=QSXCR+Q6sek8bf92,i=4096",
  "r=mineyours,s=QSXCR+Q6sek8bf92,i=99999999",
  "r=mineyours,s=QSXCR+Q6sek8bf92,i=0",
  "r=mineyours,s=,i=4096",
  "m=ext,r=mineyours,s=QSXCR+Q6sek8bf92,i=4096",
  "",
])("no answer to %j", async (challenge) => {
  await expect(new Scram("SCRAM-SHA-1", "user", "pencil", "mine").final(challenge)).rejects.toThrow(
    "cannot be answered",
  );
});

test("names are escaped", () => {
  expect(new Scram("SCRAM-SHA-1", "a=b,c", "x", "n").first).toBe("n,,n=a=3Db=2Cc,r=n");
});
