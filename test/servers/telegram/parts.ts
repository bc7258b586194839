import type { ApiMethods } from "@grammyjs/types";
import type { Files } from "./files.ts";
import type { Limits } from "./limits.ts";
import type { Messages } from "./messages.ts";
import type { Call } from "./requests.ts";
import type { Updates } from "./updates.ts";
import type { Answered } from "./wire.ts";
import type { World } from "./world.ts";

/** What methods work on. */
export interface Parts {
  readonly world: World;
  readonly updates: Updates;
  readonly messages: Messages;
  readonly files: Files;
  readonly limits: Limits;
}

/** By the names as they are published; every answer has the published type. */
export type Methods = {
  readonly [M in keyof ApiMethods<never>]?: (call: Call) => Answered<M> | Promise<Answered<M>>;
};
