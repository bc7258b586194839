/** `rialto/client`: programs for the API below `/v1`. Without dependencies; for Node, Bun, Deno and browsers. */
export type * from "../contract/api-v1.ts";
export type * from "./answers.ts";
export type { RialtoOptions } from "./caller.ts";
export type { ConsumedEvent, ConsumerWords, ReadingOptions, RialtoConsumer } from "./consumer.ts";
export { type RefusedField, RialtoError } from "./error.ts";
export { type RialtoCallOptions, type LiveOptions, Rialto } from "./rialto.ts";
