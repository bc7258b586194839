import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { moment } from "../lib/format.ts";
import { Button } from "../parts/Button.tsx";
import { Time } from "../parts/Time.tsx";
import { file, restore } from "./store.ts";
import { configTexts as texts } from "./texts.ts";

/** What was replaced; a press puts it into the editor, where it can be applied. */
export function Versions(): JSX.Element {
  const id = useId();
  const told = useSignal("");
  const versions = file.value?.versions ?? [];
  const press = async (version: string, atMs: number): Promise<void> => {
    if (await restore(version)) told.value = texts.restored(moment(atMs));
  };
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{texts.versions}</h2>
      <p class="hint">{versions.length === 0 ? texts.noVersions : texts.versionsMore}</p>
      <p role="status" class="hint">
        {told.value}
      </p>
      <ul class="versions" aria-label={texts.versions}>
        {versions.map((version) => (
          <li key={version.id}>
            <Time ms={version.atMs} />
            <span class="hint">{texts.bytes(version.bytes)}</span>
            <Button
              kind="quiet"
              label={texts.restoreOf(moment(version.atMs))}
              onPress={() => void press(version.id, version.atMs)}
            >
              {texts.restore}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
