import { connect } from "node:net";
import { test } from "vitest";
import { expectTurns } from "../kit/turns.suite.ts";
import { Wire } from "./wire.ts";

test("what a server says is handled when a turn has time for it", async () => {
  await expectTurns(async (port, onText) => {
    const wire = new Wire(connect(port, "127.0.0.1"));
    wire.listen({ onText, onClose: () => undefined, onError: () => undefined });
    return await Promise.resolve(() => wire.destroy());
  });
});
