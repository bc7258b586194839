import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { type ChannelRef, mint } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { deferred, DONE, NOT_THERE, rejected } from "./outcomes.ts";
import { ShutChannels } from "./shut-channels.ts";

const town: ChannelRef = mint("ChannelRef", "town");
const forbidden = (message: string): Outcome => deferred({ code: "forbidden", message }, 60_000, "channel");
const reason = (message: string) => ({ code: "forbidden", message });

const cases: readonly (readonly [string, readonly Outcome[], boolean, readonly unknown[]])[] = [
  ["the first refusal", [forbidden("no right")], true, [reason("#town: no right")]],
  ["an equal refusal is reported once", [forbidden("a"), forbidden("a")], true, [reason("#town: a")]],
  ["another reason", [forbidden("a"), forbidden("b")], true, [reason("#town: a"), reason("#town: b")]],
  ["a post that gets through ends it", [forbidden("a"), DONE, DONE], true, [reason("#town: a"), null]],
  ["it may begin again", [forbidden("a"), DONE, forbidden("a")], true, [reason("#town: a"), null, reason("#town: a")]],
  ["other waits", [deferred({ code: "network", message: "away" }, 1_000, "session")], true, []],
  ["a message that is refused for good", [rejected("forbidden", "no")], true, []],
  ["a channel that was left", [forbidden("out"), NOT_THERE], false, []],
];

test.each(cases)("%s", (_, outcomes, isJoined, reports) => {
  const host = new RecordingHost();
  const shut = new ShutChannels({ host, isJoined: () => isJoined });
  for (const outcome of outcomes) expect(shut.noted(town, "#town", outcome)).toBe(outcome);
  expect(host.doubts).toEqual(reports);
});
