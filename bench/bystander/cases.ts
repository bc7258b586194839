import type { Case } from "./case.ts";
import { consumerCases } from "./consumers.ts";
import { requestCases } from "./requests.ts";
import { serverCases } from "./servers.ts";
import { streamCases } from "./streams.ts";
import { uploadCases } from "./uploads.ts";

/** All cases. A new one is a file of this folder and a line here. */
export const CASES: readonly Case[] = [
  ...consumerCases,
  ...streamCases,
  ...requestCases,
  ...uploadCases,
  ...serverCases,
];
