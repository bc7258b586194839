import { NS } from "./ns.ts";
import { attr, child, el, type Stanza } from "./xml.ts";

/**
 * What a room of ours is to be, in the words of the standard (XEP-0045 §15.5.3), of Prosody and of ejabberd: kept when
 * nobody is in it, with an archive.
 */
const WANTED: ReadonlySet<string> = new Set(["muc#roomconfig_persistentroom", "muc#roomconfig_enablearchiving", "mam"]);

/**
 * The answer to the form that the room offers its owner; null: there is none, and the room is as the server makes them.
 */
export function roomForm(offered: Stanza | null): Stanza {
  const fields = child(child(offered ?? undefined, "query", NS.mucOwner), "x", NS.form)?.getChildren("field") ?? [];
  const names = fields.map((field) => attr(field, "var")).filter((name) => WANTED.has(name));
  const answer = (name: string, value: string): Stanza => el("field", { var: name }, el("value", {}, value));
  const filled =
    names.length === 0
      ? []
      : [answer("FORM_TYPE", "http://jabber.org/protocol/muc#roomconfig"), ...names.map((name) => answer(name, "1"))];
  return el("query", { xmlns: NS.mucOwner }, el("x", { xmlns: NS.form, type: "submit" }, ...filled));
}

/** What a room of ours lacks, and what to do about it, to follow its name; null: nothing. */
export function lackOf(features: ReadonlySet<string>): string | null {
  const isKept = features.has("muc_persistent");
  const hasArchive = features.has(NS.mam);
  if (isKept && hasArchive) return null;
  const lacks = [
    ...(isKept
      ? []
      : [
          "disappears when nobody is in it (let the account create persistent rooms: access_persistent of ejabberd, muc_room_allow_persistent of Prosody)",
        ]),
    ...(hasArchive ? [] : ["has no archive (turn it on: mod_mam and access_mam of ejabberd, muc_mam of Prosody)"]),
  ];
  return lacks.join(", and ");
}
