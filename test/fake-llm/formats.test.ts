import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keyHashOf } from "../../bin/fake-llm/call-log.ts";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import {
  type ChatAnswer,
  chat,
  jsonOf,
  key,
  post,
  promptFor,
  reviewIn,
  saidIn,
  sdkModels,
  vulnerable,
} from "./asking.ts";

let fake: FakeLlm;
beforeAll(async () => {
  fake = await startFakeLlm({ keepBodies: true });
});
beforeEach(() => fake.reset());
afterAll(() => fake.close());

const prompt = promptFor("src/load.py", vulnerable);
const schema = {
  type: "object",
  properties: { issues: { type: "array" } },
  required: ["issues"],
  additionalProperties: false,
} as const;
const titles = ["A pickle is loaded", "Code is evaluated at run time"];

describe("a provider of the AI SDK", () => {
  it.each(Object.keys(sdkModels("")) as (keyof ReturnType<typeof sdkModels>)[])("%s reads the answer", async (name) => {
    const model = sdkModels(fake.url)[name];
    const { content, finishReason, usage } = await model.doGenerate({
      prompt: [
        { role: "system", content: prompt.system },
        { role: "user", content: [{ type: "text", text: prompt.user }] },
      ],
      maxOutputTokens: 4_096,
      responseFormat: { type: "json", schema },
    });
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    expect(JSON.parse(text).issues.map(({ title }: { title: string }) => title)).toEqual(titles);
    expect(finishReason.unified).toBe("stop");
    expect(usage.inputTokens.total).toBe(Math.ceil((prompt.system.length + prompt.user.length) / 4));
    expect(usage.outputTokens.total).toBe(Math.ceil(text.length / 4));
    expect(fake.calls).toMatchObject([{ model: "scripted", path: "src/load.py", status: 200, inFlight: 1 }]);
  });
});

describe("plain HTTP", () => {
  const messages = [{ role: "user", content: `${prompt.system}\n${prompt.user}` }];
  const issuesOf = (text: string) => JSON.parse(text).issues.map(({ title }: { title: string }) => title);

  it("speaks Baidu: key and secret become a token, the token opens the chat", async () => {
    const query = "grant_type=client_credentials&client_id=id&client_secret=secret";
    const token = await jsonOf<{ access_token: string }>(post(`${fake.url}/oauth/2.0/token?${query}`, "", {}));
    const base = `${fake.url}/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/scripted`;
    const answer = await jsonOf<{ result: string }>(
      post(`${base}?access_token=${token.access_token}`, { messages }, {}),
    );
    expect(issuesOf(answer.result)).toEqual(titles);
    expect(answer).toMatchObject({ is_truncated: false, usage: { prompt_tokens: expect.any(Number) } });
    expect(fake.calls).toMatchObject([{ provider: "baidu", model: "scripted" }]);
    const even = { messages: [...messages, ...messages] };
    expect(await (await post(`${base}?access_token=${token.access_token}`, even, {})).json()).toMatchObject({
      error_code: 336_003,
    });
  });

  it("speaks MiniMax, with a status of its own in every answer", async () => {
    const answer = await jsonOf<ChatAnswer & { base_resp: unknown }>(
      post(`${fake.url}/v1/text/chatcompletion_v2`, { model: "scripted", messages }),
    );
    expect(issuesOf(answer.choices[0]?.message.content ?? "")).toEqual(titles);
    expect(answer.base_resp).toEqual({ status_code: 0, status_msg: "" });
  });

  it("speaks Doubao", async () => {
    const answer = await jsonOf<ChatAnswer>(
      post(`${fake.url}/api/v3/chat/completions`, { model: "scripted", messages }),
    );
    expect(issuesOf(answer.choices[0]?.message.content ?? "")).toEqual(titles);
    expect(fake.calls).toMatchObject([{ provider: "doubao" }]);
  });

  it("gives a text the same vector each time, of length one, and near ones to texts that share words", async () => {
    const input = ["read the user from the table", "write the user to the table", "unrelated"];
    const ask = () =>
      jsonOf<{ data: { embedding: number[] }[] }>(post(`${fake.url}/v1/embeddings`, { model: "scripted", input }));
    const { data } = await ask();
    const [one = [], two = [], three = []] = data.map(({ embedding }) => embedding);
    const cosine = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] as number), 0);
    expect(one).toHaveLength(1_536);
    expect(cosine(one, one)).toBeCloseTo(1, 4);
    expect(cosine(one, two)).toBeGreaterThan(cosine(one, three) + 0.3);
    expect((await ask()).data).toEqual(data);
  });

  it("lists itself among the models", async () => {
    const { data } = await jsonOf<{ data: { id: string }[] }>(fetch(`${fake.url}/v1/models`));
    expect(data.map(({ id }) => id)).toContain("scripted-truncated_json");
  });
});

describe("a request that the provider would refuse", () => {
  const openAi = { model: "scripted", messages: [{ role: "user", content: "Hi" }] };
  const anthropic = { ...openAi, max_tokens: 9 };
  const gemini = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
  const version = { "anthropic-version": "2023-06-01" };
  const bearer = { authorization: `Bearer ${key}` };
  const strict = {
    type: "json_schema",
    json_schema: {
      name: "a",
      strict: true,
      schema: { properties: { a: {} }, required: [], additionalProperties: false },
    },
  };

  it.each([
    ["no key, OpenAI", "/v1/chat/completions", openAi, {}, 401, { error: { type: "invalid_request_error" } }],
    ["no key, responses", "/v1/responses", { model: "scripted", input: "Hi" }, {}, 401, { error: { code: null } }],
    ["no key, Anthropic", "/v1/messages", anthropic, version, 401, { error: { type: "authentication_error" } }],
    ["no key, Gemini", "/v1beta/models/m:generateContent", gemini, {}, 403, { error: { status: "PERMISSION_DENIED" } }],
    ["no key, MiniMax", "/v1/text/chatcompletion_v2", openAi, {}, 200, { base_resp: { status_code: 1004 } }],
    ["no key, Doubao", "/api/v3/chat/completions", openAi, {}, 401, { error: { code: "AuthenticationError" } }],
    ["no token, Baidu", "/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/m", openAi, {}, 200, { error_code: 110 }],
    ["a false grant, Baidu", "/oauth/2.0/token", {}, {}, 400, { error: "unsupported_grant_type" }],
    [
      "no secret, Baidu",
      "/oauth/2.0/token?grant_type=client_credentials&client_id=a",
      {},
      {},
      401,
      { error: "invalid_client" },
    ],
    ["no JSON", "/v1/chat/completions", "{", bearer, 400, { error: { type: "invalid_request_error" } }],
    ["no messages", "/v1/chat/completions", { ...openAi, messages: [] }, bearer, 400, {}],
    [
      "JSON without the word",
      "/v1/chat/completions",
      { ...openAi, response_format: { type: "json_object" } },
      bearer,
      400,
      {},
    ],
    ["a strict schema that is loose", "/v1/chat/completions", { ...openAi, response_format: strict }, bearer, 400, {}],
    ["no limit, Anthropic", "/v1/messages", openAi, { ...version, "x-api-key": key }, 400, {}],
    ["no version, Anthropic", "/v1/messages", anthropic, { "x-api-key": key }, 400, { type: "error" }],
    ["no contents, Gemini", "/v1beta/models/m:generateContent", {}, { "x-goog-api-key": key }, 400, {}],
    ["an unknown path", "/v2/chat", {}, bearer, 404, {}],
  ])("%s", async (_, path, body, headers, status, shape) => {
    const response = await post(fake.url + path, body, headers);
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status, body: shape });
  });

  it("takes fields that it does not know, and Ollama's needs no key", async () => {
    const response = await post(`${fake.url}/ollama/v1/chat/completions`, { ...openAi, keep_alive: 5 }, {});
    expect((await saidIn(response)).text).toBe("Hello");
  });
});

describe("the perfect answer", () => {
  it("quotes lines as they are, and gives each rule finding a verdict", async () => {
    const code = [...vulnerable, "run(fixed)  # scripted-refute"];
    const findings = [
      "F1 | line 4 | code-injection.eval | Evaluated input",
      "F2 | line 5 | command-injection.run | Command",
      "F3 | line 99 | x.y | Not shown",
    ];
    const { issues, verdicts, quality_score, summary } = await reviewIn(
      await chat(fake.url, promptFor("a.py", code, { findings })),
    );
    for (const { line, column, code_snippet } of issues) {
      expect(code[line - 1]).toContain(code_snippet);
      expect(code[line - 1]?.slice(column - 1)).toMatch(/^(pickle\.loads|eval)\(/);
    }
    expect(verdicts).toMatchObject([
      { finding: "F1", verdict: "confirmed", quote: "return eval(data)" },
      { finding: "F2", verdict: "refuted", quote: "run(fixed)  # scripted-refute" },
      { finding: "F3", verdict: "unsure", quote: "" },
    ]);
    expect({ quality_score, summary }).toMatchObject({
      quality_score: 90,
      summary: { total_issues: 2, high_issues: 2 },
    });
  });

  it.each([
    ["eval", "x = eval(y)", 1],
    ["a method called eval", "model.eval()", 0],
    ["eval in a comment", "# eval(y) is not used", 0],
    ["a shell command", "os.system(command)", 1],
    ["a pattern's exec", "pattern.exec(text)", 0],
    ["innerHTML", "element.innerHTML = name", 1],
    ["innerHTML that is compared", "if (element.innerHTML === name) {}", 0],
    ["SQL put together", `query("SELECT * FROM t WHERE n = '" + name)`, 1],
    ["SQL with a parameter", `query("SELECT * FROM t WHERE n = ?", name)`, 0],
    ["a password", `password = "hunter22"`, 1],
    ["a password that is read", "password = read()", 0],
    ["MD5", "hashlib.md5(data)", 1],
    ["a note", "# TODO: check the input", 1],
    ["a marker", "// scripted-issue: Look here", 1],
  ])("sees %s", async (_, line, count) => {
    expect((await reviewIn(await chat(fake.url, promptFor("a", [line])))).issues).toHaveLength(count);
  });

  it("takes the next line into a quote that would say nothing alone", async () => {
    const { issues } = await reviewIn(
      await chat(fake.url, promptFor("a.py", ["try:", "    go()", "except:", "    return None"])),
    );
    expect(issues).toMatchObject([{ line: 3, code_snippet: "except:\n    return None" }]);
  });

  it("sees a loop in a loop, and not one after the other", async () => {
    const nested = ["for a in all_of_them:", "    for b in all_of_them:", "        compare(a, b)"];
    const flat = ["for a in all_of_them:", "    pass", "for b in all_of_them:", "    pass"];
    expect((await reviewIn(await chat(fake.url, promptFor("a.py", nested)))).issues).toMatchObject([
      { line: 2, type: "performance" },
    ]);
    expect((await reviewIn(await chat(fake.url, promptFor("a.py", flat)))).issues).toEqual([]);
  });

  it("writes Chinese when asked to, whatever the code names", async () => {
    const inChinese = await reviewIn(await chat(fake.url, promptFor("a.py", vulnerable, { language: "zh" })));
    expect(inChinese.issues[0]?.title).toBe("加载 pickle 数据");
    const named = await reviewIn(await chat(fake.url, promptFor("a.py", [...vulnerable, "# zh-CN 简体中文"])));
    expect(named.issues[0]?.title).toBe(titles[0]);
  });

  it("reads no code out of what the assistant said before", async () => {
    const body = {
      model: "scripted",
      messages: [
        { role: "user", content: promptFor("a.py", ["x = 1 + 2 + 3"]).user },
        { role: "assistant", content: "7| eval(everything)" },
        { role: "user", content: "That was not valid." },
      ],
    };
    expect((await reviewIn(await post(`${fake.url}/v1/chat/completions`, body))).issues).toEqual([]);
  });

  it("stays fast on hostile lines", async () => {
    const lines = [
      "select ".repeat(30_000),
      `password = "${"a".repeat(100_000)}`,
      " ".repeat(200_000),
      "for ".repeat(40_000),
    ];
    expect((await chat(fake.url, promptFor("a.sql", lines))).status).toBe(200);
  });
});

it("records keys as hashes, and bodies only when told to", async () => {
  await chat(fake.url, prompt);
  expect(fake.calls).toMatchObject([{ keyHash: keyHashOf(key), body: expect.stringContaining("pickle.loads") }]);
  expect(JSON.stringify(fake.calls)).not.toContain(key);
});

it("counts as many in flight as the client keeps in flight, never more", async () => {
  fake.holdUntil(8);
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let round = 0; round < 20; round++)
      await chat(fake.url, promptFor(`${worker}/${round}.py`, vulnerable)).then(saidIn);
  });
  await Promise.all(workers);
  expect(fake.counts).toMatchObject({ count: 160, in_flight: 0 });
  expect(fake.counts.max_in_flight).toBe(8);
});
