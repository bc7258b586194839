import type { Access } from "../../access/access.ts";
import { maySee } from "../../access/access.ts";
import type { EventFilter } from "../../consumers/feed.ts";
import { CONSUMED_TYPES, filterSizeFlaw } from "../../consumers/spec.ts";
import type { Seq } from "../../log/log.ts";
import type { V1Deps } from "./deps.ts";
import { type FieldError, ProblemError } from "./problems.ts";

/** Types that only streams and sockets have. */
const STREAMED_TYPES: readonly string[] = ["receipt.changed", "typing", "presence"];
const TYPES = [...CONSUMED_TYPES, ...STREAMED_TYPES];

const SEQ = /^(?:0|[1-9]\d{0,15})$/u;

/** Names no gateway. */
const NO_GATEWAY = "";

/**
 * What a caller gets of what it asks for: the gateways of its token at most. Throws a ProblemError `not_found` for a
 * gateway that it does not see, `bad_request` for a type that there is not.
 */
export function readableFilter(
  asked: Partial<EventFilter>,
  { access, pointer }: { readonly access: Access; readonly pointer: string },
  { routes, account }: Pick<V1Deps, "routes" | "account">,
): EventFilter {
  const { gateways = [], types = [], accounts = [], mine = false } = asked;
  const errors: FieldError[] = [];
  for (const [at, type] of types.entries()) {
    const stem = type.endsWith(".*") ? type.slice(0, -1) : null;
    if (TYPES.some((known) => (stem === null ? known === type : known.startsWith(stem)))) continue;
    errors.push({ pointer: `${pointer}/types/${at}`, detail: `must be one of ${TYPES.join(", ")}, or message.*` });
  }
  if (errors.length > 0) throw new ProblemError("bad_request", "there is no such type of events", { errors });
  const size = filterSizeFlaw({ gateways, types, accounts });
  if (size !== null) throw new ProblemError("bad_request", `the filter is too large: it ${size}`);
  const all = [...routes.seen(account().key).values()].flatMap((subject) => subject.gateways.map(({ name }) => name));
  const seen = [...new Set(all)].filter((name) => maySee(access, name));
  const unknown = gateways.find((name) => !seen.includes(name));
  if (unknown !== undefined) {
    const names = seen.length === 0 ? "there is none" : `there are ${seen.join(", ")}`;
    throw new ProblemError("not_found", `the caller sees no gateway of that name: ${names}`);
  }
  const limited = access.gateways === null ? [] : [...access.gateways];
  const own = gateways.length > 0 ? gateways : access.gateways === null ? [] : limited;
  // An empty list would mean all of them.
  const none = access.gateways !== null && own.length === 0;
  return { gateways: none ? [NO_GATEWAY] : [...own], types: [...types], accounts: [...accounts], mine };
}

/**
 * A position as a client gives it under this name; throws a ProblemError: `bad_request`, or `position_unknown` (of
 * another log).
 */
export function positionOf(text: string, head: Seq, name = "after"): Seq {
  const errors = (detail: string) => ({ errors: [{ pointer: `/${name}`, detail }] });
  if (!SEQ.test(text)) {
    const detail = `${name} must be the \`seq\` of an event, or 0`;
    throw new ProblemError("bad_request", detail, errors("must be the `seq` of an event, or 0"));
  }
  const seq = Number(text);
  if (seq > head) {
    const detail = `the position ${text} is behind the end of this log, which is ${head}: it is one of another log`;
    throw new ProblemError("position_unknown", detail, errors(`must not be behind ${head}`));
  }
  return seq;
}
