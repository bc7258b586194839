import type { JSX } from "preact";
import type { WebMember, WebNetwork } from "../../../src/contract/web-chat.ts";
import { guests, networks, presentCount } from "./people.ts";
import { chatTexts as texts } from "./texts.ts";

/** People of one group that are shown. */
const SHOWN_MAX = 300;

const collator = new Intl.Collator();

export function Members(): JSX.Element {
  const own: WebNetwork = {
    id: "",
    title: texts.guests,
    count: guests.value.length,
    members: guests.value,
    offline: false,
  };
  return (
    <aside class="members" aria-label={texts.members}>
      <h2>{texts.membersCount(presentCount.value)}</h2>
      {[own, ...networks.value].map((network) => (
        <Group key={network.id} network={network} />
      ))}
    </aside>
  );
}

function Group({ network: { title, count, members, offline } }: { readonly network: WebNetwork }): JSX.Element {
  const listed = (members ?? []).toSorted((a, b) => collator.compare(a.name, b.name)).slice(0, SHOWN_MAX);
  const more = (count ?? 0) - listed.length;
  const why = offline ? texts.membersOffline : count === null ? texts.membersUnknown : texts.membersUnnamed;
  return (
    <section>
      <h3>
        <bdi>{title}</bdi> {count === null ? null : <span class="count">{count.toLocaleString("en")}</span>}
      </h3>
      {members === null ? <p class="muted">{why}</p> : null}
      {listed.length === 0 ? null : (
        <ul aria-label={title}>
          {listed.map((member) => (
            <Person key={member.id} member={member} />
          ))}
        </ul>
      )}
      {members !== null && more > 0 ? <p class="muted">{texts.membersMore(more)}</p> : null}
    </section>
  );
}

function Person({ member: { name, guest, mine, present } }: { readonly member: WebMember }): JSX.Element {
  return (
    <li class={present === false ? "away" : undefined}>
      <bdi>{name}</bdi> {mine ? <span class="tag">{texts.you}</span> : null}{" "}
      {guest ? <span class="tag">{texts.guest}</span> : null}
    </li>
  );
}
