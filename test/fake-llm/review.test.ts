import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AnswerFault, answerFaults } from "../../bin/fake-llm/faults.ts";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import type { ReviewUnit } from "../../functions/engine/review/review.ts";
import { reviewUnit } from "../../functions/engine/review/review-unit.ts";
import { askModel } from "../../functions/llm/ask-model.ts";
import { Outbound } from "../../functions/platform/outbound.ts";
import { parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";

/*
 * The scripted model reads the prompts of the real review, and the real model layer reads its answers. When one of them changes, a
 * scripted model that no longer finds the code would only greet: this is where that shows.
 */
let fake: FakeLlm;
beforeAll(async () => {
  fake = await startFakeLlm();
});
beforeEach(() => fake.reset());
afterAll(() => fake.close());

const code = [
  "import pickle",
  "def load(request):",
  "    data = pickle.loads(request.body)",
  "    return eval(data)",
  "report = build(data)  # scripted-issue: Look at this",
];
const unit: ReviewUnit = {
  path: "src/load.py",
  language: "python",
  startLine: 1,
  text: code.join("\n"),
  findings: [],
  functions: [],
  excerpts: [],
};

function review(provider: string, base: string, model: string, outputLanguage: "zh" | "en" = "en") {
  const client = new Outbound({ allowedHosts: parseAllowedHosts(new URL(fake.url).host) });
  const settings = {
    provider,
    model,
    baseUrl: fake.url + base,
    apiKey: "id:secret",
    timeoutMs: 20_000,
    temperature: 0.1,
    maxTokens: 4_096,
    headers: {},
  };
  const instructions = { template: null, rules: [], outputLanguage };
  return reviewUnit(unit, instructions, (prompt) => askModel(settings, prompt, client), { fenceKey: "fence" });
}

it.each([
  ["openai", "/v1"],
  ["claude", "/v1"],
  ["gemini", "/v1beta"],
  ["qwen", "/v1"],
  ["deepseek", "/v1"],
  ["zhipu", "/v1"],
  ["moonshot", "/v1"],
  ["ollama", "/ollama/v1"],
  ["baidu", "/rpc/2.0/ai_custom/v1"],
  ["minimax", "/v1"],
  ["doubao", "/api/v3"],
  ["openai_compatible", "/v1"],
])("a review with %s gets what the script says", async (provider, base) => {
  const outcome = await review(provider, base, "scripted", "zh");
  expect(outcome).toMatchObject({
    status: "reviewed",
    findings: [
      { startLine: 3, title: { zh: "加载 pickle 数据" } },
      { startLine: 4, title: { zh: "运行时执行代码" } },
      { startLine: 5, title: { zh: "Look at this" } },
    ],
  });
  expect(fake.calls).toMatchObject([{ path: "src/load.py", model: "scripted", status: 200 }]);
});

/** A model that always stops early or always refuses has nothing to offer; of all others something can be used. */
const failures: Partial<Record<AnswerFault, string>> = { truncated_json: "truncated", refusal_in_prose: "refused" };

it.each(answerFaults)("a review survives %s", async (fault) => {
  const outcome = await review("openai", "/v1", `scripted-${fault}`);
  if (outcome.status === "failed") return expect(outcome.category).toBe(failures[fault]);
  expect(failures).not.toHaveProperty(fault);
  for (const { snippet } of outcome.findings) {
    for (const line of snippet.split("\n")) expect(code).toContain(line);
  }
});
