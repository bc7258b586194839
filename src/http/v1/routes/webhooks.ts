import { maySee } from "../../../access/access.ts";
import { filterOf, FilterSchema, SeqSchema, startOf, startView, StartSchema } from "../../../consumers/spec.ts";
import type { FilterBody, SpecFlaw, StartBody } from "../../../consumers/spec.ts";
import type { WebhookPut, WebhookSpec, WebhookView } from "../../../consumers/webhooks.ts";
import type { DeadPage } from "../../../consumers/consumers.ts";
import { formatSpan, parseSpan } from "../../../lib/duration.ts";
import { isObject } from "../../../lib/shapes.ts";
import { seqOf } from "../consumer-shapes.ts";
import { listed, listingQuery, NextSchema } from "../listing.ts";
import { type FieldError, ProblemError } from "../problems.ts";
import { type JsonSchema, ok, type Reply, type Route } from "../route.ts";

const NAME = /^[\w.-]{1,64}$/u;
/** ms. */
const TIMEOUT = { least: 1_000, most: 30_000, usual: "15s" };

const WebhookSchema = {
  type: "object",
  additionalProperties: false,
  required: ["url"],
  properties: {
    url: { type: "string", minLength: 1, maxLength: 8192, description: "Where events are sent: https, or http." },
    filter: FilterSchema,
    start: StartSchema,
    ordered: {
      type: "boolean",
      description: "One event at a time, in their order; one that fails holds up the others while it is tried again.",
    },
    timeout: { type: "string", description: "How long one attempt may take, from 1s to 30s." },
  },
} as const satisfies JsonSchema;

const nullable = (type: string): JsonSchema => ({ type: [type, "null"] });

export const WebhookViewSchema = {
  type: "object",
  required: ["name", "url", "state"],
  properties: {
    name: { type: "string" },
    ...WebhookSchema.properties,
    state: {
      enum: ["active", "failing", "disabled"],
      description: "`disabled`: nothing is sent until it is enabled.",
    },
    why: nullable("string"),
    since: nullable("string"),
    retry_at: nullable("string"),
    last_attempt: {
      type: ["object", "null"],
      properties: { time: { type: "string" }, status: nullable("integer"), why: nullable("string") },
    },
    floor: { type: "string" },
    head: { type: "string" },
    pending: { type: "integer" },
    in_flight: { type: "integer" },
    dead: { type: "integer", description: "Events that were given up." },
    secret: { type: "string", description: "`whsec_…`: in the answer that creates it, and never again." },
  },
} as const satisfies JsonSchema;

const DeadEventsSchema = {
  type: "object",
  required: ["dead"],
  properties: {
    dead: {
      type: "array",
      items: { type: "object", required: ["event"], properties: { event: { $ref: "#/components/schemas/Event" } } },
    },
    next: { ...SeqSchema, description: "There are more: ask again with `after`." },
  },
} as const satisfies JsonSchema;

const about = "The account's Token or the scope `admin` is needed.";
const unknown = { about: "There is no webhook of this name." };
const taken = { about: "What stands.", schema: WebhookViewSchema };

export const webhooksRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/webhooks",
    needs: "secret",
    id: "listWebhooks",
    summary: "Lists the webhooks of the account",
    about,
    query: listingQuery,
    answers: {
      200: {
        about: "By name.",
        schema: {
          type: "object",
          required: ["webhooks"],
          properties: { webhooks: { type: "array", items: WebhookViewSchema }, next: NextSchema },
        },
      },
    },
    handle: async ({ access, query }, { webhooks }) =>
      await listed(query, {
        name: "webhooks",
        items: webhooks.names,
        key: (name) => name,
        view: async (name) => webhookJson(await webhooks.get(name, access)),
      }),
  },
  {
    method: "PUT",
    path: "/v1/webhooks/{name}",
    needs: "secret",
    id: "putWebhook",
    summary: "Creates a webhook, or changes it",
    about: `Each event is a POST of {"type","timestamp","data"} with the headers of standard-webhooks 1.0. ${about}`,
    headers: { "If-Match": "The ETag of what stands, to change it." },
    body: WebhookSchema,
    answers: {
      200: { about: "It is as the body says; with If-Match, it was changed to that.", schema: WebhookViewSchema },
      201: { about: "Created. `secret` is shown this once.", schema: WebhookViewSchema },
      403: { about: "The filter names a gateway that the token does not see." },
      409: { about: "It is there already, with another configuration." },
      412: { about: "It is not as If-Match says." },
      422: {
        about:
          "The address cannot be called, a value makes no sense, or the token has as many as WebhooksPerToken allows.",
      },
    },
    handle: async ({ access, params, body, request }, { webhooks }) => {
      const { name = "" } = params;
      if (!NAME.test(name)) {
        throw new ProblemError("unprocessable", "a name has 1 to 64 letters, digits, dots, dashes and underscores");
      }
      const spec = specOf(body);
      const hidden = spec.filter.gateways.find((gateway) => !maySee(access, gateway));
      if (hidden !== undefined) throw new ProblemError("forbidden", `the token does not see the gateway ${hidden}`);
      const ifMatch = request.headers["if-match"] ?? null;
      return putReply(await webhooks.put(name, spec, { access, ifMatch }));
    },
  },
  {
    method: "GET",
    path: "/v1/webhooks/{name}",
    needs: "secret",
    id: "getWebhook",
    summary: "Shows a webhook and how it is doing",
    about,
    answers: { 200: taken, 404: unknown },
    handle: async ({ access, params }, { webhooks }) => viewReply(await webhooks.get(params["name"] ?? "", access)),
  },
  {
    method: "DELETE",
    path: "/v1/webhooks/{name}",
    needs: "secret",
    id: "deleteWebhook",
    summary: "Deletes a webhook",
    about: `What was not sent yet is not sent any more. ${about}`,
    answers: { 204: { about: "Deleted." }, 404: unknown },
    handle: async ({ access, params }, { webhooks }) => {
      await webhooks.remove(params["name"] ?? "", access);
      return { status: 204 };
    },
  },
  {
    method: "POST",
    path: "/v1/webhooks/{name}/rotate",
    needs: "secret",
    id: "rotateWebhookSecret",
    summary: "Makes a new secret",
    about: `For a day, everything is signed with the old one as well. ${about}`,
    answers: {
      200: {
        about: "Shown this once.",
        schema: { type: "object", required: ["secret"], properties: { secret: { type: "string" } } },
      },
      404: unknown,
    },
    handle: async ({ access, params }, { webhooks }) =>
      ok({ secret: await webhooks.rotate(params["name"] ?? "", access) }),
  },
  {
    method: "POST",
    path: "/v1/webhooks/{name}/enable",
    needs: "secret",
    id: "enableWebhook",
    summary: "Sends again, at once, to an endpoint that was disabled or that failed",
    about,
    answers: { 200: taken, 404: unknown },
    handle: async ({ access, params }, { webhooks }) => viewReply(await webhooks.enable(params["name"] ?? "", access)),
  },
  {
    method: "GET",
    path: "/v1/webhooks/{name}/dead",
    needs: "secret",
    id: "listDeadOfWebhook",
    summary: "The events that were given up after all tries",
    about,
    query: { after: { ...SeqSchema, description: "Only those after it." } },
    answers: { 200: { about: "Oldest first.", schema: DeadEventsSchema }, 404: unknown },
    handle: async ({ access, params, query }, { webhooks }) => {
      const after = seqOf(query.get("after") ?? "0", "after");
      return { status: 200, json: deadEvents(await webhooks.dead(params["name"] ?? "", after, access)) };
    },
  },
  {
    method: "POST",
    path: "/v1/webhooks/{name}/dead/{seq}/retry",
    needs: "secret",
    id: "retryDeadOfWebhook",
    summary: "Sends an event again that was given up",
    about: `A disabled webhook sends it once it is enabled. ${about}`,
    answers: { 200: taken, 404: { about: "There is no such webhook, or it has not given this event up." } },
    handle: async ({ access, params }, { webhooks }) => {
      const { name = "", seq = "" } = params;
      if (!(await webhooks.retry(name, seqOf(seq), access))) {
        throw new ProblemError("not_found", `${seq} is none of the dead letters of the webhook ${name}`);
      }
      return viewReply(await webhooks.get(name, access));
    },
  },
];

function deadEvents({ letters, next }: DeadPage): string {
  const dead = letters.map(({ item }) => `{"event":${item.json}}`);
  return `{"dead":[${dead.join(",")}]${next === null ? "" : `,"next":"${next}"`}}`;
}

function specOf(body: unknown): WebhookSpec {
  const { url, filter = {}, start = "new", ordered = true, timeout = TIMEOUT.usual } = checked(body);
  const errors: FieldError[] = [];
  const flaw = (found: SpecFlaw): void => void errors.push(found);
  const timeoutMs = parseSpan(timeout) ?? 0;
  if (timeoutMs < TIMEOUT.least || timeoutMs > TIMEOUT.most) {
    flaw({ pointer: "/timeout", detail: "must be a duration from 1s to 30s" });
  }
  const spec: WebhookSpec = {
    url,
    filter: filterOf(filter, "/filter", flaw),
    start: startOf(start, "/start", flaw),
    ordered,
    timeoutMs,
  };
  if (errors.length > 0) throw new ProblemError("unprocessable", "the webhook cannot be made so", { errors });
  return spec;
}

interface WebhookBody {
  readonly url: string;
  readonly filter?: FilterBody;
  readonly start?: StartBody;
  readonly ordered?: boolean;
  readonly timeout?: string;
}

/** The router has checked it against the schema. */
function checked(body: unknown): WebhookBody {
  if (isWebhookBody(body)) return body;
  throw new ProblemError("bad_request", "the body is no configuration of a webhook");
}

const isWebhookBody = (body: unknown): body is WebhookBody => isObject(body) && typeof body["url"] === "string";

function putReply({ is, view, secret }: WebhookPut): Reply {
  const body = { ...webhookJson(view), ...(secret !== null && { secret }) };
  return { status: is === "created" ? 201 : 200, body, headers: { ETag: view.etag } };
}

const viewReply = (view: WebhookView): Reply => ({
  status: 200,
  body: webhookJson(view),
  headers: { ETag: view.etag },
});

export type WebhookJson = ReturnType<typeof webhookJson>;

/** As programs are shown it. */
export function webhookJson({ name, spec, state, why, sinceMs, retryAtMs, lastAttempt, consumer }: WebhookView) {
  const { floor, head, pending, inFlight, dead } = consumer;
  return {
    name,
    url: spec.url,
    filter: spec.filter,
    start: startView(spec.start),
    ordered: spec.ordered,
    timeout: formatSpan(spec.timeoutMs),
    state,
    why,
    since: timeOf(sinceMs),
    retry_at: timeOf(retryAtMs),
    last_attempt: lastAttempt && {
      time: timeOf(lastAttempt.atMs),
      status: lastAttempt.status,
      why: lastAttempt.why,
    },
    floor: String(floor),
    head: String(head),
    pending,
    in_flight: inFlight,
    dead,
  };
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
