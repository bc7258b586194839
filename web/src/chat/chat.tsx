import { signal } from "@preact/signals";
import { type JSX, render } from "preact";
import type { WebInvite, WebMe } from "../../../src/contract/web-chat.ts";
import "../base.css";
import { type ApiAnswer, type ApiProblem, get, post } from "../lib/api.ts";
import { Notice } from "../parts/Notice.tsx";
import "./chat.css";
import { Join, Refused } from "./Join.tsx";
import { joinDone, joinKey } from "./kept.ts";
import { inRoom, loadRooms, rooms, roomToOpen, setRoom } from "./rooms.ts";
import { enter, left, me, refusal, room } from "./state.ts";
import { Room } from "./Room.tsx";
import { OtherRooms } from "./RoomLinks.tsx";
import { chatTexts as texts } from "./texts.ts";

/** What is shown while no room is. */
type Entrance =
  | { readonly is: "loading" }
  | { readonly is: "none" }
  | { readonly is: "gone"; readonly problem: ApiProblem }
  /** `found` null: the server did not say where the invite leads. */
  | { readonly is: "join"; readonly invite: string; readonly found: WebInvite | null };

const AGAIN_MS = 2_000;

const entrance = signal<Entrance>({ is: "loading" });

function Chat(): JSX.Element {
  if (left.value !== "") return <Outside title={texts.youLeft(left.value)} text={texts.youLeftMore} />;
  if (refusal.value !== null && me.value !== null) return <Out problem={refusal.value} />;
  if (room.value !== null) return <Room room={room.value} />;
  const shown = entrance.value;
  if (shown.is === "loading") return <p role="status">{texts.loading}</p>;
  if (shown.is === "join") return <Join invite={shown.invite} found={shown.found} onJoined={onJoined} />;
  if (shown.is === "none") return <Outside title={texts.noInvite} text={texts.noInviteMore} />;
  return (
    <main class="join">
      <h1>{texts.title}</h1>
      <Refused problem={shown.problem} />
      <OtherRooms />
    </main>
  );
}

function Outside({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <main class="join">
      <h1>{title}</h1>
      <p>{text}</p>
      <OtherRooms />
    </main>
  );
}

function Out({ problem }: { readonly problem: ApiProblem }): JSX.Element {
  const banned = problem.code === "banned";
  return (
    <main class="join">
      <h1>{texts.title}</h1>
      <Notice kind="bad" title={banned ? texts.banned : texts.out} live>
        <p>{banned ? problem.detail : texts.outMore}</p>
      </Notice>
      <OtherRooms />
    </main>
  );
}

/** An invite may be for few: it does not stay in the history of this browser. */
function onJoined(found: WebMe): void {
  joinDone();
  setRoom(found.room.name);
  enter(found);
  void loadRooms();
}

async function untilLoaded(load: () => Promise<boolean>): Promise<void> {
  while (!(await load())) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

async function start(): Promise<void> {
  await untilLoaded(loadRooms);
  // The fragment of the address reaches no log of a server.
  const invite = location.hash.slice(1);
  if (invite !== "") return await byInvite(invite);
  const entry = roomToOpen(rooms.value ?? []);
  if (entry === null) entrance.value = { is: "none" };
  else await open(entry.name);
}

async function byInvite(invite: string): Promise<void> {
  const headers = { "Idempotency-Key": joinKey(invite) };
  const answer: ApiAnswer<WebInvite> = await post("/v1/invite", { invite }, { headers });
  if (answer.ok && answer.value.joined) await open(answer.value.room);
  else if (answer.ok) entrance.value = { is: "join", invite, found: answer.value };
  // The invite no longer works. After any other refusal, the answer to a try to join says more.
  else if (answer.problem.code === "invite_gone" || answer.problem.code === "banned")
    entrance.value = { is: "gone", problem: answer.problem };
  else entrance.value = { is: "join", invite, found: null };
}

async function open(name: string): Promise<void> {
  setRoom(name);
  await untilLoaded(async () => {
    const answer = await get<WebMe>(inRoom("/v1/me"));
    if (answer.ok) enter(answer.value);
    else if (answer.problem.status === 401 || answer.problem.status === 403)
      entrance.value = { is: "gone", problem: answer.problem };
    return answer.ok || entrance.value.is === "gone";
  });
}

render(<Chat />, document.body);
void start();
addEventListener("hashchange", () => location.reload());
