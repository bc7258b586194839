import type { Author } from "../../contract/events.ts";
import { cleanName } from "../kit/clean-name.ts";
import { fileRef, userRef } from "./ids.ts";
import { localpartOf, type RoomMembers, type Person } from "./members.ts";
import type { MatrixSettings } from "./settings.ts";

export type NameSettings = Pick<MatrixSettings, "UseUserName" | "NoHomeServerSuffix">;

/** What a person is called in a room: the display name, with the id after it where two have the same one. */
export function nameOf(id: string, name: string | null, members: RoomMembers, settings: NameSettings): string {
  if (settings.UseUserName) return cleanName(localpartOf(id));
  const shown = cleanName(name ?? "");
  if (shown === "") return settings.NoHomeServerSuffix ? cleanName(localpartOf(id)) : cleanName(id.replace(/^@/u, ""));
  return members.isShared(id, shown) && !settings.NoHomeServerSuffix ? `${shown} (${id})` : shown;
}

/** `person`: as an event has it; as the room knows it when null. */
export function authorOf(id: string, person: Person | null, members: RoomMembers, settings: NameSettings): Author {
  const known = person ?? members.get(id);
  const avatar = known?.avatar ?? null;
  return {
    id: userRef(id),
    identity: null,
    name: nameOf(id, known?.name ?? null, members, settings),
    avatar:
      avatar?.startsWith("mxc://") === true
        ? { name: "avatar", comment: "", mime: null, bytes: null, url: null, ref: fileRef(avatar) }
        : null,
  };
}
