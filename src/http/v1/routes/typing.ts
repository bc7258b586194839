import type { V1Deps } from "../deps.ts";
import type { Call, Reply, Route } from "../route.ts";
import { placeOf } from "../saying/places.ts";
import { ActorSchema, checked, isActor } from "../saying/shapes.ts";
import { callerName, namesOf } from "../saying/words.ts";

/** How long somebody types who does not say so again. */
const TYPING_MS = 5000;
/** People of whom it is known at a time that they type; of more it is not told when they stop. */
const TYPISTS_MAX = 10_000;

/** What ends each, by who types where. */
const typists = new WeakMap<V1Deps["hints"], Map<string, () => void>>();

/** Also over a socket. */
export function typing(call: Pick<Call, "access" | "params" | "body">, deps: V1Deps): Reply {
  const { access, params, body } = call;
  const { clock, hints, routes, tellAll } = deps;
  const account = deps.account();
  const { gateway } = placeOf(params["gateway"] ?? "", access, { account, routes }, deps.config());
  const names = namesOf(checked(body, isActor).author, { userid: "", username: callerName(access, account) });
  const author = { id: names.userid, name: names.username, picture: names.avatar };
  const tell = (on: boolean): void => tellAll(gateway, { kind: "typing", author, on });
  const own = typists.get(hints) ?? new Map<string, () => void>();
  typists.set(hints, own);
  const key = JSON.stringify([gateway, names.userid, names.username]);
  own.get(key)?.();
  own.delete(key);
  if (own.size < TYPISTS_MAX) {
    const cancel = clock.after(TYPING_MS, () => {
      own.delete(key);
      tell(false);
    });
    own.set(key, cancel);
  }
  tell(true);
  return { status: 204 };
}

export const typingRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/gateways/{gateway}/typing",
    needs: "write",
    id: "typing",
    summary: "Says that somebody types.",
    about:
      "Streams and sockets of all accounts that read the gateway get it, those of the own account that ask for `mine`, and the rooms of networks that can show it. It is in no log. It holds for 5 s: repeat it while the person types.",
    body: ActorSchema,
    answers: { 204: { about: "All who listen in this gateway now get it." } },
    handle: typing,
  },
];
