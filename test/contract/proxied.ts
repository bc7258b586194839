import { describe, expect, test } from "vitest";
import type { ChannelRef, FileRef } from "../../src/contract/ids.ts";
import { mint } from "../../src/contract/ids.ts";
import type { Session } from "../../src/contract/session.ts";
import { startFakeProxy, watchDirect } from "../support/fake-proxy.ts";
import { eventually } from "../support/wait.ts";
import { bodyOf, postOf } from "./ops.ts";
import { RecordingAttempt } from "./recording-attempt.ts";
import type { RecordingHost } from "./recording-host.ts";
import { aSharedFile, readAll } from "./shared-file.ts";

interface ProxiedLife {
  readonly host: RecordingHost;
  readonly session: Session;
  readonly channel: ChannelRef;
  /** Somebody says a text in the channel. */
  readonly say: (text: string) => unknown;
  /** … and sends a file that only the network has; absent: files there are links, or are none. */
  readonly sendFile?: () => unknown;
}

/**
 * That nothing of an account connects past its proxy: events, posts and files both ways. `live`: a session with this
 * value of `Proxy`. `ways`: how many connections it needs at least.
 */
export function describeProxied(ways: number, live: (proxy: string) => Promise<ProxiedLife>): void {
  describe.each(["http", "socks5"] as const)("with a proxy by %s", (kind) => {
    test("every connection goes through it", async () => {
      const proxy = await startFakeProxy({ kind, login: { user: "bob", password: "s3cret:@/" } });
      const direct = watchDirect(proxy);
      const { host, session, channel, say, sendFile } = await live(proxy.url);
      await say("hello there");
      await posted(host, ({ source }) => source.text === "hello there");
      await sendFile?.();
      if (sendFile !== undefined) await fetched(host, session);
      const id = mint("FileId", "a file");
      host.files.set(id, new Uint8Array(100).fill(7));
      const file = aSharedFile({ name: "a.txt", id, bytes: 100, url: "https://files.example/a.txt" });
      const op = postOf(channel, "look", { body: bodyOf("look", [file]) });
      expect(await session.handlers.post(op, new RecordingAttempt())).toMatchObject({ is: "delivered" });
      expect(direct()).toEqual([]);
      expect(proxy.asked.length).toBeGreaterThanOrEqual(ways);
    });
  });
}

type Said = RecordingHost["posted"][number]["body"];

async function posted(host: RecordingHost, isIt: (body: Said) => boolean): Promise<Said> {
  const found = async (): Promise<Said | undefined> =>
    await Promise.resolve(host.posted.map(({ body }) => body).find(isIt));
  const body = await eventually(
    found,
    (one) => one !== undefined,
    () => "what was said",
  );
  if (body === undefined) throw new Error("nothing was said");
  return body;
}

async function fetched(host: RecordingHost, session: Session): Promise<void> {
  const { files } = await posted(host, (body) => body.files.length > 0);
  const ref = files[0]?.ref as FileRef;
  const opened = await session.openFile?.(ref, new AbortController().signal);
  expect(opened?.ok === true && (await readAll(opened.stream)).length).toBeGreaterThan(0);
}
