import * as fc from "../../../test/support/property.ts";
import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { OpAuthor } from "../../contract/ops.ts";
import { Client } from "./client.ts";
import { Ghosts } from "./ghosts.ts";
import { Http } from "./http.ts";

const http = new Http(new RecordingHost().clock);
const client = new Client({ http, server: "http://127.0.0.1:1", token: null });
const ghosts = new Ghosts({ client, prefix: "rialto_", user: "@rialto:a.example" });
const by = (id: string): OpAuthor => ({ id, name: id, shown: id, avatar: null, account: "irc" });
const ID = /^@rialto_irc_[a-z\d._=/+-]+:a\.example$/u;

test("an id that fits is as the sender's", () => {
  expect(ghosts.idOf(by("alice"))).toBe("@rialto_irc_alice:a.example");
});

test.each(["Alice", "ali ce", "alice:evil.example", "@alice", "ålice", "a\nb", "x".repeat(500)])(
  "%j becomes an id of ours, and no other's",
  (id) => {
    const ghost = ghosts.idOf(by(id));
    expect(ghost.length).toBeLessThanOrEqual(255);
    expect(ghosts.owns(ghost)).toBe(true);
    expect(ghost).toMatch(ID);
    // Whoever takes what the id of somebody else became for a name of their own is still somebody else.
    expect(ghosts.idOf(by(ghost.replace(/^@rialto_irc_|:a\.example$/gu, "")))).not.toBe(ghost);
  },
);

test("no two senders share an id, wherever the account ends", () => {
  const of = (account: string, id: string): string => ghosts.idOf({ ...by(id), account });
  expect(of("api.team", "ops_alice")).toBe("@rialto_api.team_ops_alice:a.example");
  expect(of("api.team_ops", "alice")).toMatch(/^@rialto_api\.team_ops_alice-[\da-f]{10}:a\.example$/u);
  expect(of("irc.libera", "alice")).toBe("@rialto_irc.libera_alice:a.example");
  const part = fc.array(fc.constantFrom("a", "b", "_"), { minLength: 1, maxLength: 5 }).map((all) => all.join(""));
  const sender = fc.tuple(part, part);
  fc.assert(
    fc.property(sender, sender, (one, other) => {
      const isSame = one.join("\0") === other.join("\0");
      expect(of(`api.${one[0]}`, one[1]) === of(`api.${other[0]}`, other[1])).toBe(isSame);
    }),
    { numRuns: 10_000 },
  );
});
