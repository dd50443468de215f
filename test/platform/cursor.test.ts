import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CursorScope, openCursor, sealCursor } from "../../functions/platform/cursor.ts";
import { isSluiceError } from "../../functions/platform/errors.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const at = new Date("2026-03-29T00:59:59Z");
const later = (seconds: number) => new Date(at.getTime() + seconds * 1000);
const scope: CursorScope = { operation: "listAuditEntries", callerId: "a", filters: { user_id: null, from: "b" } };
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const refused = (cursor: string, of = scope, now = at) =>
  openCursor(of, cursor, now).then(
    () => false,
    (error) => isSluiceError(error, "cursor_invalid"),
  );

describe("a cursor", () => {
  it("gives back for an hour what was put in, in any order of the filters", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (position) => {
        const cursor = await sealCursor(scope, position, at);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(await openCursor(scope, cursor, later(3600))).toBe(position);
        expect(await openCursor({ ...scope, filters: { from: "b", user_id: null } }, cursor, at)).toBe(position);
      }),
      { numRuns: 30 },
    );
    expect(await refused(await sealCursor(scope, "x", at), scope, later(3601))).toBe(true);
  });

  it("shows nothing of what it holds and is another one each time", async () => {
    const cursor = await sealCursor(scope, "2026-03#key of ours", at);
    expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain("key of ours");
    expect(await sealCursor(scope, "2026-03#key of ours", at)).not.toBe(cursor);
  });

  it.each([
    ["another operation", { operation: "listUsers" }],
    ["another caller", { callerId: "c" }],
    ["another filter", { filters: { user_id: null, from: "c" } }],
    ["fewer filters", { filters: { from: "b" } }],
  ])("is refused for %s", async (_, change) => {
    expect(await refused(await sealCursor(scope, "x", at), { ...scope, ...change })).toBe(true);
  });

  it("is refused with any bit changed, cut short, made longer or made up", async () => {
    const bytes = Buffer.from(await sealCursor(scope, "2026-03-29T00:00:00.000Z#1", at), "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(await refused(changed.toString("base64url"))).toBe(true);
    }
    for (let length = 0; length < bytes.length; length++) {
      expect(await refused(bytes.subarray(0, length).toString("base64url"))).toBe(true);
    }
    for (const made of [`${bytes.toString("base64url")}AAAA`, "AAAA", "!", "\u0000", "0".repeat(1024)]) {
      expect(await refused(made)).toBe(true);
    }
  });
});
