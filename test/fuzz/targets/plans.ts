import type { Stored } from "../../../src/gateway/codec.ts";
import { encodeStored, decodeStored } from "../../../src/gateway/codec.ts";
import { parseJsonPost } from "../../../src/http/api/post-body.ts";
import type { FileId } from "../../../src/contract/ids.ts";
import { aFile, aMessage } from "../../../src/gateway/samples.suite.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { json, text } from "../text.ts";
import { deliver } from "./crossing.ts";

const EVENTS = [
  "",
  "",
  "",
  "user_action",
  "notice",
  "join_leave",
  "join",
  "leave",
  "topic_change",
  "msg_delete",
  "reaction",
  "edit",
  "x",
];
const FORMATS = ["plain", "irc", "markdown", "html", "styling", "x", "__proto__"];
const KEYS =
  "text username userid avatar gateway parent_id event id Extra file Name Data Comment URL Size Avatar SHA NativeID hops".split(
    " ",
  );

/** A stored message with a stranger's words in each place. */
function stored(random: Random): Stored {
  const some = (most = 3): string => text(random, most);
  const files = random.some(3, () =>
    aFile({
      Name: some(),
      Comment: some(),
      URL: random.pick(["", "https://e.example/a", some()]),
      Data: random.pick(["", "aGk="]),
      Size: random.pick([0, 2, 1e15]),
    }),
  );
  const about = {
    is: random.pick(["reply", "edit", "delete", "reaction"] as const),
    seq: random.pick([null, 7]),
    name: some(),
    excerpt: some(20),
    thread: random.pick([null, 3]),
    author: random.pick([null, { id: some(), account: "net.here" }]),
    emoji: some(1),
    on: random.chance(0.5),
  };
  return {
    message: aMessage({
      text: some(30),
      username: some(),
      userid: some(),
      avatar: some(1),
      event: random.pick(EVENTS),
      account: "net.here",
      Extra: files.length > 0 ? { file: files } : null,
    }),
    source: random.chance(0.5) ? { format: random.pick(FORMATS), text: some(30) } : null,
    about: random.chance(0.4) ? about : null,
    files: files.map(() => (random.chance(0.5) ? ("[]" as FileId) : null)),
    avatar: null,
    topic: random.chance(0.2) ? some() : null,
  };
}

/** Messages of the log on their way to each network, and bodies of posts. */
export const plans: Target = {
  name: "plans",
  make: (random): Case => {
    if (random.chance(0.2)) {
      const body = random.chance(0.5) ? text(random, 10) : (JSON.stringify(json(random, KEYS, 4)) ?? "");
      return { show: () => body, run: () => void parseJsonPost(Buffer.from(body)) };
    }
    const one = stored(random);
    return { show: () => JSON.stringify(one), run: () => deliver(decodeStored(encodeStored(one))) };
  },
};
