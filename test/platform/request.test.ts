import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Contract, says, UploadedFile } from "../../functions/platform/contract.ts";
import type { OperationEvent } from "../../functions/platform/operation.ts";
import { parseJson, readRequest, ValidationFailed } from "../../functions/platform/request.ts";

const contract = (change: Partial<Contract>): Contract => ({
  method: "POST",
  path: "/x",
  summary: "",
  auth: "anyone",
  success: z.object({}),
  failures: [],
  grants: {},
  ...change,
});

const event = (change: Partial<APIGatewayProxyEvent>, language: "zh" | "en" = "en"): OperationEvent =>
  ({
    headers: {},
    pathParameters: null,
    multiValueQueryStringParameters: null,
    body: null,
    ...change,
    request: { language },
  }) as never;

describe("a JSON body", () => {
  it.each([
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["cut", Buffer.from('{"a":')],
    ["nested deeper than anything of ours", Buffer.from("[".repeat(65) + "]".repeat(65))],
  ])("is refused when it is %s", (_, bytes) => {
    expect(() => parseJson(bytes)).toThrow(expect.objectContaining({ code: "invalid_json" }));
  });

  it("cannot reach a prototype", () => {
    const parsed = parseJson(Buffer.from('{"__proto__":{"admin":true},"a":1}')) as Record<string, unknown>;
    expect(parsed.admin).toBeUndefined();
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  it("does not mistake brackets in strings for depth", () => {
    expect(parseJson(Buffer.from(JSON.stringify({ a: '["'.repeat(100) })))).toEqual({ a: '["'.repeat(100) });
  });
});

describe("validation", () => {
  const body = z.object({ name: z.string().min(1), password: z.string().min(8) });

  it("speaks the language of the caller, also where a schema has words of its own", async () => {
    const even = z.object({
      n: z.number().refine((n) => n % 2 === 0, { ...says("应为偶数", "expected is an even number") }),
    });
    const words = async (language: "zh" | "en") => {
      const sent = event({ headers: { "content-type": "application/json" }, body: '{"n":1}' }, language);
      const failed = await readRequest(sent, contract({ body: even })).catch((error) => error);
      return failed.issues[0].msg;
    };
    expect([await words("zh"), await words("en")]).toEqual(["应为偶数", "expected is an even number"]);
  });

  it("never repeats a token within a URL, nor what is no number", async () => {
    const query = z.object({ url: z.string().max(3), n: z.coerce.number() });
    const sent = event({ multiValueQueryStringParameters: { url: ["https://me:secret@host/x"], n: ["abc"] } });
    const failed = await readRequest(sent, contract({ query })).catch((error) => error);
    expect(failed.issues.map((issue: object) => "input" in issue)).toEqual([false, false]);
  });

  it("names place, reason and short input, and never repeats a password", async () => {
    const sent = event({ headers: { "content-type": "application/json" }, body: '{"name":"","password":"short"}' });
    const failed = await readRequest(sent, contract({ body })).catch((error) => error);
    expect(failed).toBeInstanceOf(ValidationFailed);
    expect(failed.issues).toEqual([
      { type: "too_small", loc: ["body", "name"], msg: expect.any(String), input: "" },
      { type: "too_small", loc: ["body", "password"], msg: expect.any(String) },
    ]);
  });

  it("speaks Chinese where the contract does", async () => {
    const sent = event({ headers: { "Content-Type": "application/json" }, body: "{}" }, "zh");
    const failed = await readRequest(sent, contract({ body })).catch((error) => error);
    expect(failed.issues[0].msg).toMatch(/[\u4e00-\u9fff]/);
  });

  it("drops fields that the contract does not know", async () => {
    const sent = event({
      headers: { "content-type": "application/json" },
      body: '{"name":"n","password":"12345678","role":"admin"}',
    });
    await readRequest(sent, contract({ body }));
    expect(sent.request.body).toEqual({ name: "n", password: "12345678" });
  });
});

describe("a multipart body", () => {
  const form = contract({ bodyType: "multipart", body: z.object({ file: UploadedFile, note: z.string().optional() }) });
  const send = async (data: FormData) => {
    const request = new Request("http://localhost", { method: "POST", body: data });
    const body = Buffer.from(await request.arrayBuffer()).toString("base64");
    return event({
      headers: { "content-type": request.headers.get("content-type") as string },
      body,
      isBase64Encoded: true,
    });
  };

  it("keeps every byte of the file and its non-ASCII name", async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256);
    const data = new FormData();
    data.set("file", new Blob([bytes]), "源码 €.zip");
    data.set("note", "一");
    const sent = await send(data);
    await readRequest(sent, form);
    const { file, note } = sent.request.body as { file: UploadedFile; note: string };
    expect({ note, filename: file.filename }).toEqual({ note: "一", filename: "源码 €.zip" });
    expect(file.bytes.equals(Buffer.from(bytes))).toBe(true);
  });

  it("is refused when it is cut, has no boundary, or has no file", async () => {
    const data = new FormData();
    data.set("file", new Blob(["x"]), "a.zip");
    const whole = await send(data);
    const cut = {
      ...whole,
      body: Buffer.from(whole.body as string, "base64")
        .subarray(0, 60)
        .toString("base64"),
    };
    const noBoundary = { ...whole, headers: { "content-type": "multipart/form-data" } };
    const noFile = await send(new FormData());
    for (const bad of [cut, noBoundary, noFile])
      await expect(readRequest(bad, form)).rejects.toBeInstanceOf(ValidationFailed);
  });
});
