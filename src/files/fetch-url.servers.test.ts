import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeCertificate } from "../../test/servers/certificate.ts";
import { fetchUrl } from "./fetch-url.ts";
import { fileId } from "./file-id.ts";
import { codeOf, had, never, scratch, serve, stage, textOf, wanted } from "./stage.suite.ts";

const at = (url: string) => wanted(fileId({ is: "url", url }), "a.bin");

test("a file is fetched, with its type, and once", async () => {
  const asked = vi.fn<(encoding: string | undefined) => void>();
  const url = await serve((request, response) => {
    asked(request.headers["accept-encoding"]);
    response.setHeader("Content-Type", "text/markdown; charset=utf-8").end("# hello");
  });
  const { files } = await stage();
  const file = wanted(fileId({ is: "url", url: `${url}/x` }), "README");
  expect(had(await files.ready(file, never))).toMatchObject({ bytes: 7, mime: "text/markdown" });
  expect(await textOf(await files.open(file.id, never))).toBe("# hello");
  expect(asked.mock.calls).toEqual([["identity"]]);
});

test("this machine and its networks are out of reach unless they are allowed", async () => {
  const asked = vi.fn<() => void>();
  const url = await serve((_request, response) => {
    asked();
    response.end("secret");
  });
  const { files } = await stage({ media: { allowPrivate: false } });
  const port = new URL(url).port;
  for (const host of [
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f000001",
    "017700000001",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0",
    "169.254.169.254",
  ]) {
    const answer = await files.ready(at(`http://${host}:${port}/`), never);
    expect([host, codeOf(answer)]).toEqual([host, "forbidden"]);
  }
  expect(asked).not.toHaveBeenCalled();
});

test.each([
  ["a private address", ["10.0.0.1"]],
  ["a private one among public ones", ["1.1.1.1", "10.0.0.1"]],
  ["the address of this machine in IPv6", ["::1"]],
  ["a mapped one", ["::ffff:127.0.0.1"]],
])("a name that leads to %s is refused", async (_what, addresses) => {
  const resolve = () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
  const { files } = await stage({ media: { allowPrivate: false }, test: { resolve } });
  expect(await files.ready(at("http://files.example/x"), never)).toMatchObject({
    ok: false,
    why: {
      code: "forbidden",
      message: "files.example is not on the public Internet (see MediaAllowPrivate)",
    },
    retry: false,
  });
});

test("a name is resolved once, and the connection goes to that answer", async () => {
  const url = await serve((request, response) => response.end(request.headers.host));
  const resolve = vi
    .fn<(host: string) => Promise<{ address: string; family: number }[]>>()
    .mockResolvedValueOnce([{ address: "127.0.0.1", family: 4 }])
    .mockResolvedValue([{ address: "192.0.2.1", family: 4 }]);
  const { files } = await stage({ test: { resolve } });
  const id = fileId({ is: "url", url: `http://files.example:${new URL(url).port}/x` });
  had(await files.ready(wanted(id), never));
  expect(await textOf(await files.open(id, never))).toMatch(/^files\.example:/u);
  expect(resolve.mock.calls).toEqual([["files.example"]]);
});

test("redirects are followed, and each is checked like the first", async () => {
  const url = await serve((request, response) => {
    const hops = Number(request.url?.slice(1));
    if (hops > 0) response.writeHead(302, { location: `/${hops - 1}` }).end();
    else response.end("there");
  });
  const { files } = await stage();
  expect(had(await files.ready(at(`${url}/5`), never)).bytes).toBe(5);
  expect(codeOf(await files.ready(at(`${url}/6`), never))).toBe("remote_error");
});

test("a redirect to where it may not lead is refused, however it is written", async () => {
  const inside = vi.fn<() => void>();
  const secret = await serve((_request, response) => {
    inside();
    response.end("secret");
  }, "127.0.0.2");
  const outside = await serve((request, response) =>
    response
      .writeHead(302, { location: request.url === "/host" ? secret.replace("127.0.0.2", "inner.example") : secret })
      .end(),
  );
  const options = {
    limit: 1000,
    signal: never,
    allowedPort: () => true,
    allowed: (address: string) => address === "127.0.0.1",
    resolve: () => Promise.resolve([{ address: "127.0.0.2", family: 4 }]),
  };
  for (const path of ["/address", "/host"]) {
    expect(await fetchUrl(outside + path, options)).toMatchObject({ ok: false, why: { code: "forbidden" } });
  }
  expect(inside).not.toHaveBeenCalled();
});

test("https is asked with a certificate that holds, and does not lead on to http", async () => {
  const { certificate, key } = await makeCertificate(scratch(), "files.example");
  const cert = readFileSync(certificate);
  const plain = await serve((_request, response) => response.end("plain"));
  const server = createSecureServer({ cert, key: readFileSync(key) }, (request, response) => {
    if (request.url === "/down") response.writeHead(302, { location: plain }).end();
    else response.end("secure");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { limit: 1000, signal: never, allowed: () => true, allowedPort: () => true };
  expect(await fetchUrl(url, options)).toMatchObject({ ok: false, why: { code: "network" } });
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, cert.toString()]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  expect(await fetchUrl(url, options)).toMatchObject({ ok: true });
  expect(await fetchUrl(`${url}/down`, options)).toMatchObject({ ok: false, why: { code: "forbidden" } });
});

test.each([
  ["ftp://files.example/x", "forbidden"],
  ["file:///etc/passwd", "forbidden"],
  ["data:text/plain,x", "forbidden"],
  ["http://user:pass@files.example/", "forbidden"],
  ["not a url", "bad_content"],
  [`https://files.example/${"x".repeat(8192)}`, "bad_content"],
  ["http://", "bad_content"],
])("%s is not asked", async (url, code) => {
  const { files } = await stage();
  expect(codeOf(await files.ready(at(url), never))).toBe(code);
});

test.each([
  [404, "not_found", false],
  [410, "not_found", false],
  [403, "remote_error", false],
  [204, "remote_error", false],
  [206, "remote_error", false],
  [429, "remote_error", true],
  [503, "remote_error", true],
])("an answer %i is %s, retry %s", async (status, code, retry) => {
  const url = await serve((_request, response) => response.writeHead(status).end());
  const { files } = await stage();
  expect(await files.ready(at(url), never)).toMatchObject({ ok: false, why: { code }, retry });
});

test("an encoded answer is refused: nobody asked for one, and it may unpack to anything", async () => {
  const url = await serve((_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"));
  const { files } = await stage();
  expect(codeOf(await files.ready(at(url), never))).toBe("bad_content");
});

test("a length beyond the limit is not read, and a gigabyte that claims less is cut off", async () => {
  let sent = 0;
  const url = await serve((request, response) => {
    if (request.url === "/honest") return response.writeHead(200, { "content-length": 2_000_000 }).flushHeaders();
    const chunk = Buffer.alloc(65_536);
    const more = (): void => {
      while (sent < 1024 ** 3 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
    };
    more();
  });
  const { files } = await stage();
  expect(codeOf(await files.ready(at(`${url}/honest`), never))).toBe("too_large");
  const claim = wanted(fileId({ is: "url", url: `${url}/endless` }), "a.bin", { bytes: 1000 });
  expect(codeOf(await files.ready(claim, never))).toBe("too_large");
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

/** A server that answers with these bytes, whatever it is asked, and then ends or holds the connection. */
async function raw(bytes: string, end: boolean): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => (end ? socket.end(bytes) : socket.write(bytes)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("a content that is shorter than announced is not taken for the whole", async () => {
  const { files } = await stage();
  const url = await raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", true);
  expect(await files.ready(at(url), never)).toMatchObject({ ok: false, why: { code: "network" }, retry: true });
});

test("a server that wants to speak another protocol is refused, and takes no place forever", async () => {
  const { files } = await stage({ test: { singleFlight: { runningMax: 1 } } });
  const url = await raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", false);
  expect(codeOf(await files.ready(at(url), never))).toBe("remote_error");
  const other = await serve((_request, response) => response.end("x"));
  expect(had(await files.ready(at(other), never)).bytes).toBe(1);
});

test.each([
  ["http://files.example:25/", "forbidden"],
  ["https://files.example:22/", "forbidden"],
  ["http://files.example:443/", "network"],
  ["http://files.example:8080/", "network"],
  ["http://files.example/", "network"],
])("of %s the port is looked at: %s", async (url, code) => {
  const resolve = (): Promise<never[]> => Promise.resolve([]);
  const { files } = await stage({ media: { allowPrivate: false }, test: { resolve } });
  expect(codeOf(await files.ready(at(url), never))).toBe(code);
});

test("what does not speak HTTP, or nothing at all, is a failure of the network", async () => {
  const { files } = await stage();
  expect(codeOf(await files.ready(at(await raw("SSH-2.0-x\r\n", true)), never))).toBe("network");
  expect(codeOf(await files.ready(at("http://127.0.0.1:1/"), never))).toBe("network");
});

test("a server that stops in the middle is given up", async () => {
  const { files, clock } = await stage();
  const url = await raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", false);
  let answer: unknown = null;
  void files.ready(at(url), never).then((ready) => (answer = ready));
  await expect
    .poll(async () => {
      await clock.advance(25_000);
      return answer;
    })
    .toMatchObject({ ok: false, why: { code: "timeout" }, retry: true });
});

test("a dead server is waited for once: not for each file that it is asked for, and seldom again", async () => {
  const asked: string[] = [];
  const dead = await serve((request) => void asked.push(request.url ?? ""));
  const alive = await serve((_request, response) => response.end("x"));
  const { files, clock } = await stage();
  const answers: unknown[] = [];
  const ask = (url: string): void => void files.ready(at(url), never).then((ready) => answers.push(ready));
  const refused = { ok: false, why: { code: "timeout" }, retry: true, holds: true };
  ask(`${dead}/a`);
  await expect.poll(() => asked).toHaveLength(1);
  await clock.advance(8_999);
  expect(answers).toEqual([]);
  await clock.advance(1);
  expect(answers).toMatchObject([refused]);
  for (const name of ["a", "b", "c"]) expect(await files.ready(at(`${dead}/${name}`), never)).toMatchObject(refused);
  expect(had(await files.ready(at(alive), never)).bytes).toBe(1);
  expect(asked).toEqual(["/a"]);
  // The first time is over; the next one holds twice as long.
  await clock.advance(60_000);
  ask(`${dead}/d`);
  await expect.poll(() => asked).toHaveLength(2);
  await clock.advance(9_000);
  await expect.poll(() => answers).toHaveLength(2);
  await clock.advance(31_000);
  expect(await files.ready(at(`${dead}/e`), never)).toMatchObject(refused);
  expect(asked).toEqual(["/a", "/d"]);
});

test("what takes longer than messages wait comes to the next who asks", async () => {
  const { promise: more, resolve: goOn } = Promise.withResolvers<void>();
  let begun = 0;
  const url = await serve((_request, response) => {
    begun += 1;
    response.write("slow");
    void more.then(() => response.end("ly"));
  });
  const { files, clock } = await stage();
  const first = files.ready(at(url), never);
  await expect.poll(() => begun).toBe(1);
  await expect
    .poll(async () => {
      await clock.advance(9_000);
      return await Promise.race([first, Promise.resolve(null)]);
    })
    .toMatchObject({ ok: false, why: { code: "timeout" } });
  expect(await files.ready(at(url), never)).toMatchObject({ ok: false, why: { code: "timeout" } });
  goOn();
  await expect.poll(async () => had(await files.ready(at(url), never)).bytes).toBe(6);
  expect(begun).toBe(1);
});
