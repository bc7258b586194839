import { LogError } from "../log/errors.ts";
import type { Mark } from "../log/log.ts";

/** The marks of a log, as several processes see them. */
export class MarkDisk {
  readonly marked = new Map<string, string>();
  readonly rode: string[] = [];
  fails = false;

  readonly log = {
    mark: (marks: readonly Mark[], { rides = false }: { readonly rides?: boolean } = {}): Promise<void> => {
      if (this.fails) return Promise.reject(new LogError("io", "the disk does not work"));
      for (const { name, value } of marks) {
        this.marked.set(name, value);
        if (rides) this.rode.push(name);
      }
      return Promise.resolve();
    },
    unmark: (names: readonly string[]): Promise<void> => {
      if (this.fails) return Promise.reject(new LogError("io", "the disk does not work"));
      for (const name of names) this.marked.delete(name);
      return Promise.resolve();
    },
    marks: (prefix: string): Promise<ReadonlyMap<string, string>> => {
      if (this.fails) return Promise.reject(new LogError("io", "the disk does not work"));
      return Promise.resolve(new Map([...this.marked].filter(([name]) => name.startsWith(prefix))));
    },
  };
}
