// Answers "!echo words" with the words, with Node 22.18 or newer, Bun or Deno. Rialto's package brings `rialto/client`:
//   npm install ./rialto-0.1.0.tgz
//   RIALTO_URL=http://127.0.0.1:4242 RIALTO_TOKEN=… node bot.mts
import process from "node:process";
import { Rialto } from "rialto/client";

const { RIALTO_URL: url = "http://127.0.0.1:4242", RIALTO_TOKEN: token = "" } = process.env;
const rialto = new Rialto({
  url,
  ...(token !== "" && { token }),
  onRetry: ({ message }) => console.error(`${message}; trying again`),
});

// The consumer keeps its place on the server: what is said while this program is not there waits for it.
const bot = rialto.consumer("echo-ts", { filter: { types: ["message.posted"] } });
// What an earlier run was handed and did not finish comes first.
for await (const event of bot.events({ restart: true })) {
  if (event.type === "message.posted" && event.message.text.startsWith("!echo ")) {
    const [gateway = ""] = event.gateways;
    const text = event.message.text.slice("!echo ".length);
    // With a key of its own, the answer is given once even when the event comes twice.
    const words = { text, author: { name: "echo" }, reply_to: event.message.id };
    await rialto.post(gateway, words, { key: `echo-ts-${event.seq}` });
  }
  // Without this, the event comes again.
  await event.ack();
}
