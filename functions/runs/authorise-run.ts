import { SluiceError } from "../platform/errors.ts";
import type { User } from "../users/user.ts";
import { anonymousTenant, type Run } from "./run.ts";
import { findRun } from "./run-store.ts";

/**
 * Whose runs a user may reach: their own, and for administrators those of callers without a token, which are nobody's. Other people's
 * experience is not for administrators.
 */
export const tenantsOf = ({ id, role }: Pick<User, "id" | "role">): readonly string[] =>
  role === "admin" ? [id, anonymousTenant] : [id];

/** The run, for whoever may reach it. @throws SluiceError run_not_found, for foreign and missing ones alike */
export async function authoriseRun(caller: Pick<User, "id" | "role">, id: string): Promise<Run> {
  const run = await findRun(id);
  if (!run || !tenantsOf(caller).includes(run.tenant)) throw new SluiceError("run_not_found");
  return run;
}
