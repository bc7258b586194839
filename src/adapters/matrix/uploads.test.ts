import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
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

test.each([
  [400, "M_UNKNOWN", true],
  [403, "M_FORBIDDEN", true],
  [404, "M_UNRECOGNIZED", true],
  [413, "M_TOO_LARGE", true],
  [503, "", false],
])("a homeserver that answers %i %s: the file goes in words: %s", async (status, errcode, isInWords) => {
  const server = http.createServer((request, response) => {
    request.resume();
    const json = request.method === "POST" ? { errcode, error: "no" } : { "m.upload.size": 1_000 };
    response.writeHead(request.method === "POST" ? status : 200).end(JSON.stringify(json));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = new RecordingHost();
  const requests = new Http(host.clock);
  onTestFinished(() => {
    requests.close();
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  host.files.set(fileIdOf("a"), someBytes(5));
  const uploads = new MatrixUploads(new Client({ http: requests, server: base, token: "t" }), host);
  const taken = await uploads.take(
    aSharedFile({ name: "a", id: fileIdOf("a"), bytes: 5 }),
    new AbortController().signal,
  );
  expect(taken.ok ? null : taken.failure === null).toBe(isInWords);
});
