import { isObject } from "../../../../lib/shapes.ts";
import { ProblemError } from "../../../v1/problems.ts";
import { ok, type Route } from "../../../v1/route.ts";
import type { ConnectAsked, OnlineAsked } from "../connect-deps.ts";
import type { AdminV1Deps } from "../deps.ts";

const STRING = { type: "string" };
const SHORT = { type: "string", maxLength: 200 };
const ACCOUNT = {
  protocol: SHORT,
  name: { ...SHORT, description: "Without the protocol." },
  settings: {
    type: "object",
    maxProperties: 100,
    description: "As in its table of the configuration; absent: of the account that is there. A mask is its secret.",
  },
};
const OPTIONS = {
  type: "object",
  maxProperties: 10,
  additionalProperties: { type: "string", maxLength: 2000 },
  description: "Of the channel, such as its password. A mask is its secret.",
};
const ONLINE = {
  type: "object",
  required: ["protocol", "name"],
  additionalProperties: false,
  properties: { ...ACCOUNT, channel: { ...SHORT, description: "Joined as well." }, options: OPTIONS },
} as const;
const CONNECT = {
  type: "object",
  required: ["accounts", "gateway"],
  additionalProperties: false,
  properties: {
    accounts: {
      type: "array",
      maxItems: 10,
      items: { type: "object", required: ["protocol", "name"], additionalProperties: false, properties: ACCOUNT },
    },
    gateway: {
      type: "object",
      required: ["name", "bridges"],
      additionalProperties: false,
      properties: {
        name: SHORT,
        bridges: {
          type: "array",
          minItems: 2,
          maxItems: 20,
          items: {
            type: "object",
            required: ["account", "channel"],
            additionalProperties: false,
            properties: { account: SHORT, channel: SHORT, options: OPTIONS },
          },
        },
      },
    },
  },
} as const;

/** How networks are linked without an editor. */
export const connectRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/schema",
    needs: "admin",
    id: "getSettings",
    summary: "The protocols that accounts can have, with their settings as JSON Schema.",
    answers: {
      200: {
        about:
          "`first`: what has to be asked before anything works. `accounts`: those that are there. `freeAddresses`: two on this machine, for accounts that listen.",
        schema: {
          type: "object",
          properties: {
            protocols: { type: "array", items: { type: "object" } },
            freeAddresses: { type: "array", items: STRING },
          },
        },
      },
    },
    handle: async (_call, { connect }) =>
      ok({ protocols: connect.schema(), freeAddresses: await connect.freeAddresses() }),
  },
  {
    method: "POST",
    path: "/v1/admin/check/online",
    needs: "admin",
    id: "checkAccount",
    summary: "Tries an account: connects, logs in, joins, and leaves again.",
    about:
      "Nothing is sent, stored or acknowledged. With the login of an account that runs, its state is told instead, as two sessions would throw each other out. One at a time for each account, four in all, and a minute at most.",
    body: ONLINE,
    answers: {
      200: {
        about: "What was done, and how it went. `rooms`: those that the network lists cheaply.",
        schema: {
          type: "object",
          properties: {
            steps: {
              type: "array",
              items: {
                type: "object",
                properties: {
                  name: { enum: ["settings", "running", "connect", "channel"] },
                  ok: { type: "boolean" },
                  why: STRING,
                  remedy: STRING,
                },
              },
            },
            rooms: { type: "array", items: STRING },
          },
        },
      },
      429: { about: "This account is being tried, or four others." },
    },
    handle: async ({ body }, { connect }) => {
      const result = await connect.tryAccount(onlineOf(body));
      if (result !== "busy") return ok(result);
      const detail = "this account is being tried already, or four others are; wait for them";
      throw new ProblemError("rate_limited", detail, { headers: { "Retry-After": "10" } });
    },
  },
  {
    method: "POST",
    path: "/v1/admin/connect",
    needs: "admin",
    id: "connect",
    summary: "The configuration with accounts and a gateway added.",
    about: "Nothing is written: send `text` to `PUT /v1/admin/config` with the `ETag` of this answer as `If-Match`.",
    body: CONNECT,
    answers: {
      200: {
        about: "`text`: all of it. `added`: what is new. Secrets that were there are masks.",
        schema: { type: "object", properties: { text: STRING, added: STRING } },
      },
      409: { about: "It cannot be added; `detail` says why." },
    },
    handle: async ({ body }, { connect }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has read it
      const made = await connect.add(body as ConnectAsked);
      if (!made.ok) throw new ProblemError("conflict", made.why);
      const { text, added, etag } = made;
      return { status: 200, body: { text, added }, headers: { ETag: etag } };
    },
  },
];

function onlineOf(body: unknown): OnlineAsked {
  const { protocol = "", name = "", channel = "", settings, options } = isObject(body) ? body : {};
  const asked = {
    protocol: String(protocol),
    name: String(name),
    channel: String(channel),
    options: isObject(options)
      ? Object.fromEntries(Object.entries(options).map(([of, value]) => [of, String(value)]))
      : {},
  };
  return isObject(settings) ? { ...asked, settings } : asked;
}
