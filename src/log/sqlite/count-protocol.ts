import type { Seq } from "../log.ts";

/** Requests and replies about numbers of entries; see protocol.ts. */

/** See `Log.removed`. */
export interface RemovedRequest {
  readonly is: "removed";
  readonly id: number;
  readonly after: Seq;
  readonly upTo: Seq;
}

/** See `Log.removedSince`. */
export interface RemovedSinceRequest {
  readonly is: "removedSince";
  readonly id: number;
  readonly ms: number;
}

/** See `LogSearch.total`. */
export interface TotalRequest {
  readonly is: "total";
  readonly id: number;
}

/** To `removed` and `total`. */
export interface CountReply {
  readonly is: "count";
  readonly id: number;
  readonly count: number;
}
