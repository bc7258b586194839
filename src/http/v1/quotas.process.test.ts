import { expect, test } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import { openSocket } from "../../../test/support/socket.ts";
import { v1Stage, type V1Stage } from "./stage.suite.ts";

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** The answer to a stream that is opened, and what closes it. */
async function stream({ url }: V1Stage, token: string, path = "/v1/events") {
  const end = new AbortController();
  const answer = await fetch(url + path, { ...bearer(token), signal: end.signal });
  return { answer, close: () => end.abort() };
}

async function statusOf(stage: V1Stage, token: string, path?: string): Promise<number> {
  const { answer, close } = await stream(stage, token, path);
  close();
  return answer.status;
}

const is = (status: number) => (seen: number) => seen === status;

test("a token has as many streams as StreamsPerToken allows, of events and of consumers together", async () => {
  const stage = await v1Stage({ settings: { StreamsPerToken: 2 } });
  const [one, other] = [await stage.token(), await stage.token()];
  await stage.ask("PUT", "/v1/consumers/bot", { body: {} });
  const opened = [await stream(stage, one), await stream(stage, one, "/v1/consumers/bot/events")];
  expect(opened.map(({ answer }) => answer.status)).toEqual([200, 200]);
  const { answer } = await stream(stage, one);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(await answer.json()).toMatchObject({
    code: "rate_limited",
    detail: expect.stringContaining("StreamsPerToken") as unknown,
  });
  expect(await statusOf(stage, other)).toBe(200);
  opened[0]?.close();
  await eventually(
    async () => await statusOf(stage, one),
    is(200),
    () => "room for a stream",
  );
  opened[1]?.close();
});

test("streams that are refused take nothing of the quota", async () => {
  const stage = await v1Stage({ settings: { StreamsPerToken: 1 } });
  const token = await stage.token();
  for (let count = 0; count < 3; count += 1) {
    await eventually(
      async () => await statusOf(stage, token, "/v1/events?after=999"),
      is(410),
      () => "the refusal",
    );
  }
  await eventually(
    async () => await statusOf(stage, token),
    is(200),
    () => "room for a stream",
  );
});

test("a token has as many sockets as SocketsPerToken allows", async () => {
  const stage = await v1Stage({ settings: { SocketsPerToken: 1 } });
  const [one, other] = [await stage.token(), await stage.token()];
  const address = `${stage.url.replace("http", "ws")}/v1/socket`;
  const open = async (token: string) => await openSocket(address, bearer(token).headers);
  const socket = await open(one);
  await expect(open(one)).rejects.toThrow(/429/u);
  await (await open(other)).close();
  await socket.close();
  const opens = async (): Promise<boolean> =>
    await open(one).then(
      async (again) => (await again.close(), true),
      () => false,
    );
  await eventually(
    opens,
    (isOpen) => isOpen,
    () => "room for a socket",
  );
});

test("what is read costs by its size, and waits for the next minute", async () => {
  const stage = await v1Stage({ settings: { ReadsPerMinute: 100 } });
  const [one, other] = [await stage.token(), await stage.token()];
  const text = "x".repeat(40_000);
  for (let count = 0; count < 4; count += 1) await stage.say("net.a/#x", { text });
  const read = async (token: string) => await stage.ask("GET", "/v1/gateways/lobby/history", { token });
  const first = await read(one);
  expect([first.status, first.headers.get("ratelimit-policy")]).toEqual([200, '"reads";q=100;w=60']);
  const left = Number(/^"reads";r=(?<left>\d+);t=60$/u.exec(first.headers.get("ratelimit") ?? "")?.groups?.["left"]);
  expect(left).toBe(100 - 1 - Math.floor(first.text.length / 16_384));
  const statuses: number[] = [];
  for (let count = 0; count < 15; count += 1) statuses.push((await read(one)).status);
  expect(statuses.slice(-2)).toEqual([429, 429]);
  expect(await read(one)).toMatchObject({ body: { code: "rate_limited" } });
  expect((await read(other)).status).toBe(200);
  // What a token says is another quota.
  const said = await stage.ask("POST", "/v1/gateways/lobby/messages", { token: one, body: { text: "hi" } });
  expect(said.status).toBe(201);
});
