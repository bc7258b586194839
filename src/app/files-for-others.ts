import type { RemoteFiles } from "../delivery/remote-files.ts";
import { readFileId } from "../files/file-id.ts";
import type { FileStore, WantedFile } from "../files/files.ts";
import { decodeStored } from "../gateway/codec.ts";
import { sizeOf } from "../gateway/file-contents.ts";
import type { TailListener } from "../log/log.ts";

/** A file that a network alone has, as it stands in what is stored. */
const REMOTE = String.raw`{\"is\":\"remote\"`;

/**
 * Where several machines share the log: has the files fetched of what came from networks to which this one is
 * connected, and with that put where the others, which are not, have them.
 */
export function fetchForOthers(
  files: Pick<FileStore, "ready">,
  sources: Pick<RemoteFiles, "isConnected">,
): TailListener {
  const { signal } = new AbortController();
  return (entries) => {
    for (const { payload } of entries) {
      if (payload?.includes(REMOTE) !== true) continue;
      for (const wanted of filesOf(payload)) {
        const origin = readFileId(wanted.id);
        if (origin.is === "remote" && sources.isConnected(origin.account)) void files.ready(wanted, signal);
      }
    }
  };
}

function filesOf(payload: string): readonly WantedFile[] {
  const { message, files, avatar } = decodeStored(payload);
  const items = message.Extra?.file ?? [];
  const shown = files.flatMap((id, at): readonly WantedFile[] => {
    const item = items[at];
    return id === null || item === undefined ? [] : [{ id, name: item.Name, mime: null, bytes: sizeOf(item) }];
  });
  return avatar === null ? shown : [...shown, { id: avatar, name: "avatar", mime: null, bytes: null }];
}
