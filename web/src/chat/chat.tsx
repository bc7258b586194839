import { signal } from "@preact/signals";
import { type JSX, render } from "preact";
import type { WebMe } from "../../../src/contract/web-chat.ts";
import "../base.css";
import { get } from "../lib/api.ts";
import { Notice } from "../parts/Notice.tsx";
import "./chat.css";
import { Join } from "./Join.tsx";
import { joinDone } from "./kept.ts";
import { enter, me, refusal, room } from "./state.ts";
import { Room } from "./Room.tsx";
import { chatTexts as texts } from "./texts.ts";

/** What a link brings in the fragment of the address, which no server is told. */
const invite = signal(location.hash.slice(1));
const known = signal(false);

function Chat(): JSX.Element | null {
  if (refusal.value !== null && me.value !== null) return <Out />;
  if (room.value !== null) return <Room room={room.value} />;
  if (!known.value) return <p role="status">{texts.loading}</p>;
  if (invite.value !== "") return <Join invite={invite.value} onJoined={onJoined} />;
  return (
    <main class="join">
      <h1>{texts.noInvite}</h1>
      <p>{texts.noInviteMore}</p>
    </main>
  );
}

function Out(): JSX.Element {
  const banned = refusal.value?.code === "banned";
  return (
    <main class="join">
      <h1>{texts.title}</h1>
      <Notice kind="bad" title={banned ? texts.banned : texts.out} live>
        <p>{banned && refusal.value !== null ? refusal.value.detail : texts.outMore}</p>
      </Notice>
    </main>
  );
}

/** An invite may be for few: it does not stay in the history of this browser. */
function onJoined(found: WebMe): void {
  joinDone();
  history.replaceState(null, "", location.pathname);
  enter(found);
}

render(<Chat />, document.body);
void get<WebMe>("/v1/me").then((answer) => {
  if (answer.ok) onJoined(answer.value);
  known.value = true;
});
addEventListener("hashchange", () => {
  invite.value = location.hash.slice(1);
});
