import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { flawsOf, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'";

/** What a page could do wrong, as its script. */
const WRONGS: readonly (readonly [name: string, script: string, fault: RegExp])[] = [
  ["an error that nobody catches", "throw new Error('of the page')", /uncaught: Error: of the page/u],
  ["a promise that nobody catches", "Promise.reject(new Error('of a promise'))", /uncaught: Error: of a promise/u],
  ["a warning", "console.warn('beware')", /warning: beware/u],
  ["a dialog", "alert('hello')", /dialog: alert hello/u],
  ["HTML made of text", "document.body.innerHTML = '<i>x</i>'", /policy: require-trusted-types-for .* innerHTML/u],
  ["a script made of text", "setTimeout('1')", /policy: require-trusted-types-for .* setTimeout/u],
  ["an inline style", "document.body.setAttribute('style', 'color: red')", /policy: style-src-attr/u],
  ["a picture from elsewhere", "new Image().src = 'http://127.0.0.2:9/x.png'", /policy: img-src/u],
  ["another address", "location.href = 'http://127.0.0.3:9/'", /asks elsewhere: http:\/\/127\.0\.0\.3:9\//u],
];

needs(["chromium"], () => {
  const browser = useBrowser();
  let url = "";
  const server = createServer((request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const script = WRONGS.find(([name]) => name === searchParams.get("wrong"))?.[1] ?? "";
    const body = `<main><h1>A page</h1>${searchParams.has("flawed") ? "<input>" : ""}</main>`;
    const isScript = pathname === "/script.js";
    answer.writeHead(pathname === "/favicon.ico" ? 204 : 200, {
      "Content-Type": isScript ? "text/javascript" : "text/html; charset=utf-8",
      "Content-Security-Policy": POLICY,
    });
    if (pathname === "/favicon.ico") answer.end();
    else if (isScript) answer.end(`addEventListener("load", () => { ${script} })`);
    else {
      answer.end(
        `<!doctype html><html lang="en"><title>A page</title><script src="/script.js${
          new URL(request.url ?? "", "http://localhost").search
        }"></script>${body}`,
      );
    }
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  test("what is wrong on a page is told", async () => {
    const visit = await browser.open(url);
    for (const [name, , wrong] of WRONGS) {
      void visit.page.goto(`${url}/?wrong=${encodeURIComponent(name)}`).catch(() => undefined);
      await eventually(
        () => Promise.resolve(visit.faults),
        (faults) => faults.some((fault) => wrong.test(fault)),
        () => `${name}: ${String(wrong)} in ${visit.faults.join("\n")}`,
      );
    }
    visit.expects(/./u);
  });

  test("a page without faults has none, and axe-core sees what people stumble over", async () => {
    const clean = await browser.open(`${url}/`, { axe: true });
    expect(await flawsOf(clean)).toEqual([]);
    await clean.page.goto(`${url}/?flawed=1`);
    expect((await flawsOf(clean)).map((flaw) => flaw.split(":")[0])).toEqual(["label"]);
  });
});
