import { describeStream } from "../hosted/stream.ts";
import { Caller } from "../servers/telegram/calls.ts";
import { telegram } from "./town.ts";

describeStream(telegram, [
  [
    "another program asks for what happens",
    async ({ server, bot }) => {
      await new Caller(server, bot.token).updates();
    },
  ],
  [
    "a poll is ended by the server, again and again",
    ({ server }) => server.refuse("getUpdates", 502, "Bad Gateway", 3),
  ],
]);
