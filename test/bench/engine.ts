import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { FileArtefact, SourceFile } from "../../functions/engine/artefact.ts";
import { createEngine, type Engine } from "../../functions/engine/engine.ts";
import { writeEngineAssets } from "../../lib/bundle/engine-assets.ts";
import { isFound, sampleApplications } from "../engine/sample-applications.ts";
import type { Report, Task } from "./engine/process.ts";

const rules = join(import.meta.dirname, "../../functions/engine/rules");
/** The rule fixtures and sample applications, this many times over, are the source that is audited when no folder is given. */
const copies = 10;
const rounds = 3;
/** Starts are short, so what else the machine does shows most in them: two in a row differ by half. */
const starts = 15;
/** What a worker is asked first; what its language needs is loaded with it. */
const smallFiles: Record<string, [path: string, text: string]> = {
  javascript: ["a.js", 'require("express")().get("/", (req, res) => res.send("hello"));\n'],
  python: [
    "a.py",
    'from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get("/")\ndef hello():\n    return "hello"\n',
  ],
  java: ["A.java", "class A {\n  int twice(int n) {\n    return 2 * n;\n  }\n}\n"],
};
/** One file in so many has changed when the same source is scanned again. */
const changedOneIn = 100;

/**
 * Audits a folder, or a synthetic one, and prints what it took of one core's time, each language apart: `npm run bench -- engine [folder]`.
 * Memory is that of a process of its own. Then it prints what is found of what our sample applications have marked.
 */
export default async function bench([folder]: string[] = []): Promise<void> {
  const folderOfAll = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const assets = join(folderOfAll, "engine");
  try {
    await writeEngineAssets(assets);
    const files = folder ? await filesOf(folder) : await synthetic();
    const engine = await createEngine({ read: (name) => readFile(join(assets, name)) });
    const all = await speeds(engine, files);
    console.table({
      ...Object.fromEntries(
        Object.keys(smallFiles).map((language) => [`cold start, ${language}, ms`, coldStart(assets, language)]),
      ),
      files: files.length,
      megabytes: megabytes(files),
      findings: all.findings,
      "analysis, s": round(all.analysis / 1000),
      "linking, s": round(all.linking / 1000),
      "again, 1 % changed, % of the time": await again(engine, files, all),
      "patterns and secrets only, MB/s": await textSpeed(engine, files),
      "RSS peak of a worker, MB": round(
        worker("javascript", { assets, folder: folder ?? rules, rounds: 1 }).peak / 1e6,
      ),
    });
    console.table(
      Object.fromEntries(
        Object.keys(smallFiles).map((language) => [
          `${language}, alone`,
          speedAlone(assets, language, folder ?? rules),
        ]),
      ),
    );
    console.table(all.languages);
    console.table(countBy(all.artefacts.map(({ coverage: { status, reason } }) => `${status} ${reason ?? ""}`.trim())));
    console.table(await marksFound(engine));
  } finally {
    await rm(folderOfAll, { recursive: true, force: true });
  }
}

interface Speeds {
  readonly artefacts: readonly FileArtefact[];
  readonly findings: number;
  /** Milliseconds of one core, the median of all rounds. */
  readonly analysis: number;
  readonly linking: number;
  /** Of the files that were analysed as a whole. */
  readonly languages: Record<string, { files: number; megabytes: number; "MB/s": number }>;
}

async function speeds(engine: Engine, files: readonly SourceFile[]): Promise<Speeds> {
  const took: Map<string, number[]> = new Map();
  const analysis: number[] = [];
  const linking: number[] = [];
  let artefacts: FileArtefact[] = [];
  let findings = 0;
  for (let n = 0; n < rounds; n++) {
    artefacts = [];
    const round: Record<string, number> = {};
    let all = 0;
    for (const file of files) {
      const began = busy();
      const artefact = await engine.analyse(file);
      const time = busy() - began;
      all += time;
      const { language, status } = artefact.coverage;
      if (status === "analysed") round[language] = (round[language] ?? 0) + time;
      artefacts.push(artefact);
    }
    analysis.push(all);
    for (const [language, time] of Object.entries(round)) took.set(language, [...(took.get(language) ?? []), time]);
    const began = busy();
    findings = engine.link(artefacts).length;
    linking.push(busy() - began);
  }
  // What is minified, or too large, is searched for secrets and no more: it would make its language seem faster.
  const byLanguage = Map.groupBy(files, (_, i) => {
    const { status, language } = (artefacts[i] as FileArtefact).coverage;
    return status === "analysed" ? language : "";
  });
  byLanguage.delete("");
  const languages = [...byLanguage]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([language, ofIt]) => {
      const time = median(took.get(language) ?? []);
      return [language, { files: ofIt.length, megabytes: megabytes(ofIt), "MB/s": round(bytesOf(ofIt) / 1000 / time) }];
    });
  return {
    artefacts,
    findings,
    analysis: median(analysis),
    linking: median(linking),
    languages: Object.fromEntries(languages),
  };
}

/** From the first call in a new process until a small file was analysed. */
const coldStart = (assets: string, language: string): number =>
  round(median(Array.from({ length: starts }, () => worker(language, { assets, folder: "", rounds: 0 }).start)));

/** One language in a worker that has met no other: as fast as its first files are, and as it is when all of them were there once. */
function speedAlone(assets: string, language: string, folder: string): Record<string, number> {
  const { files, bytes, times } = worker(language, { assets, folder, rounds, language });
  const [first = 0] = times;
  return {
    files,
    megabytes: round(bytes / 1e6),
    "MB/s": round(bytes / 1000 / median(times)),
    "MB/s, first round": round(bytes / 1000 / first),
  };
}

function worker(language: string, work: Omit<Task, "first">): Report {
  const first = smallFiles[language];
  if (!first) throw new Error(`no small file of ${language}`);
  const task: Task = { ...work, first };
  const given = [join(import.meta.dirname, "engine/process.ts"), JSON.stringify(task)];
  // A worker has no cache of compiled code, and with one the code that runs first is slower: an eighth of a start.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
  return JSON.parse(
    execFileSync(process.execPath, given, { env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }),
  );
}

/** As the service does it: every file is compared by its hash, those that differ are analysed, and all are linked. */
async function again(engine: Engine, files: readonly SourceFile[], first: Speeds): Promise<number> {
  const changed = files.map(({ path, bytes }, i) =>
    i % changedOneIn === 0 ? { path, bytes: Buffer.concat([bytes, Buffer.from("\n")]) } : { path, bytes },
  );
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const began = busy();
    const artefacts: FileArtefact[] = [];
    for (const [i, file] of changed.entries()) {
      const known = first.artefacts[i] as FileArtefact;
      const same = createHash("sha256").update(file.bytes).digest("hex") === known.sha256;
      artefacts.push(same ? known : await engine.analyse(file));
    }
    engine.link(artefacts);
    times.push(busy() - began);
  }
  return round((100 * median(times)) / (first.analysis + first.linking));
}

/** The same bytes under a name that no grammar reads. */
async function textSpeed(engine: Engine, files: readonly SourceFile[]): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const began = busy();
    for (const { path, bytes } of files) await engine.analyse({ path: `${path}.text`, bytes });
    times.push(busy() - began);
  }
  return round(bytesOf(files) / 1000 / median(times));
}

/** Recall over what is marked vulnerable, precision over what is marked at all; known gaps count as what they are. */
async function marksFound(engine: Engine): Promise<Record<string, object>> {
  const counts: Record<string, { vulnerable: number; found: number; safe: number; flagged: number }> = {};
  for (const { name, files, marks } of sampleApplications()) {
    const artefacts: FileArtefact[] = [];
    for (const file of files) artefacts.push(await engine.analyse(file));
    const findings = engine.link(artefacts);
    for (const mark of marks) {
      const language = name.split("/", 1)[0] as string;
      for (const key of [`${language} ${mark.family}`, `${language}, all`]) {
        counts[key] ??= { vulnerable: 0, found: 0, safe: 0, flagged: 0 };
        const hit = isFound(findings, mark) ? 1 : 0;
        counts[key][mark.says === "vuln" ? "vulnerable" : "safe"]++;
        counts[key][mark.says === "vuln" ? "found" : "flagged"] += hit;
      }
    }
  }
  const share = (part: number, whole: number) => (whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`);
  return Object.fromEntries(
    Object.entries(counts)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { vulnerable, found, safe, flagged }]) => [
        key,
        { vulnerable, safe, recall: share(found, vulnerable), precision: share(found, found + flagged) },
      ]),
  );
}

async function filesOf(folder: string): Promise<SourceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const kept = paths.filter((path) => !/(^|\/)(node_modules|\.git)\//.test(path)).sort();
  return Promise.all(kept.map(async (path) => ({ path: relative(folder, path), bytes: await readFile(path) })));
}

async function synthetic(): Promise<SourceFile[]> {
  const fixtures = (await filesOf(rules)).filter((file) => file.path.includes("/fixtures/"));
  const samples = sampleApplications().flatMap(({ name, files }) =>
    files.map(({ path, bytes }) => ({ path: `${name}/${path}`, bytes })),
  );
  return Array.from({ length: copies }, (_, i) =>
    [...fixtures, ...samples].map((file) => ({ ...file, path: `copy${i}/${file.path}` })),
  ).flat();
}

/** Milliseconds that this thread has computed: what others do on the machine does not count. */
const busy = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
const bytesOf = (files: readonly SourceFile[]) => files.reduce((sum, file) => sum + file.bytes.length, 0);
const megabytes = (files: readonly SourceFile[]) => round(bytesOf(files) / 1e6);
const round = (value: number) => Math.round(value * 100) / 100;
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
