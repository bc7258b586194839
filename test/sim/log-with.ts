import type { Log } from "../../src/log/log.ts";
import { appendThen } from "../../src/log/suite/append-then.suite.ts";

type Override<T> = { readonly [K in keyof T]?: T[K] };

/** The same log, but for some of what it does. */
export function logWith(log: Log, given: Override<Log>): Log {
  const { append } = given;
  const change: Override<Log> =
    append === undefined ? given : { ...given, appendThen: appendThen.bind(null, { append }) };
  return new Proxy(log, {
    get: (target, key) => {
      if (key in change) return change[key as keyof Log];
      const own: unknown = Reflect.get(target, key, target);
      return typeof own === "function" ? (own as () => unknown).bind(target) : own;
    },
  });
}
