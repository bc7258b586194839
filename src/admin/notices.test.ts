import { expect, test } from "vitest";
import { noticesOf } from "./notices.ts";
import { aLane, aRoom, aStatus } from "./samples.suite.ts";

const at = (channel: string, atMs: number) => ({ account: "web.site", channel, atMs });

test("what waits for a person is counted by room and said since the oldest; where nothing does, nothing is said", () => {
  const held = [at("lobby", 300), at("lobby", 200), at("den", 100)];
  const found = noticesOf({ held, reports: [at("lobby", 50)] }, []);
  expect(found.map(({ of, what, sinceMs }) => [of, what, sinceMs])).toEqual([
    ["web.site lobby", "2 messages of guests wait for approval", 200],
    ["web.site den", "1 message of a guest waits for approval", 100],
    ["web.site lobby", "1 report of a guest is open", 50],
  ]);
  expect(noticesOf({ held: [], reports: [] }, [aStatus()])).toEqual([]);
});

test("messages that were set aside are counted by lane, with the last one, its reason and how to send it again", () => {
  const why = { code: "remote_error", message: "HTTP 500" } as const;
  const aside = [3, 7].map((seq) => ({ seq, atMs: seq * 100, why }));
  const lanes = [aLane({ setAside: aside }), aLane({ gateway: "h", setAside: aside.slice(0, 1) }), aLane()];
  const found = noticesOf({ held: [], reports: [] }, [aStatus({ channels: [aRoom({ lanes })] })]);
  expect(found).toEqual([
    {
      of: "net.home #room",
      what: "2 messages were set aside in gateway g, the last one is no. 7: HTTP 500",
      remedy: `"rialto explain 7" shows what became of it, and "rialto resend 7 'net.home/#room'" sends it once more.`,
      sinceMs: 300,
      seq: 7,
    },
    expect.objectContaining({ what: "1 message was set aside in gateway h, the last one is no. 3: HTTP 500" }),
  ]);
});
