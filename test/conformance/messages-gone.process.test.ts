import { expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { halted } from "../support/halted.ts";
import { connectRaw } from "../support/raw.ts";
import { launch } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

const GET = "GET /api/messages HTTP/1.1\r\nHost: localhost\r\n\r\n";
const config = toml({
  accounts: { sender: {}, reader: { Buffer: 1000 } },
  gateways: { g: { inout: ["sender", "reader"] } },
});

test.each([
  ["was open before", true],
  ["is new", false],
])("a poll of a client that went while the program stood still takes nothing: its connection %s", async (_, isOpen) => {
  const rialto = await launch({ config });
  const reader = rialto.client("reader");
  await rialto.client("sender").say({ text: "unread" });
  const connect = async () => await connectRaw(rialto.url("api.reader"));
  const before = isOpen ? await connect() : null;
  before?.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await before?.answer();
  rialto.signal("SIGSTOP");
  await halted(rialto.pid);
  const gone = before ?? (await connect());
  gone.send(GET);
  gone.destroy();
  rialto.signal("SIGCONT");
  // The first that comes in the same moment may find it still with the other.
  const texts = await eventually(
    () => reader.texts(),
    ({ length }) => length > 0,
    () => "the message",
  );
  expect(texts).toEqual(["unread"]);
});
