import { once } from "node:events";
import { rename, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually } from "../support/wait.ts";

/** The configuration changes while the built program runs. */

let running: Rialto | null = null;
afterEach(async () => {
  await running?.dispose();
  running = null;
});

async function start(config: string, dataPath?: string): Promise<Rialto> {
  running = await startRialto(dataPath === undefined ? { config } : { config, dataPath });
  return running;
}

const linesWith = (rialto: Rialto, message: string): readonly Readonly<Record<string, unknown>>[] =>
  rialto
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes(`"msg":${JSON.stringify(message)}`))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const APPLIED = "the configuration was reloaded";
const REFUSED = "the configuration was not reloaded: the old one stays in use";

/** Waits until the log has said this so many times; the line of that time. */
async function told(rialto: Rialto, message: string, times: number): Promise<Readonly<Record<string, unknown>>> {
  const lines = await eventually(
    () => Promise.resolve(linesWith(rialto, message)),
    (found) => found.length >= times,
    () => `"${message}" ${times} times, in: ${rialto.output()}`,
  );
  return lines[times - 1] ?? {};
}

/** As editors do: another file takes the name. */
async function replace(rialto: Rialto, config: string): Promise<void> {
  await writeFile(`${rialto.file}.new`, await rialto.text(config));
  await rename(`${rialto.file}.new`, rialto.file);
}

const accounts = { sender: { Buffer: 10_000 }, reader: { Buffer: 10_000 } };
const both = ["sender", "reader"];
const base = toml({ accounts, gateways: { g: { inout: both } } });

describe("what is another configuration", () => {
  test("a gateway that comes and goes while posts run: each once and in order, and no stream ends", async () => {
    const rialto = await start(base);
    const stream = await rialto.client("reader").stream();
    const sender = rialto.client("sender");
    const state = { posted: 0, done: false };
    const posting = (async () => {
      while (!state.done) {
        await sender.say({ text: `m${state.posted + 1}`, gateway: "g" });
        state.posted += 1;
      }
    })();
    const more = toml({
      accounts: { ...accounts, third: {} },
      gateways: { g: { inout: [...both, "third"] }, h: { inout: both } },
    });
    for (let change = 1; change <= 6; change += 1) {
      const before = state.posted;
      await replace(rialto, change % 2 === 1 ? more : base);
      await told(rialto, APPLIED, change);
      await eventually(
        () => Promise.resolve(state.posted),
        (posted) => posted > before + 20,
        () => "more posts",
      );
    }
    state.done = true;
    await posting;
    expect(linesWith(rialto, APPLIED)).toHaveLength(6);
    const seen: string[] = [];
    while (seen.length < state.posted) seen.push((await stream.next()).text);
    expect(seen).toEqual(Array.from({ length: state.posted }, (_, at) => `m${at + 1}`));
    await stream.close();
  });

  test("an account that comes answers, one that goes does not, and nobody is handed what was said without it", async () => {
    const rialto = await start(base);
    const withThird = toml({
      accounts: { ...accounts, third: { Buffer: 100 } },
      gateways: { g: { inout: [...both, "third"] } },
    });
    const sender = rialto.client("sender");
    await sender.say({ text: "before" });
    await replace(rialto, withThird);
    expect(await told(rialto, APPLIED, 1)).toMatchObject({ accounts_added: ["api.third"], gateways_changed: ["g"] });
    await sender.say({ text: "with" });
    expect(await rialto.client("third").texts()).toEqual(["with"]);
    await sender.say({ text: "unread" });
    const { url } = rialto.client("third");
    await replace(rialto, base);
    expect(await told(rialto, APPLIED, 2)).toMatchObject({ accounts_removed: ["api.third"] });
    await expect(fetch(`${url}/api/health`)).rejects.toThrow("fetch failed");
    await sender.say({ text: "without" });
    await replace(rialto, withThird);
    await told(rialto, APPLIED, 3);
    await sender.say({ text: "with again" });
    expect(await rialto.client("third").texts()).toEqual(["with again"]);
    expect(await rialto.client("reader").texts()).toEqual(["before", "with", "unread", "without", "with again"]);
  });

  test("an account with other settings is opened again, where it had stopped reading", async () => {
    const rialto = await start(base);
    await rialto.client("sender").say({ text: "one" });
    await replace(
      rialto,
      toml({
        accounts: { ...accounts, reader: { Buffer: 5_000, Token: "quite a secret" } },
        gateways: { g: { inout: both } },
      }),
    );
    expect(await told(rialto, APPLIED, 1)).toMatchObject({ accounts_changed: ["api.reader"] });
    await rialto.client("sender").say({ text: "two" });
    expect((await rialto.client("reader").request("/api/messages")).status).toBe(401);
    expect(await rialto.client("reader", "quite a secret").texts()).toEqual(["one", "two"]);
    expect(rialto.output()).not.toContain("quite a secret");
  });

  test("how names look counts at once, for those who are connected too", async () => {
    const rialto = await start(base);
    const stream = await rialto.client("reader").stream();
    await replace(
      rialto,
      toml({
        accounts: { ...accounts, reader: { ...accounts.reader, RemoteNickFormat: "<{NICK}>" } },
        gateways: { g: { inout: both } },
      }),
    );
    expect(await told(rialto, APPLIED, 1)).toMatchObject({ accounts_restyled: ["api.reader"] });
    await rialto.client("sender").say({ text: "one", username: "bob" });
    expect(await stream.next()).toMatchObject({ text: "one", username: "<bob>" });
    await stream.close();
  });

  test("what needs a restart is named, and stays", async () => {
    const rialto = await start(base);
    const other = toml({ general: { RetentionDays: 3, MaxAge: "1h" }, accounts, gateways: { g: { inout: both } } });
    await replace(rialto, other);
    expect(await told(rialto, APPLIED, 1)).toMatchObject({ settings: ["MaxAge"] });
    const restart = "these settings have changed, and need a restart";
    expect(await told(rialto, restart, 1)).toMatchObject({ settings: ["RetentionDays"] });
    // Nothing but that: it is said again, and nothing moves.
    rialto.signal("SIGHUP");
    await told(rialto, restart, 2);
    expect(linesWith(rialto, APPLIED)).toHaveLength(1);
  });
});

describe("a file that is no good", () => {
  test("is refused with the report of check, and the old one stays", async () => {
    const rialto = await start(base);
    await replace(rialto, base.replace('name = "g"', 'name = "g"\nenable = 7\n[broken'));
    await told(rialto, REFUSED, 1);
    const [line] = linesWith(rialto, "the configuration");
    expect(line).toMatchObject({ level: "error" });
    expect(line?.["problem"]).toMatch(/rialto\.toml:\d+:\d+: error: /u);
    await rialto.client("sender").say({ text: "one", gateway: "g" });
    expect(await rialto.client("reader").texts()).toEqual(["one"]);
    // Asked again, it says so again.
    rialto.signal("SIGHUP");
    await told(rialto, REFUSED, 2);
    await replace(rialto, base);
    rialto.signal("SIGHUP");
    await replace(rialto, base.replace('"g"', '"other"'));
    await told(rialto, APPLIED, 1);
    expect((await rialto.client("sender").post({ text: "two", gateway: "g" })).status).toBe(404);
    await rialto.client("sender").say({ text: "two", gateway: "other" });
  });

  test("is refused when an address is taken, and nothing has moved", async () => {
    const rialto = await start(base);
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const other = toml({
      accounts: { ...accounts, third: {} },
      gateways: { g: { inout: ["reader", "third"] }, h: { inout: both } },
    });
    const text = await rialto.text(other);
    await writeFile(rialto.file, text.replace(/(\[api\.third\]\nBindAddress = ")[^"]*/u, `$1127.0.0.1:${port}`));
    await told(rialto, REFUSED, 1);
    expect(linesWith(rialto, "the configuration")[0]?.["problem"]).toContain("[api.third] cannot listen on");
    await rialto.client("sender").say({ text: "one", gateway: "g" });
    expect(await rialto.client("reader").texts()).toEqual(["one"]);
  });

  test("is not read while it is being written", async () => {
    const rialto = await start(base);
    const whole = await rialto.text(base.replace('"g"', '"other"'));
    // Each half of it is written well within the time that must be quiet.
    await writeFile(rialto.file, whole.slice(0, whole.indexOf("account")));
    await writeFile(rialto.file, whole);
    await told(rialto, APPLIED, 1);
    await rialto.client("sender").say({ text: "one", gateway: "other" });
  });
});

describe("a program that ends meanwhile", () => {
  test("stopped in the middle, it ends as asked", async () => {
    const rialto = await start(base);
    await writeFile(rialto.file, await rialto.text(base.replace('"g"', '"other"')));
    rialto.signal("SIGHUP");
    rialto.signal("SIGTERM");
    expect(await rialto.exited).toEqual({ code: 0, signal: null });
  });

  test("killed in the middle, it goes on with what was answered, once", async () => {
    const rialto = await start(base);
    const answered: string[] = [];
    const sender = rialto.client("sender");
    const other = toml({ accounts, gateways: { g: { inout: both }, h: { inout: both } } });
    await writeFile(rialto.file, await rialto.text(other));
    rialto.signal("SIGHUP");
    for (let count = 1; count <= 30; count += 1)
      answered.push((await sender.say({ text: `m${count}`, gateway: "g" })).text);
    await rialto.kill9();
    const again = await startRialto({ config: other, dataPath: rialto.dataPath });
    try {
      expect(await again.client("reader").texts()).toEqual(answered);
    } finally {
      await again.dispose();
    }
  });
});
