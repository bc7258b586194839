import type { Methods, Parts } from "./parts.ts";
import type { Groups } from "./groups.ts";
import { chatFor, joinedFor, mayManageTopics } from "./rights.ts";
import { fullOf, memberOf, meOf } from "./show.ts";
import { conflict, isAdmin, isIn } from "./updates.ts";
import { bad, type BotRow, type ChatRow, lengthOf, Refusal, type TopicRow } from "./wire.ts";
import { newMember } from "./world.ts";

/** Colours that the icons of topics may have. */
const COLOURS = [7_322_096, 16_766_590, 13_338_331, 9_367_192, 16_749_490, 16_478_047] as const;

export function chatMethods(parts: Parts, groups: Groups): Methods {
  const { world, updates } = parts;
  return {
    getMe: ({ bot }) => meOf(bot),
    getChat: ({ bot, args }) => fullOf(joinedFor(world, bot, args.text("chat_id"))),
    getChatMember: ({ bot, args }) => {
      const chat = chatFor(world, bot, args.text("chat_id"));
      const user = world.users.get(args.int("user_id"));
      if (user === undefined) throw bad("invalid user_id specified");
      return memberOf(chat, chat.members.get(user.id) ?? { ...newMember(user), status: "left" });
    },
    getChatAdministrators: ({ bot, args }) => {
      const chat = joinedFor(world, bot, args.text("chat_id"));
      if (chat.wire.type === "private") throw bad("there are no administrators in the private chat");
      return [...chat.members.values()].flatMap((member) => {
        const shown = memberOf(chat, member);
        const isOtherBot = member.user.is_bot && member.user.id !== bot.user.id;
        return (shown.status === "creator" || shown.status === "administrator") && !isOtherBot ? [shown] : [];
      });
    },
    getChatMemberCount: ({ bot, args }) => {
      const chat = chatFor(world, bot, args.text("chat_id"));
      return [...chat.members.keys()].filter((id) => isIn(chat, id)).length;
    },
    setChatTitle: ({ bot, args }) => {
      const chat = joinedFor(world, bot, args.text("chat_id"));
      const title = args.text("title").trim();
      if (!isAdmin(chat, bot.user.id)) throw bad("not enough rights to change chat title");
      if (title === "" || lengthOf(title) > 128) throw bad("chat title is not specified");
      groups.rename(chat, bot.user, title);
      return true;
    },
    leaveChat: ({ bot, args }) => {
      groups.remove(joinedFor(world, bot, args.text("chat_id")), bot.user, bot.user, "left");
      return true;
    },
    getUserProfilePhotos: () => ({ total_count: 0, photos: [] }),
    setMyCommands: ({ args }) => {
      if (args.list("commands") === null) throw bad('parameter "commands" is required');
      return true;
    },
    getForumTopicIconStickers: () => [],
    getCustomEmojiStickers: () => [],
    getStickerSet: ({ args }) => {
      if (args.text("name") !== "Gulls") throw bad("STICKERSET_INVALID");
      return { name: "Gulls", title: "Gulls", sticker_type: "regular", stickers: [] };
    },
    createForumTopic: ({ bot, args }) => {
      const chat = forumOf(parts, bot, args.text("chat_id"));
      const name = args.text("name").trim();
      if (name === "" || lengthOf(name) > 128) throw bad("TOPIC_TITLE_EMPTY");
      const row = groups.createTopic(chat, bot.user, name);
      return { message_thread_id: row.id, name, icon_color: COLOURS[0] };
    },
    closeForumTopic: ({ bot, args }) => {
      const chat = forumOf(parts, bot, args.text("chat_id"));
      const topic = topicOf(chat, args.int("message_thread_id"));
      if (topic.isClosed) throw bad("TOPIC_NOT_MODIFIED");
      groups.closeTopic(chat, bot.user, topic);
      return true;
    },
    reopenForumTopic: ({ bot, args }) => {
      const chat = forumOf(parts, bot, args.text("chat_id"));
      const topic = topicOf(chat, args.int("message_thread_id"));
      if (!topic.isClosed) throw bad("TOPIC_NOT_MODIFIED");
      groups.reopenTopic(chat, bot.user, topic);
      return true;
    },
    getFile: async ({ args }) => await parts.files.link(args.text("file_id")),
    logOut: ({ bot }) => {
      bot.loggedOut = true;
      return true;
    },
    close: () => true,
    getUpdates: async ({ bot, args }) => {
      const allowed = args.list("allowed_updates");
      if (allowed !== null) bot.allowed = allowed.length === 0 ? null : new Set(allowed.map(String));
      const limit = args.has("limit") ? Math.min(100, Math.max(1, args.int("limit"))) : 100;
      return await updates.poll(bot, { offset: args.int("offset"), limit, timeout: args.int("timeout") });
    },
    setWebhook: ({ bot, args }) => {
      const url = args.text("url");
      if (url !== "" && !url.startsWith("https://"))
        throw bad("bad webhook: An HTTPS URL must be provided for webhook");
      updates.end(bot, conflict("terminated by setWebhook request"));
      bot.webhook = url;
      if (args.flag("drop_pending_updates")) updates.forget(bot);
      return true;
    },
    deleteWebhook: ({ bot, args }) => {
      bot.webhook = "";
      if (args.flag("drop_pending_updates")) updates.forget(bot);
      return true;
    },
    getWebhookInfo: ({ bot }) => ({
      url: bot.webhook,
      has_custom_certificate: false,
      pending_update_count: updates.waiting(bot),
    }),
  };
}

function forumOf({ world }: Parts, bot: BotRow, named: string): ChatRow {
  const chat = joinedFor(world, bot, named);
  if (chat.wire.is_forum !== true) throw bad("the chat is not a forum");
  if (!mayManageTopics(chat, bot.user.id)) throw new Refusal(400, "Bad Request: not enough rights to create a topic");
  return chat;
}

function topicOf(chat: ChatRow, id: number): TopicRow {
  const topic = chat.topics.get(id);
  if (topic === undefined || topic.isGone) throw bad("message thread not found");
  return topic;
}
