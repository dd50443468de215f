import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutComments } from "../../../functions/engine/review/comments.ts";
import { QuoteGate } from "../../../functions/engine/review/quote-gate.ts";
import { unitOf } from "./scripted-model.ts";

const text = `const first = load(1);
const second = load(2);
/* load(second) is safe here */
const third = load(second); // load(second)
run(first);
run(first);




const far = load(9);



run(first);
`;
const gate = new QuoteGate(unitOf("a.js", text));
const lineOf = (quote: string, line: number, codeOnly = false, column: number | null = null) => {
  const place = gate.find(quote, line, column, codeOnly);
  return typeof place === "string" ? place : `${gate.lineOf(place)}${place.relocated ? " relocated" : ""}`;
};

describe("a quote", () => {
  it.each([
    ["stands where it is said to", "const first = load(1);", 1, "1"],
    ["is found up to three lines away", "const first = load(1);", 4, "1"],
    ["is found farther away when it is there only", "const first = load(1);", 5, "1 relocated"],
    ["counts for the nearest of several", "run(first);", 7, "6"],
    ["is not believed when it stands in several places, none of them near", "run(first);", 2_000, "quote_not_found"],
    ["may have other white space", "const   first\t=\n load(1);", 1, "1"],
    ["may not have other characters", "const first=load(1);", 1, "quote_not_found"],
    ["may run over lines", "load(2);\n/* load(second) is", 2, "2"],
    ["may keep our line numbers", "1| const first = load(1);\n2| const second = load(2);", 1, "1"],
    ["is too short below eight characters", "load(9)", 11, "quote_too_short"],
    ["says nothing without a name", "); // ((((((((", 4, "quote_too_short"],
    ["may be part of a line", "rst = load(1", 1, "1"],
  ])("%s", (_, quote, line, expected) => {
    expect(lineOf(quote, line)).toBe(expected);
  });

  it("that is only a comment bears out nothing about the program", () => {
    expect(lineOf("load(second) is safe here", 3, true)).toBe("quote_is_comment");
    expect(lineOf("load(second) is safe here", 3)).toBe("3");
    expect(lineOf("load(second)", 3, true)).toBe("4");
  });

  it("is told from its likes on one line by the column", () => {
    const twice = new QuoteGate(unitOf("a.js", "send(a, b); send(a, b);"));
    expect(twice.find("send(a, b);", 1, 14, true)).toMatchObject({ start: 12, end: 23 });
    expect(twice.find("send(a, b);", 1, 2, true)).toMatchObject({ start: 0, end: 11 });
  });

  it("is compared as the model saw it, invisible characters spelt out", () => {
    const hidden = new QuoteGate(unitOf("a.js", "if (is\u200bAdmin(user)) { grant(); }"));
    for (const quote of ["if (is\\u{200b}Admin(user))", "if (is\u200bAdmin(user))"])
      expect(hidden.find(quote, 1, null, true)).toMatchObject({ start: 0, end: 19 });
    expect(hidden.find("if (isAdmin(user))", 1, null, true)).toBe("quote_not_found");
  });

  it("passes when it is true, and when it passes it is true", () => {
    const line = fc.string({ unit: fc.constantFrom(..."abcdefgh ().=;\"'\\#/*\t\u200b\u{1f600}"), maxLength: 40 });
    const collapse = (of: string) => of.replace(/\s+/g, " ").trim();
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        fc.string(),
        (lines, a, b, other) => {
          const unit = unitOf("a.js", ["begin", ...lines].join("\n"));
          const property = new QuoteGate(unit);
          const from = a % lines.length;
          const quote = lines.slice(from, from + 1 + (b % 3)).join("\n");
          const tells = quote.replace(/\s/g, "").length >= 8 && /[a-h]/.test(quote);
          const place = property.find(quote, from + 2, null, false);
          if (tells) expect(place).not.toBeTypeOf("string");
          for (const candidate of [quote, other]) {
            const found = property.find(candidate, from + 2, null, false);
            if (typeof found !== "string")
              expect(collapse(unit.text.slice(found.start, found.end))).toBe(
                collapse(candidate.replace(/^[ \t]*\d+\|/gm, "")),
              );
          }
        },
      ),
    );
  });
});

describe("comments", () => {
  it.each([
    ["javascript", "a('// no') // yes\n/* yes\nyes */b(`/* no`)", "a('// no')       \n      \n      b(`/* no`)"],
    ["python", 'a("# no") # yes\n"""\n# no\n"""', 'a("# no")      \n"""\n# no\n"""'],
    ["sql", "select '--no' -- yes", "select '--no'       "],
    ["html", "<p>no</p><!-- yes -->", "<p>no</p>            "],
    ["yaml", "a: b # yes\nurl: x#no", "a: b      \nurl: x#no"],
    ["go", "/* never closed\nfoo()", "               \n     "],
  ])("of %s are blanked, and nothing moves", (language, given, expected) => {
    expect(withoutComments(given, language)).toBe(expected);
  });

  it("never change the length or the lines of a text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.constantFrom("javascript", "python", "sql", "html"),
        (given, language) => {
          const blanked = withoutComments(given, language);
          expect(blanked.length).toBe(given.length);
          expect(blanked.split("\n").map((line) => line.length)).toEqual(given.split("\n").map((line) => line.length));
        },
      ),
    );
  });
});
