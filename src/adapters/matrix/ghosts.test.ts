import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { OpAuthor } from "../../contract/ops.ts";
import { Client } from "./client.ts";
import { Ghosts } from "./ghosts.ts";
import { Http } from "./http.ts";

const http = new Http(new RecordingHost().clock);
const client = new Client({ http, server: "http://127.0.0.1:1", token: null });
const ghosts = new Ghosts({ client, prefix: "rialto_", server: "a.example" });
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
