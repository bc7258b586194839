import { describe, expect, test } from "vitest";
import { startFakeProxy } from "../../../test/support/fake-proxy.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { download } from "./download.ts";
import { Http } from "./http.ts";
import { never, served } from "./served.suite.ts";
import { publicBy } from "./trust.ts";

describe("through a proxy, a redirect of a file", () => {
  test.each([
    ["https://localhost/x", false],
    ["https://127.0.0.1/x", false],
    ["https://[::ffff:10.0.0.1]/x", false],
    ["https://2130706433/x", false],
    ["https://intranet/x", false],
    ["https://files.corp/x", false],
    ["https://metadata.google.internal/x", false],
    ["http://files.example.org/x", false],
    ["https://files.example.org/x", true],
    ["https://1.1.1.1/x", true],
  ])("to %s is followed: %s", async (location, isFollowed) => {
    const server = await served((_, response) => void response.writeHead(302, { location }).end());
    // It gives no connection to where the file is.
    const proxy = await startFakeProxy({ kind: "http" });
    const http = new Http(new RecordingHost().clock, publicBy(proxy.url));
    const opened = await download(http, { url: server, headers: {}, who: "the server", signal: never });
    http.close();
    expect(opened).toMatchObject({ ok: false, why: { code: isFollowed ? "network" : "forbidden" } });
    expect(proxy.asked).toHaveLength(isFollowed ? 2 : 1);
  });
});
