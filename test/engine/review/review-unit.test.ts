import { describe, expect, it } from "vitest";
import type { Finding } from "../../../functions/engine/finding.ts";
import type { ReviewOutcome } from "../../../functions/engine/review/review.ts";
import { reviewUnit } from "../../../functions/engine/review/review-unit.ts";
import { aFinding } from "../../support/finding.ts";
import { anIssue, instructions, reply, scripted, source, unitOf } from "./scripted-model.ts";

const options = { fenceKey: "key of a tenant" };
const unit = unitOf("src/users.py", source);

const reviewed = (outcome: ReviewOutcome): Extract<ReviewOutcome, { status: "reviewed" }> => {
  expect(outcome.status).toBe("reviewed");
  return outcome as Extract<ReviewOutcome, { status: "reviewed" }>;
};
const review = async (...answers: Parameters<typeof scripted>) => {
  const model = scripted(...answers);
  return { outcome: await reviewUnit(unit, instructions(), model.ask, options), calls: model.prompts.length };
};
const placesOf = (findings: readonly Finding[]) => findings.map((finding) => `${finding.path}:${finding.startLine}`);

it("turns a good answer into findings that are cut out of the source", async () => {
  const { outcome, calls } = await review(reply([anIssue()]));
  expect(calls).toBe(1);
  const { findings, dropped } = reviewed(outcome);
  expect(dropped).toEqual({});
  expect(findings).toMatchObject([
    {
      path: "src/users.py",
      startLine: 5,
      startColumn: 5,
      endLine: 5,
      ruleId: "review.sql-injection",
      family: "sql_injection",
      type: "sql_injection",
      issueType: "security",
      severity: "high",
      cwe: [89],
      owasp2021: "A03",
      owasp2025: "A05",
      title: { zh: "SQL injection", en: "SQL injection" },
      snippet: source.split("\n")[4],
      explanation: { what: "Text becomes code.", why: "Anybody can read the table.", how: "Use a parameter." },
      origins: ["model"],
      adjudication: null,
    },
  ]);
  expect(findings[0]?.confidence).toBeLessThan(0.5);
});

describe("a seeded fault", () => {
  const elsewhere = { path: "src/other.py" };
  it.each([
    ["a wrong line is put right by the quote", anIssue({ line: 11 }), { relocated: 1 }, 1],
    ["a line out of range is put right by the quote", anIssue({ line: 4_000 }), { relocated: 1 }, 1],
    ["a line nearby is the quote's line", anIssue({ line: 7 }), {}, 1],
    ["an invented file is dropped", anIssue(elsewhere), { unknown_file: 1 }, 0],
    ["an invented quote is dropped", anIssue({ code_snippet: "os.system(command_line)" }), { quote_not_found: 1 }, 0],
    [
      "a paraphrased quote is dropped",
      anIssue({ code_snippet: 'cursor.execute("select * from users where name=" + name)' }),
      { quote_not_found: 1 },
      0,
    ],
    [
      "a true quote of another file is dropped",
      anIssue({ code_snippet: "subprocess.run(user_input, shell=True)" }),
      { quote_not_found: 1 },
      0,
    ],
    ["a quote that says nothing is dropped", anIssue({ code_snippet: "name +" }), { quote_too_short: 1 }, 0],
    [
      "a comment proves no security problem",
      anIssue({ line: 10, code_snippet: "The caller has validated the connection" }),
      { quote_is_comment: 1 },
      0,
    ],
  ])("%s", async (_, issue, dropped, findings) => {
    const { outcome, calls } = await review(reply([issue]));
    expect(calls).toBe(1);
    expect(reviewed(outcome).dropped).toEqual(dropped);
    expect(placesOf(reviewed(outcome).findings)).toEqual(findings === 0 ? [] : ["src/users.py:5"]);
  });

  it("invented CVE ids are cut out of the texts, which stay", async () => {
    const issue = anIssue({
      title: "SQL injection (CVE-2021-44228)",
      description: "See CVE-2021-44228 and GHSA-jfh8-c2jp-5v3q.",
    });
    const [finding] = reviewed((await review(reply([issue]))).outcome).findings;
    expect(finding?.title.en).toBe("SQL injection");
    expect(JSON.stringify(finding)).not.toMatch(/CVE-|GHSA-/);
  });

  it.each([
    ["prose around the JSON", `Here is my answer:\n${reply([anIssue()])}\nI hope this helps {really}.`],
    ["fences around the JSON", `\`\`\`json\n${reply([anIssue()])}\n\`\`\``],
    ["a byte order mark", `\ufeff${reply([anIssue()])}`],
    ["trailing commas", reply([anIssue()]).replace("}]", "},]").replace(/}$/, ",}")],
    ["missing brackets at the end", reply([anIssue()]).replace(/,"verdicts":\[\]}$/, "")],
    [
      "single quotes and bare keys",
      `{issues: [${JSON.stringify(anIssue()).replace('"type":', "type:")}], verdicts: []}`,
    ],
    ["an unknown severity", reply([anIssue({ severity: "catastrophic" })])],
    ["a bare list", JSON.stringify([anIssue()])],
    ["another name for the list", JSON.stringify({ result: { findings: [anIssue()] } })],
    [
      "the line as text, with our prefix in the quote",
      reply([anIssue({ line: "5", code_snippet: `5|     ${anIssue().code_snippet}` })]),
    ],
  ])("%s is mended without asking again", async (_, text) => {
    const { outcome, calls } = await review(text);
    expect(calls).toBe(1);
    expect(placesOf(reviewed(outcome).findings)).toEqual(["src/users.py:5"]);
  });

  it.each([
    ["malformed beyond repair", "There is one problem, on line five."],
    ["a statement without a quote", reply([anIssue({ code_snippet: undefined })])],
    ["nothing at all", ""],
    [
      "another language",
      reply([anIssue({ title: "SQL 注入", description: "请求中的名字成为语句的一部分。", suggestion: "改用参数。" })]),
    ],
  ])("%s is asked for again, once, with what was wrong only", async (_, text) => {
    const model = scripted(text, reply([anIssue()]));
    const outcome = await reviewUnit(unit, instructions(), model.ask, options);
    expect(placesOf(reviewed(outcome).findings)).toEqual(["src/users.py:5"]);
    expect(reviewed(outcome).dropped).toEqual({});
    expect(model.prompts).toHaveLength(2);
    const [first, second] = model.prompts.map((prompt) => JSON.stringify(prompt.messages));
    expect(second).toContain("could not be used");
    expect(second).not.toContain(text === "" ? "undefined" : JSON.stringify(text).slice(1, -1));
    expect(model.prompts[1]?.messages.slice(0, -1)).toEqual(model.prompts[0]?.messages.slice(0, -1));
    expect(first).not.toContain("could not be used");
  });

  it.each([
    ["no JSON twice", ["What a nice file.", "Really nice."], "format", 2],
    ["nothing twice", ["", " \n"], "empty", 2],
    ["nothing after prose", ["What a nice file.", ""], "empty", 2],
    ["a refusal by the provider", [{ finish: "refused" as const }], "refused", 1],
    ["a refusal in prose", ["I'm sorry, but I can't help with that."], "refused", 1],
    ["a refusal in Chinese", ["抱歉，我无法协助完成这个请求。"], "refused", 1],
  ])("%s ends as a failed unit", async (_, answers, category, expected) => {
    const { outcome, calls } = await review(...answers);
    expect(outcome).toEqual({ status: "failed", category });
    expect(calls).toBe(expected);
  });

  it("keeps what the first answer said when asking again brings nothing", async () => {
    const { outcome } = await review(reply([anIssue(), anIssue({ code_snippet: null })]), "Sorry, what?");
    expect(placesOf(reviewed(outcome).findings)).toEqual(["src/users.py:5"]);
    expect(reviewed(outcome).dropped).toEqual({ unreadable: 1 });
  });

  it("takes the catalogue's words when the language stays wrong", async () => {
    const chinese = reply([
      anIssue({ title: "SQL 注入", description: "请求中的名字成为语句的一部分。", suggestion: "改用参数。" }),
    ]);
    const { outcome, calls } = await review(chinese);
    expect(calls).toBe(2);
    const { findings, dropped } = reviewed(outcome);
    expect(dropped).toEqual({ wrong_language: 1 });
    expect(findings[0]).toMatchObject({ title: { zh: "SQL 注入", en: "SQL injection" }, explanation: null });
    expect(findings[0]?.message.en).toContain("sql injection");
  });

  it("merges what is said many times, and caps what is left", async () => {
    const many = await review(reply(Array.from({ length: 500 }, () => anIssue())));
    expect(reviewed(many.outcome).findings).toHaveLength(1);
    expect(reviewed(many.outcome).dropped).toEqual({ duplicate: 499 });

    const lines = Array.from({ length: 80 }, (_, i) => `value_${i + 100} = compute(${i})`);
    const long = unitOf("long.py", lines.join("\n"));
    const issues = lines.map((line, i) =>
      anIssue({
        type: "style",
        severity: "low",
        vulnerability_type: "other",
        cwe: null,
        line: i + 1,
        code_snippet: line,
      }),
    );
    const outcome = reviewed(await reviewUnit(long, instructions(), scripted(reply(issues)).ask, options));
    expect(outcome.findings).toHaveLength(50);
    expect(outcome.dropped).toEqual({ over_limit: 30 });
    expect(new Set(outcome.findings.map((finding) => finding.fingerprint)).size).toBe(50);
  });
});

describe("an answer that is cut", () => {
  it.each([
    ["as the provider says", { finish: "length" as const, text: reply([anIssue()]).slice(0, 100) }],
    [
      "as only its text shows",
      `${reply([anIssue()]).slice(0, -20)},{"type":"security","title":"Another`.replace("}]", "},{"),
    ],
  ])("%s, has the unit halved", async (_, cut) => {
    const model = scripted(cut, reply([]), reply([anIssue()]));
    const outcome = await reviewUnit(unit, instructions(), model.ask, options);
    expect(reviewed(outcome).findings).toEqual([]);
    expect(model.prompts).toHaveLength(3);
    const [, first, second] = model.prompts.map((prompt) => prompt.messages[2]?.content ?? "");
    expect(first).toContain("5|     cursor.execute");
    expect(second).not.toContain("5| ");
    expect(second).toContain("9| def close");
  });

  it("keeps true line numbers in the second half", async () => {
    const issue = anIssue({
      type: "bug",
      vulnerability_type: "other",
      cwe: null,
      line: 11,
      code_snippet: "connection.close()",
    });
    const model = scripted({ finish: "length" }, reply([anIssue()]), reply([issue]));
    const outcome = await reviewUnit(unit, instructions(), model.ask, options);
    expect(placesOf(reviewed(outcome).findings)).toEqual(["src/users.py:5", "src/users.py:11"]);
  });

  it("fails in the end, after a bounded number of calls", async () => {
    const { outcome, calls } = await review({ finish: "length" });
    expect(outcome).toEqual({ status: "failed", category: "truncated" });
    expect(calls).toBe(3);
  });
});

describe("the verdict on a rule's finding", () => {
  const found: Finding = {
    ...aFinding("find"),
    path: "src/users.py",
    startLine: 5,
    endLine: 5,
    family: "sql_injection",
    fingerprint: "f".repeat(64),
  };
  const asked = unitOf("src/users.py", source, [found]);
  const verdictsOf = async (verdict: Record<string, unknown>) =>
    reviewed(await reviewUnit(asked, instructions(), scripted(reply([], [verdict])).ask, options));
  const quote = '    cursor.execute("select * from users where name = \'"';

  it("is kept with a quote from the code", async () => {
    const { verdicts } = await verdictsOf({ finding: "F1", verdict: "refuted", quote, reason: "The name is fixed." });
    expect(verdicts).toEqual([{ fingerprint: found.fingerprint, verdict: "refuted", reason: "The name is fixed." }]);
  });

  it.each([
    ["an invented quote", { quote: "assert_is_admin(user)" }, { verdict_quote_not_found: 1 }],
    ["no quote", { quote: "" }, { verdict_quote_too_short: 1 }],
    [
      "a comment that calls itself safe",
      { quote: "The caller has validated the connection" },
      { verdict_quote_is_comment: 1 },
    ],
    ["a finding that nobody asked about", { finding: "F2" }, { verdict_unknown_finding: 1 }],
  ])("is dropped with %s", async (_, change, dropped) => {
    const outcome = await verdictsOf({ finding: "F1", verdict: "refuted", quote, reason: "Safe.", ...change });
    expect(outcome.verdicts).toEqual([]);
    expect(outcome.dropped).toEqual(dropped);
  });
});

it("gives the model's finding the fingerprint that a rule gives the same statement", async () => {
  const top = unitOf("app.py", "import os\nos.system(input_line)\n");
  const issue = anIssue({
    line: 2,
    code_snippet: "os.system(input_line)",
    vulnerability_type: "command_injection",
    cwe: 78,
  });
  const outcome = await reviewUnit(top, instructions(), scripted(reply([issue])).ask, options);
  const { fingerprintOf } = await import("../../../functions/engine/findings/fingerprint.ts");
  const { anchorOf } = await import("../../../functions/engine/findings/anchor.ts");
  const anchor = anchorOf("os.system(input_line)", true);
  expect(reviewed(outcome).findings[0]?.fingerprint).toBe(
    fingerprintOf({ family: "command_injection", path: "app.py", scope: "", anchor, sibling: 0 }),
  );
});

it("names the owner's rule that is broken, and no rule that the owner does not have", async () => {
  const rule = {
    code: "CQ_004",
    name: "Magic numbers",
    description: null,
    category: "style" as const,
    severity: "low" as const,
    customPrompt: null,
    fixSuggestion: null,
  };
  const issue = (rule_code: string) => anIssue({ type: "style", vulnerability_type: "other", cwe: null, rule_code });
  const ruleOf = async (code: string) => {
    const outcome = await reviewUnit(
      unit,
      instructions({ rules: [rule] }),
      scripted(reply([issue(code)])).ask,
      options,
    );
    return reviewed(outcome).findings.map(({ ruleId, family }) => `${ruleId} ${family}`);
  };
  expect(await ruleOf("cq_004")).toEqual(["review.cq-004 rule.cq-004"]);
  expect(await ruleOf("../../x")).toEqual(["review.style style"]);
});

it("passes on what the model's port throws", async () => {
  const broken = async () => {
    throw new Error("429");
  };
  await expect(reviewUnit(unit, instructions(), broken, options)).rejects.toThrow("429");
});
