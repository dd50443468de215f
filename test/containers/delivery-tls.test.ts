import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { ask, type Message } from "./extension-client.ts";
import { definitions, PlainClient } from "./plain-client.ts";
import { ServedProcess } from "./served-process.ts";

/** Makes the certificates; nothing in Node does. */
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

let data: EmbeddedData;
let folder: string;
const file = (name: string) => join(folder, name);
beforeAll(async () => {
  data = await startEmbeddedData();
  folder = mkdtempSync(join(tmpdir(), "sluice-delivery-tls-"));
});
afterAll(async () => {
  await data.stop();
  rmSync(folder, { recursive: true });
});

const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "ignore" });

/** An authority of its own and what it says of this machine. */
function certificateOf(authority: string): { key: Buffer; certificate: Buffer } {
  const key = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", file(`${name}.key`)];
  const name = `${authority}-actor`;
  openssl(
    "req",
    "-x509",
    ...key(authority),
    "-days",
    "2",
    "-out",
    file(`${authority}.pem`),
    "-subj",
    `/CN=${authority}`,
  );
  openssl("req", ...key(name), "-out", file(`${name}.csr`), "-subj", `/CN=${name}`);
  writeFileSync(file(`${name}.ext`), "subjectAltName=IP:127.0.0.1\n");
  const by = ["-CA", file(`${authority}.pem`), "-CAkey", file(`${authority}.key`), "-CAcreateserial", "-days", "2"];
  openssl(
    "x509",
    "-req",
    "-in",
    file(`${name}.csr`),
    ...by,
    "-extfile",
    file(`${name}.ext`),
    "-out",
    file(`${name}.pem`),
  );
  return { key: readFileSync(file(`${name}.key`)), certificate: readFileSync(file(`${name}.pem`)) };
}

/** An actor that is reached over TLS only. @returns its address and what it has received */
async function startActor(authority: string): Promise<{ address: string; received: string[] }> {
  const { key, certificate } = certificateOf(authority);
  const received: string[] = [];
  const server = new Server();
  const { SendParameters } = definitions.ActorService;
  server.addService(
    { SendParameters },
    {
      SendParameters: (call: Message, answer: (error: null, message: object) => void) => {
        received.push(String(call.request.parameter_bytes));
        answer(null, {});
      },
    },
  );
  onTestFinished(() => server.forceShutdown());
  const credentials = ServerCredentials.createSsl(null, [{ private_key: key, cert_chain: certificate }]);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  return { address: `https://127.0.0.1:${port}`, received };
}

it.skipIf(!hasOpenssl)("parameters go over TLS to an actor whose certificate is trusted, and to no other", async () => {
  const [trusted, stranger] = [await startActor("ours"), await startActor("theirs")];
  const relay = await ServedProcess.start("actor", { GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: file("ours.pem") });
  const client = new PlainClient(relay.port);
  onTestFinished(() => client.close());
  for (const { address } of [stranger, trusted])
    expect((await ask(client, "ActorRegistryService/RegisterActor", { run: "tls", address })).code).toBe(status.OK);
  const pushed = await client.send("SendParameters", { parameter_bytes: Buffer.from("new") }, { "x-hil-run": "tls" });
  expect(pushed.code).toBe(status.OK);
  for (;;) {
    const { actors } = (await ask(client, "ActorRegistryService/ListActors", { run: "tls" })).answer;
    const of = (address: string) => actors.find((actor: Message) => actor.address === address);
    if (of(trusted.address).delivered_version === 0 || of(stranger.address).failures === 0) continue;
    expect(of(stranger.address)).toMatchObject({ delivered_version: 0, last_failure: "UNAVAILABLE" });
    break;
  }
  expect([trusted.received, stranger.received]).toEqual([["new"], []]);
});
