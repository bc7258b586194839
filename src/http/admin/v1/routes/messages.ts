import { isObject } from "../../../../lib/shapes.ts";
import { onceOf } from "../../../v1/once.ts";
import { ProblemError } from "../../../v1/problems.ts";
import { type Call, ok, type Reply, type Route } from "../../../v1/route.ts";
import type { AdminV1Deps } from "../deps.ts";

const QUESTION_MAX = 1000;
const LIMIT = { usual: 20, most: 50 };
const SEQ = /^[1-9]\d{0,14}$/u;

const STATES = ["arrived", "waiting", "unconfirmed", "refused"] as const;
const isStoryState = (text: string): text is (typeof STATES)[number] => STATES.some((state) => state === text);

async function find({ query }: Call, { operator }: AdminV1Deps): Promise<Reply> {
  const question = query.get("q")?.trim() ?? "";
  const limit = Number(query.get("limit") ?? LIMIT.usual);
  if (question.length > QUESTION_MAX) {
    throw new ProblemError("bad_request", `q is words, an id or a number, of at most ${QUESTION_MAX} characters`);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT.most) {
    throw new ProblemError("bad_request", `limit is a number from 1 to ${LIMIT.most}`);
  }
  const state = query.get("state");
  if (state !== null && !isStoryState(state))
    throw new ProblemError("bad_request", `state is one of ${STATES.join(", ")}`);
  const only = { gateway: query.get("gateway"), account: query.get("account"), state };
  return ok(await operator.explain(question, limit, { ...only, events: query.get("events") !== "false" }));
}

async function tell({ params }: Call, { operator }: AdminV1Deps): Promise<Reply> {
  const seq = params["seq"] ?? "";
  const story = SEQ.test(seq) ? await operator.story(Number(seq)) : null;
  if (story === null) throw new ProblemError("not_found", NO_MESSAGE);
  return ok(story);
}

async function say({ body }: Call, { operator }: AdminV1Deps): Promise<Reply> {
  const { gateway, text, as } = isObject(body) ? body : {};
  const words = { gateway: textOf(gateway), text: textOf(text), as: textOf(as) };
  const said = await operator.say(words);
  if (said.is === "unknown") throw new ProblemError("not_found", said.message);
  if (said.is === "bad") throw new ProblemError("unprocessable", said.message);
  return { status: 201, body: { seq: said.seq, destinations: said.destinations } };
}

async function resend(call: Call, { operator }: AdminV1Deps): Promise<Reply> {
  const { params, body, access } = call;
  const { gateway, account, channel, may_double: mayDouble } = isObject(body) ? body : {};
  const [seq, once] = [params["seq"] ?? "", onceOf(call)];
  if (!SEQ.test(seq)) throw new ProblemError("not_found", NO_MESSAGE);
  const done = await operator.resend({
    seq: Number(seq),
    gateway: textOf(gateway),
    account: textOf(account),
    channel: textOf(channel),
    mayDouble: mayDouble === true,
    once: once && { key: `${access.token ?? ""} ${once.key}`, fingerprint: `${once.fingerprint} ${seq}` },
  });
  if (done.is === "unknown") throw new ProblemError("not_found", done.message);
  if (done.is === "refused") throw new ProblemError("unprocessable", done.message);
  if (done.is === "mismatch") throw new ProblemError("idempotency_mismatch", "the key was used for another request");
  return { status: 202, body: { seq: Number(seq) } };
}

const NO_MESSAGE = "the log knows no message of this number";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const story = { type: "object", required: ["seq", "destinations"] };
const count = { type: "integer" };

/** What was said, and where it is. */
export const adminMessagesRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/messages",
    needs: "admin",
    id: "findMessages",
    summary: "Messages and what became of them, newest first.",
    about:
      "With Search, words are found by its index; without, the newest part of the log is looked through, as for " +
      "names and parts of words. `drops` are what was not relayed lately.",
    query: {
      q: {
        type: "string",
        maxLength: QUESTION_MAX,
        description: "A number of the log, an id on any network, or words of the text or its sender's name. None: all.",
      },
      gateway: { type: "string", maxLength: 1000, description: "Only what went through it." },
      account: { type: "string", maxLength: 1000, description: "Only what was said there or went there." },
      state: {
        enum: STATES,
        description:
          "Only what arrived everywhere, still waits somewhere, may or may not have arrived, or did not arrive somewhere. The worst counts.",
      },
      events: { type: "boolean", default: true, description: "false: no joins, leaves and deletions." },
      limit: { type: "integer", minimum: 1, maximum: LIMIT.most, default: LIMIT.usual },
    },
    answers: {
      200: {
        about: "As `rialto explain --json` prints it. `more`: there are others.",
        schema: {
          type: "object",
          properties: { stories: { type: "array", items: story }, drops: { type: "array" }, more: { type: "boolean" } },
          required: ["stories", "drops", "more"],
        },
      },
    },
    handle: find,
  },
  {
    method: "GET",
    path: "/v1/admin/messages/{seq}",
    needs: "admin",
    id: "getMessage",
    summary: "The way of one message.",
    answers: {
      200: { about: "Who said it where, and how it stands at each destination.", schema: story },
      404: { about: "The log knows no message of this number." },
    },
    handle: tell,
  },
  {
    method: "POST",
    path: "/v1/admin/messages",
    needs: "admin",
    id: "sendTestMessage",
    summary: "Says something in a gateway, as `rialto send` does.",
    body: {
      type: "object",
      properties: {
        gateway: { type: "string" },
        text: { type: "string" },
        as: { type: "string", description: "The name it is said by; none: `operator`." },
      },
      required: ["gateway", "text"],
    },
    answers: {
      201: {
        about: "Its number, by which its way is asked for, and how many destinations it has.",
        schema: { type: "object", properties: { seq: count, destinations: count }, required: ["seq", "destinations"] },
      },
      404: { about: "There is no such gateway." },
      422: { about: "The text is empty or too long, or the name is." },
    },
    handle: say,
  },
  {
    method: "POST",
    path: "/v1/admin/messages/{seq}/again",
    needs: "admin",
    id: "sendMessageAgain",
    summary: "Sends a message once more to a destination where it failed, expired or is unconfirmed.",
    about:
      "As it reads now; parts that arrived are not repeated. The copies are those of the message: later edits, " +
      "deletions, reactions and answers find them. The wish is on disk with the answer, and MaxAge counts from then.",
    headers: {
      "Idempotency-Key":
        "1 to 255 characters that the client chooses: a repeat within 24 h sends nothing again, and has the first answer.",
    },
    body: {
      type: "object",
      properties: {
        gateway: { type: "string" },
        account: { type: "string" },
        channel: { type: "string" },
        may_double: {
          type: "boolean",
          description: "Of one that is unconfirmed: send it although it may be there already.",
        },
      },
      required: ["gateway", "account", "channel"],
    },
    answers: {
      202: {
        about: "It is on its way; `getMessage` says how it goes.",
        schema: { type: "object", properties: { seq: count }, required: ["seq"] },
      },
      404: { about: "The log knows no message of this number." },
      422: {
        about:
          "Not safe or not possible, `detail` says why: it arrived or is on its way, it was deleted, an edit of it is " +
          "there, the account is paused, the bridge or the message is gone.",
      },
    },
    handle: resend,
  },
];
