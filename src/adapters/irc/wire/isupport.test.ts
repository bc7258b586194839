import { describe, expect, test } from "vitest";
import { isChannel, NO_ISUPPORT, passesClientTag, same, withIsupport } from "./isupport.ts";

const told = (...tokens: readonly string[]) =>
  withIsupport(NO_ISUPPORT, ["bot", ...tokens, "are supported by this server"]);

describe("withIsupport", () => {
  test.each([
    ["CASEMAPPING=ascii", { casemapping: "ascii" }],
    ["CASEMAPPING=strict-rfc1459", { casemapping: "rfc1459-strict" }],
    ["CASEMAPPING=rfc8265", { casemapping: "ascii", utf8nicks: true }],
    ["MONITOR=100", { monitor: 100 }],
    ["MONITOR", { monitor: Infinity }],
    ["CHATHISTORY=50", { chathistory: 50 }],
    ["CHATHISTORY=0", { chathistory: 0 }],
    ["UTF8MAPPING=rfc8265", { utf8nicks: true }],
    ["CHANTYPES=#", { chantypes: "#" }],
    ["NICKLEN=31", { nicklen: 31 }],
    ["NICKLEN=", {}],
    ["NICKLEN=0", {}],
    ["NICKLEN=-3", {}],
    ["NICKLEN=999999999", {}],
    ["CHANNELLEN=64", { channellen: 64 }],
    ["LINELEN=2048", { linelen: 2048 }],
    ["USERLEN=11", { userlen: 11 }],
    ["HOSTLEN=64", { hostlen: 64 }],
    ["STATUSMSG=@+", { statusmsg: "@+" }],
    ["BOT=B", { bot: "B" }],
    ["BOT=", { bot: null }],
    ["UTF8ONLY", { utf8only: true }],
    [String.raw`NETWORK=Test\x20Net`, { network: "Test Net" }],
    ["CLIENTTAGDENY=*,-a,-b", { clientTagDeny: ["*", "-a", "-b"] }],
    ["PREFIX=(qaohv)~&@%+", { prefix: new Map(Object.entries({ q: "~", a: "&", o: "@", h: "%", v: "+" })) }],
    ["PREFIX=", { prefix: new Map() }],
    ["PREFIX=(ohv)@", { prefix: new Map([["o", "@"]]) }],
    [
      "TARGMAX=NAMES:1,PRIVMSG:4,JOIN:,odd",
      {
        targmax: new Map([
          ["NAMES", 1],
          ["PRIVMSG", 4],
          ["JOIN", Infinity],
        ]),
      },
    ],
    ["constructor=x", {}],
    ["UNKNOWN=1", {}],
  ])("%s", (token, change) => {
    expect(told(token)).toStrictEqual({ ...NO_ISUPPORT, ...change });
  });

  test("several lines add up, and a minus brings the default back", () => {
    const first = told("NICKLEN=31", "CHANTYPES=#&", "BOT=B");
    expect(first).toMatchObject({ nicklen: 31, chantypes: "#&", bot: "B" });
    const second = withIsupport(first, ["bot", "-NICKLEN", "-BOT", "LINELEN=1024", "are supported by this server"]);
    expect(second).toStrictEqual({ ...NO_ISUPPORT, chantypes: "#&", linelen: 1024 });
  });
});

test("isChannel", () => {
  expect([isChannel(NO_ISUPPORT, "#a"), isChannel(NO_ISUPPORT, "a#"), isChannel(NO_ISUPPORT, "")]).toStrictEqual([
    true,
    false,
    false,
  ]);
  expect(isChannel(told("CHANTYPES="), "#a")).toBe(false);
});

test("same", () => {
  expect(same(NO_ISUPPORT, "Bob[x]", "bob{X}")).toBe(true);
  expect(same(told("CASEMAPPING=ascii"), "Bob[x]", "bob{X}")).toBe(false);
  expect(same(NO_ISUPPORT, "bob", "bobo")).toBe(false);
});

test.each([
  ["", true],
  ["*", false],
  ["*,-rialto/check", true],
  ["rialto/check", false],
  ["typing", true],
])("CLIENTTAGDENY=%s", (deny, passes) => {
  expect(passesClientTag(told(`CLIENTTAGDENY=${deny}`), "rialto/check")).toBe(passes);
});
