import { expect, onTestFinished, test } from "vitest";
import type { Destination, Story } from "../../src/admin/views.ts";
import { EventLabel } from "../../src/contract/message.ts";
import { freePorts } from "../support/ports.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually } from "../support/wait.ts";
import { mattermost } from "./town.ts";

const TOKEN = "the-operators-own-token";
const PLACE = { gateway: "square", account: "mattermost.side", channel: "town" };

test("what the network refused is sent again, once, over a kill between the press and the sending; an edit finds it", async () => {
  const side = await mattermost.found("bot");
  const [port = 0] = await freePorts(1);
  const config = `[general]
AdminBindAddress = "127.0.0.1:${port}"
AdminToken = "${TOKEN}"
[mattermost.side]
${side.settings}
[api.writer]
FullEvents = true
[[gateway]]
name = "square"
enable = true
inout = [{ account = "mattermost.side", channel = "town" }, { account = "api.writer" }]
`;
  let rialto: Rialto = await startRialto({ config });
  onTestFinished(async () => await rialto.dispose());
  const post = async (fields: object): Promise<string> =>
    (await rialto.client("writer").say({ gateway: "square", username: "anna", text: "", ...fields })).id;
  const ask = async (method: string, path: string, body?: object, key?: string) => {
    const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/admin/messages${path}`, {
      method,
      headers: { ...headers, ...(key !== undefined && { "Idempotency-Key": key }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as { detail?: string; stories?: Story[] } };
  };
  const found = async (): Promise<Story | undefined> => (await ask("GET", "?q=lantern")).body.stories?.at(-1);
  const way = async (): Promise<Destination | undefined> =>
    (await found())?.destinations.find(({ account }) => account === PLACE.account);
  const until = async (state: Destination["state"]): Promise<Destination | undefined> =>
    await eventually(
      way,
      (row) => row?.state === state,
      () => `${state}; Rialto printed:\n${rialto.output().slice(-3_000)}`,
    );
  const shown = (): readonly string[] => side.standing().map(({ text }) => text);

  side.server.faults.fail(side.asks.post, 400, 1);
  const id = await post({ text: "a lantern" });
  await until("failed");
  const seq = (await found())?.seq ?? 0;
  const again = async (key?: string, more: object = {}) =>
    await ask("POST", `/${seq}/again`, { ...PLACE, ...more }, key);
  await side.server.restart(async () => {
    expect(await Promise.all([again("press"), again("press")])).toMatchObject([{ status: 202 }, { status: 202 }]);
    expect(await again()).toMatchObject({ status: 422, body: { detail: "it is being sent again already" } });
    expect(await again("press", { channel: "elsewhere" })).toMatchObject({ status: 422 });
    expect(await way()).toMatchObject({ state: "waiting" });
    await rialto.kill9();
  });
  rialto = await startRialto({ config, dataPath: rialto.dataPath });
  expect(await until("sent")).toMatchObject({ refs: [side.standing()[0]?.id], losses: [] });
  // Answered as before, and nothing more is sent; another press has nothing to send.
  expect(await again("press")).toMatchObject({ status: 202 });
  expect(await again()).toMatchObject({ status: 422, body: { detail: expect.stringContaining("but sent") as string } });
  await post({ text: "a lamp", id, event: EventLabel.edit });
  await eventually(
    async () => await Promise.resolve(shown()),
    (texts) => texts.includes("a lamp"),
    () => `the edit; ${shown().join()} is there`,
  );
  expect(shown()).toEqual(["a lamp"]);
});
