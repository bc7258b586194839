/** What a simulation did: how often which fault came, and how often which invariant was looked at. */
export class Counts {
  readonly faults = new Map<string, number>();
  readonly checks = new Map<string, number>();
  readonly ends = new Map<string, number>();

  fault(kind: string): void {
    add(this.faults, kind, 1);
  }

  check(invariant: string, times = 1): void {
    add(this.checks, invariant, times);
  }

  /** A message has come to such an end at one of its destinations. */
  end(state: string): void {
    add(this.ends, state, 1);
  }

  take(other: CountsData): void {
    for (const [kind, times] of other.faults) add(this.faults, kind, times);
    for (const [kind, times] of other.checks) add(this.checks, kind, times);
    for (const [kind, times] of other.ends) add(this.ends, kind, times);
  }

  get data(): CountsData {
    return { faults: [...this.faults], checks: [...this.checks], ends: [...this.ends] };
  }
}

/** For another process. */
export interface CountsData {
  readonly faults: readonly (readonly [string, number])[];
  readonly checks: readonly (readonly [string, number])[];
  readonly ends: readonly (readonly [string, number])[];
}

function add(map: Map<string, number>, key: string, times: number): void {
  map.set(key, (map.get(key) ?? 0) + times);
}
