import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { TokenJson } from "../../../src/access/token-json.ts";
import { del, path, post } from "../lib/api.ts";
import { linkTo } from "../lib/place.ts";
import { Button } from "../parts/Button.tsx";
import { confirm } from "../parts/Dialog.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { NewToken } from "./NewToken.tsx";
import { Secret } from "./Secret.tsx";
import { Section } from "./Section.tsx";
import { type MadeToken, tokens } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

const when = (time: string | null): JSX.Element =>
  time === null ? <>{texts.never}</> : <Time ms={Date.parse(time)} />;

const COLUMNS: readonly Column<TokenJson>[] = [
  { key: "id", head: texts.id, cell: ({ id }) => <code>{id}</code>, by: ({ id }) => id, rowHead: true },
  { key: "name", head: texts.name, cell: ({ name }) => name, by: ({ name }) => name },
  { key: "account", head: texts.account, cell: ({ account }) => account, by: ({ account }) => account },
  { key: "scopes", head: texts.scopes, cell: ({ scopes }) => scopes.join(", ") },
  {
    key: "gateways",
    head: texts.gateways,
    cell: ({ gateways }) => (gateways === null ? texts.all : gateways.join(", ")),
    wide: true,
  },
  { key: "expires", head: texts.expires, cell: ({ expires }) => when(expires), by: ({ expires }) => expires },
  { key: "used", head: texts.used, cell: (token) => when(token.last_used), by: (token) => token.last_used, wide: true },
];

/** Of programs. */
export function Tokens(): JSX.Element {
  const isMaking = useSignal(false);
  const made = useSignal<MadeToken | null>(null);
  const { tokens: rows = [], accounts = [] } = tokens.value.value ?? {};
  const actions: Column<TokenJson> = {
    key: "actions",
    head: texts.actions,
    stays: true,
    cell: ({ id }) => (
      <div class="row">
        <Button kind="quiet" label={texts.rotateOf(id)} onPress={() => void rotate(id)}>
          {texts.rotate}
        </Button>
        <Button kind="danger" label={texts.revokeOf(id)} onPress={() => void revoke(id)}>
          {texts.revoke}
        </Button>
      </div>
    ),
  };
  const rotate = async (id: string): Promise<void> => {
    if (!(await confirm({ title: texts.rotateTitle(id), text: texts.rotateText, action: texts.rotate }))) return;
    made.value = await tokens.change(post<MadeToken>(`/v1/admin/tokens${path([id])}/rotate`));
  };
  return (
    <Section
      name={texts.tokens}
      about={texts.tokensAbout}
      listing={tokens}
      columns={[...COLUMNS, actions]}
      rows={rows}
      keyOf={({ id }) => id}
      empty={texts.noTokens}
    >
      <Button disabled={accounts.length === 0} onPress={() => (isMaking.value = true)}>
        {texts.newToken}
      </Button>
      {tokens.value.value !== null && accounts.length === 0 ? (
        <p class="hint">
          {texts.noApi} <a href={linkTo(["connect"])}>{texts.linkApi}</a>
        </p>
      ) : null}
      {isMaking.value ? (
        <NewToken
          accounts={accounts}
          onClose={(token) => {
            isMaking.value = false;
            made.value = token;
          }}
        />
      ) : null}
      {made.value === null ? null : (
        <Secret name={texts.tokenIs(made.value.id)} text={made.value.token} onClose={() => (made.value = null)} />
      )}
    </Section>
  );
}

async function revoke(id: string): Promise<void> {
  const question = { title: texts.revokeTitle(id), text: texts.revokeText, action: texts.revoke, danger: true };
  if (await confirm(question)) await tokens.change(del(`/v1/admin/tokens${path([id])}`));
}
