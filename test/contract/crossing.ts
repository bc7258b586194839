import { expect, onTestFailed, onTestFinished } from "vitest";
import { eventually } from "../support/wait.ts";
import type { FakeNetwork } from "./fake-network.ts";
import type { FakePerson } from "./fake-person.ts";
import { Harness } from "./harness.ts";

/** A world that is killed when the test ends, and shown when it failed. */
export async function harness(...args: Parameters<typeof Harness.make>): Promise<Harness> {
  const made = await Harness.make(...args);
  onTestFinished(() => made.kill());
  onTestFailed(() => console.error(made.logger.shown("account", "channel", "why").slice(-40).join("\n")));
  return made;
}

/** Waits until the condition holds. */
export async function until(holds: () => boolean, what: () => string): Promise<void> {
  await eventually(
    () => Promise.resolve(holds()),
    (held) => held,
    what,
  );
}

/** Waits until the accounts `<protocol>.x` are online. */
export async function online(made: Harness, ...protocols: readonly string[]): Promise<void> {
  for (const protocol of protocols) {
    await until(
      () => made.delivery.state(`${protocol}.x`)?.is === "online",
      () => `${protocol}.x to be online; it is ${JSON.stringify(made.delivery.state(`${protocol}.x`))}`,
    );
  }
}

/** Somebody in a channel that our session has entered, too: what is said before that nobody hears. */
export async function personIn(network: FakeNetwork, channel: string): Promise<FakePerson> {
  await until(
    () => network.server.room(channel).members.size > 0,
    () => `our session to enter ${channel}`,
  );
  const person = network.person();
  await person.join({ name: channel });
  return person;
}

/** Waits until as many lines of ours are in the channel, and expects that they are these. */
export async function arrived(network: FakeNetwork, channel: string, texts: readonly string[]): Promise<void> {
  await until(
    () => network.said(channel).length >= texts.length,
    () => `${texts.length} lines in ${channel}; ${network.said(channel).length} are there`,
  );
  expect(network.said(channel)).toEqual(texts);
}

/**
 * Waits until these lines of ours stand in the channel and no others: what was edited and deleted counts as it is now.
 */
export async function stands(network: FakeNetwork, channel: string, texts: readonly string[]): Promise<void> {
  await until(
    () => JSON.stringify(network.said(channel)) === JSON.stringify(texts),
    () => `${JSON.stringify(texts)} to stand in ${channel}; there is ${JSON.stringify(network.said(channel))}`,
  );
}

export const lines = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `line ${from + at}`);
export const by = (person: FakePerson, texts: readonly string[]): string[] =>
  texts.map((text) => `<${person.name}> ${text}`);

export async function sayAll(person: FakePerson, channel: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) await person.say(channel, text);
}

/** Everything that was said in the channel `one` of `left` is in the log. */
export async function accepted(made: Harness, count: number): Promise<void> {
  await eventually(
    async () => (await made.entries("left.x", "one")).length,
    (found) => found === count,
    () => `${count} lines in the log`,
  );
}
