import type { JSX } from "preact";
import { members } from "./state.ts";
import { chatTexts as texts } from "./texts.ts";

export function Members(): JSX.Element {
  const all = members.value.toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <aside class="members" aria-label={texts.members}>
      <h2>{texts.membersCount(all.length)}</h2>
      <ul aria-label={texts.members}>
        {all.map(({ id, name, guest, network, mine, present }) => (
          <li key={id} class={present === false ? "away" : undefined}>
            <bdi>{name}</bdi> {mine ? <span class="tag">{texts.you}</span> : null}{" "}
            {guest ? <span class="tag">{texts.guest}</span> : null}
            {network === "" ? null : <span class="tag">{network}</span>}
          </li>
        ))}
      </ul>
    </aside>
  );
}
