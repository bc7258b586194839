import { NS } from "../../../src/adapters/xmpp/ns.ts";
import type { Random } from "../random.ts";
import { text, word } from "../text.ts";

const NAMESPACES = Object.values(NS);
const ELEMENTS =
  "body subject thread delay stanza-id origin-id occupant-id replace retract moderated apply-to reply fallback reactions reaction x item status reason actor destroy photo url desc file-sharing file sources url-data name size media-type result forwarded message fin set last query feature error text unstyled store a r enabled failed ping bind jid features mechanisms success challenge failure see-other-host not-acceptable conflict item-not-found".split(
    " ",
  );
const ATTRIBUTES =
  "id by to from type stamp code var nick jid role affiliation for start end target queryid complete h xmlns xml:lang name".split(
    " ",
  );

const escaped = (value: string): string =>
  value
    .replaceAll(/[\p{Cs}\p{Cc}\ufffe\uffff]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll("'", "&apos;");

function value(random: Random, room: string): string {
  switch (random.int(8)) {
    case 0:
      return random.pick([
        room,
        `${room}/alice`,
        `${room}/rialto`,
        `${room}/`,
        "localhost",
        "rialto@localhost/here",
        "@",
        "/",
        "@/",
        "a@",
      ]);
    case 1:
      return random.pick([
        "groupchat",
        "error",
        "unavailable",
        "result",
        "get",
        "set",
        "chat",
        "headline",
        "wait",
        "cancel",
      ]);
    case 2:
      return random.pick([
        "0",
        "1",
        "-1",
        "4",
        "99999999999",
        "1e308",
        "NaN",
        "110",
        "201",
        "301",
        "303",
        "307",
        "332",
      ]);
    case 3:
      return random.pick([
        "2026-01-01T00:00:00Z",
        "+275760-09-13T00:00:00Z",
        "-271821-04-20T00:00:00Z",
        "0000-00-00T00:00:00Z",
        "x",
      ]);
    case 4:
      return random.pick(["m1", "m2", "5", "7", ""]);
    case 5:
      return random.pick(NAMESPACES);
    default:
      return text(random, 2);
  }
}

function element(random: Random, room: string, depth: number): string {
  const name = random.chance(0.97) ? random.pick(ELEMENTS) : escaped(word(random)).replaceAll(/[^\w-]/gu, "") || "x";
  const namespace = random.chance(0.8) ? ` xmlns='${random.pick(NAMESPACES)}'` : "";
  const children = depth > 0 ? random.some(3, () => element(random, room, depth - 1)).join("") : "";
  const inner = random.chance(0.5) ? escaped(text(random, 4)) : children;
  return `<${name}${namespace}${attributes(random, room)}>${inner}</${name}>`;
}

function attributes(random: Random, room: string): string {
  const names = new Set(random.some(4, () => random.pick(ATTRIBUTES)).filter((name) => name !== "xmlns"));
  return [...names].map((name) => ` ${name}='${escaped(value(random, room))}'`).join("");
}

/** What real ones say, with something of a stranger's in each place. */
const SHAPES: readonly ((random: Random, room: string) => string)[] = [
  (random) => `<body>${escaped(text(random, 20))}</body>`,
  (random, room) => `<subject>${escaped(text(random))}</subject>${attributes(random, room) === "" ? "<body/>" : ""}`,
  (random, room) => `<body>a</body><replace xmlns='${NS.correct}' id='${escaped(value(random, room))}'/>`,
  (random) =>
    `<body>x</body><fallback xmlns='${NS.fallback}' for='${NS.reply}'><body start='${random.int(9)}' end='${random.pick(["1", "999999999", "x"])}'/></fallback><reply xmlns='${NS.reply}' id='m1' to='${random.pick(["town@conference.localhost/alice", ""])}'/>`,
  (random) =>
    `<reactions xmlns='${NS.reactions}' id='m1'>${random.some(5, () => `<reaction>${escaped(word(random))}</reaction>`).join("")}</reactions>`,
  () => `<retract xmlns='${NS.retract1}' id='m1'/>`,
  (random, room) =>
    `<retract xmlns='${NS.retract1}' id='m1'><moderated xmlns='${NS.moderate1}' by='${escaped(value(random, room))}'/></retract>`,
  (random) =>
    `<x xmlns='${NS.oob}'><url>${escaped(random.chance(0.5) ? `https://e.example/${word(random)}` : text(random, 3))}</url></x>`,
  (random) =>
    `<file-sharing xmlns='${NS.sfs}'><file xmlns='${NS.fileMetadata}'><name>${escaped(text(random, 2))}</name><size>${random.pick(["1", "-1", "1e999", "x"])}</size></file><sources><url-data xmlns='${NS.urlData}' target='https://e.example/x'/></sources></file-sharing>`,
  (random, room) =>
    `<x xmlns='${NS.mucUser}'><item${attributes(random, room)}><reason>${escaped(text(random, 2))}</reason></item><status code='${random.pick(["110", "201", "301", "303", "307", "332", "x"])}'/></x>`,
  (random, room) => `<error type='${escaped(value(random, room))}'>${element(random, room, 1)}</error>`,
  (random, room) => `<delay xmlns='${NS.delay}' stamp='${escaped(value(random, room))}'/>`,
];

/** One thing that a server may say on a stream. */
export function stanza(random: Random, room: string): string {
  if (random.chance(0.03))
    return `<stream:error>${random.some(3, () => element(random, room, 1)).join("")}</stream:error>`;
  if (random.chance(0.05)) return element(random, room, 4);
  const kind = random.pick(["message", "message", "message", "presence", "presence", "iq"]);
  const usual = kind === "message" ? " type='groupchat'" : "";
  const who = random.pick(["/alice", "/bob", "/rialto", "/", ""]);
  const head = random.chance(0.8)
    ? ` from='${room}${who}' id='${random.pick(["m1", "m2", "m3"])}'${usual}`
    : attributes(random, room);
  const parts = random.some(4, () =>
    random.chance(0.7) ? random.pick(SHAPES)(random, room) : element(random, room, 3),
  );
  const ids = random.chance(0.5) ? `<stanza-id xmlns='${NS.sid}' by='${room}' id='s${random.int(9)}'/>` : "";
  return `<${kind}${head}>${parts.join("")}${ids}</${kind}>`;
}
