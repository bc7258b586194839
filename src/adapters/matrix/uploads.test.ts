import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import { Http } from "../kit/http.ts";
import { Client } from "./client.ts";
import { MatrixUploads } from "./uploads.ts";

test("a homeserver that does not say how large a file may be is waited for once, and not for long", async () => {
  const asked = Promise.withResolvers<http.ServerResponse>();
  const server = http.createServer((_, response) => asked.resolve(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = new RecordingHost();
  const requests = new Http(host.clock);
  onTestFinished(() => {
    requests.close();
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  const client = new Client({ http: requests, server: base, token: "t" });
  const clock = new FakeClock();
  const uploads = new MatrixUploads(client, new RecordingHost(clock));
  const first = uploads.max();
  const response = await asked.promise;
  await clock.advance(5_000);
  expect(await first).toBeNull();
  expect(await uploads.max()).toBeNull();
  response.end(JSON.stringify({ "m.upload.size": 1_000 }));
  await eventually(
    () => uploads.max(),
    (max) => max === 1_000,
    () => "the size",
  );
});
