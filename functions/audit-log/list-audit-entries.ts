import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { Cursor, openCursor, sealCursor } from "../platform/cursor.ts";
import { environment } from "../platform/environment.ts";
import { operation } from "../platform/operation.ts";
import { AuditEntryView, auditEntryView } from "./audit-entry.ts";
import { type EntryFilter, pageOfEntries } from "./audit-entry-store.ts";

/** The clocks of two functions may differ by this much, and the newest entries must not hide behind it. */
const skewMilliseconds = 5 * 60_000;
const dayMilliseconds = 24 * 3600_000;

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const listAuditEntries = operation(
  {
    method: "GET",
    path: "/audit-log",
    summary: "List who wrote what, newest first, with refused attempts to sign in",
    auth: "administrator",
    query: z.object({
      user_id: Id.optional(),
      operation: z
        .string()
        .regex(/^[A-Za-z]{1,64}$/)
        .optional(),
      /** Inclusive. */
      from: Time.optional(),
      /** Exclusive. */
      to: Time.optional(),
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: Cursor.optional(),
    }),
    success: z.object({
      entries: z.array(AuditEntryView),
      /** Goes on with the same filters within an hour; null at the end. A page may be short and still not be the last. */
      next_cursor: z.string().nullable(),
    }),
    failures: ["cursor_invalid"],
    grants: { reads: ["auditEntry", "applicationKey"], appends: ["applicationKey"], indexes: ["gsi3"] },
  },
  async ({ query, caller, now }) => {
    const at = now();
    const scope = {
      operation: "listAuditEntries",
      callerId: caller.id,
      filters: {
        user_id: query.user_id ?? null,
        operation: query.operation ?? null,
        from: query.from?.toISOString() ?? null,
        to: query.to?.toISOString() ?? null,
      },
    };
    const position = query.cursor === undefined ? null : await openCursor(scope, query.cursor, at);
    const { entries, next } = await pageOfEntries(filterOf(query, at), position, query.limit);
    return {
      entries: entries.map(auditEntryView),
      next_cursor: next && (await sealCursor(scope, next, at)),
    };
  },
);

/** Open ends are closed where entries can be: at the oldest that is kept, and now. DynamoDB deletes expired items only some time after. */
function filterOf(
  query: {
    readonly user_id?: string | undefined;
    readonly operation?: string | undefined;
    readonly from?: Date | undefined;
    readonly to?: Date | undefined;
  },
  at: Date,
): EntryFilter {
  const oldest = at.getTime() - environment().AUDIT_DAYS * dayMilliseconds;
  const newest = at.getTime() + skewMilliseconds;
  const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
  return {
    userId: query.user_id ?? null,
    operation: query.operation ?? null,
    from: iso(Math.max(oldest, query.from?.getTime() ?? oldest)),
    to: iso(Math.min(newest, query.to?.getTime() ?? newest)),
  };
}
