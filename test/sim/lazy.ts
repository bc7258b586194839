import BetterSqlite3, { type Database, type Statement } from "better-sqlite3";

/**
 * A statement that is prepared when it is run first. Thousands of logs are opened and few of their statements are ever
 * run: preparing them all took a third of the time of a simulation.
 */
class LazyStatement {
  readonly #make: () => Statement;
  #made: Statement | null = null;
  #mode: "pluck" | "raw" | null = null;

  constructor(make: () => Statement) {
    this.#make = make;
  }

  get #statement(): Statement {
    if (this.#made === null) {
      this.#made = this.#make();
      if (this.#mode !== null) this.#made[this.#mode]();
    }
    return this.#made;
  }

  pluck(): this {
    this.#mode = "pluck";
    return this;
  }

  raw(): this {
    this.#mode = "raw";
    return this;
  }

  run(...values: unknown[]): unknown {
    return this.#statement.run(...values);
  }

  get(...values: unknown[]): unknown {
    return this.#statement.get(...values);
  }

  all(...values: unknown[]): unknown {
    return this.#statement.all(...values);
  }

  iterate(...values: unknown[]): unknown {
    return this.#statement.iterate(...values);
  }
}

/** From now on, in this process. */
export function prepareLate(): void {
  const { prototype } = BetterSqlite3 as unknown as { readonly prototype: Database };
  const prepare = Reflect.get(prototype, "prepare") as (sql: string) => Statement;
  prototype.prepare = function later(this: Database, sql: string): Statement {
    return new LazyStatement(() => prepare.call(this, sql)) as unknown as Statement;
  } as Database["prepare"];
}
