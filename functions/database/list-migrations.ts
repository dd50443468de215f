import * as z from "zod";
import { page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { MigrationView, migrationView } from "./migration.ts";
import { readMigration } from "./migration-store.ts";
import { migrations } from "./migrations.ts";

export const listMigrations = operation(
  {
    method: "GET",
    path: "/database/migrations",
    summary: "List the numbered changes of stored records and how far each has come",
    auth: "administrator",
    query: page(),
    success: z.array(MigrationView),
    failures: [],
    grants: { reads: ["migration"] },
  },
  async ({ query, now }) => {
    const records = await Promise.all(migrations.map(({ number }) => readMigration(number)));
    const views = migrations.map((migration, index) => migrationView(migration, records[index] ?? undefined, now()));
    return listReply(views.slice(query.skip, query.skip + query.limit), views.length);
  },
);
