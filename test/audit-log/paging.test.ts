import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../functions/audit-log/audit-entry.ts";
import { appendEntry, pageOfEntries } from "../../functions/audit-log/audit-entry-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const people = [uuid(), uuid(), uuid(), null];
const operations = ["createProject", "scanStoredZip", "login"];
// Four months back from now, some of them empty, with entries of the same millisecond among them.
const now = Date.now();
const offsets = [
  0,
  0,
  0,
  1,
  2,
  60_000,
  3600_000,
  86_400_000,
  86_400_001,
  45 * 86_400_000,
  45 * 86_400_000,
  100 * 86_400_000,
];
const stored: AuditEntry[] = Array.from({ length: 120 }, (_, index) => ({
  id: uuid(),
  createdAt: new Date(now - (offsets[index % offsets.length] as number) - (index % 7) * 1000).toISOString(),
  operation: operations[index % 3] as string,
  userId: people[index % 4] as string | null,
  tokenId: null,
  emailHash: null,
  targets: {},
  sourceIp: "127.0.0.1",
  userAgent: "",
  outcome: "done",
}));
const newestFirst = stored.toSorted((a, b) => (`${a.createdAt}#${a.id}` < `${b.createdAt}#${b.id}` ? 1 : -1));
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  for (const entry of stored) await appendEntry(entry);
});
afterAll(() => data.stop());

const time = fc.integer({ min: -1000, max: 130 * 86_400_000 }).map((ago) => new Date(now - ago).toISOString());
const instant = fc.oneof(time, fc.constantFrom(...stored.map(({ createdAt }) => createdAt)));

describe("reading the log page by page", () => {
  it("gives every entry that the filters let through, newest first, each once, whatever the size of the pages", async () => {
    const filters = fc.record({
      userId: fc.constantFrom(null, ...people.filter((one) => one !== null)),
      operation: fc.constantFrom(null, ...operations),
      from: instant,
      to: instant,
    });
    const search = fc.record({ pages: fc.integer({ min: 1, max: 4 }), rowsPerPage: fc.integer({ min: 1, max: 50 }) });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), search, async (filter, limit, searchLimits) => {
        const wanted = newestFirst.filter(
          ({ userId, operation, createdAt }) =>
            (filter.userId === null || userId === filter.userId) &&
            (filter.operation === null || operation === filter.operation) &&
            createdAt >= filter.from &&
            createdAt < filter.to,
        );
        const found: AuditEntry[] = [];
        let position: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof pageOfEntries>> = await pageOfEntries(
            filter,
            position,
            limit,
            searchLimits,
          );
          expect(page.entries.length).toBeLessThanOrEqual(limit);
          found.push(...page.entries);
          position = page.next;
        } while (position !== null);
        expect(found).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it("ends where the rest has become too old since the page before", async () => {
    const [newest, oldest] = [newestFirst[0] as AuditEntry, newestFirst.at(-1) as AuditEntry];
    const filter = { operation: null, from: newest.createdAt, to: new Date(now + 1).toISOString() };
    for (const userId of [null, oldest.userId]) {
      const page = await pageOfEntries({ ...filter, userId }, `${oldest.createdAt}#${oldest.id}`, 10);
      expect(page).toEqual({ entries: [], next: null });
    }
  });

  it("says that a page is the last one when it is", async () => {
    const filter = {
      userId: null,
      operation: null,
      from: new Date(0).toISOString(),
      to: new Date(now + 1).toISOString(),
    };
    expect(await pageOfEntries(filter, null, stored.length)).toEqual({ entries: newestFirst, next: null });
    expect((await pageOfEntries(filter, null, stored.length - 1)).next).not.toBeNull();
  });
});
