import { ErrorSchema, MessageSchema, PostSchema } from "./schema.ts";

/** The version of the API, not of the program (the API specification §9). */
const API_VERSION = "0.1.0";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ "application/json": { schema } });
const failure = (description: string) => ({ description, content: json(ref("Error")) });

const unauthorized = {
  ...failure("The account has a Token and the request does not carry it."),
  headers: { "WWW-Authenticate": { description: "Always `Bearer`.", schema: { type: "string" } } },
};

const foreign = failure("The request comes from a web page of another origin, and the account has no Token.");
const misdirected = failure("The account has no Token, and `Host` is a name that it does not know.");

const retryAfter = { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } };
const notRead = {
  ...failure("The messages cannot be read now; none is lost."),
  headers: retryAfter,
};

/** The token is optional as far as the description can know: an account without Token needs none. */
const security = [{}, { bearerAuth: [] }];

const messages = {
  get: {
    operationId: "readMessages",
    summary: "Take what is unread",
    description:
      "The messages that arrived from the other bridges of the account's gateways since the previous read, oldest first, at most the newest `Buffer`. " +
      "Reading empties the buffer: of several programs that poll one account each message goes to one. Streams do not take messages away from polls.",
    security,
    responses: {
      "200": {
        description: "An array, empty when nothing is unread.",
        content: json({ type: "array", items: ref("Message") }),
      },
      "401": unauthorized,
      "403": foreign,
      "421": misdirected,
      "503": notRead,
    },
  },
};

const stream = {
  get: {
    operationId: "streamMessages",
    summary: "Receive messages as they come",
    description:
      "An endless answer: one compact JSON object per line. The first has the event `api_connected`; then what no stream has had yet, at most the newest `Buffer`; " +
      "then each message as it arrives. Every reader gets every message. After 20 s of silence a single space is sent, which JSON readers ignore.",
    security,
    responses: {
      "200": {
        description: "Newline-delimited Message objects; the type is `application/json` as existing clients know it.",
        content: json(ref("Message")),
      },
      "401": unauthorized,
      "403": foreign,
      "421": misdirected,
      "503": notRead,
    },
  },
};

const socket = {
  get: {
    operationId: "openWebSocket",
    summary: "Receive and post over one WebSocket",
    description:
      "Text frames of JSON both ways: Message objects from the service (the first has the event `api_connected`), NewMessage objects to it. What one client sends goes to the " +
      "account's other WebSockets as well. A message that is refused is answered by a frame with the event `api_error` and the reason in `text`. What was missed while no WebSocket of the account was open " +
      "comes first: at most the newest `Buffer`, and at most one hour old.",
    parameters: [
      {
        name: "backlog",
        in: "query",
        description: "`0`: nothing of what was missed.",
        schema: { type: "string", enum: ["0"] },
      },
    ],
    security,
    responses: {
      "101": { description: "Switched to WebSocket." },
      "400": failure("Not an upgrade request."),
      "401": unauthorized,
      "403": foreign,
      "421": misdirected,
      "503": notRead,
    },
  },
};

const post = {
  post: {
    operationId: "postMessage",
    summary: "Deliver a message to the other bridges of a gateway",
    description:
      "Answered 200 once the message is on disk. A message without text and file, or one that a filter drops, is answered 200 and not relayed.",
    security,
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description: "A repeat with the same key and body within 24 h is not relayed again and gets the first answer.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
    ],
    requestBody: {
      required: false,
      content: { ...json(ref("NewMessage")), "application/x-www-form-urlencoded": { schema: ref("NewMessage") } },
    },
    responses: {
      "200": { description: "The accepted message.", content: json(ref("Message")) },
      "400": failure("The body is malformed, a field has the wrong type, or the event is one of the service's own."),
      "401": unauthorized,
      "403": failure(
        "The account may only receive in this gateway, the message to change is somebody else's, or the request is a web page's and the account has no Token.",
      ),
      "404": failure(
        "The gateway does not exist or is not enabled for this account, or it has no message with this id.",
      ),
      "408": failure("The request came in too slowly."),
      "413": failure("The body is larger than MaxBodySize."),
      "415": failure("The Content-Type is neither JSON nor a form, or there is a Content-Encoding."),
      "421": misdirected,
      "422": failure("The Idempotency-Key was used with another body."),
      "503": {
        ...failure("The message cannot be stored now, or too many bodies are coming in; nothing was relayed."),
        headers: retryAfter,
      },
    },
  },
};

const health = {
  get: {
    operationId: "health",
    summary: "Is the program alive",
    security: [],
    responses: { "200": { description: "It is.", content: { "text/plain": { schema: { const: "OK" } } } } },
  },
};

const description = {
  get: {
    operationId: "openapi",
    summary: "This description",
    security: [],
    responses: { "200": { description: "OpenAPI 3.1.", content: json({ type: "object" }) } },
  },
};

/** What is checked has no nulls left, because null counts as absent; what may be sent has them. */
function nullable(schema: { readonly properties: Readonly<Record<string, { readonly type?: string }>> }): object {
  const properties = Object.entries(schema.properties).map(([name, property]): [string, object] => [
    name,
    { ...property, type: [property.type, "null"] },
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** The description of the API (OpenAPI 3.1), made of the schemas that check its input. */
export function openApi(): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "Rialto HTTP API",
      version: API_VERSION,
      description: "Read what other bridged chat systems say, and say something there.",
    },
    paths: {
      "/api/messages": messages,
      "/api/stream": stream,
      "/api/websocket": socket,
      "/api/message": post,
      "/api/health": health,
      "/api/openapi.json": description,
    },
    components: {
      schemas: { Message: MessageSchema, NewMessage: nullable(PostSchema), Error: ErrorSchema },
      securitySchemes: {
        bearerAuth: { type: "http", scheme: "bearer", description: "The account's `Token`, when it has one." },
      },
    },
  };
}
