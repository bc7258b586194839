import { digestOf } from "./guests.ts";
import { schema, type WebSettings } from "./settings.ts";
import type { StoredGuest } from "./store/rows.ts";

const defaults = Object.entries(schema.properties).map(([key, property]) => [
  key,
  "default" in property ? property.default : "127.0.0.1:1",
]);
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all settings with their defaults
export const DEFAULTS = Object.fromEntries(defaults) as WebSettings;

/** A guest in the room `lobby` who has said nothing, and may speak. */
export const ANN: StoredGuest = {
  id: "guest:ann",
  room: "lobby",
  name: "ann",
  invite: "",
  net: "",
  joinedMs: 1,
  seenMs: 1,
  present: true,
  visits: 1,
  held: false,
  muted: false,
  banned: false,
  messages: 0,
  saidMs: 0,
  changedMs: 0,
};

const digest = digestOf("secret of ann");
/** How she came in. */
export const ADMISSION = { digest, ticket: digest, salt: digest };
