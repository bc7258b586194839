/** A request or answer inside a message: `\x01COMMAND args\x01` (CTCP). */
export interface Ctcp {
  /** Upper case. */
  readonly command: string;
  readonly args: string;
}

const MARK = "\x01";

/** Null for an ordinary message. The closing mark may be missing: long ones are cut by servers. */
export function parseCtcp(text: string): Ctcp | null {
  if (!text.startsWith(MARK)) return null;
  const inner = text.slice(1, text.endsWith(MARK) && text.length > 1 ? -1 : undefined);
  const space = inner.indexOf(" ");
  return space === -1
    ? { command: inner.toUpperCase(), args: "" }
    : { command: inner.slice(0, space).toUpperCase(), args: inner.slice(space + 1) };
}

/** The text of a message that carries it. */
export function formatCtcp(command: string, args: string): string {
  const inner = args === "" ? command : `${command} ${args}`;
  return MARK + inner.replaceAll(MARK, "") + MARK;
}

/** Bytes of a PING that are sent back. */
const PING_MAX = 64;

/** The text of the NOTICE that answers a request; null when it gets none. */
export function answerCtcp(request: Ctcp): string | null {
  switch (request.command) {
    case "VERSION":
      return formatCtcp("VERSION", "Rialto");
    case "PING":
      return request.args === "" ? null : formatCtcp("PING", request.args.slice(0, PING_MAX).toWellFormed());
    default:
      return null;
  }
}
