import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedS3, startS3 } from "../support/embedded-s3.ts";

const Bucket = "presigned";
let embedded: EmbeddedS3;
let client: S3Client;

beforeAll(async () => {
  embedded = await startS3();
  client = embedded.client;
  const cors = [
    {
      allowedOrigins: ["https://*.example.com", "http://localhost:5173"],
      allowedMethods: ["GET", "PUT", "POST"],
      allowedHeaders: ["content-type", "x-amz-*"],
      exposedHeaders: ["ETag"],
      maxAgeSeconds: 600,
    },
    { allowedOrigins: ["*"], allowedMethods: ["HEAD"] },
  ];
  await embedded.s3.ensureBucket({ name: Bucket, versioned: false, cors });
  await embedded.s3.ensureBucket({ name: "no-cors", versioned: false });
});
afterAll(() => embedded.stop());

const get = (Key: string, more = {}, options = {}) =>
  getSignedUrl(client, new GetObjectCommand({ Bucket, Key, ...more }), options);
const put = (Key: string, more = {}, options = {}) =>
  getSignedUrl(client, new PutObjectCommand({ Bucket, Key, ...more }), options);
const codeOf = async (answer: Response) => /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1];
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

describe("a presigned URL", () => {
  it("puts and gets without further credentials", async () => {
    const answer = await fetch(await put("a/ü b"), { method: "PUT", body: "hello" });
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"5d41402abc4b2a76b9719d911017c592"']);
    expect(await (await fetch(await get("a/ü b"))).text()).toBe("hello");
  });

  it("carries metadata and encryption in its query or its signed headers", async () => {
    const url = await put("meta", { Metadata: { task: "t1" }, ContentType: "text/plain" });
    expect((await fetch(url, { method: "PUT", body: "x", headers: { "content-type": "text/plain" } })).status).toBe(
      200,
    );
    const back = await fetch(await get("meta"));
    expect([back.headers.get("x-amz-meta-task"), back.headers.get("content-type")]).toEqual(["t1", "text/plain"]);
  });

  it("decides how a browser takes the object", async () => {
    await fetch(await put("download"), { method: "PUT", body: "x" });
    const answer = await fetch(
      await get("download", {
        ResponseContentType: "application/zip",
        ResponseContentDisposition: 'attachment; filename="a.zip"',
        ResponseCacheControl: "no-store",
      }),
    );
    const headers = ["content-type", "content-disposition", "cache-control"].map((name) => answer.headers.get(name));
    expect(headers).toEqual(["application/zip", 'attachment; filename="a.zip"', "no-store"]);
    const unfit = await fetch(await get("download", { ResponseContentDisposition: "attachment; filename=文" }));
    expect([unfit.status, await codeOf(unfit)]).toEqual([400, "InvalidArgument"]);
  });

  it("lives until the second it was made for", async () => {
    await fetch(await put("short"), { method: "PUT", body: "x" });
    expect((await fetch(await get("short", {}, { signingDate: ago(50), expiresIn: 60 }))).status).toBe(200);
    const expired = await fetch(await get("short", {}, { signingDate: ago(61), expiresIn: 60 }));
    expect(expired.status).toBe(403);
    expect(await expired.text()).toContain("<Code>AccessDenied</Code><Message>Request has expired</Message>");
    const early = await fetch(await get("short", {}, { signingDate: ago(-3600), expiresIn: 60 }));
    expect([early.status, await codeOf(early)]).toEqual([403, "AccessDenied"]);
  });

  const change = (name: string, edit: (value: string) => string) => (url: URL) =>
    url.searchParams.set(name, edit(url.searchParams.get(name) ?? ""));
  it.each<[string, (url: URL) => void, string]>([
    ["another key", (url) => (url.pathname += "2"), "SignatureDoesNotMatch"],
    ["another bucket", (url) => (url.pathname = url.pathname.replace(Bucket, "no-cors")), "SignatureDoesNotMatch"],
    ["a longer life", change("X-Amz-Expires", () => "604800"), "SignatureDoesNotMatch"],
    ["a life beyond a week", change("X-Amz-Expires", () => "604801"), "AuthorizationQueryParametersError"],
    ["no life", (url) => url.searchParams.delete("X-Amz-Expires"), "AuthorizationQueryParametersError"],
    [
      "another time",
      change("X-Amz-Date", (date) => date.replace(/.Z$/, (end) => (end === "0Z" ? "1Z" : "0Z"))),
      "SignatureDoesNotMatch",
    ],
    ["another day than its scope", change("X-Amz-Date", () => "20200101T000000Z"), "AuthorizationHeaderMalformed"],
    [
      "another region",
      change("X-Amz-Credential", (value) => value.replace("us-east-1", "eu-west-1")),
      "SignatureDoesNotMatch",
    ],
    [
      "an unknown access key",
      change("X-Amz-Credential", (value) => value.replace(/^\w+/, "ASIAUNKNOWN")),
      "InvalidAccessKeyId",
    ],
    [
      "another signature",
      change("X-Amz-Signature", (value) => value.replace(/^./, (char) => (char === "0" ? "1" : "0"))),
      "SignatureDoesNotMatch",
    ],
    [
      "a signature that is none",
      change("X-Amz-Signature", (value) => "é".repeat(value.length)),
      "SignatureDoesNotMatch",
    ],
    ["another session token", change("X-Amz-Security-Token", () => "other"), "InvalidClientTokenId"],
    ["no session token", (url) => url.searchParams.delete("X-Amz-Security-Token"), "InvalidClientTokenId"],
    ["a parameter more", (url) => url.searchParams.set("response-content-type", "text/html"), "SignatureDoesNotMatch"],
    ["a header less to sign", change("X-Amz-SignedHeaders", () => ""), "SignatureDoesNotMatch"],
    ["no signature at all", (url) => (url.search = ""), "AccessDenied"],
  ])("with %s is refused", async (_, tamper, code) => {
    // Signed ten minutes ago, so that a change of the time stays inside its life.
    const url = new URL(await get("tamper", {}, { signingDate: ago(600), expiresIn: 3600 }));
    const before = url.href;
    tamper(url);
    expect(url.href).not.toBe(before);
    const answer = await fetch(url);
    expect(await codeOf(answer)).toBe(code);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  it("works for its own method only", async () => {
    const answer = await fetch(await get("method"), { method: "PUT", body: "x" });
    expect([answer.status, await codeOf(answer)]).toEqual([403, "SignatureDoesNotMatch"]);
  });

  it("takes no x-amz header that was not signed: a put cannot become a copy", async () => {
    await fetch(await put("secret"), { method: "PUT", body: "secret" });
    const headers = { "x-amz-copy-source": `/${Bucket}/secret` };
    const answer = await fetch(await put("stolen"), { method: "PUT", headers });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("<HeadersNotSigned>x-amz-copy-source</HeadersNotSigned>");
  });

  it("can do what its signer may do, at the time of its use", async () => {
    const tenant = embedded.clientAs("tenant");
    embedded.allows = () => true;
    const url = await getSignedUrl(tenant, new PutObjectCommand({ Bucket, Key: "quota" }));
    expect((await fetch(url, { method: "PUT", body: "x" })).status).toBe(200);
    embedded.allows = () => false;
    const answer = await fetch(url, { method: "PUT", body: "x" });
    expect([answer.status, await codeOf(answer)]).toEqual([403, "AccessDenied"]);
  });
});

describe("a web page of another origin", () => {
  const preflight = (origin: string, method: string, headers = "", bucket = Bucket) =>
    fetch(`${embedded.cloud.endpoint}/${bucket}/x`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        ...(headers && { "access-control-request-headers": headers }),
      },
    });

  it("may send what a rule allows", async () => {
    const answer = await preflight("https://app.example.com", "PUT", "Content-Type, x-amz-meta-task");
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": "https://app.example.com",
      "access-control-allow-methods": "GET, PUT, POST",
      "access-control-allow-headers": "content-type, x-amz-meta-task",
      "access-control-expose-headers": "ETag",
      "access-control-max-age": "600",
      vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
    });
    expect((await preflight("https://anywhere.org", "HEAD")).headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each([
    ["another origin", "https://example.org", "PUT", ""],
    ["an origin that only begins alike", "https://app.example.com.evil.org", "PUT", ""],
    ["another method", "https://app.example.com", "DELETE", ""],
    ["another header", "https://app.example.com", "PUT", "content-type, x-secret"],
  ])("may not send from %s", async (_, origin, method, headers) => {
    const answer = await preflight(origin, method, headers);
    expect([answer.status, await codeOf(answer)]).toEqual([403, "AccessForbidden"]);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("may not use a bucket without rules", async () => {
    expect((await preflight("https://app.example.com", "GET", "", "no-cors")).status).toBe(403);
  });

  it("can read the answers, errors among them", async () => {
    const headers = { origin: "http://localhost:5173" };
    const answer = await fetch(await put("cors"), { method: "PUT", body: "x", headers });
    expect(answer.headers.get("access-control-allow-origin")).toBe(headers.origin);
    expect(answer.headers.get("access-control-expose-headers")).toBe("ETag");
    for (const url of [await get("cors-missing"), `${await get("cors")}x`]) {
      expect((await fetch(url, { headers })).headers.get("access-control-allow-origin")).toBe(headers.origin);
    }
    const foreign = await fetch(await get("cors"), { headers: { origin: "https://example.org" } });
    expect([foreign.status, foreign.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });
});
