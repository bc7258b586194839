import { expect, test } from "vitest";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { readTokenRequest } from "./token-request.ts";

const GATEWAYS = [aGateway("lobby", ["in net.a #x", "inout api.game api"]), aGateway("den", ["in net.a #y"])];
const CONFIG = aConfig(GATEWAYS, [anAccount("api.Game")]);
const NOW = Date.UTC(2026, 0, 1);
const read = (asked: unknown) => readTokenRequest(asked, CONFIG, NOW);

test("what is left out is all gateways, reading and writing, without an end", () => {
  expect(read({ account: "API.game" })).toEqual({
    ok: true,
    spec: {
      account: "api.game",
      scopes: ["read", "write"],
      gateways: null,
      name: "",
      expiresMs: null,
      postsPerMinute: null,
    },
  });
});

test("all of it", () => {
  const asked = { account: "api.Game", gateways: ["lobby"], scopes: ["admin"], name: "x", expires: "90d" };
  expect(read({ ...asked, posts_per_minute: 5 })).toMatchObject({
    ok: true,
    spec: { gateways: ["lobby"], scopes: ["admin"], name: "x", expiresMs: NOW + 90 * 86_400_000, postsPerMinute: 5 },
  });
});

test.each([
  [null, "JSON object"],
  [{}, "none of them: api.Game"],
  [{ account: "net.a" }, '"net.a" is none of them: api.Game'],
  [{ account: "api.game", gateways: ["den"] }, 'in no gateway "den"; its gateways are: lobby'],
  [{ account: "api.game", gateways: [] }, "list of names"],
  [{ account: "api.game", gateways: "lobby" }, "list of names"],
  [{ account: "api.game", gateways: [1] }, "list of names"],
  [{ account: "api.game", scopes: [] }, "some of read, write, moderate, admin"],
  [{ account: "api.game", scopes: ["all"] }, "some of read"],
  [{ account: "api.game", scopes: ["read", "all"] }, "some of read"],
  [{ account: "api.game", scopes: "read" }, "some of read"],
  [{ account: "api.game", name: "x".repeat(65) }, "at most 64"],
  [{ account: "api.game", name: "a\nb" }, "on one line"],
  [{ account: "api.game", name: 1 }, "must be a text"],
  [{ account: "api.game", expires: "soon" }, "duration"],
  [{ account: "api.game", expires: "0s" }, "duration"],
  [{ account: "api.game", expires: 90 }, "duration"],
  [{ account: "api.game", expires: "99999d" }, "duration"],
  [{ account: "api.game", posts_per_minute: 0 }, "number from 1"],
  [{ account: "api.game", posts_per_minute: Number.NaN }, "number from 1"],
])("%j is refused, with the reason", (asked, why) => {
  const done = read(asked);
  expect(done.ok ? "taken" : done.message).toContain(why);
});
