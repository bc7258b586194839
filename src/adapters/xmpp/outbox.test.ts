import { expect, test } from "vitest";
import { Outbox } from "./outbox.ts";
import { XmppRoom } from "./room.ts";
import { el, type Stanza } from "./xml.ts";

const room = (name: string): XmppRoom => new XmppRoom(`${name}@rooms.example`, "rialto", "n", () => "bot@example.org");
const WHY = { code: "network", message: "gone" } as const;

function anOutbox(): { outbox: Outbox; sent: Stanza[] } {
  const sent: Stanza[] = [];
  return { outbox: new Outbox((stanza) => sent.push(stanza)), sent };
}

test("what the room shows is shown, what it passes over was dropped, and other rooms are not concerned", async () => {
  const { outbox } = anOutbox();
  const [one, other] = [room("one"), room("other")];
  const fates = ["a", "b", "c"].map(async (id) => await outbox.write(one, id, el("message", { id })));
  const elsewhere = outbox.write(other, "d", el("message", {}));
  outbox.shown(one, "b", "s2");
  expect(await fates[0]).toEqual({ is: "dropped" });
  expect(await fates[1]).toEqual({ is: "shown", sid: "s2" });
  expect([outbox.has("c"), outbox.has("d")]).toEqual([true, true]);
  outbox.gone(other, WHY);
  expect(await elsewhere).toEqual({ is: "gone", why: WHY });
  outbox.refused("c", { condition: "forbidden", type: "auth", text: "" });
  expect(await fates[2]).toMatchObject({ is: "refused" });
});

test("what is under way is not written again", async () => {
  const { outbox, sent } = anOutbox();
  const one = room("one");
  const both = [outbox.write(one, "a", el("message", {})), outbox.write(one, "a", el("message", {}))];
  expect(sent).toHaveLength(1);
  outbox.end(WHY);
  expect(await Promise.all(both)).toEqual([
    { is: "unknown", why: WHY },
    { is: "unknown", why: WHY },
  ]);
  expect(await outbox.write(one, "b", el("message", {}))).toEqual({ is: "gone", why: WHY });
  expect(sent).toHaveLength(1);
});
