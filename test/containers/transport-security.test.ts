import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { credentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../containers/grpc/settings.ts";
import { PlainClient } from "./plain-client.ts";
import { serve } from "./served.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Needs openssl to make certificates; nothing in Node does. */
describe.skipIf(!hasOpenssl)("TLS", () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  const pem = (name: string) => readFileSync(file(name));
  const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "ignore" });

  function authority(name: string): void {
    const made = ["-keyout", file(`${name}.key`), "-out", file(`${name}.pem`), "-subj", `/CN=${name}`];
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...made);
  }

  function certificate(name: string, issuer: string, alternatives: string): void {
    const request = ["-keyout", file(`${name}.key`), "-out", file(`${name}.csr`), "-subj", `/CN=${name}`];
    openssl("req", "-newkey", "rsa:2048", "-nodes", ...request);
    writeFileSync(file(`${name}.ext`), `subjectAltName=${alternatives}\n`);
    const signed = ["-in", file(`${name}.csr`), "-out", file(`${name}.pem`), "-extfile", file(`${name}.ext`)];
    const by = ["-CA", file(`${issuer}.pem`), "-CAkey", file(`${issuer}.key`), "-CAcreateserial"];
    openssl("x509", "-req", "-days", "2", ...signed, ...by);
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sluice-grpc-tls-"));
    authority("ours");
    authority("theirs");
    certificate("server", "ours", "DNS:learner.test,IP:127.0.0.1");
    certificate("arm-1", "ours", "DNS:arm-1");
    certificate("stranger", "theirs", "DNS:arm-1");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const tls = () => ({ GRPC_TLS_CERTIFICATE: file("server.pem"), GRPC_TLS_KEY: pem("server.key").toString() });
  const mutual = () => ({ ...tls(), GRPC_TLS_CLIENT_CA: file("ours.pem") });
  const client = (port: number, name?: string) => {
    const pair = name ? [pem(`${name}.key`), pem(`${name}.pem`)] : [];
    return new PlainClient(port, credentials.createSsl(pem("ours.pem"), pair[0], pair[1]));
  };
  const soon = () => new Date(Date.now() + 5000);

  it("serves those who trust our authority, and nobody in plaintext", async () => {
    const { port, client: plaintext } = await serve(tls());
    const trusting = client(port);
    expect((await trusting.send("SendTransition", {})).code).toBe(status.OK);
    expect((await plaintext.send("SendTransition", {}, {}, soon())).code).toBe(status.UNAVAILABLE);
    trusting.close();
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("speaks %s with ALPN h2", async (version) => {
    const { port } = await serve(tls());
    const versions = { minVersion: version, maxVersion: version };
    const socket = connect({ port, host: "127.0.0.1", ca: pem("ours.pem"), ALPNProtocols: ["h2"], ...versions });
    await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    expect([socket.getProtocol(), socket.alpnProtocol]).toEqual([version, "h2"]);
    socket.destroy();
  });

  it("does not speak TLS 1.1", async () => {
    const { port } = await serve(tls());
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    const socket = connect({ port, host: "127.0.0.1", ca: pem("ours.pem"), ...old });
    const refused = new Promise((resolve, reject) => socket.once("error", resolve).once("secureConnect", reject));
    expect(await refused).toMatchObject({ code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
  });

  it("with client certificates turns away those who have none, or one of somebody else's", async () => {
    const { port } = await serve(mutual());
    for (const name of [undefined, "stranger"]) {
      const refused = client(port, name);
      expect((await refused.send("SendTransition", {}, {}, soon())).code).toBe(status.UNAVAILABLE);
      refused.close();
    }
  });

  it("with client certificates makes the producer who the certificate names, and nobody else", async () => {
    const { port, runs } = await serve(mutual());
    const arm = client(port, "arm-1");
    expect((await arm.send("SendTransition", {}, { "x-hil-seq": "1" })).code).toBe(status.OK);
    expect((await arm.send("SendTransition", {}, { "x-hil-producer": "arm-2" })).code).toBe(status.PERMISSION_DENIED);
    const { items } = runs.run({ tenant: "anonymous", name: "default" });
    expect(items.map(({ producer }) => producer)).toEqual(["arm-1"]);
    arm.close();
  });
});

describe("settings", () => {
  const settings = (given: Record<string, string>) => () => readSettings(given, { GRPC_PORT: "50051" });
  const pem = "-----BEGIN CERTIFICATE-----\n";
  const certificate = { GRPC_TLS_CERTIFICATE: pem, GRPC_TLS_KEY: pem };

  it.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])("on %s neither TLS nor tokens are needed", (GRPC_HOST) => {
    expect(settings({ GRPC_HOST })()).toMatchObject({ GRPC_AUTHENTICATION: "off", GRPC_MESSAGE_MIB: 64 });
  });

  it.each([
    ["plaintext for others", { GRPC_HOST: "0.0.0.0" }, "GRPC_PLAINTEXT: beyond loopback"],
    ["plaintext for others", { GRPC_HOST: "::" }, "GRPC_PLAINTEXT: beyond loopback"],
    ["what only looks like loopback", { GRPC_HOST: "127.0.0.1.example.test" }, "GRPC_PLAINTEXT: beyond loopback"],
    [
      "no tokens for others",
      { GRPC_HOST: "0.0.0.0", ...certificate, GRPC_AUTHENTICATION: "off" },
      "GRPC_AUTHENTICATION: beyond loopback",
    ],
    ["a certificate without its key", { GRPC_TLS_CERTIFICATE: pem }, "GRPC_TLS_KEY"],
    ["authorities without a certificate", { GRPC_TLS_CLIENT_CA: pem }, "GRPC_TLS_CLIENT_CA"],
    ["a file that is not there", { ...certificate, GRPC_TLS_KEY: "/nowhere/key.pem" }, "GRPC_TLS_KEY: .*ENOENT"],
    ["messages beyond 256 MiB", { GRPC_MESSAGE_MIB: "257" }, "GRPC_MESSAGE_MIB"],
    ["a port that is none", { GRPC_PORT: "x" }, "GRPC_PORT"],
  ])("refuse %s", (_, given, complaint) => {
    expect(settings(given)).toThrow(new RegExp(complaint));
  });

  it("beyond loopback ask for tokens, and take plaintext when told to, and certificates in place of tokens", () => {
    const GRPC_HOST = "0.0.0.0";
    expect(settings({ GRPC_HOST, ...certificate })().GRPC_AUTHENTICATION).toBe("on");
    expect(settings({ GRPC_HOST, GRPC_PLAINTEXT: "on" })().GRPC_AUTHENTICATION).toBe("on");
    const mutual = { GRPC_HOST, ...certificate, GRPC_TLS_CLIENT_CA: pem, GRPC_AUTHENTICATION: "off" };
    expect(settings(mutual)().GRPC_AUTHENTICATION).toBe("off");
  });
});
