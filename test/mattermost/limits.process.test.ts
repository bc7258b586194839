import { describeLimits } from "../hosted/limits.ts";
import { mattermost } from "./town.ts";

/** Each server says in one of these when to try again. */
const REFUSALS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["Retry-After", { "Retry-After": "1" }],
  ["X-RateLimit-Reset", { "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1" }],
];

describeLimits(mattermost, {
  refusals: REFUSALS.map(([what, headers]) => ({
    what,
    mode: "bot",
    refuse: ({ asks, server }) => {
      const refusal = { status: 429, headers: { ...headers, "content-type": "text/plain" }, bytes: "limit exceeded\n" };
      server.faults.answer(asks.post, refusal, Infinity);
    },
  })),
  paces: [
    {
      what: "ten requests in a second, and a burst of three",
      mode: "bot",
      pace: ({ server }) => server.faults.limiter(10, 3),
      pauses: 10,
    },
  ],
});
