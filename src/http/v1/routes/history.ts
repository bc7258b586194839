import type { Subject } from "../../../log/log.ts";
import { QUERY_WORDS, termsOf } from "../../../log/words.ts";
import type { V1Deps } from "../deps.ts";
import { GatewayHistory, type GatewayHistoryQuery } from "../history.ts";
import { ownGateway } from "../own-gateways.ts";
import { type FieldError, ProblemError } from "../problems.ts";
import { type Call, type JsonSchema, ok, type Reply, type Route } from "../route.ts";

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;
const WORDS_MAX = 200;
const SEARCH_UNITS = 100;
const POSITION = /^(?:0|[1-9]\d{0,15})$/;

type Asked = Pick<V1Deps, "account" | "config" | "feed" | "historyTurns" | "log" | "routes">;

async function history(call: Call, deps: Asked): Promise<Reply> {
  const { access, params, query } = call;
  const { name } = ownGateway(access, params["gateway"] ?? "", deps);
  const asked = queryOf(query, name);
  if (asked.after !== null && asked.after > deps.log.head) {
    throw new ProblemError(
      "position_unknown",
      `The log has not come to ${asked.after} yet: this is one of another log.`,
    );
  }
  const words = query.get("q");
  if (words !== null) checkWords(words);
  return await deps.historyTurns.take(call, async () => await read(words, asked, deps));
}

async function read(words: string | null, asked: GatewayHistoryQuery, deps: Asked): Promise<Reply> {
  const { head } = deps.log;
  const reading = new GatewayHistory(deps, asked);
  if (words === null && asked.from === null) return pageOf(await reading.page());
  const found = await reading.search(words, subjectsOf(asked.gateway, deps));
  if (found !== null) {
    const { indexed, ...page } = found;
    return pageOf(page, indexed < head ? { indexed: String(indexed) } : {});
  }
  if (words === null) return pageOf(await reading.page());
  const detail =
    "The history cannot be searched: the log keeps no index of words. Set Search = true in [general], and start Rialto again.";
  throw new ProblemError("unprocessable", detail, { errors: [{ pointer: "/q", detail: "Search is off." }] });
}

function pageOf({ messages, next }: Awaited<ReturnType<GatewayHistory["page"]>>, more: object = {}): Reply {
  return ok({ messages, ...(next !== null && { next: String(next) }), ...more });
}

/** Throws `bad_request` with all that is wrong. */
function queryOf(query: URLSearchParams, gateway: string): GatewayHistoryQuery {
  const errors: FieldError[] = [];
  const position = (name: string): number | null => {
    const value = query.get(name);
    if (value === null) return null;
    if (!POSITION.test(value)) errors.push({ pointer: `/${name}`, detail: "must be a position: digits, as in `seq`" });
    return Number(value);
  };
  const limitText = query.get("limit") ?? String(LIMIT_DEFAULT);
  const limit = /^\d{1,6}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIMIT_MAX) {
    errors.push({ pointer: "/limit", detail: `must be a number from 1 to ${LIMIT_MAX}` });
  }
  const from = query.get("from");
  const asked = { gateway, after: position("after"), before: position("before"), from, limit };
  if (errors.length > 0) {
    const flaws = errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`);
    throw new ProblemError("bad_request", `The query cannot be understood: ${flaws.join("; ")}.`, { errors });
  }
  return asked;
}

function checkWords(words: string): void {
  const detail =
    words.length > WORDS_MAX
      ? `must not have more than ${WORDS_MAX} characters`
      : "must have a word in it: letters or digits";
  if (words.length > WORDS_MAX || termsOf(words).length === 0) {
    throw new ProblemError("bad_request", `q ${detail}`, { errors: [{ pointer: "/q", detail }] });
  }
}

/** What the account sees in the gateway. */
function subjectsOf(gateway: string, { account, routes }: Asked): readonly Subject[] {
  const seen = [...routes.seen(account().key)];
  return seen.flatMap(([subject, { gateways }]) => (gateways.some(({ name }) => name === gateway) ? [subject] : []));
}

const text = { type: "string" };
const position: JsonSchema = { ...text, pattern: POSITION.source };

const MessageSchema: JsonSchema = {
  allOf: [
    { $ref: "#/components/schemas/Event" },
    {
      type: "object",
      properties: {
        type: { const: "message.posted" },
        edited: {
          type: ["string", "null"],
          format: "date-time",
          description: "When its words were changed last; null: they are as they were said.",
        },
      },
      required: ["edited"],
    },
  ],
};

const ABOUT = `Messages as they read now: with their newest words, and without those that were deleted. So no edits are to be applied to them; what changes afterwards comes as an event. Who joins, topics and reactions are no messages.

Without a position, these are the newest; with \`before\` the newest before that; with \`after\`, alone or with \`before\`, the oldest after that. Always the oldest first. \`next\` is there when there is more: ask again with it as \`before\`, or as \`after\` if \`after\` was given. A page may have fewer messages than \`limit\`, or none, and still a \`next\`: one question looks at a bounded part of the log.

\`q\` needs \`Search = true\` in \`[general]\`. All of its words must occur in a message or in the names of its files; capitals and accents do not count. \`"some words"\` finds them in this order, \`begin*\` all words that begin so; no other character has a meaning. Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are found by any part. The first ${QUERY_WORDS} words count. While the index is still being made, \`indexed\` says up to which position it goes. With \`Search = true\`, \`from\` is looked up in the index as well; without it, \`from\` reads a bounded part of the log, so a page may be empty and have a \`next\`.

One request at a time reads the history of an account; up to 32 requests of a token wait for their turn, and more get 429.`;

export const historyRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/gateways/{gateway}/history",
    needs: "read",
    id: "getHistory",
    summary: "What was said in a gateway, as far as the log has it.",
    about: ABOUT,
    query: {
      before: { ...position, description: "Only messages before this `seq`." },
      after: { ...position, description: "Only messages after this `seq`." },
      q: { ...text, maxLength: WORDS_MAX, description: "Words to look for." },
      from: { ...text, description: "Who said it: the name or the id, whole; capitals do not count." },
      limit: {
        ...text,
        pattern: "^\\d+$",
        description: `At most so many: 1 to ${LIMIT_MAX}, ${LIMIT_DEFAULT} if absent.`,
      },
    },
    units: (query) => (query.has("q") || query.has("from") ? SEARCH_UNITS : 1),
    answers: {
      200: {
        about: "Messages, the oldest first.",
        schema: {
          type: "object",
          properties: {
            messages: { type: "array", items: MessageSchema },
            next: { ...position, description: "Where to go on; absent: that was all." },
            indexed: { ...position, description: "Only while the index of words is behind: how far it is." },
          },
          required: ["messages"],
        },
      },
      410: { about: "`after` is a position of another log." },
      422: { about: "`q` without an index of words." },
      429: { about: "Too many requests wait for the history of this account. `Retry-After` says when to try again." },
    },
    handle: history,
  },
];
