import { OPERATOR, OPERATOR_NAME, operatorEntry, operatorSubject } from "../gateway/operator.ts";
import type { Routes } from "../gateway/routes.ts";
import type { Log, Seq } from "../log/log.ts";

export interface SayRequest {
  readonly gateway: string;
  readonly text: string;
  /** Empty: as OPERATOR_NAME. */
  readonly as: string;
}

export type SayResult =
  | { readonly is: "said"; readonly seq: Seq; readonly destinations: number }
  | { readonly is: "unknown"; readonly message: string }
  | { readonly is: "bad"; readonly message: string };

/** UTF-16 units. */
const TEXT_MAX = 16_000;
const NAME_MAX = 100;

export interface OperatorOptions {
  readonly log: Pick<Log, "append">;
  readonly routes: Routes;
  readonly gateways: () => readonly string[];
  readonly nowMs: () => number;
}

/** Says something in a gateway, as the operator. Resolves once it is durable; rejects with the log's LogError. */
export async function say({ gateway, text, as }: SayRequest, options: OperatorOptions): Promise<SayResult> {
  if (text.trim() === "") return { is: "bad", message: "the text is empty" };
  if (text.length > TEXT_MAX) return { is: "bad", message: `the text is longer than ${TEXT_MAX} characters` };
  if (as.length > NAME_MAX) return { is: "bad", message: `the name is longer than ${NAME_MAX} characters` };
  const gateways = options.gateways();
  if (!gateways.includes(gateway)) return { is: "unknown", message: noSuchGateway(gateways) };
  const username = as.trim() === "" ? OPERATOR_NAME : as;
  const entry = operatorEntry({ gateway, text, username, atMs: options.nowMs() });
  const appended = await options.log.append({ account: OPERATOR, entries: [entry] });
  const seq = (appended.is === "stored" ? appended.seqs[0] : null) ?? 0;
  return { is: "said", seq, destinations: options.routes.targets(operatorSubject(gateway)).length };
}

/** For people, with the names that there are. */
export function noSuchGateway(gateways: readonly string[]): string {
  const names = gateways.slice(0, 20).map((name) => `"${name}"`);
  const more = gateways.length > names.length ? ` and ${gateways.length - names.length} more` : "";
  return `there is no such gateway; there are: ${names.join(", ")}${more}`;
}
