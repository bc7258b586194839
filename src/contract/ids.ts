declare const brand: unique symbol;
type Brand<B extends string> = string & { readonly [brand]: B };

/** Opaque names: minted and read only by whom the comment says, compared by everybody, parsed by nobody else. */

/** Ours: made of lane, seq and time, so it is the same over every retry and every restart. */
export type OpId = Brand<"OpId">;
/** The adapter's: a remote room. */
export type ChannelRef = Brand<"ChannelRef">;
/** The adapter's: a remote message, unique within its channel. */
export type MessageRef = Brand<"MessageRef">;
/** The adapter's: a remote person. */
export type UserRef = Brand<"UserRef">;
/** The adapter's: tells a repeated event; unique per account, stable over restarts. */
export type EventKey = Brand<"EventKey">;
/** The adapter's: a remote file, to be opened by any later session of the account. Holds no token. */
export type FileRef = Brand<"FileRef">;
/** Ours: a file that an op carries, for `Host.openFile`. */
export type FileId = Brand<"FileId">;
/** The adapter's: where to continue with a network's history. */
export type Cursor = Brand<"Cursor">;
/** The adapter's: a place between two parts of one op, such as an offset into its text. */
export type Progress = Brand<"Progress">;

/** Makes such a name of a text. Each kind is made in one place of its room, an adapter's in its `ids.ts`. */
export function mint<B extends string>(_kind: B, text: string): Brand<B> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand is only a promise, and this is where it is made
  return text as Brand<B>;
}

/** After the last part: whoever announces it announces that nothing follows. */
export const END: Progress = mint("Progress", "end");
