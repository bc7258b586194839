import type { Alert } from "../../../src/admin/views.ts";

interface Keyed {
  readonly key: string;
  readonly alert: Alert;
}

/**
 * Each with a key that it keeps while its words change, as with a count in them: it is the same element then, and
 * whoever stands on a button of it goes on standing there.
 */
export function keyed(alerts: readonly Alert[]): readonly Keyed[] {
  const counts = new Map<string, number>();
  return alerts.map((alert) => {
    const before = counts.get(alert.of) ?? 0;
    counts.set(alert.of, before + 1);
    return { key: `${alert.of} ${before}`, alert };
  });
}
