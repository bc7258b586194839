import type { JSX } from "preact";
import { del, path } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { confirm } from "../parts/Dialog.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { browserName } from "./browser-name.ts";
import { Section } from "./Section.tsx";
import { type SessionRow, sessions } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    key: "id",
    head: texts.id,
    cell: ({ id, user }) => (user === null ? <code>{id}</code> : user),
    by: ({ id, user }) => user ?? id,
    rowHead: true,
  },
  {
    key: "browser",
    head: texts.browser,
    cell: ({ agent, current }) => (
      <span title={agent}>{current ? `${browserName(agent)} (${texts.current})` : browserName(agent)}</span>
    ),
    by: ({ agent }) => browserName(agent),
  },
  { key: "created", head: texts.created, cell: (row) => <Time ms={row.createdMs} />, by: (row) => row.createdMs },
  { key: "used", head: texts.used, cell: ({ usedMs }) => <Time ms={usedMs} />, by: ({ usedMs }) => usedMs, wide: true },
  {
    key: "expires",
    head: texts.expires,
    cell: ({ expiresMs }) => (expiresMs === null ? texts.atWebServer : <Time ms={expiresMs} />),
    by: ({ expiresMs }) => expiresMs ?? Infinity,
    wide: true,
  },
  {
    key: "actions",
    head: texts.actions,
    stays: true,
    cell: (row) =>
      row.user === null ? (
        <Button kind="danger" label={texts.endOf(row.id)} onPress={() => void end(row)}>
          {texts.end}
        </Button>
      ) : null,
  },
];

async function end({ id, current }: SessionRow): Promise<void> {
  const question = { title: texts.endTitle, text: current ? texts.endOwn : texts.endText, action: texts.end };
  if (await confirm({ ...question, danger: true })) await sessions.change(del(`/v1/admin/sessions${path([id])}`));
}

/** Browsers of operators. */
export function Sessions(): JSX.Element {
  return (
    <Section
      name={texts.sessions}
      about={texts.sessionsAbout}
      listing={sessions}
      columns={COLUMNS}
      rows={sessions.value.value?.sessions ?? []}
      keyOf={({ id, user }) => user ?? id}
      empty={texts.noSessions}
    />
  );
}
