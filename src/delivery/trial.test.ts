import { expect, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { Adapter, Opened } from "../contract/adapter.ts";
import type { Event } from "../contract/events.ts";
import type { Host } from "../contract/host.ts";
import { accountFolder } from "./account-folder.ts";
import { tryAccount, type TrialStep } from "./trial.ts";

const containing = (text: string): unknown => expect.stringContaining(text);

interface Tried {
  readonly steps: readonly TrialStep[];
  readonly did: readonly string[];
  readonly rooms: readonly string[];
}

/** Tries an account whose adapter opens as given. */
async function tried(
  open: (host: Host, did: string[], signal: AbortSignal) => Promise<Opened>,
  clock = new FakeClock(),
): Promise<Tried> {
  const did: string[] = [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of an adapter, a trial only loads
  const adapter = {
    manifest: {
      protocol: "fake",
      title: "Fake",
      schema: { type: "object", properties: {} },
      channel: { pattern: "^#", hint: "", lowerCase: true },
    },
    load: () => Promise.resolve({ open: async ({ host, signal }) => await open(host, did, signal) }),
  } as Pick<Adapter, "load" | "manifest"> as Adapter;
  const channels = ["#a", "#closed"].map((name) => ({ name, options: {} }));
  const { signal } = new AbortController();
  const { steps, rooms } = await tryAccount({ adapter, settings: {}, channels, clock, random: () => 0, signal });
  return { steps, did, rooms };
}

/** A session in which nobody may do anything but join and leave. */
function sessionOf(did: string[]): Opened {
  const session = {
    as: "bot",
    join: ({ name }: { readonly name: string }) => {
      did.push(`join ${name}`);
      return Promise.resolve(
        name === "#a"
          ? { ok: true, ref: name, without: [] }
          : { ok: false, why: { code: "forbidden", message: "banned" }, retryInMs: null },
      );
    },
    close: () => {
      did.push("close");
      return Promise.resolve();
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all else would throw
  return { ok: true, session } as unknown as Opened;
}

test("an adapter gets the folder that the account has in the program", async () => {
  const seen: unknown[] = [];
  const open = async (args: object): Promise<Opened> => {
    seen.push(args);
    return await Promise.resolve({ ok: false, ended: { cause: "auth", why: { code: "auth", message: "no" } } });
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of an adapter, a trial only loads
  const adapter = { load: () => Promise.resolve({ open }) } as Pick<Adapter, "load"> as Adapter;
  const { signal } = new AbortController();
  const rest = { adapter, settings: {}, channels: [], clock: new FakeClock(), random: () => 0, signal };
  const folder = accountFolder("/data", { protocol: "fake", key: "fake.a b" });
  await tryAccount({ ...rest, folder });
  expect(seen).toEqual([expect.objectContaining({ folder: "/data/fake-a%20b", trial: true })]);
});

test("it signs in, joins and leaves, and nothing that comes is answered before that", async () => {
  let isAnswered = false;
  const { steps, did } = await tried(async (host, done) => {
    await host.accept({ events: [], cursor: null });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody looks at it
    void host.accept({ events: [{} as Event], cursor: null }).then(() => (isAnswered = true));
    const opened = sessionOf(done);
    return opened;
  });
  expect(did).toEqual(["join #a", "join #closed", "close"]);
  expect(steps).toEqual([
    { name: "connect", ok: true, why: "signed in as bot", remedy: "" },
    { name: "channel", ok: true, why: "joined #a", remedy: "" },
    { name: "channel", ok: false, why: "banned", remedy: containing("Let Rialto in") },
  ]);
  await Promise.resolve();
  expect(isAnswered).toBe(true);
});

test.each([
  ["those that can be written, in order", () => Promise.resolve(["#b", "id 7", "#a", "#b"]), ["#a", "#b"]],
  ["some hundred", () => Promise.resolve(Array.from({ length: 600 }, (_, at) => `#${at + 1000}`)), 500],
  ["none where it fails", () => Promise.reject(new Error("oops")), []],
])("the rooms to choose from: %s", async (_what, rooms, wanted) => {
  const found = await tried((_host, done) => {
    const opened = sessionOf(done);
    if (opened.ok) Object.assign(opened.session, { rooms });
    return Promise.resolve(opened);
  });
  expect(typeof wanted === "number" ? found.rooms.length : found.rooms).toEqual(wanted);
  expect(found.steps[0]?.ok).toBe(true);
});

test("a network that is slow with its rooms does not hold up the rest", async () => {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  const trial = tried((_host, done) => {
    const opened = sessionOf(done);
    const rooms = async () => {
      asked.resolve();
      return await new Promise<readonly string[]>(() => undefined);
    };
    if (opened.ok) Object.assign(opened.session, { rooms });
    return Promise.resolve(opened);
  }, clock);
  await asked.promise;
  await clock.advance(10_000);
  expect(await trial).toMatchObject({ rooms: [], did: ["join #a", "join #closed", "close"] });
});

test("why nobody is let in comes with what to do about it", async () => {
  const why = { code: "auth", message: "the password is wrong" } as const;
  const { steps } = await tried(() => Promise.resolve({ ok: false, ended: { cause: "auth", why } }));
  expect(steps).toEqual([{ name: "connect", ok: false, why: why.message, remedy: containing("credentials") }]);
});

test("a connection that is not as it should be is told", async () => {
  const { steps } = await tried((host, done) => {
    host.degraded({ code: "config", message: "it hears nothing" });
    return Promise.resolve(sessionOf(done));
  });
  expect(steps[0]).toMatchObject({ ok: false, why: "it hears nothing" });
});

test("one that takes too long is given up, and left when it comes all the same", async () => {
  const clock = new FakeClock();
  const late = Promise.withResolvers<Opened>();
  const begun = Promise.withResolvers<string[]>();
  const trial = tried(async (_host, done) => {
    begun.resolve(done);
    return await late.promise;
  }, clock);
  const did = await begun.promise;
  await clock.advance(30_000);
  expect((await trial).steps).toMatchObject([{ ok: false, why: "there was no answer in time" }]);
  late.resolve(sessionOf(did));
  await eventually(
    () => Promise.resolve(did),
    (done) => done.length > 0,
    () => "that it is left",
  );
  expect(did).toEqual(["close"]);
});
