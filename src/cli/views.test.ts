import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { aLane, aReader, aRoom, aStatus, aView, NOW } from "../admin/samples.suite.ts";
import type { Reloaded } from "../app/reload.ts";
import type { Destination, Story } from "../admin/views.ts";
import { type ExplainLook, explainText } from "./explain-view.ts";
import { reloadText } from "./reload-view.ts";
import type { ClusterView, StatusView } from "../admin/views.ts";
import { clusterText } from "./cluster-view.ts";
import { statusText } from "./status-view.ts";
import { type Screen, table } from "./table.ts";

const PLAIN: Screen = { width: Infinity, colour: false };
// oxlint-disable-next-line no-control-regex -- what must not be there is a control character
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe("a table", () => {
  const rows = [
    [{ text: "a" }, { text: "long words that fill a line" }, { text: "x" }],
    [{ text: "bb" }, { text: "short" }],
  ];
  test("has columns as wide as they need to be", () => {
    expect(table(rows, PLAIN)).toBe("a   long words that fill a line  x\nbb  short\n");
  });

  test("cuts the widest column on a narrow screen, and no further than can be read", () => {
    expect(table(rows, { width: 20, colour: false })).toBe("a   long words t…  x\nbb  short\n");
    const sentence = [[{ text: "a name of 20 letters" }, { text: "a sentence that is much longer than the name" }]];
    expect(table(sentence, { width: 35, colour: false })).toBe("a name of 20 letters  a sentence t…\n");
    expect(table(rows, { width: 3, colour: false })).toBe("a   long wo…  x\nbb  short\n");
  });

  test.each([0, 1, 10, 40, 79])("never wider than the screen, if possible: %d", (width) => {
    const wide = [["a".repeat(50), "b".repeat(30), "c".repeat(10)].map((text) => ({ text }))];
    const lines = table(wide, { width, colour: false }).trimEnd().split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(Math.max(width, 8 * 3 + 4));
  });

  test("colours only where there is a terminal, and lets nothing through that could do anything to it", () => {
    const cell = { text: "\u001b[2Jred\u0007", colour: "red" } as const;
    expect(table([[cell]], PLAIN)).toBe("\\u{1b}[2Jred\\u{7}\n");
    expect(table([[cell]], { width: 80, colour: true })).toBe("\u001b[31m\\u{1b}[2Jred\\u{7}\u001b[0m\n");
  });
});

describe("the status", () => {
  test("of a program that is well", () => {
    expect(statusText(aView(), PLAIN)).toBe(`Rialto 1.2.3 is well. It has run for 1 h.
The log accepts messages (7 so far, 5.0 GiB free).

             STATE   FOR    IN  OUT  HEARD  WAITING  OLDEST  WHY
net.home     online  2 min  0   0
  #room ← g  joined  1 min

api.web  http://127.0.0.1:1  3 accepted
`);
  });

  test("of a program whose accounts connect for the first time", () => {
    const connecting = { ...aStatus(), state: "connecting" } as const;
    const says = (accounts: StatusView["accounts"]): string => statusText(aView({ accounts }), PLAIN);
    expect(says([connecting, aStatus()])).toMatch(/ is well; 1 account is still connecting\. It has run/u);
    expect(says([connecting, connecting])).toMatch(/ is well; 2 accounts are still connecting\. It has run/u);
  });

  test("of several machines with one log, which of them it is and what each runs", () => {
    const nodes = [
      { name: "n1", accounts: 2, isAlike: true },
      { name: "n2", accounts: 1, isAlike: false },
    ];
    const accounts = [
      { account: "irc.net", node: "n2", epoch: 3, sinceMs: NOW - 60_000 },
      { account: "api.one", node: null, epoch: 0, sinceMs: null },
    ];
    const cluster: ClusterView = { node: "n1", hasVoice: true, nodes, accounts, skipped: 0, gaps: 0 };
    expect(statusText(aView({ cluster }), PLAIN)).toContain(
      "This machine is n1: n1 runs 2 accounts, n2 runs 1 account.\nThe log accepts messages (7 so far",
    );
    const alone = { node: "n1", hasVoice: false, nodes: [], accounts: [], skipped: 2, gaps: 1 };
    expect(statusText(aView({ cluster: alone }), PLAIN)).toContain(
      "This machine is n1: it does not take part yet. The servers of the log do not answer it, or it cannot apply what they have. Of the stream it skipped 2 messages, and found 1 gap.\n",
    );
    expect(clusterText(cluster, { nowMs: NOW, screen: PLAIN }))
      .toBe(`This machine is n1: n1 runs 2 accounts, n2 runs 1 account.

MACHINE  ACCOUNTS  CONFIGURATION
n1       2         of this machine
n2       1         ANOTHER ONE

ACCOUNT  RUNS AT     FOR
irc.net  n2          1 min
api.one  nobody yet
`);
  });

  test("says what came and went, when something was last heard, and what was not relayed, by reason", () => {
    const dropped = { own: 7, duplicate: 1, ignored_nick: 2, foreign: 1 };
    const traffic = { accepted: 12, delivered: 345, heardMs: NOW - 5_000, dropped };
    const accounts = [aStatus({ ...traffic, channels: [aRoom({ heardMs: NOW - 65_000 })] })];
    const readers = [aReader({ dropped: { empty: 3, unheard_of: 1 } })];
    expect(statusText(aView({ accounts, readers }), PLAIN)).toContain(`
             STATE   FOR    IN  OUT  HEARD  WAITING  OLDEST  WHY
net.home     online  2 min  12  345  5 s
  #room ← g  joined  1 min           1 min

api.web  http://127.0.0.1:1  3 accepted

Not relayed since the start:
  net.home  2  IgnoreNicks matches the name of its sender
  net.home  1  the message it is about belongs to somebody else, and the network does not vouch for this sender
  api.web   3  it has neither text nor a file
  api.web   1  unheard_of
`);
  });

  test("notices are shown while all is well", () => {
    const notice = {
      of: "net.home #room",
      what: "1 message was set aside",
      remedy: "Resend it.",
      sinceMs: NOW - 60_000,
    };
    const text = statusText(aView({ notices: [notice] }), PLAIN);
    expect(text).toMatch(/ is well\./u);
    expect(text).toContain("  - net.home #room for 1 min: 1 message was set aside\n    → Resend it.\n");
  });

  test("of one that is not: what, since when, what waits, why and what to do", () => {
    const why = { code: "auth", message: "the server refuses the password" } as const;
    const lane = aLane({ state: "waiting", waiting: 12, oldestMs: NOW - 90_000 });
    const account = aStatus({
      state: "action-needed",
      why,
      remedy: "Set Password.",
      retryMs: NOW + 1_800_000,
      channels: [
        aRoom({
          state: "offline",
          why,
          lanes: [
            { ...lane, why },
            { ...lane, gateway: "h", waiting: null },
          ],
        }),
      ],
    });
    const trouble = { of: "net.home", what: "action-needed: it", remedy: "Set Password.", sinceMs: NOW - 120_000 };
    const log = {
      head: 14336,
      total: 7,
      takes: false,
      why: "full",
      freeBytes: null,
      damage: { why: null, entries: [] },
    };
    const text = statusText(aView({ troubles: [trouble], accounts: [account], log, readers: [] }), PLAIN);
    expect(text).toBe(`Rialto 1.2.3 is NOT WELL. It has run for 1 h.
The log accepts NO messages (7 so far).

  ! net.home for 2 min: action-needed: it
    → Set Password.

          STATE          FOR    IN  OUT  HEARD  WAITING  OLDEST  WHY
net.home  action-needed  2 min  0   0                            the server refuses the password (again in 30 min) → Set Password.
  #room   offline        1 min
    ← g   waiting                               12       1 min
    ← h   waiting                               ?        1 min
`);
  });

  test("what servers and people say cannot do anything to the terminal", () => {
    const evil = "\u001b]0;x\u0007\u009b2J\u202e";
    const why = { code: "auth", message: evil } as const;
    const room = aRoom({ channel: evil, why, lanes: [aLane({ gateway: evil, why })] });
    const view = aView({
      accounts: [aStatus({ account: evil, why, remedy: evil, channels: [room] })],
      troubles: [{ of: evil, what: evil, remedy: evil, sinceMs: null }],
      readers: [{ account: evil, key: evil, url: evil, down: null, accepted: 0, dropped: {}, skipped: 1 }],
      version: evil,
    });
    expect(statusText(view, PLAIN)).not.toMatch(CONTROL);
    expect(statusText(view, PLAIN)).not.toContain("\u202e");
  });
});

const DESTINATION: Destination = {
  gateway: "g",
  account: "net.home",
  channel: "#room",
  state: "sent",
  why: null,
  remedy: null,
  retryMs: null,
  tries: null,
  refs: [],
  losses: [],
};
const STORY: Story = {
  seq: 5,
  atMs: NOW - 60_000,
  account: "api.web",
  channel: "api",
  by: "ann",
  event: "",
  words: "hello",
  about: null,
  gone: false,
  refs: [],
  destinations: [],
  state: "none",
};

beforeEach(() => void vi.stubEnv("TZ", "Europe/Berlin"));
afterEach(() => vi.unstubAllEnvs());

const LOOK: ExplainLook = { nowMs: NOW, screen: PLAIN, ids: true };

describe("the way of a message", () => {
  test("says where it is, as what, how often it was tried, what was lost, and why", () => {
    const destinations: Destination[] = [
      { ...DESTINATION, refs: ["m1"], losses: [{ what: "format", note: "no bold here" }] },
      { ...DESTINATION, channel: "#b", state: "waiting", why: "no connection", tries: 2, retryMs: NOW + 5000 },
      { ...DESTINATION, channel: "#c", state: "settled" },
    ];
    const story = { ...STORY, event: "msg_edit", about: { is: "edit", seq: 4 }, refs: ["x"], destinations };
    expect(explainText({ stories: [story], drops: [], more: false }, LOOK))
      .toBe(`no. 5 (msg_edit) 2026-01-02 12:59:00+01:00, 1 min ago
  ann in api.web api: hello
  edit of no. 4
  known there as x
  → net.home #room  (g)  sent
                         lost: format              no bold here
  → net.home #b     (g)  waiting                   no connection; tried 2 times; again in 5 s
  → net.home #c     (g)  sent, or not shown there
  ids in net.home #room: m1
`);
  });

  test("fits the terminal, but for ids, which stay whole", () => {
    const id = "i".repeat(100);
    const destinations = [{ ...DESTINATION, refs: [id], why: "word ".repeat(40) }];
    const drop = { account: "irc.x", channel: "#a", by: "bob", text: "word ".repeat(40), event: "", atMs: 0 };
    const drops = [{ ...drop, refs: [], reason: "empty", why: "it is so" } as const];
    const found = { stories: [{ ...STORY, words: "word ".repeat(40), destinations }], drops, more: false };
    const lines = explainText(found, { ...LOOK, screen: { width: 80, colour: false } }).split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([`  ids in net.home #room: ${id}`]);
  });

  test("is shown without the ids of networks, unless they are requested", () => {
    const destinations = [{ ...DESTINATION, refs: ["m1"] }];
    const drop = { account: "irc.x", channel: "#a", by: "bob", text: "t", event: "", refs: ["m1"], atMs: 0 };
    const drops = [{ ...drop, reason: "empty", why: "it is so" } as const];
    const found = { stories: [{ ...STORY, refs: ["m1"], destinations }], drops, more: false };
    expect(explainText(found, LOOK).match(/\bm1\b/g)).toHaveLength(3);
    expect(explainText(found, { ...LOOK, ids: false })).not.toMatch(/m1|known|\bas\b/);
  });

  test("that was not relayed says why, and which expression matched", () => {
    const said = { account: "irc.x", channel: "#a", by: "bob", text: "buy this", event: "", refs: ["m1"] };
    const drop = { ...said, atMs: NOW - 60_000, reason: "ignored_text", rule: "^buy", why: "it is so" } as const;
    const { rule: _rule, ...bare } = drop;
    const drops = [drop, { ...bare, event: "msg_edit" }];
    expect(explainText({ stories: [], drops, more: false }, LOOK))
      .toBe(`not relayed 2026-01-02 12:59:00+01:00, 1 min ago
  bob in irc.x #a: buy this
  known there as m1
  it is so: ^buy

not relayed (msg_edit) 2026-01-02 12:59:00+01:00, 1 min ago
  bob in irc.x #a: buy this
  known there as m1
  it is so
`);
  });

  test("that goes nowhere, has gone, or is not found", () => {
    expect(explainText({ stories: [{ ...STORY, gone: true }], drops: [], more: true }, LOOK)).toMatch(
      /was deleted from the log[\s\S]*goes nowhere[\s\S]*may be more/,
    );
    expect(explainText({ stories: [], drops: [], more: false }, LOOK)).toMatch(/no such message/);
    expect(explainText({ stories: [], drops: [], more: true }, LOOK)).toMatch(/older messages were not/);
  });

  test("cannot do anything to the terminal", () => {
    const evil = "\u001b[2J";
    const destinations = [{ ...DESTINATION, account: evil, why: evil, losses: [{ what: evil, note: evil }] }];
    const story = { ...STORY, by: evil, words: evil, channel: evil, event: evil, refs: [evil], destinations };
    const drop = { account: evil, channel: evil, by: evil, text: evil, event: evil, refs: [evil], rule: evil, atMs: 0 };
    const drops = [{ ...drop, reason: "empty", why: "it is so" } as const];
    expect(explainText({ stories: [story], drops, more: false }, LOOK)).not.toMatch(CONTROL);
  });
});

const NONE = { added: [], removed: [], changed: [] };

test.each<[Reloaded, string, number]>([
  [{ is: "unchanged", needsRestart: [] }, "nothing has changed\n", 0],
  [
    {
      is: "applied",
      moved: {
        accounts: { ...NONE, added: ["net.a", "net.b"], restyled: [] },
        gateways: { ...NONE, changed: ["g"] },
        general: [],
      },
      needsRestart: ["DataPath"],
    },
    "applied: accounts added: net.a, net.b; gateways changed: g\nneeds a restart: DataPath\n",
    0,
  ],
  [
    {
      is: "refused",
      problems: [{ severity: "error", code: "x", file: "x.toml", line: 2, column: 1, message: "no", remedy: "" }],
    },
    "x.toml:2:1: error: no\nrefused: the old configuration stays in use\n",
    1,
  ],
])("a reload that is %j", (view, text, code) => {
  expect(reloadText(view)).toEqual({ text, code });
});
