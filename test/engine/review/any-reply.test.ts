import fc from "fast-check";
import { expect, it } from "vitest";
import { readReply } from "../../../functions/engine/review/read-reply.ts";
import { reviewUnit } from "../../../functions/engine/review/review-unit.ts";
import { anIssue, instructions, reply, scripted, source, unitOf } from "./scripted-model.ts";

const unit = unitOf("src/users.py", source);
const options = { fenceKey: "key" };

/** JSON of the expected shape with anything in its fields, and the same after it went through bad hands. */
const value = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(...source.split("\n"), "SECURITY", "critical", "sql_injection", "src/users.py", "CVE-2024-1234"),
  fc.integer(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 2 }),
);
const keys = [...Object.keys(anIssue()), "path", "quote", "finding", "verdict"];
const issue = fc.dictionary(fc.constantFrom(...keys), value).map((given) => anIssue(given));
const answer = fc
  .record({
    issues: fc.array(fc.oneof(issue, value), { maxLength: 6 }),
    verdicts: fc.array(fc.oneof(issue, value), { maxLength: 3 }),
  })
  .map((whole) => JSON.stringify(whole));
const mangled = fc.tuple(answer, fc.nat(), fc.nat(), fc.string({ maxLength: 5 })).map(([text, from, length, put]) => {
  const at = from % (text.length + 1);
  return text.slice(0, at) + put + text.slice(at + (length % 20));
});
const texts = fc.oneof(answer, mangled, fc.string({ unit: "binary" }), fc.json());
const finish = fc.constantFrom("stop", "stop", "stop", "length", "refused", "other" as const);

it("never throws, whatever a model answers, and reports nothing that is not in the source", async () => {
  const lines = source.split("\n");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ text: texts, finish }), { minLength: 1, maxLength: 3 }), async (answers) => {
      const model = scripted(...(answers as Parameters<typeof scripted>));
      const outcome = await reviewUnit(unit, instructions(), model.ask, options);
      // Whole, two halves, four quarters, each asked at most twice.
      expect(model.prompts.length).toBeLessThanOrEqual(14);
      if (outcome.status === "failed") return;
      const serialised = JSON.stringify(outcome);
      expect(JSON.parse(serialised)).toEqual(outcome);
      expect(serialised).not.toMatch(/CVE-\d{4}-\d{4}/);
      for (const finding of outcome.findings) {
        expect(finding.path).toBe("src/users.py");
        expect(source).toContain(finding.snippet);
        expect(finding.snippet.split("\n")[0]).toBe(lines[finding.startLine - 1]);
        const quoted = lines.slice(finding.startLine - 1, finding.endLine).join("\n");
        expect(quoted.slice(finding.startColumn - 1).replace(/\s/g, "").length).toBeGreaterThanOrEqual(8);
        expect(finding.confidence).toBeLessThan(0.5);
        expect(finding.fingerprint).toMatch(/^[0-9a-f]{64}$/);
      }
    }),
    { numRuns: 400 },
  );
});

it("gives the same outcome for the same answers", async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const once = await reviewUnit(unit, instructions(), scripted(text).ask, options);
      expect(JSON.stringify(await reviewUnit(unit, instructions(), scripted(text).ask, options))).toBe(
        JSON.stringify(once),
      );
    }),
  );
});

it.each([
  ["a huge answer of brackets", "[{".repeat(300_000)],
  ["a huge answer of objects", `{"issues":[${"{},".repeat(200_000)}`],
  ["huge prose with braces", `it is { so } and "so `.repeat(30_000)],
  ["deep nesting", `{"issues":${"[".repeat(100_000)}`],
  ["one endless text", `{"issues":[{"title":"${"a".repeat(2_000_000)}`],
  ["quotes and backslashes", `{"issues":"${'\\"'.repeat(200_000)}`],
  ["braces that are never closed", "{".repeat(400_000)],
])("comes to an end with %s", (_, text) => {
  // What is quadratic in any of these takes minutes, and the test's time runs out.
  expect(() => readReply(text)).not.toThrow();
});

it("reads a long answer without loss", () => {
  const issues = Array.from({ length: 600 }, (_, i) => anIssue({ line: i }));
  expect(readReply(reply(issues))?.issues).toHaveLength(600);
});
