import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { Client } from "./client.ts";
import { Http } from "../kit/http.ts";

const servers: http.Server[] = [];
const https: Http[] = [];
afterEach(() => {
  for (const one of https.splice(0)) one.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function served(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

const never = new AbortController().signal;

function clientOf(server: string): Client {
  const one = new Http(new RecordingHost().clock);
  https.push(one);
  return new Client({ http: one, server, token: "secret" });
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return Buffer.from(await new Response(stream).arrayBuffer()).toString();
}

describe("downloads", () => {
  test("with the token, and without it where the server is an old one", async () => {
    const asked: string[] = [];
    const server = await served((request, response) => {
      asked.push(`${request.url ?? ""} ${request.headers.authorization ?? "-"}`);
      response.setHeader("Content-Type", "text/plain; charset=utf-8").end("abc");
    });
    const client = clientOf(server);
    const opened = await client.download("mxc://a.example/x", true, never);
    expect(opened).toMatchObject({ ok: true, mime: "text/plain", bytes: 3 });
    expect(opened.ok && (await bytesOf(opened.stream))).toBe("abc");
    const old = await client.download("mxc://a.example/x", false, never);
    if (old.ok) await old.stream.cancel();
    expect(asked).toEqual([
      "/_matrix/client/v1/media/download/a.example/x Bearer secret",
      "/_matrix/media/v3/download/a.example/x -",
    ]);
  });

  test("on to a place of the same server with the token, and never to another that is private", async () => {
    let foreign = 0;
    const other = await served((_, response) => {
      foreign += 1;
      response.end("secret things");
    });
    let target = "/moved";
    const server = await served((request, response) => {
      if (request.url === "/moved") response.end(String(request.headers.authorization));
      else response.writeHead(307, { Location: target }).end();
    });
    const opened = await clientOf(server).download("mxc://a/x", true, never);
    expect(opened.ok && (await bytesOf(opened.stream))).toBe("Bearer secret");
    for (target of [
      other,
      other.replace("http:", "https:"),
      "https://localhost/x",
      "https://[::ffff:127.0.0.1]/x",
      "https://10.0.0.1/",
      "not%a url://",
    ]) {
      expect(await clientOf(server).download("mxc://a/x", true, never)).toMatchObject({ ok: false });
    }
    expect(foreign).toBe(0);
  });

  test.each(["http://x/y", "mxc://a", "mxc://a/../x/y", "mxc://a/x?y", ""])("%j is no file", async (ref) => {
    expect(await clientOf("http://127.0.0.1:1").download(ref, true, never)).toMatchObject({
      ok: false,
      why: { code: "bad_content" },
    });
  });

  test("an end that comes too early is an error of the stream", async () => {
    const server = await served((_, response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("abc", () => response.destroy());
    });
    const opened = await clientOf(server).download("mxc://a/x", true, never);
    await expect(opened.ok ? bytesOf(opened.stream) : null).rejects.toThrow(/aborted|terminated/u);
  });
});

describe("requests", () => {
  test("names that would lead elsewhere do not", async () => {
    const asked: (string | undefined)[] = [];
    const server = await served((request, response) => {
      asked.push(request.url);
      response.end("{}");
    });
    const client = clientOf(server);
    await client.state("../../x?y#z", "..", never);
    await client.send("!a:b", "m.x/y", "..", {}, {});
    await client.state("\ud800", "t", never);
    expect(asked).toEqual([
      "/_matrix/client/v3/rooms/..%2F..%2Fx%3Fy%23z/state/%252E%252E/",
      "/_matrix/client/v3/rooms/!a%3Ab/send/m.x%2Fy/%252E%252E",
      "/_matrix/client/v3/rooms/%EF%BF%BD/state/t/",
    ]);
  });

  test("a kept connection that the server has closed is no failure", async () => {
    let asked = 0;
    const server = await served((request, response) => {
      asked += 1;
      if (asked === 2) request.socket.destroy();
      else response.end('{"joined_rooms":[]}');
    });
    const client = clientOf(server);
    expect((await client.joinedRooms()).ok).toBe(true);
    expect((await client.joinedRooms()).ok).toBe(true);
    expect(asked).toBe(3);
  });

  test("an answer that is not JSON, or nothing at all, is a value", async () => {
    const server = await served((_, response) => response.writeHead(502).end("<html>"));
    expect(await clientOf(server).whoami(never)).toMatchObject({ ok: false, failure: { status: 502, certain: false } });
    expect(await clientOf("http://127.0.0.1:1").whoami(never)).toMatchObject({
      ok: false,
      failure: { status: 0, certain: true },
    });
    expect(await clientOf(server).whoami(AbortSignal.abort())).toMatchObject({
      ok: false,
      failure: { certain: true, why: { code: "stopping" } },
    });
  });

  test("an upload says how long it is; one that breaks off is a failure", async () => {
    const lengths: (string | undefined)[] = [];
    const server = await served((request, response) => {
      lengths.push(request.headers["content-length"]);
      request.resume();
      request.on("end", () => response.end('{"content_uri":"mxc://a/b"}'));
      request.on("error", () => {});
    });
    const whole = new Blob(["abc"]).stream();
    expect(await clientOf(server).upload("x", { stream: whole, bytes: 3, mime: "text/plain" }, never)).toEqual({
      ok: true,
      value: "mxc://a/b",
    });
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from("a")),
      pull: (controller) => controller.error(new Error("broke off")),
    });
    expect(await clientOf(server).upload("x", { stream: broken, bytes: 3, mime: "text/plain" }, never)).toMatchObject({
      ok: false,
    });
    expect(lengths[0]).toBe("3");
  });
});
