import { accountActRoutes } from "../../../v1/routes/account-acts.ts";
import type { Route } from "../../../v1/route.ts";
import type { AdminV1Deps } from "../deps.ts";

/** What operators do with accounts. */
export const accountsRoutes: readonly Route<AdminV1Deps>[] = accountActRoutes(({ operator }) => ({
  keyOf: (name) => operator.account(name)?.key ?? null,
  isOfApi: (key) => operator.account(key)?.protocol === "api",
  control: operator.control,
  status: async () => (await operator.status()).accounts,
  view: (status) => status,
}));
