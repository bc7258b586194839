import type { Adapter } from "../../src/contract/adapter.ts";
import type { Host } from "../../src/contract/host.ts";
import type { Cursor } from "../../src/contract/ids.ts";
import type { PostOp } from "../../src/contract/ops.ts";
import type { Handler, Session } from "../../src/contract/session.ts";
import type { FakeTraits } from "./fake-script.ts";

type Post = Handler<PostOp>;

/** What of a good adapter is made worse. */
export interface Parts {
  readonly host?: (host: Host) => Partial<Host>;
  readonly session?: (session: Session, host: Host) => Partial<Session>;
  readonly post?: (post: Post, session: Session) => Post;
  readonly open?: () => void;
  readonly since?: (since: Cursor | null) => Cursor | null;
}

/** A mistake an adapter can have, the case that finds it, and what that case says. */
export interface Mistake {
  readonly name: string;
  readonly foundBy: string;
  readonly says: RegExp;
  readonly traits?: Partial<FakeTraits>;
  readonly parts: Parts;
}

/** The adapter with the mistake in it. */
export function worsen(adapter: Adapter, parts: Parts): Adapter {
  return {
    ...adapter,
    load: async () => {
      const loaded = await adapter.load();
      return {
        open: async (args) => {
          parts.open?.();
          const { clock, random, log } = args.host;
          const sound: Host = {
            clock,
            random,
            log,
            accept: async (batch) => await args.host.accept(batch),
            lost: (...told) => args.host.lost(...told),
            degraded: (why, about) => args.host.degraded(why, about),
            hint: (hint) => args.host.hint?.(hint),
            openFile: async (id, signal) => await args.host.openFile(id, signal),
            publish: async (text) => await args.host.publish(text),
          };
          const host = { ...sound, ...parts.host?.(sound) };
          const since = parts.since === undefined ? args.since : parts.since(args.since);
          const opened = await loaded.open({ ...args, since, host });
          return opened.ok ? { ok: true, session: worsenSession(opened.session, host, parts) } : opened;
        },
      };
    },
  };
}

const GONE = { code: "bug", message: "there is no openFile" } as const;

function worsenSession(session: Session, host: Host, parts: Parts): Session {
  const { post } = session.handlers;
  const sound: Session = {
    as: session.as,
    handlers: { ...session.handlers, post: parts.post?.(post, session) ?? post },
    ended: session.ended,
    ...(session.openFile && {
      openFile: async (ref, signal) => (await session.openFile?.(ref, signal)) ?? { ok: false, why: GONE },
    }),
    join: async (channel, signal) => await session.join(channel, signal),
    ...(session.members && {
      members: async (channel, signal) => (await session.members?.(channel, signal)) ?? null,
    }),
    ...(session.rooms && { rooms: async (signal) => (await session.rooms?.(signal)) ?? [] }),
    ...(session.typing && { typing: session.typing }),
    ...(session.leave && { leave: async (channel, signal) => await session.leave?.(channel, signal) }),
    quiesce: async () => await session.quiesce(),
    close: async (signal) => await session.close(signal),
  };
  return { ...sound, ...parts.session?.(sound, host) };
}
