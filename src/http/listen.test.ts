import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { explainListenError, listenAt } from "./listen.ts";

const failure = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code });

/** Listens with a system that refuses some hosts; says which were tried. */
async function tried(host: string, refused: Readonly<Record<string, string>>): Promise<string> {
  const hosts: string[] = [];
  const bind = async (at: string): Promise<void> => {
    hosts.push(at);
    const code = refused[at];
    if (code !== undefined) throw failure(code);
  };
  const outcome = await listenAt({ host, port: 1 }, bind).then(
    () => "listens",
    (error: Error) => error.message,
  );
  return `${hosts.join(" ")}: ${outcome}`;
}

describe("listenAt", () => {
  test.for([
    ["", {}, ":: : listens"],
    ["", { "::": "EAFNOSUPPORT" }, ":: 0.0.0.0: listens"],
    ["", { "::": "EADDRNOTAVAIL" }, ":: 0.0.0.0: listens"],
    ["", { "::": "EADDRINUSE" }, ":: : listen EADDRINUSE"],
    ["", { "::": "EAFNOSUPPORT", "0.0.0.0": "EADDRINUSE" }, ":: 0.0.0.0: listen EADDRINUSE"],
    ["::1", { "::1": "EADDRNOTAVAIL" }, "::1: listen EADDRNOTAVAIL"],
    ["LocalHost", {}, "127.0.0.1: listens"],
    ["10.0.0.1", {}, "10.0.0.1: listens"],
  ] as const)("host %j where %j is refused", async ([host, refused, outcome]) => {
    expect((await tried(host, refused)).replace(":::", ":: :")).toBe(outcome);
  });
});

describe("explainListenError", () => {
  test.for([
    ["EADDRINUSE", /another program/],
    ["EACCES", /1024/],
    ["EADDRNOTAVAIL", /does not have that address/],
    ["EAFNOSUPPORT", /does not have that address/],
    ["ENOTFOUND", /host name is unknown/],
    ["EAI_AGAIN", /host name is unknown/],
    ["EMFILE", /^listen EMFILE$/],
  ] as const)("%s", ([code, text]) => {
    expect(explainListenError(failure(code))).toMatch(text);
  });

  test("what the system really says of an unknown name is explained", async () => {
    const error = await new Promise((resolve) =>
      createServer().once("error", resolve).listen(0, "no-such-host.invalid"),
    );
    expect(explainListenError(error)).toMatch(/host name is unknown/);
  });
});
