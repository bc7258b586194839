import { expect, test } from "vitest";
import type { LogStep } from "./log-steps.ts";
import { checkOnline, onlineText } from "./check-online.ts";
import { load } from "./load.ts";

const shown = (step: LogStep): string => onlineText([{ account: "irc.a", steps: [step], rooms: [] }]);

test.each([
  [
    "a remedy is a sentence of its own",
    "refused (ECONNREFUSED)",
    "Check that it runs.",
    "refused (ECONNREFUSED). Check that it runs.",
  ],
  ["a reason that is a sentence keeps its end", "It says: no!", "Ask it.", "It says: no! Ask it."],
  ["without a remedy there is the reason", "refused", "", "refused"],
])("%s", (_, why, remedy, text) => {
  expect(shown({ ok: false, why, remedy })).toBe(`irc.a: failed: ${text}\n`);
});

test("an account that the configuration keeps down is listed, and is not tried", async () => {
  const text = `[irc.a]\nServer = "127.0.0.1:1"\nNick = "n"\nUseTLS = "perhaps"\n[api.b]\nBindAddress = "127.0.0.1:0"\n[api.c]\nBindAddress = "127.0.0.1:0"\n[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "irc.a", channel = "#a" }, { account = "api.b" }, { account = "api.c" }]\n`;
  const loaded = load({ text, format: "toml", name: "x.toml" }, { env: {}, cwd: "/nowhere" });
  if (!loaded.ok) throw new Error("it can start");
  const views = await checkOnline(loaded.config, new AbortController().signal);
  expect(onlineText(views)).toMatch(
    /^irc\.a: failed: not tried, because it stays down: UseTLS of irc\.a .*\. Correct UseTLS of irc\.a /u,
  );
  expect(views).toHaveLength(3);
});
