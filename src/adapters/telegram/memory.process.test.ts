import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { type Life, stop, tryToOpen } from "../../../test/contract/life.ts";
import { addPerson, seat } from "../../../test/servers/telegram/people.ts";
import { eventually } from "../../../test/support/wait.ts";
import { type TelegramGate, telegramGate } from "./gate.suite.ts";
import { open } from "./session.ts";
import { telegramSettings } from "./settings.suite.ts";

const MIB = 1 << 20;
const AT_ONCE = 250;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What is alive, in bytes. */
function heap(): number {
  for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** So many people say something, one each, and are forgotten by the server and by the host. */
async function chatter({ server, group }: TelegramGate, { host }: Pick<Life, "host">, people: number): Promise<void> {
  for (let from = 0; from < people; from += AT_ONCE) {
    const folk = Array.from({ length: AT_ONCE }, (_, at) => addPerson(server, `Guest ${from + at}`));
    for (const one of folk) {
      seat(group, one);
      one.say(group, "hello");
    }
    await eventually(
      async () => await Promise.resolve(host.posted.length),
      (count) => count >= AT_ONCE,
      () => `${AT_ONCE} messages`,
    );
    for (const { id } of folk) {
      group.members.delete(id);
      server.world.users.delete(id);
    }
    group.messages.clear();
    host.events.length = 0;
    host.cursors.length = 0;
  }
}

test("5000 people who have spoken cost at most 6 MiB more than 250", async () => {
  const gate = await telegramGate();
  const { host, opened } = await tryToOpen(
    open,
    telegramSettings({ Token: gate.bot.token, ApiURL: gate.server.url }),
    {},
  );
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const { session } = opened;
  await session.join({ name: String(gate.group.id), options: {} }, new AbortController().signal);
  await chatter(gate, { host }, AT_ONCE);
  const before = heap();
  await chatter(gate, { host }, 5_000 - AT_ONCE);
  expect((heap() - before) / MIB).toBeLessThan(6);
  await stop({ session });
});
