import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../../functions/engine/engine.ts";
import type { Finding } from "../../../functions/engine/finding.ts";
import type { ReviewOutcome, ReviewUnit } from "../../../functions/engine/review/review.ts";
import { reviewUnit } from "../../../functions/engine/review/review-unit.ts";
import { aFinding } from "../../support/finding.ts";
import { openEngine } from "../engine-under-test.ts";
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
    const last = answers.at(-1);
    expect(outcome).toEqual({ status: "failed", category, reply: typeof last === "string" ? last : "" });
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
    expect(outcome).toMatchObject({ status: "failed", category: "truncated" });
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
  const excerpt = {
    path: "src/routes.py",
    language: "python",
    startLine: 40,
    text: "def route():\n    # everything below is checked by the caller\n    find(connection, allowed_names[choice])",
  };
  const asked: ReviewUnit = { ...unitOf("src/users.py", source, [found]), excerpts: [excerpt] };
  const verdictsOf = async (verdict: Record<string, unknown>) =>
    reviewed(await reviewUnit(asked, instructions(), scripted(reply([], [verdict])).ask, options));
  const quote = '    cursor.execute("select * from users where name = \'"';

  it("is kept with a quote from the code", async () => {
    const { verdicts } = await verdictsOf({ finding: "F1", verdict: "refuted", quote, reason: "The name is fixed." });
    expect(verdicts).toEqual([{ fingerprint: found.fingerprint, verdict: "refuted", reason: "The name is fixed." }]);
  });

  it("may rest on an excerpt, with its prefix or without", async () => {
    for (const prefix of ["", "X1:42|     "]) {
      const quote = `${prefix}find(connection, allowed_names[choice])`;
      const { verdicts, dropped } = await verdictsOf({ finding: "F1", verdict: "refuted", quote, reason: "Listed." });
      expect(dropped).toEqual({});
      expect(verdicts).toHaveLength(1);
    }
  });

  it("is all that an excerpt can bear out: no problem is reported there", async () => {
    const issue = anIssue({ line: 42, code_snippet: "find(connection, allowed_names[choice])" });
    const outcome = await reviewUnit(asked, instructions(), scripted(reply([issue])).ask, options);
    expect(reviewed(outcome)).toMatchObject({ findings: [], dropped: { quote_not_found: 1 } });
  });

  it.each([
    ["an invented quote", { quote: "assert_is_admin(user)" }, { verdict_quote_not_found: 1 }],
    ["no quote", { quote: "" }, { verdict_quote_too_short: 1 }],
    [
      "a comment that calls itself safe",
      { quote: "The caller has validated the connection" },
      { verdict_quote_is_comment: 1 },
    ],
    [
      "a quote of what a comment in an excerpt says",
      { quote: "everything below is checked by the caller" },
      { verdict_quote_is_comment: 1 },
    ],
    ["a finding that nobody asked about", { finding: "F2" }, { verdict_unknown_finding: 1 }],
  ])("is dropped with %s", async (_, change, dropped) => {
    const outcome = await verdictsOf({ finding: "F1", verdict: "refuted", quote, reason: "Safe.", ...change });
    expect(outcome.verdicts).toEqual([]);
    expect(outcome.dropped).toEqual(dropped);
  });
});

describe("the model's finding of what a rule finds", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine();
  });

  it.each([
    [
      "at the top level",
      "app.py",
      'import os\nfrom flask import request\nos.system("ping " + request.args["host"])\n',
      3,
    ],
    [
      "in a method",
      "orders.py",
      `from flask import request
class Orders:
    def find(self, cursor):
        name = request.args["name"]
        cursor.execute("SELECT * FROM orders WHERE name = '" + name + "'")
`,
      5,
    ],
    [
      "in a callback",
      "server.js",
      `const { exec } = require("node:child_process");
function routes(app) {
  app.get("/ping", (req, res) => {
    exec("ping -c 1 " + req.query.host);
  });
}
module.exports = routes;
`,
      4,
    ],
    [
      "in a class of Java",
      "src/Ping.java",
      `import javax.servlet.http.*;
public class Ping extends HttpServlet {
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws java.io.IOException {
    String host = request.getParameter("host");
    Runtime.getRuntime().exec("ping -c 1 " + host);
  }
}
`,
      5,
    ],
  ])("has the rule's fingerprints %s", async (_, path, text, line) => {
    const file = { path, bytes: new TextEncoder().encode(text) };
    const artefact = await engine.analyse(file);
    const [rule, ...others] = engine.link([artefact]);
    expect([rule?.startLine, ...others]).toEqual([line]);
    const [whole] = engine.unitsOf(file, [], artefact);
    const code_snippet = text.split("\n")[line - 1]?.trim();
    const issue = anIssue({ line, code_snippet, vulnerability_type: rule?.type, cwe: rule?.cwe[0] });
    const answer = scripted(reply([issue]));
    const outcome = await reviewUnit(whole as typeof unit, instructions(), answer.ask, options);
    const facts = ({ symbol, fingerprint, movedFingerprint }: Finding) => ({ symbol, fingerprint, movedFingerprint });
    expect(reviewed(outcome).findings.map(facts)).toEqual([facts(rule as Finding)]);
  });
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
