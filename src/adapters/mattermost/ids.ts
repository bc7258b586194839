import {
  type ChannelRef,
  type Cursor,
  type EventKey,
  type FileRef,
  type MessageRef,
  mint,
  type OpId,
  type Progress,
  type UserRef,
} from "../../contract/ids.ts";

/** Every name that the core is given of Mattermost is made here. */

export const channelRef = (channel: string): ChannelRef => mint("ChannelRef", channel);

export const messageRef = (post: string): MessageRef => mint("MessageRef", post);

export const eventKey = (text: string): EventKey => mint("EventKey", text);

export const userRef = (user: string): UserRef => mint("UserRef", user);

export const cursorOf = (positions: object): Cursor => mint("Cursor", JSON.stringify(positions));

/** `end`: the number of the parts that are done, or the name of a part. */
export const progressAt = (end: string): Progress => mint("Progress", end);

/** The core's own, as a post of ours carries it. */
export const opIdAgain = (text: string): OpId => mint("OpId", text);

/** What `openFile` is asked for: a file of a post, or the picture of a person. */
export type MattermostFileRef =
  | { readonly is: "file"; readonly id: string }
  | { readonly is: "picture"; readonly user: string };

export const fileRef = (id: string): FileRef => mint("FileRef", `file/${id}`);
/** `at`: when the picture was set, so that another one is another file. */
export const avatarRef = (user: string, at: number): FileRef => mint("FileRef", `picture/${user}/${at}`);

export function readFileRef(ref: FileRef): MattermostFileRef | null {
  const [kind = "", id = ""] = ref.split("/");
  if (id === "") return null;
  if (kind === "file") return { is: "file", id };
  return kind === "picture" ? { is: "picture", user: id } : null;
}
