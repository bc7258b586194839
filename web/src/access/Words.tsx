import type { JSX } from "preact";
import { accessTexts as texts } from "./texts.ts";

/** What somebody wrote, as it was written. */
export function Words(props: { readonly text: string; readonly files?: readonly string[] }): JSX.Element {
  const { text, files = [] } = props;
  return (
    <>
      {text === "" ? null : <p class="words">{text}</p>}
      {files.map((name, at) => (
        <p class="hint words" key={at}>
          {texts.fileOf(name)}
        </p>
      ))}
    </>
  );
}
