import type { ConversationsInfoResponse } from "@slack/web-api";
import type { AppRow, ChannelRow, FileRow, MessageRow, WireFile, WireMessage } from "./wire.ts";
import type { World } from "./world.ts";

type WireChannel = NonNullable<ConversationsInfoResponse["channel"]>;

/** A channel as an app sees it. */
export function showChannel(world: World, row: ChannelRow, app: AppRow, counted: boolean): WireChannel {
  const shared = row.others.size > 0;
  const channel: WireChannel = {
    id: row.id,
    name: row.name,
    name_normalized: row.name,
    is_channel: !row.isPrivate,
    is_group: row.isPrivate,
    is_im: false,
    is_mpim: false,
    is_private: row.isPrivate,
    is_archived: row.isArchived,
    is_general: row.name === "general",
    is_shared: shared,
    is_ext_shared: shared,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    pending_connected_team_ids: [],
    shared_team_ids: [row.team, ...row.others],
    ...(shared && { connected_team_ids: [...row.others] }),
    is_member: row.members.has(app.user.id),
    context_team_id: world.team(app.team).id,
    created: row.created,
    creator: row.creator,
    updated: row.created * 1000,
    unlinked: 0,
    topic: { ...row.topic },
    purpose: { ...row.purpose },
    previous_names: [...row.previousNames],
    ...(counted && { num_members: row.members.size }),
  };
  return channel;
}

/** A message with all that has become of it since. */
export function showMessage(world: World, row: MessageRow, whole: boolean): WireMessage {
  const { metadata, files: _, ...wire } = row.wire;
  const root = wire.root === undefined ? undefined : rootOf(world, row);
  return {
    ...wire,
    ...(metadata !== undefined && {
      // Without being asked for the rest, the server says of which kind it is.
      metadata: whole ? metadata : ({ event_type: metadata.event_type } as typeof metadata),
    }),
    ...threadOf(world, row),
    ...(row.files.length > 0 && { files: row.files.map((id) => fileIn(world, id)) }),
    ...(row.reactions.length > 0 && {
      reactions: row.reactions.map(({ name, users }) => ({ name, users: [...users], count: users.length })),
    }),
    ...(root !== undefined && { root }),
  };
}

function threadOf(world: World, row: MessageRow): Partial<WireMessage> {
  if (row.replies.length === 0) return {};
  const users = row.replies.flatMap((ts) => {
    const { user, bot_id } = world.channel(row.channel).messages.get(ts)?.wire ?? {};
    return user ?? bot_id ?? [];
  });
  const distinct = [...new Set(users)];
  return {
    thread_ts: row.wire.ts,
    reply_count: row.replies.length,
    reply_users_count: distinct.length,
    latest_reply: row.replies.at(-1) ?? row.wire.ts,
    reply_users: distinct.slice(0, 5),
    is_locked: false,
    subscribed: false,
  };
}

function rootOf(world: World, row: MessageRow): WireMessage | undefined {
  const root = world.channel(row.channel).messages.get(row.wire.thread_ts ?? "");
  return root === undefined ? undefined : showMessage(world, root, false);
}

/** A file in a message. One that is gone has left a stone. */
function fileIn(world: World, id: string): WireFile {
  const row = world.files.get(id);
  if (row === undefined) return { id, mode: "tombstone" };
  return bareFile(row);
}

/** Without where it is shared, which only `files.info` says. */
export function bareFile({ wire }: FileRow): WireFile {
  const { shares: _, ...rest } = wire;
  return rest;
}
