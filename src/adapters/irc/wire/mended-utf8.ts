/** How many bytes a character has by its first byte (RFC 3629 §3); 0: no character begins so. */
function lengthBy(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80 && byte <= 0xbf;

/** Bytes side by side that are no character. */
interface Damage {
  readonly from: number;
  to: number;
}

interface Found {
  /** Characters of several bytes. */
  readonly whole: number;
  readonly damages: readonly Damage[];
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isCharacter(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function lookThrough(bytes: Uint8Array): Found {
  const damages: Damage[] = [];
  let whole = 0;
  for (let at = 0; at < bytes.length;) {
    const length = lengthBy(bytes[at] ?? 0);
    let end = at + 1;
    while (end < at + length && isContinuation(bytes[end])) end += 1;
    if (length > 0 && end === at + length && (length < 3 || isCharacter(bytes.subarray(at, end)))) {
      if (length > 1) whole += 1;
    } else {
      const last = damages.at(-1);
      if (last?.to === at) last.to = end;
      else damages.push({ from: at, to: end });
    }
    at = end;
  }
  return { whole, damages };
}

/** What ngircd writes after a line that it has cut. */
const CUT = Buffer.from("[CUT]");

/**
 * A line in UTF-8 of which a few bytes are damaged, because a server or a bridge cut it within a character. Damaged
 * bytes at the ends of its text are left out, others become U+FFFD. Null: it is no such line, but probably of another
 * charset.
 */
export function mendedUtf8(bytes: Uint8Array): string | null {
  const { whole, damages } = lookThrough(bytes);
  const [first] = damages;
  if (first === undefined) return null;
  const end = endOf(bytes);
  // Where there is no other sign of UTF-8, only the beginning of a long character at the very end is one.
  const isCutOff = first.to === end && lengthBy(bytes[first.from] ?? 0) > 2;
  const needed = damages.length > 1 || !isCut(bytes, first) ? 2 * damages.length : Number(!isCutOff);
  if (whole < needed) return null;
  const parts: Buffer[] = [];
  let from = 0;
  for (const damage of damages) {
    parts.push(Buffer.from(bytes.subarray(from, damage.from)));
    if (damage.to !== end && !isAtBegin(bytes.subarray(0, damage.from))) parts.push(Buffer.from("\ufffd"));
    from = damage.to;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]).toString("utf8");
}

/** Where the text of the line ends, without the marks that servers and CTCP put after it. */
function endOf(bytes: Uint8Array): number {
  const isClosed = bytes.at(-1) === 1;
  const end = bytes.length - (isClosed ? 1 : 0);
  return Buffer.from(bytes.subarray(0, end)).subarray(-CUT.length).equals(CUT) ? end - CUT.length : end;
}

/** The rest of a character, or the beginning of one. */
function isCut(bytes: Uint8Array, { from, to }: Damage): boolean {
  const begun = lengthBy(bytes[from] ?? 0);
  const rest = bytes.subarray(begun > 1 ? from + 1 : from, to);
  return rest.every(isContinuation) && (begun > 1 ? to - from < begun && to - from > 1 : to - from < 4);
}

/** Whether the text of the line begins there: after its source, its command and its other parameters. */
const isAtBegin = (before: Uint8Array): boolean =>
  /^(?:@\S+ )?(?::\S+ )?\S+ (?:[^: ]\S* )*:(?:\p{Cc}ACTION )?$/u.test(Buffer.from(before).toString("latin1"));
