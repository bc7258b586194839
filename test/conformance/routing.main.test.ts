import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { expectError } from "../support/shape.ts";
import { launch, useRialto } from "../support/suite.ts";

describe("directions", () => {
  const accounts = { a: {}, b: {}, c: {} };
  const rialto = useRialto({ config: toml({ accounts, gateways: { g: { in: ["a"], out: ["b"], inout: ["c"] } } }) });

  test("what comes in through an `in` account reaches `out` and `inout` accounts", async () => {
    await rialto().client("a").say({ text: "from a", gateway: "g" });
    expect(await rialto().client("a").poll()).toEqual([]);
    expect(await rialto().client("b").texts()).toEqual(["from a"]);
    expect(await rialto().client("c").texts()).toEqual(["from a"]);
  });

  test("an `out` account cannot post: 403, and nobody gets it", async () => {
    expectError(await rialto().client("b").post({ text: "from b", gateway: "g" }), 403, /g/);
    expect(await rialto().client("a").poll()).toEqual([]);
    expect(await rialto().client("c").poll()).toEqual([]);
  });

  test("what an `inout` account posts reaches the `out` account and not the `in` account", async () => {
    await rialto().client("c").say({ text: "from c" });
    expect(await rialto().client("a").poll()).toEqual([]);
    expect(await rialto().client("b").texts()).toEqual(["from c"]);
    expect(await rialto().client("c").poll()).toEqual([]);
  });
});

describe("several gateways", () => {
  const accounts = { one: {}, two: {}, both: {}, twin: {}, single: {} };
  const rialto = useRialto({
    config: toml({
      accounts,
      gateways: {
        g1: { inout: ["one", "both", "twin"] },
        g2: { inout: ["two", "both", "twin"] },
        off: { enable: false, inout: ["one", "two", "single"] },
        g3: { inout: ["single", "one"] },
      },
    }),
  });

  const drain = async (): Promise<void> => {
    for (const name of Object.keys(accounts)) await rialto().client(name).poll();
  };

  test("a post reaches the accounts of the gateway it names and no other", async () => {
    await drain();
    expect((await rialto().client("both").say({ text: "x", gateway: "g1" })).gateway).toBe("g1");
    expect(await rialto().client("one").texts()).toEqual(["x"]);
    expect(await rialto().client("two").poll()).toEqual([]);
    expect(await rialto().client("single").poll()).toEqual([]);
  });

  test("two accounts that share two gateways see a post once, with its gateway", async () => {
    await drain();
    const stream = await rialto().client("twin").stream();
    const socket = await rialto().client("twin").socket();
    await rialto().client("both").say({ text: "x", gateway: "g2" });
    await rialto().client("both").say({ text: "y", gateway: "g1" });
    const expected = [
      ["x", "g2"],
      ["y", "g1"],
    ];
    expect((await rialto().client("twin").poll()).map(({ text, gateway }) => [text, gateway])).toEqual(expected);
    for (const source of [stream, socket]) {
      const messages = [await source.next(), await source.next()];
      expect(messages.map(({ text, gateway }) => [text, gateway])).toEqual(expected);
    }
    await Promise.all([stream.close(), socket.close()]);
  });

  test("a reader gets the messages of all its gateways, each with its gateway, in the order they were accepted", async () => {
    await drain();
    await rialto().client("one").say({ text: "a", gateway: "g1" });
    await rialto().client("two").say({ text: "b" });
    await rialto().client("one").say({ text: "c", gateway: "g1" });
    const messages = await rialto().client("both").poll();
    expect(messages.map(({ text, gateway }) => [text, gateway])).toEqual([
      ["a", "g1"],
      ["b", "g2"],
      ["c", "g1"],
    ]);
  });

  test("a disabled gateway carries nothing and does not count when gateway is left out", async () => {
    await drain();
    expectError(await rialto().client("one").post({ text: "x", gateway: "off" }), 404, /off/);
    expect((await rialto().client("single").say({ text: "y" })).gateway).toBe("g3");
    expect(await rialto().client("one").texts()).toEqual(["y"]);
  });
});

test("a samechannelgateway brings each message to every other account once", async () => {
  const config = `${toml({ accounts: { a: {}, b: {}, c: {} }, gateways: {} })}
[[samechannelgateway]]
name = "same"
enable = true
accounts = ["api.a", "api.b", "api.c"]
channels = ["api"]
`;
  const rialto = await launch({ config });
  await rialto.client("a").say({ text: "once", gateway: "same" });
  expect(await rialto.client("a").poll()).toEqual([]);
  expect(await rialto.client("b").texts()).toEqual(["once"]);
  expect(await rialto.client("c").texts()).toEqual(["once"]);
});

test("the account is shown as the configuration spells it", async () => {
  const config = toml({ accounts: { LocalOne: {}, reader: {} }, gateways: { g: { inout: ["localone", "reader"] } } });
  const rialto = await launch({ config });
  expect((await rialto.client("LocalOne").say({ text: "x" })).account).toBe("api.LocalOne");
  expect((await rialto.client("reader").poll())[0]?.account).toBe("api.LocalOne");
});

describe("events", () => {
  const accounts = { sender: {}, plain: {}, joins: { ShowJoinPart: true }, topics: { ShowTopicChange: true } };
  const rialto = useRialto({ config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }) });

  const seenBy = async (event: string): Promise<string[]> => {
    await rialto()
      .client("sender")
      .say({ text: `about ${event}`, event });
    await rialto().client("sender").say({ text: "sentinel" });
    const readers: string[] = [];
    for (const name of ["plain", "joins", "topics"]) {
      const texts = await rialto().client(name).texts();
      expect(texts.at(-1)).toBe("sentinel");
      if (texts.length > 1) readers.push(name);
    }
    return readers;
  };

  test.for(["user_action", "anything_else"])("%s reaches everybody", async (event) => {
    expect(await seenBy(event)).toEqual(["plain", "joins", "topics"]);
  });

  test.for(["join_leave", "join", "leave"])("%s reaches those with ShowJoinPart", async (event) => {
    expect(await seenBy(event)).toEqual(["joins"]);
  });

  test("topic_change reaches those with ShowTopicChange", async () => {
    expect(await seenBy("topic_change")).toEqual(["topics"]);
  });

  test.for(["user_typing", "notice_irc"])("%s reaches nobody", async (event) => {
    expect(await seenBy(event)).toEqual([]);
  });

  test("streams and WebSockets follow the same rule", async () => {
    const stream = await rialto().client("plain").stream();
    const socket = await rialto().client("plain").socket();
    await rialto().client("sender").say({ text: "joined", event: "join_leave" });
    await rialto().client("sender").say({ text: "spoke" });
    expect((await stream.next()).text).toBe("spoke");
    expect((await socket.next()).text).toBe("spoke");
    await Promise.all([stream.close(), socket.close()]);
  });
});

describe("the source's filters and transforms", () => {
  const accounts = {
    filtered: { IgnoreNicks: "^spammer bot$", IgnoreMessages: "^!cmd ^~~" },
    doubling: { ReplaceMessages: [["a", "aa"]] },
    extracting: { ExtractNicks: [["relay", "<(.*?)>\\s+"]] },
    r1: {},
    r2: {},
  };
  const rialto = useRialto({
    config: toml({
      accounts,
      gateways: {
        g1: { inout: ["filtered", "doubling", "extracting", "r1"] },
        g2: { inout: ["doubling", "r2", "r1"] },
      },
    }),
  });

  test("IgnoreNicks and IgnoreMessages: answered 200, relayed to nobody", async () => {
    const filtered = rialto().client("filtered");
    for (const fields of [
      { text: "buy", username: "spammer" },
      { text: "!cmd help" },
      { text: "~~x", username: "bob" },
    ]) {
      expect((await filtered.post(fields)).status).toBe(200);
    }
    await filtered.say({ text: "hello !cmd", username: "bob" });
    expect(await rialto().client("r1").texts()).toEqual(["hello !cmd"]);
  });

  test("ReplaceMessages is applied once, in the answer too, though the account is in two gateways", async () => {
    const answer = await rialto().client("doubling").say({ text: "a", gateway: "g1" });
    expect(answer.text).toBe("aa");
    expect(await rialto().client("r1").texts()).toEqual(["aa"]);
  });

  test("ExtractNicks lifts the name out of the text", async () => {
    await rialto().client("extracting").say({ text: "<userx> blah (abc)", username: "relay" });
    expect(await rialto().client("r1").poll()).toMatchObject([{ username: "userx", text: "blah (abc)" }]);
  });
});

describe("how a sender is shown", () => {
  const all = "{NICK}|{NOPINGNICK}|{BRIDGE}|{PROTOCOL}|{GATEWAY}|{LABEL}|{USERID}|{CHANNEL}";
  const accounts = {
    sender: { Label: "lbl" },
    replaced: { ReplaceNicks: [["^b(.*)$", "B-$1"]] },
    plain: {},
    full: { RemoteNickFormat: all },
    bracket: { RemoteNickFormat: "[{BRIDGE}] <{NICK}> " },
    stripped: { StripNick: true },
    icons: { IconURL: "https://icons.example/{NICK}.png" },
  };
  const rialto = useRialto({ config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }) });
  const nameAt = async (reader: string): Promise<string | undefined> =>
    (await rialto().client(reader).poll()).at(-1)?.username;

  test("by default as the origin gave it", async () => {
    await rialto().client("sender").say({ text: "x", username: "bob" });
    expect(await nameAt("plain")).toBe("bob");
  });

  test("by the reader's RemoteNickFormat, with all placeholders, never expanded twice, leaking to nobody", async () => {
    await rialto().client("sender").say({ text: "x", username: "{GATEWAY}{USERID}", userid: "u{NICK}" });
    expect(await nameAt("full")).toBe("{GATEWAY}{USERID}|{\u200BGATEWAY}{USERID}|sender|api|g|lbl|u{NICK}|api");
    expect(await nameAt("bracket")).toBe("[sender] <{GATEWAY}{USERID}> ");
    expect(await nameAt("plain")).toBe("{GATEWAY}{USERID}");
  });

  test("the answer of the POST keeps the name as it was given", async () => {
    expect((await rialto().client("sender").say({ text: "x", username: "b o b" })).username).toBe("b o b");
  });

  test("by StripNick of the reader and ReplaceNicks of the source", async () => {
    await rialto().client("sender").say({ text: "x", username: "b_ö b-1" });
    expect(await nameAt("stripped")).toBe("bb1");
    expect(await nameAt("plain")).toBe("b_ö b-1");
    await rialto().client("replaced").say({ text: "x", username: "bob" });
    expect(await nameAt("plain")).toBe("B-ob");
  });

  test("with IconURL where there is no avatar", async () => {
    await rialto().client("icons").poll();
    await rialto().client("plain").poll();
    await rialto().client("sender").say({ text: "x", username: "bob" });
    await rialto().client("sender").say({ text: "y", username: "bob", avatar: "https://e.org/own.png" });
    const avatars = (await rialto().client("icons").poll()).map((message) => message.avatar);
    expect(avatars).toEqual(["https://icons.example/bob.png", "https://e.org/own.png"]);
    expect((await rialto().client("plain").poll()).map((message) => message.avatar)).toEqual([
      "",
      "https://e.org/own.png",
    ]);
  });

  test("on streams and WebSockets as in polls", async () => {
    await rialto().client("bracket").poll();
    const stream = await rialto().client("bracket").stream();
    const socket = await rialto().client("bracket").socket();
    await rialto().client("sender").say({ text: "x", username: "bob" });
    expect((await stream.next()).username).toBe("[sender] <bob> ");
    expect((await socket.next()).username).toBe("[sender] <bob> ");
    await Promise.all([stream.close(), socket.close()]);
  });
});

test("[general] is the fallback of every account setting", async () => {
  const rialto = await launch({
    config: toml({
      general: { RemoteNickFormat: "general {NICK}", Buffer: 2, Token: "shared" },
      accounts: { sender: {}, reader: {}, own: { RemoteNickFormat: "own {NICK}", Buffer: 3 } },
      gateways: { g: { inout: ["sender", "reader", "own"] } },
    }),
  });
  for (const text of ["1", "2", "3", "4"]) await rialto.client("sender", "shared").say({ text, username: "bob" });
  const seen = async (name: string): Promise<string[]> =>
    (await rialto.client(name, "shared").poll()).map((message) => `${message.username} ${message.text}`);
  expect(await seen("reader")).toEqual(["general bob 3", "general bob 4"]);
  expect(await seen("own")).toEqual(["own bob 2", "own bob 3", "own bob 4"]);
  expect((await rialto.client("reader").request("/api/messages")).status).toBe(401);
});
