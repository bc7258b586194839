import { type MattermostPost, postIn } from "./model.ts";

/** A post as the server tells it, with what is given. */
function rawPost(given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: "post",
    create_at: 1000,
    update_at: 1000,
    edit_at: 0,
    delete_at: 0,
    user_id: "alice",
    channel_id: "town",
    root_id: "",
    original_id: "",
    message: "hello",
    type: "",
    props: {},
    file_ids: [],
    metadata: {},
    ...given,
  };
}

export function aPost(given: Readonly<Record<string, unknown>> = {}): MattermostPost {
  const post = postIn(rawPost(given));
  if (post === null) throw new Error("this is no post");
  return post;
}
