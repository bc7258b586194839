import type { Consumer, ConsumerView } from "../../../consumers/consumers.ts";
import {
  isSpecBody,
  isStartBody,
  SeqSchema,
  type SpecFlaw,
  specOf,
  SpecSchema,
  startOf,
  StartSchema,
} from "../../../consumers/spec.ts";
import {
  AckedSchema,
  ackedView,
  ackOf,
  AckSchema,
  ConsumerSchema,
  ConsumersSchema,
  consumerView,
  deadJson,
  DeadSchema,
  isAckBody,
  isPullBody,
  pulledJson,
  PulledSchema,
  pullOf,
  PullSchema,
  seqOf,
} from "../consumer-shapes.ts";
import { onAbort } from "../../../lib/abort.ts";
import type { V1Deps } from "../deps.ts";
import { listed, listingQuery } from "../listing.ts";
import { ProblemError } from "../problems.ts";
import { skippedOf } from "../pump.ts";
import type { Call, Reply, Route } from "../route.ts";
import { SseWriter } from "../sse.ts";

const PATH = "/v1/consumers/{name}";
const NAME = /^[\w.-]{1,64}$/u;
/** What a stream pulls at once. */
const PUSHED = { max: 100, waitMs: 55_000, bytes: 64 * 1024 } as const;

const NOT_FOUND = { about: "There is none of this name, or the token does not see all of its gateways." };
const GONE = { 404: NOT_FOUND, 410: { about: "It was idle for too long and has ended." } } as const;

const putConsumer: Route = {
  method: "PUT",
  path: PATH,
  needs: "read",
  id: "putConsumer",
  summary: "Makes a consumer, or sees that it is there",
  about:
    "The same configuration again changes nothing. Another one needs the ETag of what stands in If-Match; " +
    "the consumer then goes on where it stands: `start` counts only for a new one.",
  headers: { "If-Match": "ETag of the configuration that is to be changed." },
  body: SpecSchema,
  answers: {
    200: { about: "It was there, or is changed now.", schema: ConsumerSchema },
    201: { about: "It was made.", schema: ConsumerSchema },
    403: { about: "The filter names a gateway that the token does not see." },
    409: { about: "It is there with another configuration." },
    410: { about: "`after` is a position of another log." },
    412: { about: "If-Match names another configuration than the one that stands." },
    422: { about: "The token has as many as ConsumersPerToken allows, or the account too many." },
  },
  handle: async ({ params, access, body, request }, { consumers }) => {
    const name = params["name"] ?? "";
    if (!NAME.test(name)) {
      throw new ProblemError(
        "bad_request",
        "a consumer's name has 1 to 64 letters, digits, dots, dashes and low lines",
      );
    }
    const read = specOf(isSpecBody(body) ? body : {});
    if ("flaws" in read) throw flawed(read.flaws);
    const { spec } = read;
    const ifMatch = request.headers["if-match"] ?? null;
    const { is, consumer } = await consumers.put(name, spec, { access, ifMatch });
    const answer = shown(await consumer.view());
    if (is !== "created") return answer;
    return { ...answer, status: 201, headers: { ...answer.headers, Location: `/v1/consumers/${name}` } };
  },
};

const listConsumers: Route = {
  method: "GET",
  path: "/v1/consumers",
  needs: "read",
  id: "listConsumers",
  summary: "The consumers that the caller may see",
  query: listingQuery,
  answers: { 200: { about: "By name.", schema: ConsumersSchema } },
  handle: async ({ access, query }, { consumers }) =>
    await listed(query, {
      name: "consumers",
      items: await consumers.list(access),
      key: ({ name }) => name,
      view: async (consumer) => consumerView(await consumer.view()),
    }),
};

const getConsumer: Route = {
  method: "GET",
  path: PATH,
  needs: "read",
  id: "getConsumer",
  summary: "A consumer's configuration, and where it stands",
  answers: { 200: { about: "With the ETag of the configuration.", schema: ConsumerSchema }, ...GONE },
  handle: async (call, deps) => shown(await (await consumerOf(call, deps)).view()),
};

const deleteConsumer: Route = {
  method: "DELETE",
  path: PATH,
  needs: "read",
  id: "deleteConsumer",
  summary: "Forgets a consumer and where it stands",
  answers: { 204: { about: "It is gone." }, 404: NOT_FOUND },
  handle: async ({ params, access }, { consumers }) => {
    const name = params["name"] ?? "";
    if (!(await consumers.remove(name, access))) throw new ProblemError("not_found", `there is no consumer ${name}`);
    return { status: 204 };
  },
};

const pullConsumer: Route = {
  method: "POST",
  path: `${PATH}/pull`,
  needs: "read",
  id: "pullConsumer",
  summary: "Hands out events, and waits for some",
  about:
    "An empty list after the wait; no pull takes longer than 55 s. What is not acknowledged in time comes again. A " +
    "program that has just started sends `restart`, and gets first what its last run did not acknowledge.",
  body: PullSchema,
  answers: { 200: { about: "Oldest first.", schema: PulledSchema }, ...GONE },
  handle: async (call, deps) => {
    const consumer = await consumerOf(call, deps);
    const query = pullOf(isPullBody(call.body) ? call.body : {});
    return { status: 200, json: pulledJson(await consumer.pull({ ...query, signal: call.signal })) };
  },
};

const ackConsumer: Route = {
  method: "POST",
  path: `${PATH}/ack`,
  needs: "read",
  id: "ackConsumer",
  summary: "Says what has become of events",
  about:
    "`ack` acknowledges single events. `upto` acknowledges everything that was handed out up to an event, if one pull " +
    "or one connection was handed all of it. `nack` asks for another delivery and `release` gives back what was not " +
    "tried, `extend` asks for more time, and `drop` makes dead letters. The answer means that it is on the disk. A repetition does no harm.",
  body: AckSchema,
  answers: {
    200: { about: "It is on the disk.", schema: AckedSchema },
    ...GONE,
    409: {
      about: "`upto` covers events that another pull or connection holds: `held` lists them. Nothing has changed.",
    },
    422: { about: "One of them was never handed out. Nothing has changed." },
  },
  handle: async (call, deps) => {
    const consumer = await consumerOf(call, deps);
    const flaws: SpecFlaw[] = [];
    const request = ackOf(isAckBody(call.body) ? call.body : {}, (flaw) => flaws.push(flaw));
    if (flaws.length > 0) throw flawed(flaws);
    return { status: 200, body: ackedView(await consumer.ack(request)) };
  },
};

const seekConsumer: Route = {
  method: "POST",
  path: `${PATH}/seek`,
  needs: "read",
  id: "seekConsumer",
  summary: "Moves a consumer",
  about: "The body is a value of `start`. What was acknowledged after that position comes again.",
  body: StartSchema,
  answers: {
    200: { about: "Where it stands now.", schema: ConsumerSchema },
    404: NOT_FOUND,
    410: { about: "It has ended, or the position is one of another log." },
  },
  handle: async (call, deps) => {
    const consumer = await consumerOf(call, deps);
    const flaws: SpecFlaw[] = [];
    const start = startOf(isStartBody(call.body) ? call.body : "new", "", (flaw) => flaws.push(flaw));
    if (flaws.length > 0) throw flawed(flaws);
    return shown(await consumer.seek(start));
  },
};

const listDead: Route = {
  method: "GET",
  path: `${PATH}/dead`,
  needs: "read",
  id: "listDead",
  summary: "The events that a consumer has given up",
  query: { after: { ...SeqSchema, description: "Only those after it." } },
  answers: { 200: { about: "Oldest first.", schema: DeadSchema }, ...GONE },
  handle: async (call, deps) => {
    const consumer = await consumerOf(call, deps);
    return { status: 200, json: deadJson(await consumer.dead(seqOf(call.query.get("after") ?? "0", "after"))) };
  },
};

const retryDead: Route = {
  method: "POST",
  path: `${PATH}/dead/{seq}/retry`,
  needs: "read",
  id: "retryDead",
  summary: "Hands a dead letter out once more",
  answers: { 200: { about: "It comes with one of the next pulls.", schema: ConsumerSchema }, ...GONE },
  handle: async (call, deps) => {
    const consumer = await consumerOf(call, deps);
    const seq = seqOf(call.params["seq"] ?? "");
    if (!(await consumer.retry(seq))) {
      throw new ProblemError("not_found", `${seq} is none of the dead letters of ${consumer.name}`);
    }
    return shown(await consumer.view());
  },
};

const streamConsumer: Route = {
  method: "GET",
  path: `${PATH}/events`,
  needs: "read",
  stream: true,
  id: "streamConsumer",
  summary: "A consumer's events as they come, as server-sent events",
  about:
    "As pulls without end: acknowledge with `ack`. No more than `max_in_flight` are unacknowledged. What is not " +
    "acknowledged when the stream ends comes again at once. " +
    "`id` is the event's seq, `event` its type; `Last-Event-ID` of the answer says where the consumer stands.",
  answers: {
    200: {
      about: "A stream (text/event-stream): `id`, `event` (the type) and `data` (the event as JSON).",
      schema: { $ref: "#/components/schemas/StreamEvent" },
    },
    ...GONE,
  },
  handle: async (call, deps): Promise<Reply> => {
    const consumer = await consumerOf(call, deps);
    const { floor } = await consumer.view();
    const writer = SseWriter.open(call, floor, deps.clock);
    const find = async (): Promise<Consumer> => await consumerOf(call, deps);
    void push(consumer, find, writer).finally(() => writer.end());
    return "taken";
  },
};

/** All that concerns consumers. */
export const consumersRoutes: readonly Route[] = [
  listConsumers,
  putConsumer,
  getConsumer,
  deleteConsumer,
  pullConsumer,
  ackConsumer,
  seekConsumer,
  listDead,
  retryDead,
  streamConsumer,
];

/**
 * Never rejects: what ends the consumer, opens it to gateways that the caller does not see, or keeps the log from being
 * read, ends the stream, and the client asks again. What the stream held is given back then.
 */
async function push(consumer: Consumer, find: () => Promise<Consumer>, writer: SseWriter): Promise<void> {
  const signal = writer.ended;
  const connection = consumer.connect();
  onAbort(signal, () => void connection.close({ failed: writer.isBroken }));
  try {
    while (!signal.aborted && (await find()) === consumer) {
      const { events, gap } = await connection.pull({ ...PUSHED, signal });
      if (gap !== null) {
        writer.event(gap.to, "skipped", JSON.stringify(skippedOf(gap)));
      }
      writer.items(events.map(({ item }) => item));
      await writer.drained();
    }
  } catch {
    // The next request is told.
  }
}

async function consumerOf({ params, access }: Call, { consumers }: V1Deps): Promise<Consumer> {
  return await consumers.get(params["name"] ?? "", access);
}

const shown = (view: ConsumerView): Exclude<Reply, "taken"> => ({
  status: 200,
  body: consumerView(view),
  headers: { ETag: view.etag },
});

const flawed = (errors: readonly SpecFlaw[]): ProblemError =>
  new ProblemError("bad_request", "the body is not as described", { errors });
