import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from "@aws-sdk/client-s3";
import { createPresignedPost, type PresignedPostOptions } from "@aws-sdk/s3-presigned-post";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sign } from "../../functions/platform/signed-headers.ts";
import type { Caller, Permission } from "../../lib/local/service.ts";
import { type EmbeddedS3, startS3 } from "../support/embedded-s3.ts";

const Bucket = "forms";
const url = () => `${embedded.cloud.endpoint}/${Bucket}`;
let embedded: EmbeddedS3;
let client: S3Client;
let signer: Caller;

beforeAll(async () => {
  embedded = await startS3();
  client = embedded.client;
  signer = embedded.cloud.operator.credentials;
  await embedded.s3.ensureBucket({ name: Bucket, versioned: false });
});
afterAll(() => embedded.stop());

const presign = async (Key: string, more: Partial<PresignedPostOptions> = {}) =>
  (await createPresignedPost(client, { Bucket, Key, ...more })).fields;

/** Signs a policy by hand, for those that the SDK would not make. */
function signed(
  policy: unknown,
  fields: Record<string, string> = {},
  date = "20261121T000000Z",
  caller = signer,
): Record<string, string> {
  const Policy = typeof policy === "string" ? policy : Buffer.from(JSON.stringify(policy)).toString("base64");
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  return {
    ...fields,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${caller.accessKeyId}/${scope}`,
    "X-Amz-Date": date,
    "X-Amz-Security-Token": caller.sessionToken,
    Policy,
    "X-Amz-Signature": sign(caller.secretAccessKey, scope, Policy),
  };
}
const inAnHour = () => new Date(embedded.now.getTime() + 3600_000).toISOString();
/** Conditions that cover what `signed` adds. */
const basics = [
  ["starts-with", "$x-amz-algorithm", ""],
  ["starts-with", "$x-amz-credential", ""],
  ["starts-with", "$x-amz-date", ""],
  ["starts-with", "$x-amz-security-token", ""],
];
const policyOf = (...conditions: unknown[]) => ({ expiration: inAnHour(), conditions: [...basics, ...conditions] });

async function post(fields: Record<string, string>, file: string | Buffer | null = "hello", fileName = "a.txt") {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== null) form.append("file", new Blob([new Uint8Array(Buffer.from(file as string))]), fileName);
  const answer = await fetch(url(), { method: "POST", body: form, redirect: "manual" });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    code: /<Code>(\w+)<\/Code>/.exec(text)?.[1],
    message: /<Message>(.*?)<\/Message>/s.exec(text)?.[1],
  };
}
const head = (Key: string): Promise<HeadObjectCommandOutput | null> =>
  client
    .send(new HeadObjectCommand({ Bucket, Key }))
    .catch((error) => (error.name === "NotFound" ? null : Promise.reject(error)));
const md5 = (text: string) => `"${createHash("md5").update(text).digest("hex")}"`;

describe("a presigned form", () => {
  it("uploads a file", async () => {
    const answer = await post(await presign("up/1"));
    expect([answer.status, answer.headers.get("etag")]).toEqual([204, md5("hello")]);
    expect(answer.headers.get("location")).toContain("up%2F1");
    expect(await head("up/1")).toMatchObject({ ContentLength: 5, ContentType: "binary/octet-stream" });
  });

  it("sets headers and metadata of the object", async () => {
    const Fields = { "Content-Type": "application/zip", "x-amz-meta-task": "t1", "x-amz-meta-name": "文件" };
    const Conditions = Object.entries(Fields).map(
      ([name, value]) => ["eq", `$${name}`, value] as ["eq", string, string],
    );
    expect(await post(await presign("up/2", { Fields, Conditions }))).toMatchObject({ status: 204 });
    expect(await head("up/2")).toMatchObject({
      ContentType: "application/zip",
      Metadata: { task: "t1", name: "=?UTF-8?B?5paH5Lu2?=" },
    });
  });

  it.each([
    ["200", 200],
    ["201", 201],
    ["204", 204],
    ["999", 204],
  ])("answers as success_action_status %s asks", async (success_action_status, status) => {
    const answer = await post(await presign("up/3", { Fields: { success_action_status } }));
    expect(answer.status).toBe(status);
    if (status === 201)
      expect(answer.text).toMatch(
        /<PostResponse .*<Location>.*<Bucket>forms<\/Bucket><Key>up\/3<\/Key><ETag>&quot;\w{32}&quot;</,
      );
  });

  it("sends the browser on where success_action_redirect says", async () => {
    const answer = await post(
      await presign("up/4", { Fields: { success_action_redirect: "http://localhost:5173/done?x=1" } }),
    );
    expect(answer.status).toBe(303);
    expect(Object.fromEntries(new URL(answer.headers.get("location")!).searchParams)).toEqual({
      x: "1",
      bucket: Bucket,
      key: "up/4",
      etag: md5("hello"),
    });
  });

  it("puts the name of the file into the key, without its folders", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: S3's own placeholder.
    const fields = await presign("up/${filename}", { Conditions: [["starts-with", "$key", "up/"]] });
    expect(await post(fields, "hello", "C:\\dir\\näme.zip")).toMatchObject({ status: 204 });
    expect(await head("up/näme.zip")).not.toBeNull();
  });

  it("verifies a checksum that comes with it", async () => {
    const field = (value: string) => ({ Fields: { "x-amz-checksum-crc32": value } });
    expect(await post(await presign("up/5", field("NhCmhg==")))).toMatchObject({ status: 204 });
    expect(await post(await presign("up/6", field("AAAAAA==")))).toMatchObject({ status: 400, code: "BadDigest" });
    expect(await head("up/6")).toBeNull();
  });
});

describe("its policy", () => {
  it.each([
    ["1 byte too many", 11, "EntityTooLarge"],
    ["1 byte too few", 4, "EntityTooSmall"],
    ["as many bytes as allowed", 10, undefined],
    ["as few bytes as allowed", 5, undefined],
  ])("limits the file: %s", async (_, bytes, code) => {
    const key = `range/${bytes}`;
    const fields = await presign(key, { Conditions: [["content-length-range", 5, 10]] });
    expect(await post(fields, Buffer.alloc(bytes))).toMatchObject({ status: code ? 400 : 204, code });
    expect((await head(key))?.ContentLength).toBe(code ? undefined : bytes);
  });

  it("stops a file that is too large before it has all arrived, and keeps nothing of it", async () => {
    const before = await filesOnDisk();
    const fields = await presign("range/large", { Conditions: [["content-length-range", 0, 1000]] });
    expect(await post(fields, Buffer.alloc(20 * 1024 * 1024))).toMatchObject({ status: 400, code: "EntityTooLarge" });
    expect(await filesOnDisk()).toBe(before);
    expect(await post(await presign("range/after"))).toMatchObject({ status: 204 });
  });

  it.each([
    ["another key", { key: "other" }],
    ["another value of a field", { "Content-Type": "text/html" }],
    ["a field that it does not name", { "Cache-Control": "no-store" }],
    ["metadata that it does not name", { "x-amz-meta-role": "admin" }],
    ["encryption that it does not name", { "x-amz-server-side-encryption": "AES256" }],
  ])("refuses %s", async (_, change) => {
    const Conditions = [["starts-with", "$Content-Type", "image/"] as ["starts-with", string, string]];
    const fields = await presign("policy/1", { Fields: { "Content-Type": "image/png" }, Conditions });
    expect(await post({ ...fields, ...change })).toMatchObject({
      status: 403,
      code: "AccessDenied",
      message: expect.stringMatching(/^Invalid according to Policy: /),
    });
    expect(await head("policy/1")).toBeNull();
  });

  it("lets fields be that are marked to be ignored", async () => {
    expect(await post({ ...(await presign("policy/2")), "x-ignore-me": "1" })).toMatchObject({ status: 204 });
  });

  it.each([
    ["starts-with that fits", ["starts-with", "$key", "policy/"], 204],
    ["starts-with that does not", ["starts-with", "$key", "other/"], 403],
    ["eq that fits", ["eq", "$key", "policy/3"], 204],
    ["eq that does not", ["eq", "$key", "policy/4"], 403],
    ["a plain pair that fits", { key: "policy/3" }, 204],
    ["a plain pair that does not", { key: "policy/33" }, 403],
    ["the bucket of the URL", { bucket: Bucket, key: "policy/3" }, 204],
    ["another bucket", { bucket: "other", key: "policy/3" }, 403],
    ["names in another case", ["EQ", "$KEY", "policy/3"], 204],
  ])("understands %s", async (_, condition, status) => {
    const conditions: unknown[] = Array.isArray(condition)
      ? [condition]
      : Object.entries(condition).map(([name, value]) => ({ [name]: value }));
    if (status === 403 && !JSON.stringify(condition).includes("policy/3")) conditions.push(["starts-with", "$key", ""]);
    expect(await post(signed(policyOf(...conditions), { key: "policy/3" }))).toMatchObject({ status });
  });

  it("wants each of several content types to begin as it says", async () => {
    const send = (type: string) =>
      post(
        signed(policyOf(["starts-with", "$key", ""], ["starts-with", "$Content-Type", "image/"]), {
          key: "policy/5",
          "Content-Type": type,
        }),
      );
    expect(await send("image/png, image/gif")).toMatchObject({ status: 204 });
    expect(await send("image/png, text/html")).toMatchObject({ status: 403 });
  });

  it("ends at its expiration", async () => {
    const policy = policyOf(["starts-with", "$key", ""]);
    const at = new Date(policy.expiration);
    const start = embedded.now;
    embedded.now = new Date(at.getTime() - 1);
    expect(await post(signed(policy, { key: "expiry" }))).toMatchObject({ status: 204 });
    embedded.now = at;
    expect(await post(signed(policy, { key: "expiry" }))).toMatchObject({
      status: 403,
      code: "AccessDenied",
      message: "Invalid according to Policy: Policy expired.",
    });
    embedded.now = start;
  });

  it.each([
    ["no JSON", Buffer.from("{").toString("base64")],
    ["no object", Buffer.from("null").toString("base64")],
    ["without an expiration", { conditions: [] }],
    ["with an expiration that is no time", { expiration: "tomorrow", conditions: [] }],
    ["without conditions", { expiration: "2099-01-01T00:00:00Z" }],
    ["with an unknown operator", { expiration: "2099-01-01T00:00:00Z", conditions: [["matches", "$key", "x"]] }],
    ["with a field without $", { expiration: "2099-01-01T00:00:00Z", conditions: [["eq", "key", "x"]] }],
    ["with half a range", { expiration: "2099-01-01T00:00:00Z", conditions: [["content-length-range", 1]] }],
    ["with a range of texts", { expiration: "2099-01-01T00:00:00Z", conditions: [["content-length-range", "a", "b"]] }],
  ])("cannot be %s", async (_, policy) => {
    expect(await post(signed(policy, { key: "malformed" }))).toMatchObject({
      status: 400,
      code: "InvalidPolicyDocument",
    });
  });
});

describe("its signature", () => {
  const policy = () => policyOf(["starts-with", "$key", ""]);
  it.each<[string, (fields: Record<string, string>) => Record<string, string>, number, string]>([
    [
      "of another policy",
      (fields) => ({ ...fields, Policy: Buffer.from(JSON.stringify(policyOf({ key: "x" }))).toString("base64") }),
      403,
      "SignatureDoesNotMatch",
    ],
    ["that is wrong", (fields) => ({ ...fields, "X-Amz-Signature": "0".repeat(64) }), 403, "SignatureDoesNotMatch"],
    [
      "that is no text of a signature",
      (fields) => ({ ...fields, "X-Amz-Signature": "é".repeat(64) }),
      403,
      "SignatureDoesNotMatch",
    ],
    [
      "of an unknown key",
      (fields) => ({ ...fields, "X-Amz-Credential": fields["X-Amz-Credential"]!.replace(/^\w+/, "ASIAX") }),
      403,
      "InvalidAccessKeyId",
    ],
    [
      "for another region",
      (fields) => ({ ...fields, "X-Amz-Credential": fields["X-Amz-Credential"]!.replace("us-east-1", "eu-west-1") }),
      403,
      "SignatureDoesNotMatch",
    ],
    [
      "for another service",
      (fields) => ({ ...fields, "X-Amz-Credential": fields["X-Amz-Credential"]!.replace("/s3/", "/kms/") }),
      400,
      "InvalidArgument",
    ],
    ["of another day", (fields) => ({ ...fields, "X-Amz-Date": "20261122T000000Z" }), 400, "InvalidArgument"],
    ["by another algorithm", (fields) => ({ ...fields, "X-Amz-Algorithm": "AWS4-NONE" }), 400, "InvalidArgument"],
    ["with another session", (fields) => ({ ...fields, "X-Amz-Security-Token": "other" }), 400, "InvalidToken"],
    ["that is missing", ({ "X-Amz-Signature": _, ...fields }) => fields, 403, "AccessDenied"],
    ["without a policy", ({ Policy: _, ...fields }) => fields, 403, "AccessDenied"],
  ])("%s is refused", async (_, tamper, status, code) => {
    expect(await post(tamper(signed(policy(), { key: "tampered" })))).toMatchObject({ status, code });
    expect(await head("tampered")).toBeNull();
  });

  it("acts for the role that made it", async () => {
    const asked: Permission[] = [];
    embedded.allows = (_, permission) => {
      asked.push(permission);
      return permission.resource.endsWith("/theirs/1");
    };
    const tenant = embedded.cloud.as("tenant").credentials;
    expect(await post(signed(policy(), { key: "theirs/1" }, undefined, tenant))).toMatchObject({ status: 204 });
    expect(await post(signed(policy(), { key: "mine/1" }, undefined, tenant))).toMatchObject({
      status: 403,
      code: "AccessDenied",
    });
    expect(asked[0]).toEqual({ action: "s3:PutObject", resource: `arn:aws:s3:::${Bucket}/theirs/1` });
    expect(await head("mine/1")).toBeNull();
  });
});

describe("a form that is not as it must be", () => {
  it("is read to its end, so that the connection serves the next request", async () => {
    const fields = await presign("range/connection", { Conditions: [["content-length-range", 0, 1000]] });
    const body = await rawForm(fields, 20 * 1024 * 1024);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = () =>
      new Promise<[status: number, port: number]>((resolve, reject) => {
        const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": body.length };
        const sent = request(url(), { agent, method: "POST", headers }, (answer) => {
          const { localPort } = answer.socket;
          answer.resume().once("end", () => resolve([answer.statusCode!, localPort!]));
        });
        sent.once("error", reject).end(body);
      });
    const [first, second] = [await send(), await send()];
    expect([first[0], second[0]]).toEqual([400, 400]);
    expect(second[1]).toBe(first[1]);
    agent.destroy();
  });

  it("without a file is refused", async () => {
    expect(await post(await presign("nofile"), null)).toMatchObject({
      status: 400,
      code: "InvalidArgument",
      message: expect.stringContaining("exactly one file"),
    });
  });

  it("without a key is refused", async () => {
    expect(await post(signed(policyOf()))).toMatchObject({ status: 400, code: "InvalidArgument" });
  });

  it("whose fields are too long is refused", async () => {
    const fields = signed(policyOf(["starts-with", "$key", ""]), { key: "long", "x-ignore-a": "a".repeat(21 * 1024) });
    expect(await post(fields)).toMatchObject({ status: 400, code: "MaxPostPreDataLengthExceeded" });
  });

  it("whose key is too long is refused", async () => {
    expect(await post(signed(policyOf(["starts-with", "$key", ""]), { key: "k".repeat(1025) }))).toMatchObject({
      status: 400,
      code: "KeyTooLongError",
    });
  });

  it("that is no form is refused", async () => {
    for (const type of ["application/json", "multipart/form-data", "text/plain"]) {
      const answer = await fetch(url(), { method: "POST", body: "{}", headers: { "content-type": type } });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("MalformedPOSTRequest")]);
    }
  });

  it("that ends without its last boundary stores nothing", async () => {
    const before = await filesOnDisk();
    const body = await rawForm(await presign("unfinished"));
    const answer = await fetch(url(), {
      method: "POST",
      body: body.subarray(0, -30),
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
    expect(answer.status).toBe(400);
    expect(await head("unfinished")).toBeNull();
    expect(await filesOnDisk()).toBe(before);
  });

  it("that breaks off in the middle stores nothing", async () => {
    const before = await filesOnDisk();
    const body = await rawForm(await presign("broken"));
    const { hostname, port, host, pathname } = new URL(url());
    const socket = connect(Number(port), hostname);
    const lines = [
      `POST ${pathname} HTTP/1.1`,
      `Host: ${host}`,
      "Content-Type: multipart/form-data; boundary=b",
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    socket.write(body.subarray(0, -100));
    await expect.poll(filesOnDisk, { timeout: 20_000 }).toBe(before + 1);
    socket.destroy();
    await expect.poll(filesOnDisk, { timeout: 20_000 }).toBe(before);
    expect(await head("broken")).toBeNull();
  });
});

async function rawForm(fields: Record<string, string>, fileBytes = 1000): Promise<Buffer> {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${"x".repeat(fileBytes)}\r\n--b--\r\n`;
  return Buffer.from(parts.join("") + file);
}

async function filesOnDisk(): Promise<number> {
  const names = await readdir(join(embedded.folder, "blobs"), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).length;
}
