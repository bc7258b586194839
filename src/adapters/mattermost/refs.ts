import type { FileRef } from "../../contract/ids.ts";

/** What `openFile` is asked for: a file of a post, or the picture of a person. */
export type MattermostFileRef =
  | { readonly is: "file"; readonly id: string }
  | { readonly is: "picture"; readonly user: string };

export const fileRef = (id: string): FileRef => `file/${id}` as FileRef;
/** `at`: when the picture was set, so that another one is another file. */
export const avatarRef = (user: string, at: number): FileRef => `picture/${user}/${at}` as FileRef;

export function readFileRef(ref: FileRef): MattermostFileRef | null {
  const [kind = "", id = ""] = ref.split("/");
  if (id === "") return null;
  if (kind === "file") return { is: "file", id };
  return kind === "picture" ? { is: "picture", user: id } : null;
}
