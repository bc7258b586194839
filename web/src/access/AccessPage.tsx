import type { JSX } from "preact";
import { Invites } from "./Invites.tsx";
import { Moderation } from "./Moderation.tsx";
import { Sessions } from "./Sessions.tsx";
import { accessTexts as texts } from "./texts.ts";
import { Tokens } from "./Tokens.tsx";
import { Webhooks } from "./Webhooks.tsx";

/** Who comes in, and by what. */
export function AccessPage(): JSX.Element {
  return (
    <div class="page">
      <div class="head">
        <h1>{texts.title}</h1>
      </div>
      <Tokens />
      <Webhooks />
      <Invites />
      <Moderation />
      <Sessions />
    </div>
  );
}
