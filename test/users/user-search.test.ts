import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold, matcher, newestFirst, searchRow } from "../../functions/users/user-search.ts";

const entry = {
  id: "0198a000-0000-7000-8000-000000000001",
  email: "anna.straße@example.test",
  fullName: "Ａnna Straße 王小明",
  phone: "+86 (138) 0013-8000",
  role: "member" as const,
  isActive: true,
  createdAt: "2026-01-01T00:00:00.000Z",
};
const row = searchRow(entry);
const finds = (search: string) => matcher({ search })(row);

describe("a search", () => {
  it.each([
    ["a part of the address", "anna.stra"],
    ["other case", "ANNA"],
    ["other width", "ａｎｎａ"],
    ["what becomes longer in upper case", "STRASSE"],
    ["Chinese", "小明"],
    ["space around it", "  小明 "],
    ["a number with other punctuation", "138-0013 8000"],
    ["a number in full width", "１３８００１３８０００"],
    ["the end of the number", "8000"],
    ["nothing", ""],
    ["spaces", "   "],
  ])("finds by %s", (_, search) => expect(finds(search)).toBe(true));

  it.each([
    ["another name", "bob"],
    ["digits in another order", "8000138"],
    ["letters whose digits happen to be in the number", "room138"],
    ["punctuation alone", "()"],
    ["what a pattern would match", "a.*e"],
  ])("does not find by %s", (_, search) => expect(finds(search)).toBe(false));

  it("does not find people without a number by one", () => {
    expect(matcher({ search: "138" })(searchRow({ ...entry, phone: null }))).toBe(false);
  });

  it("finds a name by any part of it in any case", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."aZäßΣσςñЖ王ｆ９ -"), minLength: 1, maxLength: 20 });
    const properties = fc.property(
      letters,
      fc.nat(),
      fc.nat(),
      fc.constantFrom("as is", "upper", "lower"),
      (name, a, b, form) => {
        const [from, to] = [a % name.length, b % (name.length + 1)].sort((x, y) => x - y);
        const part = name.slice(from, to);
        const search = form === "upper" ? part.toUpperCase() : form === "lower" ? part.toLowerCase() : part;
        return matcher({ search })(searchRow({ ...entry, fullName: name }));
      },
    );
    fc.assert(properties);
  });

  it("folds what is folded to itself", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => fold(fold(text)) === fold(text)));
  });
});

describe("a filter", () => {
  it.each([
    [{ role: "member", isActive: true }, true],
    [{ role: "admin" }, false],
    [{ isActive: false }, false],
    [{ search: "anna", isActive: false }, false],
  ] as const)("%j fits an active member: %s", (filter, fits) => expect(matcher(filter)(row)).toBe(fits));
});

it("puts the newest first and settles equal times by id", () => {
  const at = (createdAt: string, id: string) => ({ ...row, createdAt, id });
  const rows = [at("2026-01-01", "a"), at("2026-01-02", "b"), at("2026-01-01", "c")];
  expect(rows.toSorted(newestFirst).map(({ id }) => id)).toEqual(["b", "c", "a"]);
});
