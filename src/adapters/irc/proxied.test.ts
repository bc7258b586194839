import { expect, test } from "vitest";
import { startFakeProxy, watchDirect } from "../../../test/support/fake-proxy.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { opening } from "./scripted-server.suite.ts";
import { open } from "./session.ts";
import { ircSettings } from "./settings.suite.ts";

test.each(["http", "socks5"] as const)("with a proxy by %s, the connection goes through it", async (kind) => {
  const proxy = await startFakeProxy({ kind, login: { user: "bob", password: "s3cret:@/" } });
  const direct = watchDirect(proxy);
  const { peer, opened } = await opening({ Proxy: proxy.url });
  await peer.welcome();
  const session = await opened;
  if (!session.ok) throw new Error(session.ended.why.message);
  await session.session.close(AbortSignal.timeout(1_000));
  expect(direct()).toEqual([]);
  expect(proxy.asked).toHaveLength(1);
});

test("a proxy that refuses the connection is named, and Rialto does not connect around it", async () => {
  const proxy = await startFakeProxy({ kind: "http", refusal: "HTTP/1.1 403 Forbidden\r\n\r\n" });
  const { port } = proxy;
  const refusal = `the proxy 127.0.0.1:${port} does not connect to irc.example:6697`;
  const direct = watchDirect(proxy);
  const settings = ircSettings({ Server: "irc.example:6697", Proxy: `http://127.0.0.1:${port}` });
  const { signal } = new AbortController();
  expect(await open({ settings, host: new RecordingHost(), since: null, signal })).toMatchObject({
    ok: false,
    ended: {
      cause: "lost",
      why: { message: expect.stringContaining(refusal) as string },
    },
  });
  expect(direct()).toEqual([]);
});
