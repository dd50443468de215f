import { mkdtemp, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { providers } from "../../functions/llm/providers.ts";
import { bundleCode } from "../../lib/bundle/bundle.ts";
import { zodOfModels } from "../../lib/bundle/zod-of-models.ts";
import { clientFor, formats, greeting, settingsOf } from "./loopback-model.ts";

let folder: string;
let outputs: Metafile["outputs"];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-bundle-"));
  ({ outputs } = await bundleCode(folder));
});
afterAll(() => rm(folder, { recursive: true }));

const entryOf = (file: string) => Object.keys(outputs).find((path) => path.endsWith(`/${file}/index.mjs`)) as string;

/** What is read when a file is loaded: itself, and all that it and those import statically. */
function loaded(file: string, seen = new Set<string>()): Set<string> {
  const output = outputs[file];
  if (seen.has(file) || !output) return seen;
  seen.add(file);
  for (const { path, kind } of output.imports) if (kind === "import-statement") loaded(path, seen);
  return seen;
}

const kilobytes = (files: Iterable<string>) =>
  Math.round([...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0) / 1000);

const inputsOf = (files: Iterable<string>) => [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));

it("takes Node's own modules without reading all that they have", () => {
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ path }) => isBuiltin(path)));
  expect(imported.filter(({ kind, path }) => kind !== "dynamic-import" || path === "node:http")).toEqual([]);
});

describe("the bundle of a function that asks models", () => {
  it("is no larger than other functions may be, and has no provider's package in it", () => {
    const always = loaded(entryOf("test-llm"));
    console.log(`test-llm: ${kilobytes(always)} kB`);
    // The budget of a function: what is read before its first request.
    expect(kilobytes(always)).toBeLessThan(600);
    expect(inputsOf(always).filter((path) => /@ai-sdk\/(?!provider\/)|zod-of-models|locales\/fr/.test(path))).toEqual(
      [],
    );
  });

  it("reads the package of one provider when that is asked", () => {
    const always = loaded(entryOf("test-llm"));
    const asked = [...always].flatMap((file) =>
      (outputs[file]?.imports ?? []).filter(
        ({ path, kind }) => kind === "dynamic-import" && /ai-sdk|adapters/.test(outputs[path]?.entryPoint ?? ""),
      ),
    );
    expect(new Set(asked.map(({ path }) => path)).size).toBeGreaterThanOrEqual(5);
    for (const { path } of asked) {
      const more = [...loaded(path)].filter((file) => !always.has(file));
      console.log(`  + ${outputs[path]?.entryPoint}: ${kilobytes(more)} kB`);
      expect(kilobytes(more)).toBeLessThan(700);
    }
    expect(asked.length).toBeLessThanOrEqual(new Set(providers.map(({ wire }) => wire)).size);
  });

  it("leaves functions that ask none as they were", () => {
    const always = loaded(entryOf("read-health"));
    console.log(`read-health: ${kilobytes(always)} kB`);
    expect(inputsOf(always).filter((path) => /@ai-sdk|locales\/fr/.test(path))).toEqual([]);
    expect(kilobytes(always)).toBeLessThan(600);
  });
});

it("asks models when it is bundled, with a zod of the packages' own", async () => {
  const outfile = join(folder, "ask-model.mjs");
  const entryPoints = ["functions/llm/ask-model.ts"];
  await build({
    entryPoints,
    outfile,
    plugins: [zodOfModels],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
  });
  const { askModel } = await import(outfile);
  const fake = await startFakeLlm();
  try {
    for (const [provider, path] of formats) {
      const asked = askModel(settingsOf(provider, fake.url + path), greeting, clientFor(fake.url));
      expect(await asked).toMatchObject({ text: "Hello", finish: "stop" });
    }
  } finally {
    await fake.close();
  }
});
