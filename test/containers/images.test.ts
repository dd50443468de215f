import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { healthOf } from "./health-client.ts";
import { PlainClient } from "./plain-client.ts";
import { reflect } from "./reflection-client.ts";

const root = resolve(import.meta.dirname, "../..");

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, those that go on over several lines as one. */
function instructionsOf(program: string): Instruction[] {
  const text = readFileSync(join(root, `containers/${program}/Dockerfile`), "utf8");
  return text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", ...rest] = line.split(" ");
      return { name, text: rest.join(" ") };
    });
}

const textsOf = (instructions: readonly Instruction[], wanted: string): string[] =>
  instructions.filter(({ name }) => name === wanted).map(({ text }) => text);

/** What is in the image, and nothing from before it. */
const lastStage = (instructions: readonly Instruction[]): Instruction[] =>
  instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** Folders of the packages that the first stage leaves: those that `npm ci` installs with its options, without those that are removed again. */
function packagesOf(instructions: readonly Instruction[]): string[] {
  const [install = ""] = textsOf(instructions, "RUN");
  expect(install).toMatch(/^npm ci --omit=dev --omit=optional --ignore-scripts /);
  const removed = /rm -rf (.*)$/.exec(install)?.[1]?.split(" ") ?? [];
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries<Locked>(packages)
    .filter(([folder, { dev, optional, devOptional }]) => folder !== "" && !dev && !optional && !devOptional)
    .map(([folder]) => folder)
    .filter((folder) => !removed.some((gone) => folder === gone || folder.startsWith(`${gone}/`)));
}

/** Makes a folder that holds what the working directory of the image would, and nothing else. */
function unpacked(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const instructions = instructionsOf(program);
  for (const copy of textsOf(lastStage(instructions), "COPY")) {
    const [from = "", to = "", ...more] = copy.split(" ").filter((word) => !word.startsWith("--"));
    expect([copy, more]).toEqual([copy, []]);
    if (copy.startsWith("--from=packages")) {
      for (const name of packagesOf(instructions)) {
        // A package within another one comes with that one's folder.
        if (name.lastIndexOf("node_modules/") > 0) continue;
        mkdirSync(join(folder, dirname(name)), { recursive: true });
        symlinkSync(join(root, name), join(folder, name));
      }
    } else cpSync(join(root, from), join(folder, to === "./" ? from : to), { recursive: true });
  }
  return folder;
}

/** Starts what the image would start, in that folder. @returns its port, once it listens */
async function started(program: string, folder: string): Promise<number> {
  const [entry = "[]"] = textsOf(lastStage(instructionsOf(program)), "ENTRYPOINT");
  const [node, ...args] = JSON.parse(entry) as string[];
  expect(node).toBe("node");
  // Packages are links into this checkout, and must not find there what the image lacks.
  const child = spawn(process.execPath, ["--preserve-symlinks", "--preserve-symlinks-main", ...args], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", GRPC_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
  const said: string[] = [];
  createInterface(child.stderr).on("line", (line) => said.push(line));
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    const port = /listens on port (\d+)/.exec(line)?.[1];
    if (port) return Number(port);
  }
  throw new Error(said.join("\n"));
}

describe.each(["learner", "actor"])("the image of the %s", (program) => {
  const instructions = instructionsOf(program);

  it("is made in stages, of one base that is pinned and is the Node that is tested here", () => {
    const bases = textsOf(instructions, "FROM").map((text) => text.split(" ")[0]);
    expect(new Set(bases).size).toBe(1);
    expect(bases.length).toBeGreaterThan(1);
    expect(bases[0]).toBe(`node:${process.versions.node}-bookworm-slim`);
  });

  it("runs Node as process 1, not as root, and downloads nothing but locked packages", () => {
    const image = lastStage(instructions);
    expect(textsOf(image, "USER")).toEqual(["node"]);
    expect(textsOf(image, "ENTRYPOINT")).toEqual([`["node", "containers/${program}/main.ts"]`]);
    for (const name of ["RUN", "ADD", "CMD", "SHELL"]) expect([name, textsOf(image, name)]).toEqual([name, []]);
    expect(textsOf(instructions, "RUN")).toHaveLength(1);
  });

  it("holds all that the program needs: it serves, is healthy and describes itself", async () => {
    const port = await started(program, unpacked(program));
    const client = new PlainClient(port);
    onTestFinished(() => client.close());
    const service = program === "learner" ? "hil_serl.LearnerService" : "hil_serl.ActorService";
    expect(await healthOf(client, service)).toBe("SERVING");
    expect((await reflect(client, "v1", service)).services).toContain(service);
    const [method, message] =
      program === "learner"
        ? (["SendTransition", { transition_bytes: Buffer.from("t") }] as const)
        : (["SendParameters", { parameter_bytes: Buffer.from("w") }] as const);
    expect((await client.send(method, message, { "x-hil-run": "image" })).code).toBe(status.OK);
  });
});
