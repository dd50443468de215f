import type { Migration } from "./migration.ts";
import { listUsersInDirectory } from "./migrations/001-list-users-in-directory.ts";
import { createTemplatesAndRuleSets } from "./migrations/004-create-templates-and-rule-sets.ts";
import { setSourceType } from "./migrations/005-set-source-type.ts";
import { countStatistics } from "./migrations/006-count-statistics.ts";
import { encryptSecrets } from "./migrations/007-encrypt-secrets.ts";

/**
 * Every migration, in the order of their numbers, which is the order they run in. What has left the house is never changed or renumbered.
 * 004 has the number by which front ends and documents know it; 002 and 003 were tables of a relational schema that we do not have.
 */
export const migrations: readonly Migration[] = [
  listUsersInDirectory,
  createTemplatesAndRuleSets,
  setSourceType,
  countStatistics,
  encryptSecrets,
];
