import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { RE2JS } from "re2js";
import { parseDocument } from "yaml";
import * as z from "zod";
import { marks, modelLanguage, taintFamilies, taintFamiliesMax } from "../../functions/engine/catalogue/catalogue.ts";
import type { CatalogueData } from "../../functions/engine/catalogue/catalogue-data.ts";
import { compileCatalogue } from "../../functions/engine/catalogue/compile.ts";
import { headFile, modelsFile } from "../../functions/engine/catalogue/model-files.ts";
import { Model } from "../../functions/engine/catalogue/model-schema.ts";
import { Bilingual, Family, Rule, SecretProvider } from "../../functions/engine/catalogue/rule-schema.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const engine = join(root, "functions/engine");

/** Each by its exact path: some grammar packages carry older copies of others. */
const wasm: Record<string, string> = {
  "web-tree-sitter.wasm": "web-tree-sitter/web-tree-sitter.wasm",
  "tree-sitter-javascript.wasm": "tree-sitter-javascript/tree-sitter-javascript.wasm",
  "tree-sitter-typescript.wasm": "tree-sitter-typescript/tree-sitter-typescript.wasm",
  "tree-sitter-tsx.wasm": "tree-sitter-typescript/tree-sitter-tsx.wasm",
  "tree-sitter-python.wasm": "tree-sitter-python/tree-sitter-python.wasm",
  "tree-sitter-java.wasm": "tree-sitter-java/tree-sitter-java.wasm",
  "tree-sitter-php.wasm": "tree-sitter-php/tree-sitter-php.wasm",
  "tree-sitter-go.wasm": "tree-sitter-go/tree-sitter-go.wasm",
  "tree-sitter-c.wasm": "tree-sitter-c/tree-sitter-c.wasm",
  "tree-sitter-cpp.wasm": "tree-sitter-cpp/tree-sitter-cpp.wasm",
  "tree-sitter-c_sharp.wasm": "tree-sitter-c-sharp/tree-sitter-c_sharp.wasm",
  "tree-sitter-kotlin.wasm": "@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm",
  "tree-sitter-ruby.wasm": "tree-sitter-ruby/tree-sitter-ruby.wasm",
  "tree-sitter-rust.wasm": "tree-sitter-rust/tree-sitter-rust.wasm",
  "tree-sitter-bash.wasm": "tree-sitter-bash/tree-sitter-bash.wasm",
};

/** The parser or a grammar as it was installed, for who needs no rules. */
export const readWasm = (name: string): Promise<Uint8Array> => readFile(join(root, "node_modules", wasm[name] ?? name));

/** Writes what `createEngine` reads into a folder: grammars, and rules and models compiled to a catalogue. */
export async function writeEngineAssets(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(
    Object.entries(wasm).map(([name, path]) => copyFile(join(root, "node_modules", path), join(folder, name))),
  );
  const { head, languages } = compileCatalogue(await readCatalogue());
  await writeFile(join(folder, headFile), JSON.stringify(head));
  for (const [language, models] of languages)
    await writeFile(join(folder, modelsFile(language)), JSON.stringify(models));
}

/**
 * Reads and checks all rules and models.
 * @throws Error naming the file and the key, for a value that does not fit, an unknown family or source, a regex that does not compile
 */
export async function readCatalogue(): Promise<CatalogueData> {
  const files = (await readdir(engine, { recursive: true })).sort().map((name) => join(engine, name));
  const { families, sourceGroups, origins } = await read(join(engine, "rules/families.yaml"), Families);
  const rules = await Promise.all(
    files.filter((file) => file.endsWith("/rule.yaml")).map((file) => readRule(file, families)),
  );
  const models = await Promise.all(
    files
      .filter((file) => file.startsWith(join(engine, "models")) && file.endsWith(".yaml"))
      .map((file) => readModel(file, families)),
  );
  const followed = taintFamilies({ families, rules }).length;
  if (followed > taintFamiliesMax) throw new Error(`${followed} families of taint rules, at most ${taintFamiliesMax}`);
  const kinds = new Set(
    models.flatMap((model) => [
      ...model.sources.map((s) => s.kind),
      ...model.entryPoints.flatMap((e) => e.others ?? []),
    ]),
  );
  for (const rule of rules) {
    for (const name of rule.taint?.sources ?? []) {
      if (!sourceGroups[name] && !kinds.has(name)) throw new Error(`${rule.id}: taint.sources: nothing gives ${name}`);
    }
  }
  const catalogue = { families, sourceGroups, origins, rules, models };
  requireOrigins(catalogue);
  return catalogue;
}

const Families = z.strictObject({
  families: z.record(z.string(), Family),
  sourceGroups: z.record(z.string(), z.array(z.string()).min(1)),
  origins: z.record(z.string(), Bilingual),
});

/** A rule whose texts name the origin of a value needs words for every kind of source that it asks for. */
function requireOrigins({ rules, sourceGroups, origins }: CatalogueData): void {
  const kindsOf = (name: string): string[] => sourceGroups[name] ?? [name];
  const known = new Set(Object.keys(origins).flatMap(kindsOf));
  for (const { id, message, taint } of rules) {
    if (!/\{origin\}/.test(message.zh + message.en)) continue;
    const wordless = (taint?.sources ?? []).flatMap(kindsOf).find((kind) => !known.has(kind));
    if (!taint || wordless) throw new Error(`${id}: message: no words for where ${wordless ?? "a value"} comes from`);
  }
}

async function readRule(file: string, families: Record<string, Family>): Promise<Rule> {
  const rule = await read(file, Rule, await providersOf(file));
  const [topic, name] = relative(join(engine, "rules"), dirname(file)).split("/");
  if (rule.id !== `${topic}.${name}`) throw new Error(`${relative(root, file)}: id: the folder says ${topic}.${name}`);
  knownFamilies(file, [rule.family], families);
  for (const language of rule.languages) {
    const base = modelLanguage(language);
    if (!rule.languages.some((listed) => listed === base))
      throw new Error(`${relative(root, file)}: languages: files of ${language} are read with the rules of ${base}`);
  }
  for (const key of ["title", "message", "fix"] as const) {
    if (slots(rule[key].zh) !== slots(rule[key].en))
      throw new Error(`${relative(root, file)}: ${key}: zh and en fill other slots`);
  }
  checkRegexes(file, rule);
  return rule;
}

/** A rule of many services keeps them in a file of their own: they are data, and share the rule's texts. */
async function providersOf(file: string): Promise<(document: unknown) => unknown> {
  const beside = join(dirname(file), "providers.yaml");
  if (!existsSync(beside)) return (document) => document;
  const providers = await read(beside, z.array(SecretProvider));
  return (document) => Object.assign(document as object, { secret: { providers } });
}

async function readModel(file: string, families: Record<string, Family>): Promise<Model> {
  const model = await read(file, Model);
  const place = `${model.language}/${model.framework}.yaml`;
  if (!file.endsWith(place)) throw new Error(`${relative(root, file)}: framework: the file should be models/${place}`);
  const cleans = [...model.sanitizers, ...model.guards].flatMap((entry) =>
    entry.cleans === "all" ? [] : entry.cleans,
  );
  const returns = model.entryPoints.flatMap((entry) => entry.returns.map(({ family }) => family));
  knownFamilies(
    file,
    [...cleans.filter((name) => !Object.hasOwn(marks, name)), ...returns, ...model.sinks.map((sink) => sink.family)],
    families,
  );
  checkRegexes(file, model);
  return model;
}

async function read<T>(
  file: string,
  schema: z.ZodType<T>,
  complete: (document: unknown) => unknown = (document) => document,
): Promise<T> {
  const document = parseDocument(await readFile(file, "utf8"), { uniqueKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new Error(`${relative(root, file)}: ${problem.message}`);
  const result = schema.safeParse(complete(document.toJS()));
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => `${issue.path.join(".") || "(top)"}: ${issue.message}`);
  throw new Error(`${relative(root, file)}: ${issues.join("; ")}`);
}

const slots = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join();

function knownFamilies(file: string, used: readonly string[], families: Record<string, Family>): void {
  for (const family of used)
    if (!families[family]) throw new Error(`${relative(root, file)}: family: ${family} is not in rules/families.yaml`);
}

/** Compiles every regular expression, so that a mistake shows here and not in a scan. */
function checkRegexes(file: string, value: unknown, key = ""): void {
  if (Array.isArray(value)) for (const item of value) checkRegexes(file, item, key);
  else if (value && typeof value === "object")
    for (const [name, item] of Object.entries(value)) checkRegexes(file, item, name);
  else if (
    typeof value === "string" &&
    [
      "regex",
      "regexes",
      "matches",
      "near",
      "notNear",
      "notFile",
      "receiver",
      "result",
      "safePrefix",
      "allow",
      "token",
      "named",
      "value",
      "begins",
      "each",
      "skip",
      "only",
      "key",
      "notMatches",
      "records",
      "pathMatches",
      "prefix",
    ].includes(key)
  ) {
    try {
      RE2JS.compile(value);
    } catch (error) {
      throw new Error(`${relative(root, file)}: ${key}: ${value}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
