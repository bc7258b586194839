import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Bridge, Config, Gateway } from "../config/config.ts";
import { compileRoutes, type Target } from "./routes.ts";
import { aConfig, aGateway, anAccount } from "./samples.suite.ts";
import { accountOf, subjectOf } from "./subject.ts";

const show = (targets: readonly Target[]): readonly string[] =>
  targets.map(({ gateway, account, channel }) => `${gateway}: ${account.key} ${channel}`);

/** What of the operator's is read in these gateways. */
const ofOperator = (...gateways: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(gateways.map((gateway) => [`rialto.operator/${gateway}`, [gateway]]));

const outagesOf = (places: string): readonly string[] => places.split(" ").map((place) => `rialto.outage/${place}`);

/** `net.a #x` -> where that goes. */
function targetsOf(config: Config, source: string): readonly string[] {
  const [account = "", channel = ""] = source.split(" ");
  return show(compileRoutes(config).targets(subjectOf(account, channel)));
}

describe("subjects", () => {
  test.each([
    ["net.libera", "#room", "net.libera/#room"],
    ["net.libera", "a/b", "net.libera/a/b"],
    ["net.a/b", "c", "net.a%2Fb/c"],
    ["net.a%2Fb", "c", "net.a%252Fb/c"],
  ])("%j %j is %j", (account, channel, subject) => {
    expect(subjectOf(account, channel)).toBe(subject);
    expect(accountOf(subject)).toBe(account);
  });

  test("no two places have one subject", () => {
    const word = fc.array(fc.constantFrom("a", "/", "%", "2F", "."), { maxLength: 4 }).map((list) => list.join(""));
    fc.assert(
      fc.property(word, word, word, word, (a, b, c, d) => {
        expect(subjectOf(a, b) === subjectOf(c, d)).toBe(a === c && b === d);
        expect(accountOf(subjectOf(a, b))).toBe(a);
      }),
    );
  });
});

describe("directions", () => {
  const config = aConfig([aGateway("g", ["in net.a #a", "out net.b #b", "inout net.c #c"])]);
  test.each([
    ["net.a #a", ["g: net.b #b", "g: net.c #c"]],
    ["net.b #b", []],
    ["net.c #c", ["g: net.b #b"]],
    ["net.a #elsewhere", []],
    ["net.nobody #a", []],
  ])("%s", (source, expected) => {
    expect(targetsOf(config, source)).toEqual(expected);
  });

  test("listed under in and under out is inout, and once", () => {
    const gateway = aGateway("g", ["in net.a #a", "out net.a #a", "inout net.b #b", "out net.b #b"]);
    expect(targetsOf(aConfig([gateway]), "net.a #a")).toEqual(["g: net.b #b"]);
    expect(targetsOf(aConfig([gateway]), "net.b #b")).toEqual(["g: net.a #a"]);
  });

  test("two channels of one account reach each other", () => {
    expect(targetsOf(aConfig([aGateway("g", ["inout net.a #a", "inout net.a #b"])]), "net.a #a")).toEqual([
      "g: net.a #b",
    ]);
  });

  test("a bridge of an account that does not exist is a bug of whoever made the configuration", () => {
    const config = { ...aConfig([aGateway("g", ["inout net.a #a"])]), accounts: new Map() };
    expect(() => compileRoutes(config)).toThrow('unknown account "net.a"');
  });
});

describe("the reference's tables", () => {
  const two = aConfig([
    aGateway("bridge1", ["in net.freenode #wimtesting", "inout discord.test general", "out slack.test testing"]),
    aGateway("bridge2", ["in net.freenode #wimtesting2", "out discord.test general2"]),
  ]);
  const advanced = aConfig([
    aGateway("bridge", ["inout net.zzz #main", "inout telegram.zzz -1111111111111", "inout slack.zzz net"]),
    aGateway("announcements", [
      "in telegram.zzz -2222222222222",
      "out net.zzz #main",
      "out net.zzz #main-help",
      "out telegram.zzz --333333333333",
      "out slack.zzz general",
    ]),
    aGateway("bridge2", ["inout net.zzz #main-help", "inout telegram.zzz --444444444444"]),
    aGateway("bridge3", ["inout net.zzz #main-telegram", "inout telegram.zzz --333333333333"]),
  ]);
  const same = aConfig([
    aGateway(
      "blah",
      ["mattermost.test", "slack.test"].flatMap((account) =>
        ["testing", "testing2", "testing10"].map((channel) => `inout ${account} ${channel}`),
      ),
      true,
    ),
  ]);
  test.each([
    [two, "discord.test general", ["bridge1: slack.test testing"]],
    [two, "net.freenode #wimtesting", ["bridge1: discord.test general", "bridge1: slack.test testing"]],
    [two, "net.freenode #wimtesting2", ["bridge2: discord.test general2"]],
    [two, "discord.test general2", []],
    [two, "slack.test testing", []],
    [advanced, "net.zzz #main", ["bridge: telegram.zzz -1111111111111", "bridge: slack.zzz net"]],
    [advanced, "telegram.zzz -1111111111111", ["bridge: net.zzz #main", "bridge: slack.zzz net"]],
    [advanced, "slack.zzz net", ["bridge: net.zzz #main", "bridge: telegram.zzz -1111111111111"]],
    [
      advanced,
      "telegram.zzz -2222222222222",
      [
        "announcements: net.zzz #main",
        "announcements: net.zzz #main-help",
        "announcements: telegram.zzz --333333333333",
        "announcements: slack.zzz general",
      ],
    ],
    [advanced, "slack.zzz general", []],
    [advanced, "net.zzz #main-help", ["bridge2: telegram.zzz --444444444444"]],
    [advanced, "telegram.zzz --444444444444", ["bridge2: net.zzz #main-help"]],
    [advanced, "net.zzz #main-telegram", ["bridge3: telegram.zzz --333333333333"]],
    [advanced, "telegram.zzz --333333333333", ["bridge3: net.zzz #main-telegram"]],
    [same, "mattermost.test testing", ["blah: slack.test testing"]],
    [same, "slack.test testing10", ["blah: mattermost.test testing10"]],
  ])("case %#: %s", (config, source, expected) => {
    expect(targetsOf(config, source)).toEqual(expected);
  });
});

describe("same channel gateways", () => {
  test("three accounts: each destination once", () => {
    const bridges = ["net.a", "net.b", "net.c"].flatMap((account) => [`inout ${account} #x`, `inout ${account} #y`]);
    expect(targetsOf(aConfig([aGateway("g", bridges, true)]), "net.a #x")).toEqual(["g: net.b #x", "g: net.c #x"]);
  });

  const api = ["inout api.one api", "inout api.two api"];
  test("API accounts receive from every channel", () => {
    const config = aConfig([aGateway("g", ["inout net.a #x", "inout net.a #y", "inout net.b #x", ...api], true)]);
    expect(targetsOf(config, "net.a #x")).toEqual(["g: net.b #x", "g: api.one api", "g: api.two api"]);
    expect(targetsOf(config, "net.a #y")).toEqual(["g: api.one api", "g: api.two api"]);
  });

  test("what they post reaches the others only when there is one channel", () => {
    const several = aConfig([aGateway("g", ["inout net.a #x", "inout net.a #y", ...api], true)]);
    expect(targetsOf(several, "api.one g")).toEqual(["g: api.two api"]);
    const single = aConfig([aGateway("g", ["inout net.a #x", "inout net.b #x", ...api], true)]);
    expect(targetsOf(single, "api.one g")).toEqual(["g: net.a #x", "g: net.b #x", "g: api.two api"]);
  });
});

describe("API accounts", () => {
  const config = aConfig([
    aGateway("one", ["inout net.a #x", "inout api.left api", "inout api.right api"]),
    aGateway("two", ["inout net.a #x", "out api.left api", "in api.right api"]),
    aGateway("three", ["inout net.b #x", "inout api.left api"]),
  ]);
  const routes = compileRoutes(config);

  test("a post goes to the named gateway only", () => {
    expect(targetsOf(config, "api.left one")).toEqual(["one: net.a #x", "one: api.right api"]);
    expect(targetsOf(config, "api.right two")).toEqual(["two: net.a #x", "two: api.left api"]);
    expect(targetsOf(config, "api.left two")).toEqual([]);
    expect(targetsOf(config, "api.left api")).toEqual([]);
  });

  test("reads: every subject with its gateways, never their own", () => {
    expect(Object.fromEntries(routes.reads("api.left"))).toEqual({
      "net.a/#x": ["one", "two"],
      "api.right/one": ["one"],
      "api.right/two": ["two"],
      "net.b/#x": ["three"],
      ...ofOperator("one", "two", "three"),
    });
    expect(Object.fromEntries(routes.reads("api.right"))).toEqual({
      "net.a/#x": ["one"],
      "api.left/one": ["one"],
      ...ofOperator("one"),
    });
    expect(routes.reads("net.a").size + routes.reads("api.nobody").size).toBe(0);
  });

  test.each([
    ["api.left", "one", { is: "ok", gateway: "one", subject: "api.left/one" }],
    ["api.left", "two", { is: "receive-only", gateway: "two" }],
    ["api.left", "One", { is: "unknown", names: ["one", "two", "three"] }],
    ["api.left", "one ", { is: "unknown", names: ["one", "two", "three"] }],
    ["api.right", "three", { is: "unknown", names: ["one", "two"] }],
    ["api.left", null, { is: "ambiguous", names: ["one", "three"] }],
    ["api.left", "", { is: "ambiguous", names: ["one", "three"] }],
    ["api.nobody", "one", { is: "unknown", names: [] }],
    ["api.nobody", null, { is: "unknown", names: [] }],
  ])("posting of %s to %j", (account, gateway, expected) => {
    expect(routes.posting(account, gateway)).toEqual(expected);
  });

  test.each([
    [["inout api.a api"], { is: "ok", gateway: "g0", subject: "api.a/g0" }],
    [["in api.a api"], { is: "ok", gateway: "g0", subject: "api.a/g0" }],
    [["out api.a api"], { is: "receive-only", gateway: "g0" }],
    [["out api.a api", "inout api.a api", "inout api.b api"], { is: "ok", gateway: "g1", subject: "api.a/g1" }],
    [["out api.a api", "out api.a api"], { is: "receive-only", gateway: "g0" }],
  ])("without a name, one gateway for each of %j", (lines, expected) => {
    const gateways = lines.map((line, n) => aGateway(`g${n}`, [line]));
    expect(compileRoutes(aConfig(gateways)).posting("api.a", null)).toEqual(expected);
  });

  test("listed under in and under out may send", () => {
    for (const lines of [
      ["in api.a api", "out api.a api"],
      ["out api.a api", "in api.a api"],
    ]) {
      expect(compileRoutes(aConfig([aGateway("g", lines)])).posting("api.a", "g").is).toBe("ok");
    }
  });
});

describe("lanes and channels", () => {
  const config = aConfig([
    aGateway("one", ["inout net.a #x", "out net.b #x", "in net.b #y", "inout api.left api", "out net.c #x"]),
    aGateway("two", ["inout net.a #x", "in net.a #z"]),
    aGateway("three", ["out net.a #alone"]),
  ]);
  const routes = compileRoutes(config);

  test("one lane for each outgoing bridge of a network that something reaches", () => {
    expect(routes.lanes().map(({ subjects, ...lane }) => [show([lane])[0], subjects])).toEqual([
      [
        "one: net.a #x",
        [
          "net.b/#y",
          "api.left/one",
          "rialto.withdrawal/net.a/#x",
          "rialto.operator/one",
          ...outagesOf("net.b/#x net.b/#y net.c/#x"),
          "rialto.failure/net.a/#x",
        ],
      ],
      [
        "one: net.b #x",
        ["net.a/#x", "net.b/#y", "api.left/one", "rialto.operator/one", ...outagesOf("net.a/#x net.b/#y")],
      ],
      [
        "one: net.c #x",
        ["net.a/#x", "net.b/#y", "api.left/one", "rialto.operator/one", ...outagesOf("net.a/#x net.b/#y")],
      ],
      ["two: net.a #x", ["net.a/#z", "rialto.withdrawal/net.a/#x", "rialto.operator/two", ...outagesOf("net.a/#z")]],
      ["three: net.a #alone", ["rialto.operator/three"]],
    ]);
  });

  test("what the operator says goes to every bridge of the gateway that takes anything, in all its rooms", () => {
    expect(targetsOf(config, "rialto.operator one")).toEqual([
      "one: net.a #x",
      "one: net.b #x",
      "one: api.left api",
      "one: net.c #x",
    ]);
    expect(targetsOf(config, "rialto.operator three")).toEqual(["three: net.a #alone"]);
    const rooms = aConfig([aGateway("g", ["inout net.a #x", "inout net.a #y", "in net.b #x"], true)]);
    expect(targetsOf(rooms, "rialto.operator g")).toEqual(["g: net.a #x", "g: net.a #y"]);
  });

  test("an account joins every channel it has, once", () => {
    const names = (account: string): readonly string[] => routes.channels(account).map(({ name }) => name);
    expect(names("net.a")).toEqual(["#x", "#z", "#alone"]);
    expect(names("net.b")).toEqual(["#x", "#y"]);
    expect(names("net.nobody")).toEqual([]);
  });

  test("options count wherever they are written", () => {
    const entry = (direction: Bridge["direction"], options: Bridge["options"]): Bridge => ({
      account: "net.a",
      channel: "#x",
      direction,
      options,
    });
    const rest = { sameChannel: false, maxAgeMs: null, catchUp: null };
    const written = [
      { ...rest, name: "one", bridges: [entry("in", {}), entry("out", { key: "k" })] },
      { ...rest, name: "two", bridges: [entry("inout", { other: "o" })] },
    ];
    expect(compileRoutes(aConfig(written)).channels("net.a")).toEqual([
      { name: "#x", options: { key: "k", other: "o" } },
    ]);
  });
});

describe("who is told that a place is out of reach", () => {
  const told = (config: Config, place: string): readonly string[] => targetsOf(config, `rialto.outage ${place}`);

  test("rooms that hear it, and rooms that are heard there and take something", () => {
    const config = aConfig([aGateway("g", ["inout net.a #x", "inout net.b #x", "in net.c #in", "out net.d #out"])]);
    expect(told(config, "net.a/#x")).toEqual(["g: net.b #x", "g: net.d #out"]);
    expect(told(config, "net.c/#in")).toEqual(["g: net.a #x", "g: net.b #x", "g: net.d #out"]);
    expect(told(config, "net.d/#out")).toEqual(["g: net.a #x", "g: net.b #x"]);
  });

  test("no account of the API, neither the place itself, nor whoever does not want to know", () => {
    const quiet = anAccount("net.b", { showOutages: false });
    const config = aConfig([aGateway("g", ["inout net.a #x", "inout net.b #x", "inout api.left api"])], [quiet]);
    const routes = compileRoutes(config);
    expect(told(config, "net.a/#x")).toEqual([]);
    expect(told(config, "net.b/#x")).toEqual(["g: net.a #x"]);
    expect(told(config, "api.left/api")).toEqual([]);
    expect([...routes.reads("api.left").keys()].filter((subject) => subject.startsWith("rialto.outage"))).toEqual([]);
  });

  test("each room once, whatever the number of gateways", () => {
    const lines = ["inout net.a #x", "inout net.b #x"];
    const config = aConfig([aGateway("g", lines), aGateway("h", [...lines, "inout net.c #x"])]);
    expect(told(config, "net.a/#x")).toEqual(["g: net.b #x", "h: net.c #x"]);
  });

  test("in a samechannelgateway only rooms of that name", () => {
    const config = aConfig([aGateway("g", ["inout net.a #x", "inout net.a #y", "inout net.b #x"], true)]);
    expect(told(config, "net.a/#x")).toEqual(["g: net.b #x"]);
    expect(told(config, "net.a/#y")).toEqual([]);
  });

  test("what people say there goes nowhere else because of that", () => {
    const config = aConfig([aGateway("g", ["inout net.a #x", "out net.d #out"])]);
    expect(targetsOf(config, "net.d #out")).toEqual([]);
  });
});

describe("random configurations", () => {
  const place = fc.constantFrom(
    "net.a #x",
    "net.a #y",
    "net.b #x",
    "net.b api",
    "xmpp.a #x",
    "api.one api",
    "api.two api",
    "api.three api",
  );
  const line = fc.tuple(fc.constantFrom("in", "out", "inout"), place).map((words) => words.join(" "));
  const gateways = fc
    .array(fc.tuple(fc.array(line, { maxLength: 6 }), fc.boolean()), { maxLength: 4 })
    .map((list) => list.map(([lines, sameChannel], n) => aGateway(`g${n}`, lines, sameChannel)));

  test("targets are exactly what the rules say, each once, and reads are their mirror image", () => {
    fc.assert(
      fc.property(gateways, (list) => {
        const config = aConfig(list);
        const routes = compileRoutes(config);
        for (const subject of subjects(list)) {
          const found = show(routes.targets(subject));
          expect(found.toSorted()).toEqual([...new Set(expectedTargets(list, subject))].toSorted());
          for (const reader of ["api.one", "api.two", "api.three"]) {
            const gatewaysOf = found
              .filter((target) => target.includes(` ${reader} `))
              .map((target) => target.split(":")[0]);
            expect(routes.reads(reader).get(subject) ?? []).toEqual(gatewaysOf);
          }
          const lanes = routes.lanes().filter(({ subjects }) => subjects.includes(subject));
          expect(show(lanes).toSorted()).toEqual(found.filter((target) => !target.includes(" api.")).toSorted());
        }
      }),
      { numRuns: 1000 },
    );
  });

  function subjects(list: readonly Gateway[]): readonly string[] {
    const bridges = list.flatMap((gateway) =>
      gateway.bridges.flatMap(({ account, channel }) => [
        subjectOf(account, channel),
        subjectOf(account, gateway.name),
      ]),
    );
    return [...new Set([...bridges, "net.a/g0", "api.one/api", "net.zzz/#x"])];
  }

  /** The rules once more, sentence by sentence and without any preparation. */
  function expectedTargets(list: readonly Gateway[], subject: string): readonly string[] {
    return list.flatMap((gateway) => {
      const isApi = (account: string): boolean => account.startsWith("api.");
      const channels = new Set(
        gateway.bridges.filter((each) => !isApi(each.account) && each.direction !== "in").map((each) => each.channel),
      );
      const sources = gateway.bridges.filter(
        (each) =>
          each.direction !== "out" &&
          subjectOf(each.account, isApi(each.account) ? gateway.name : each.channel) === subject,
      );
      return sources.flatMap((source) =>
        gateway.bridges
          .filter((out) => out.direction !== "in" && (out.account !== source.account || out.channel !== source.channel))
          .filter((out) => {
            if (!gateway.sameChannel || isApi(out.account)) return true;
            return isApi(source.account) ? channels.size === 1 : out.channel === source.channel;
          })
          .map((out) => `${gateway.name}: ${out.account} ${out.channel}`),
      );
    });
  }
});
