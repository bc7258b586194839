import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { newSecret, signedHeaders } from "./signature.ts";

const message = { id: "evt_hook_4711", atMs: Date.now(), body: '{"type":"message.posted","data":{"text":"Grüße 🌍"}}' };

test("the library of the specification verifies what is signed", () => {
  const secret = newSecret();
  const headers = signedHeaders(message, [secret]);
  expect(headers["webhook-id"]).toBe("evt_hook_4711");
  expect(new Webhook(secret).verify(message.body, { ...headers })).toEqual(JSON.parse(message.body));
});

test("during a rotation, the old secret and the new one both verify it", () => {
  const [old, next] = [newSecret(), newSecret()];
  const headers = signedHeaders(message, [next, old]);
  for (const secret of [old, next]) {
    expect(new Webhook(secret).verify(message.body, { ...headers })).toEqual(JSON.parse(message.body));
  }
});

test.each([
  ["another body", message, { ...message, body: `${message.body} ` }, "No matching signature"],
  ["another id", message, { ...message, id: "evt_hook_4712" }, "No matching signature"],
  ["an old one", { ...message, atMs: message.atMs - 400_000 }, message, "too old"],
])("the library refuses %s", (_what, signed, sent, why) => {
  const secret = newSecret();
  const headers = { ...signedHeaders(signed, [secret]), "webhook-id": sent.id };
  expect(() => new Webhook(secret).verify(sent.body, headers)).toThrow(why);
});

test("the library refuses the signature of another secret", () => {
  const headers = signedHeaders(message, [newSecret()]);
  expect(() => new Webhook(newSecret()).verify(message.body, { ...headers })).toThrow("No matching signature");
});

test("a secret is whsec_ and 24 to 64 bytes in base64, another each time", () => {
  const secret = newSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/u);
  const { length } = Buffer.from(secret.slice(6), "base64");
  expect(length).toBeGreaterThanOrEqual(24);
  expect(length).toBeLessThanOrEqual(64);
  expect(newSecret()).not.toBe(secret);
});
