import type { Log } from "../../src/log/log.ts";

type Override<T> = { readonly [K in keyof T]?: T[K] };

/** The same log, but for some of what it does. */
export function logWith(log: Log, change: Override<Log>): Log {
  return new Proxy(log, {
    get: (target, key) => {
      if (key in change) return change[key as keyof Log];
      const own: unknown = Reflect.get(target, key, target);
      return typeof own === "function" ? (own as () => unknown).bind(target) : own;
    },
  });
}
