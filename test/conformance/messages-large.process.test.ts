import { describe, expect, test } from "vitest";
import { connectRaw } from "../support/raw.ts";
import { useRooms } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

describe("the answer of GET /api/messages", () => {
  const room = useRooms(2);

  test("is limited in size: what does not fit comes with the next", async () => {
    const { sender, reader } = room();
    const names = numbered("much", 4);
    const filler = "x".repeat(12_000_000);
    for (const name of names) await sender.say({ text: `${name} ${filler}` });
    const seen: string[] = [];
    for (let texts = await reader.texts(); texts.length > 0; texts = await reader.texts()) seen.push(...texts);
    expect(seen.map((text) => text.slice(0, 5))).toEqual(names);
  });

  // Node 22 reports an answer as sent when it is only queued (docs/operating.md).
  test.skipIf(process.version.startsWith("v22."))(
    "comes again when the connection broke before it was sent whole",
    async () => {
      const { sender, reader } = room();
      const data = Buffer.alloc(3_000_000, 7).toString("base64");
      const names = numbered("big", 7);
      for (const text of names) await sender.say({ text, Extra: { file: [{ Name: "x", Data: data }] } });
      const connection = await connectRaw(reader.url);
      connection.send("GET /api/messages HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await connection.until((bytes) => bytes.length > 0, "the beginning of the answer");
      connection.pause();
      expect(await reader.poll()).toEqual([]);
      connection.destroy();
      const again = await eventually(
        () => reader.texts(),
        (texts) => texts.length > 0,
        () => "the messages of the broken answer",
      );
      expect(again).toEqual(names);
      expect(await reader.poll()).toEqual([]);
    },
  );
});
