import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createServer } from "../server.ts";
import { bothSides, oneSide, type Side } from "./pages.ts";
import { addExampleRoutes } from "./routes.ts";

test("there are no pages before all sides listen", async () => {
  const http = await createServer({ token: null, names: null, maxBodySize: 1000, onError: () => undefined });
  let sides: readonly Side[] | null = null;
  addExampleRoutes(http, "api.a", () => sides);
  await http.app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => await http.close());
  const url = `http://127.0.0.1:${(http.app.server.address() as AddressInfo).port}`;
  for (const path of ["/", "/side"]) {
    const answer = await fetch(url + path);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  }
  sides = [{ account: "api.a", name: "a", url }];
  for (const path of ["/", "/side"]) expect((await fetch(url + path)).status).toBe(200);
});

test("who asks for the own address, however it is written, is sent nowhere", async () => {
  const http = await createServer({ token: null, names: null, maxBodySize: 1000, onError: () => undefined });
  onTestFinished(async () => await http.close());
  addExampleRoutes(http, "api.a", () => [{ account: "api.a", name: "a", url: "http://localhost:80" }]);
  const ask = async (host: string): Promise<unknown> => {
    const { statusCode, headers } = await http.app.inject({ url: "/", headers: { host } });
    return headers.location ?? statusCode;
  };
  for (const host of ["localhost", "localhost:80", "LOCALHOST"]) expect(await ask(host)).toBe(200);
  for (const host of ["127.0.0.1", "localhost:81", "["]) expect(await ask(host)).toBe("http://localhost:80/");
});

test("a name is text in the pages, whatever it is", () => {
  const side = { account: "api.a", name: `"><script>x</script>`, url: "http://127.0.0.1:1" };
  for (const { html } of [bothSides([side]), oneSide(side, [side])]) {
    expect(html).toContain("&quot;&gt;&lt;script&gt;x&lt;/script&gt;");
    expect(html).not.toContain("<script>");
  }
});
