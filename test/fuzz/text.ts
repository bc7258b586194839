import type { Random } from "./random.ts";

/** What has a meaning somewhere, or what careless programs trip over. */
const WORDS = [
  ..."* ** _ __ ~ ~~ ` `` ``` | || > >> # - + 1. ( ) [ ] { } < </ /> & ; : , @ ! ? = \\ / \" ' % $ ^".split(" "),
  ..."word Hello name@host https://e.example/a_(b)?c=*d* @room @alice: #room alice|away [x](y) ![i](u) <b> </b> <br> <p>".split(
    " ",
  ),
  "<blockquote>",
  "<ul><li>",
  "<mx-reply>",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "&amp;",
  "&#0;",
  "&#x110000;",
  "&#xD800;",
  "&nbsp",
  "\n",
  "\r\n",
  "\r",
  "\t",
  " ",
  "  ",
  "\n\n",
  "\n> ",
  "\n- ",
  "\n```\n",
  "\0",
  "\u0001",
  "\u0002",
  "\u000304,05",
  "\u0004ff0000",
  "\u000f",
  "\u0016",
  "\u001d",
  "\u007f",
  "\u0085",
  "\u2028",
  "\u200b",
  "\u202e",
  "\ufeff",
  "\ufffd",
  "\ud800",
  "\udc00",
  "😀",
  "👩‍👩‍👧‍👦",
  "e\u0301",
  "ß",
  "İ",
  "ﬃ",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "true",
  "0",
  "-1",
  "1e999",
  "9007199254740993",
  "99999999999999999999",
  "0x1F",
  ".inf",
  "1970-01-01T00:00:00Z",
  "2026-13-45T99:99:99Z",
  "+275760-09-13T00:00:00.001Z",
  "-271821-04-20T00:00:00Z",
  "../../etc/passwd",
  "%00",
  "%zz",
  "%F0%9F",
  "javascript:alert(1)",
  "mxc://e.example/a",
];

export function word(random: Random): string {
  return random.chance(0.05) ? String.fromCharCode(random.int(0x10000)) : random.pick(WORDS);
}

/** A text of strange words; now and then one of them very often. */
export function text(random: Random, most = 12): string {
  if (random.chance(0.02)) return word(random).repeat(random.int(2_000));
  return random.some(most, () => word(random)).join(random.chance(0.3) ? " " : "");
}

/** The sample with some places changed: left out, put twice, put elsewhere, or with strange words between. */
export function mutated(random: Random, sample: string): string {
  let result = sample;
  for (let turn = 1 + random.int(5); turn > 0; turn -= 1) {
    const at = random.int(result.length + 1);
    const to = Math.min(result.length, at + random.int(random.chance(0.2) ? 200 : 12));
    const [before, part, after] = [result.slice(0, at), result.slice(at, to), result.slice(to)];
    switch (random.int(6)) {
      case 0:
        result = before + after;
        break;
      case 1:
        result = before + part + part + after;
        break;
      case 2:
        result = before + word(random) + after;
        break;
      case 3:
        result = before + word(random) + part + word(random) + after;
        break;
      case 4:
        result = part + before + after;
        break;
      default:
        result = random.chance(0.1) ? before : before + part.toUpperCase() + after;
    }
  }
  return result.slice(0, 64 * 1024);
}

/** A JSON value of any shape; `keys` are what objects mostly have. */
export function json(random: Random, keys: readonly string[], depth = 3): unknown {
  switch (random.int(depth > 0 ? 9 : 6)) {
    case 0:
      return random.pick([0, 1, -1, 0.5, 1e15, 8.64e15, 8.64e15 + 1, -8.64e15, 1e300, -1e300, Number.MAX_SAFE_INTEGER]);
    case 1:
      return random.pick([true, false, null, "", [], {}]);
    case 2:
    case 3:
    case 4:
    case 5:
      return text(random, 4);
    case 6:
      return random.some(4, () => json(random, keys, depth - 1));
    default:
      return Object.fromEntries(
        random.some(6, () => [random.chance(0.8) ? random.pick(keys) : word(random), json(random, keys, depth - 1)]),
      );
  }
}

/** The value with some places replaced: a key or entry gone, or with a value of another kind. */
export function mutatedJson(random: Random, value: unknown, keys: readonly string[], rate = 0.06): unknown {
  if (random.chance(rate)) return json(random, keys);
  if (Array.isArray(value)) {
    const list = value.map((one: unknown) => mutatedJson(random, one, keys, rate));
    return random.chance(rate) ? [...list, ...list] : list.filter(() => !random.chance(rate / 2));
  }
  if (typeof value === "string") return random.chance(rate) ? mutated(random, value) : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => !random.chance(rate / 2))
      .map(([key, one]) => [random.chance(rate / 4) ? random.pick(keys) : key, mutatedJson(random, one, keys, rate)]),
  );
}
