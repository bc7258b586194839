import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { del, path } from "../lib/api.ts";
import { goTo, linkTo, place } from "../lib/router.ts";
import { Button } from "../parts/Button.tsx";
import { confirm } from "../parts/Dialog.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { NewInviteForm } from "./NewInvite.tsx";
import { Secret } from "./Secret.tsx";
import { Section } from "./Section.tsx";
import { type InviteRow, invites, rooms } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

const COLUMNS: readonly Column<InviteRow>[] = [
  { key: "id", head: texts.id, cell: ({ id }) => <code>{id}</code>, by: ({ id }) => id, rowHead: true },
  { key: "gateway", head: texts.gateway, cell: ({ gateway }) => gateway, by: ({ gateway }) => gateway },
  { key: "uses", head: texts.uses, cell: ({ used, uses }) => texts.usesOf(used, uses), by: ({ used }) => used },
  { key: "state", head: texts.state, cell: ({ hold }) => (hold ? texts.held : texts.dash), wide: true },
  { key: "expires", head: texts.expires, cell: (row) => <Time ms={row.expiresMs} />, by: (row) => row.expiresMs },
  {
    key: "actions",
    head: texts.actions,
    stays: true,
    cell: ({ id }) => (
      <Button kind="danger" label={texts.inviteOf(id)} onPress={() => void revoke(id)}>
        {texts.revoke}
      </Button>
    ),
  },
];

async function revoke(id: string): Promise<void> {
  const question = { title: texts.inviteTitle, text: texts.inviteText, action: texts.revoke, danger: true };
  if (await confirm(question)) await invites.change(del(`/v1/admin/invites${path([id])}`));
}

/** To the web chat. */
export function Invites(): JSX.Element {
  const isMaking = useSignal(false);
  const chosen = useSignal<string | null>(null);
  const made = useSignal<string | null>(null);
  const gateways = (rooms.value.value?.rooms ?? []).map(({ gateway }) => gateway);
  const wanted = place.value.query.get("invite");
  useEffect(() => {
    if (wanted === null || !gateways.includes(wanted)) return;
    chosen.value = wanted;
    isMaking.value = true;
    goTo(linkTo(["access"]), { replace: true });
  }, [wanted, rooms.value.value]);
  return (
    <Section
      name={texts.invites}
      about={texts.invitesAbout}
      listing={invites}
      columns={COLUMNS}
      rows={invites.value.value?.invites ?? []}
      keyOf={({ id }) => id}
      empty={texts.noInvites}
    >
      <Button disabled={gateways.length === 0} onPress={() => (isMaking.value = true)}>
        {texts.newInvite}
      </Button>
      {rooms.value.value !== null && gateways.length === 0 ? (
        <p class="hint">
          {texts.noGuestRooms} <a href={linkTo(["connect"])}>{texts.linkChat}</a>
        </p>
      ) : null}
      {isMaking.value ? (
        <NewInviteForm
          gateways={gateways}
          chosen={chosen.value ?? gateways[0] ?? ""}
          onClose={(url) => {
            isMaking.value = false;
            chosen.value = null;
            made.value = url;
          }}
        />
      ) : null}
      {made.value === null ? null : (
        <Secret name={texts.inviteIs} text={made.value} onClose={() => (made.value = null)} />
      )}
    </Section>
  );
}
