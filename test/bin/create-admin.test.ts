import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signedPost } from "../../bin/create-admin/aws-api.ts";
import { readPassword } from "../../bin/create-admin/read-password.ts";
import { runCreateAdmin } from "../../bin/create-admin/run-create-admin.ts";
import { taskHandler } from "../../functions/platform/workflow-task.ts";
import { passwordMatches } from "../../functions/users/password.ts";
import { readUserByEmail } from "../../functions/users/user-store.ts";
import { createAdministrator } from "../../functions/users/workflow/create-administrator.ts";
import { signatureOf, verifySignature } from "../../lib/local/sigv4.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const password = "kX9$mQ2!vb";
const functionName = "Sluice-test-FunctionsCreateAdministrator-1A2B3C";
let data: EmbeddedData;
let aws: Server;
/** Everything that travelled, to look for what must not. */
let sent = "";

beforeAll(async () => {
  data = await startEmbeddedData();
  aws = createServer(async (request, response) => {
    const body = await text(request);
    sent += body;
    const url = new URL(request.url as string, "http://localhost");
    try {
      verify(request.headers, url, body);
      const answer = await answerTo(url.pathname, body);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    } catch (error) {
      response.writeHead(403).end(JSON.stringify({ message: (error as Error).message }));
    }
  });
  await new Promise<void>((resolve) => aws.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  aws.close();
  await data.stop();
});

function verify(headers: Record<string, unknown>, url: URL, body: string): void {
  const signature = signatureOf(headers as never, url);
  if (!signature) throw new Error("The request is not signed.");
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  const caller = {
    role: "operator",
    accessKeyId: AWS_ACCESS_KEY_ID as string,
    secretAccessKey: AWS_SECRET_ACCESS_KEY as string,
    sessionToken: AWS_SESSION_TOKEN ?? null,
  };
  const contentSha256 = createHash("sha256").update(body).digest("hex");
  const request = { method: "POST", url, rawPath: url.pathname, headers: headers as never, contentSha256 };
  verifySignature(signature, caller as never, request, new Date());
}

/** CloudFormation with one stack, and Lambda with one function, which is the real one on the embedded table. */
async function answerTo(
  path: string,
  body: string,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const xml = { "Content-Type": "text/xml" };
  if (path === "/") {
    const stack = new URLSearchParams(body).get("StackName");
    if (stack !== "Sluice-test") {
      const message = `Stack with id ${stack} does not exist`;
      return {
        status: 400,
        headers: xml,
        body: `<ErrorResponse><Error><Message>${message}</Message></Error></ErrorResponse>`,
      };
    }
    const output = (key: string, value: string) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`;
    const outputs = output("ApiUrl", "https://x") + output("CreateAdministratorFunction", functionName);
    const answer = `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${stack}</StackName><Outputs>${outputs}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
    return { status: 200, headers: xml, body: answer };
  }
  expect(path).toBe(`/2015-03-31/functions/${functionName}/invocations`);
  const run = taskHandler("createAdministrator", createAdministrator);
  try {
    const result = await run(JSON.parse(body), { awsRequestId: "1" } as never);
    return { status: 200, headers: {}, body: JSON.stringify(result) };
  } catch (error) {
    const failed = { errorType: (error as Error).name, errorMessage: (error as Error).message };
    return { status: 200, headers: { "X-Amz-Function-Error": "Unhandled" }, body: JSON.stringify(failed) };
  }
}

async function run(args: string[], typed = `${password}\n`) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(typed);
  const env = { AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}` };
  const code = await runCreateAdmin(args, { stdin, stdout, stderr, env });
  stdout.end();
  stderr.end();
  return { code, out: await text(stdout), err: await text(stderr) };
}

describe("create-admin", () => {
  it("makes an administrator by the stack's own function, and sends no password anywhere", async () => {
    const args = ["--stage", "test", "--email", "Ada@Example.test", "--name", "Ada L."];
    expect(await run(args)).toEqual({
      code: 0,
      out: "ada@example.test is an administrator of stage test now.\n",
      err: "",
    });
    const user = await readUserByEmail("ada@example.test");
    expect(user).toMatchObject({ role: "admin", isActive: true, fullName: "Ada L." });
    expect(await passwordMatches(password, user?.passwordHash ?? "")).toBe(true);
    expect(sent).toContain("$scrypt$");
    expect(sent).not.toContain(password);
    // Again: there is one, and it stays as it is.
    const again = await run(args, "another good one\n");
    expect(again).toMatchObject({ code: 1, err: "ada@example.test already has an account; nothing was changed.\n" });
    expect((await readUserByEmail("ada@example.test"))?.passwordHash).toBe(user?.passwordHash);
  });

  it.each([
    ["the stack does not exist", "nowhere", `${password}\n`, "Stack with id Sluice-nowhere does not exist"],
    ["the password is common", "test", "Password1!\n", "among the first that a guesser tries"],
    ["the password is short", "test", "kX9$\n", "8 to 1024 bytes"],
    ["no password comes", "test", "", "No password was given."],
  ])("says so when %s", async (_, stage, typed, message) => {
    const { code, out, err } = await run(["--stage", stage, "--email", "bob@example.test"], typed);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
    expect(await readUserByEmail("bob@example.test")).toBeNull();
  });

  it.each([
    [[]],
    [["--stage", "test"]],
    [["--stage", "Test!", "--email", "a@example.test"]],
    [["--stage", "test", "--email", "nobody"]],
    [["--stage", "test", "--email", "a@example.test", "--password", "x"]],
  ])("shows how it is used for %j", async (args) => {
    expect(await run(args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining("npm run create-admin") });
  });
});

describe("the question for a password", () => {
  const ask = async (typed: string) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
    const stderr = new PassThrough();
    const password = readPassword({ stdin, stderr }).finally(() => stderr.end());
    stdin.write(typed);
    const [result] = await Promise.allSettled([password]);
    return { result, shown: await text(stderr) };
  };

  it("shows nothing of what is typed on a terminal, and understands corrections", async () => {
    const { result, shown } = await ask("kX9$mQ2!vc\x7fb\rkX9$mQ2!vb\r");
    expect(result).toEqual({ status: "fulfilled", value: password });
    expect(shown).toBe("Password: \nOnce more: \n");
  });

  it("fails when the two are not the same, and when it is broken off", async () => {
    expect((await ask("kX9$mQ2!vb\rkX9$mQ2!vx\r")).result).toMatchObject({ status: "rejected" });
    expect((await ask("kX9\x03")).result).toMatchObject({ reason: { message: "No password was given." } });
  });
});

it("signs as AWS's own example of a signed POST does", () => {
  // "post-x-www-form-urlencoded" of the published Signature Version 4 test suite.
  const headers = signedPost(
    {
      url: new URL("https://example.amazonaws.com/"),
      service: "service",
      region: "us-east-1",
      contentType: "application/x-www-form-urlencoded",
      body: "Param1=value1",
      at: new Date("2015-08-30T12:36:00Z"),
    },
    { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
  );
  expect(headers.authorization).toMatch(
    /SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a$/,
  );
});
