import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { mattermost } from "../mattermost/town.ts";
import { needs } from "../servers/installed.ts";
import { startNats } from "../servers/nats/server.ts";
import { onStage } from "../servers/stage.ts";
import { ApiClient } from "../support/client.ts";
import { freePorts } from "../support/ports.ts";
import { eventually } from "../support/wait.ts";
import { startMachine } from "./machines.suite.ts";

/** A machine with one account of the API, one of a network, and the media endpoint. */
async function machine(node: string, general: string, account: string) {
  const [api = 0, media = 0] = await freePorts(2);
  const bridges = `
    [api.one]
    BindAddress = "127.0.0.1:${api}"
    FullEvents = true
    [[gateway]]
    name = "square"
    enable = true
    inout = [{ account = "mattermost.side", channel = "town" }, { account = "api.one", channel = "api" }]
  `;
  const env = { RIALTO_GENERAL_MEDIABINDADDRESS: `127.0.0.1:${media}` };
  const { program } = startMachine(node, `${general}\n[mattermost.side]\n${account}\n${bridges}`, env);
  return { program, client: new ApiClient(`http://127.0.0.1:${api}`), media: `http://127.0.0.1:${media}` };
}

/** Resolves once its account of the API is there. */
async function serving(client: ApiClient): Promise<void> {
  const health = async (): Promise<number> =>
    await client.request("/api/health").then(
      ({ status }) => status,
      () => 0,
    );
  await eventually(
    health,
    (status) => status === 200,
    () => "the API to answer",
    60_000,
  );
}

needs(["nats-server"], () => {
  test("a machine that takes over sends the files of what the other has accepted, and serves the links that it made", async () => {
    const nats = await onStage(startNats(1));
    const side = await mattermost.found("bot");
    const general = `[general]\nLog = "nats://${nats.servers.join(",")}"\nMediaURL = "https://media.example"`;
    const first = await machine("n1", general, side.settings);
    await serving(first.client);

    // A file of the network, of which a link is made and followed.
    const picture = randomBytes(20_000);
    const stream = await first.client.stream();
    await first.client.say({ text: "hello", username: "anna", gateway: "square" });
    await eventually(
      () => Promise.resolve(side.standing().length),
      (count) => count === 1,
      () => `the first message there\n${first.program.output()}`,
    );
    await side.alice.sendFile(side.channel, "p.bin", picture, "a picture");
    const message = await stream.next();
    const path = new URL(message.Extra?.file[0]?.URL ?? "").pathname;
    expect(Buffer.from(await (await fetch(first.media + path)).arrayBuffer())).toEqual(picture);

    // Two files for a network that is away.
    side.server.wire.shut();
    side.server.wire.cut();
    const inside = randomBytes(30_000);
    const uploaded = randomBytes(3_000_000);
    const file = { Name: "inside.bin", Data: inside.toString("base64"), Comment: "" };
    const posted = await first.client.post({
      text: "inside",
      username: "anna",
      gateway: "square",
      Extra: { file: [file] },
    });
    expect(posted.status).toBe(200);
    const upload = await first.client.request("/v1/files?name=up.bin", { method: "POST", body: uploaded });
    expect(upload.status).toBe(201);
    const { id } = upload.json() as { readonly id: string };
    const said = await first.client.request("/v1/gateways/square/messages", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: "uploaded", files: [id] }),
    });
    expect(said.status).toBe(201);
    first.program.child.kill("SIGKILL");
    const second = await machine("n2", general, side.settings);
    await serving(second.client);

    const again = await second.client.request(`/v1/files/${id}`);
    expect(again.status).toBe(200);
    expect(again.body.equals(uploaded)).toBe(true);
    // Where it came from is still away.
    const served = await fetch(second.media + path);
    expect(served.status).toBe(200);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(picture);
    side.server.wire.open();
    await eventually(
      () => Promise.resolve(side.standing()),
      (standing) => standing.filter(({ files }) => files === 1).length === 2,
      () => `two files in ${JSON.stringify(side.standing())}\n${second.program.output()}`,
      60_000,
    );
    const sent = [...side.server.world.files.values()].map(({ content }) => content);
    for (const content of [inside, uploaded]) expect(sent.some((each) => Buffer.from(each).equals(content))).toBe(true);
    second.program.child.kill("SIGTERM");
    expect(await second.program.exited()).toBe(0);
  });
});
