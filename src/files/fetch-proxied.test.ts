import { expect, test } from "vitest";
import { startFakeProxy, watchDirect } from "../../test/support/fake-proxy.ts";
import { fileId } from "./file-id.ts";
import { codeOf, had, never, serve, stage, textOf, wanted } from "./stage.suite.ts";

test("a file comes by the proxy of the account whose message links to it, and by no other way", async () => {
  const url = await serve((request, response) => void response.end(request.headers.host));
  const { port } = new URL(url);
  const proxy = await startFakeProxy({ kind: "socks5" });
  const direct = watchDirect(proxy);
  const asked: unknown[] = [];
  const sources = {
    open: () => Promise.reject(new Error("not asked")),
    proxyFor: (account: string | undefined) => {
      asked.push(account);
      return account === "net.one" ? proxy.url : "";
    },
  };
  const { files } = await stage({ sources, media: { allowPrivate: false } });
  // A name that nobody here could look up.
  const id = fileId({ is: "url", url: `http://files.example:${port}/x`, account: "net.one" });
  had(await files.ready(wanted(id), never));
  expect(await textOf(await files.open(id, never))).toBe(`files.example:${port}`);
  expect([asked, proxy.asked, direct()]).toEqual([["net.one"], [`files.example:${port}`], []]);
});

test.each([
  ["http://localhost:8080/", "forbidden"],
  ["http://127.0.0.1:8080/", "forbidden"],
  ["http://127.1:8080/", "forbidden"],
  ["http://[::1]:8080/", "forbidden"],
  ["http://169.254.169.254/", "forbidden"],
  ["http://router/", "forbidden"],
  ["http://router.lan./", "forbidden"],
  ["http://files.example:22/", "forbidden"],
  ["http://files.example:1024/", "network"],
])("through a proxy, %s is %s", async (url, code) => {
  const proxy = await startFakeProxy({ kind: "http", refusal: "HTTP/1.1 502 Bad Gateway\r\n\r\n" });
  const sources = { open: () => Promise.reject(new Error("not asked")), proxyFor: () => proxy.url };
  const { files } = await stage({ sources, media: { allowPrivate: false } });
  expect(codeOf(await files.ready(wanted(fileId({ is: "url", url })), never))).toBe(code);
  expect(proxy.asked).toHaveLength(code === "network" ? 1 : 0);
});

test("where private servers are allowed, they are asked through the proxy, but for the metadata of clouds", async () => {
  const url = await serve((_, response) => void response.end("inside"));
  const proxy = await startFakeProxy({ kind: "http" });
  const sources = { open: () => Promise.reject(new Error("not asked")), proxyFor: () => proxy.url };
  const { files } = await stage({ sources, media: { allowPrivate: true } });
  const at = (host: string) => wanted(fileId({ is: "url", url: url.replace("127.0.0.1", host) }));
  for (const host of ["127.0.0.1", "intranet"]) expect(had(await files.ready(at(host), never)).bytes).toBe(6);
  expect(codeOf(await files.ready(at("169.254.169.254"), never))).toBe("forbidden");
  expect(proxy.asked).toHaveLength(2);
});
