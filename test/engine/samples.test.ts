import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import { analyseOne, openEngine } from "./engine-under-test.ts";

/** One folder a language, in it one folder an application. */
const samples = join(import.meta.dirname, "samples");

/** `vuln: <family>` and `safe: <family>` speak about the next line; `todo-vuln:` and `todo-safe:` list known gaps. */
interface Mark {
  place: string;
  family: string;
  says: "vuln" | "safe";
  todo: boolean;
}

interface Application {
  name: string;
  files: { path: string; source: string }[];
  marks: Mark[];
}

const applications: Application[] = readdirSync(samples)
  .sort()
  .flatMap((language) =>
    readdirSync(join(samples, language))
      .sort()
      .map((app) => readApplication(`${language}/${app}`)),
  );

function readApplication(name: string): Application {
  const folder = join(samples, name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: relative(folder, file), source: readFileSync(file, "utf8") }));
  return { name, files, marks: files.flatMap(({ path, source }) => marksOf(path, source)) };
}

function marksOf(path: string, source: string): Mark[] {
  const lines = source.split("\n");
  return lines.flatMap((line, i) =>
    [...line.matchAll(/\b(todo-)?(vuln|safe): ([a-z_]+)/g)].map(([, todo, says, family]) => {
      // Several marks about one line stand above each other.
      let next = i + 1;
      while (/\b(todo-)?(vuln|safe): [a-z_]+/.test(lines[next] ?? "")) next++;
      return { place: `${path}:${next + 1}`, family, says, todo: todo !== undefined } as Mark;
    }),
  );
}

const findings = new Map<string, Finding[]>();
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  for (const { name, files } of applications) {
    const artefacts = await Promise.all(files.map(({ path, source }) => analyseOne(engine, path, source)));
    findings.set(name, engine.link(artefacts));
  }
});

const foundAt = (app: string, { place, family }: Mark): boolean =>
  (findings.get(app) ?? []).some(
    (finding) => finding.family === family && `${finding.path}:${finding.startLine}` === place,
  );

describe.each(applications.map((app) => [app.name, app] as const))("sample %s", (name, { marks }) => {
  const missed = (says: Mark["says"], wanted: boolean) =>
    marks
      .filter((mark) => mark.says === says && !mark.todo && foundAt(name, mark) !== wanted)
      .map((mark) => `${mark.place} ${mark.family}`);

  it("finds what is vulnerable", () => {
    expect(missed("vuln", true)).toEqual([]);
  });

  it("leaves alone what is safe", () => {
    expect(missed("safe", false)).toEqual([]);
  });
});

it("measures precision and recall of each class and language", () => {
  const table: Record<string, { vulnerable: number; found: number; safe: number; flagged: number }> = {};
  for (const { name, marks } of applications) {
    for (const mark of marks) {
      const key = `${name.split("/")[0]} ${mark.family}`;
      table[key] ??= { vulnerable: 0, found: 0, safe: 0, flagged: 0 };
      const hit = foundAt(name, mark) ? 1 : 0;
      if (mark.says === "vuln") {
        table[key].vulnerable++;
        table[key].found += hit;
      } else {
        table[key].safe++;
        table[key].flagged += hit;
      }
    }
  }
  const rows = Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
  console.table(
    Object.fromEntries(
      rows.map(([key, { vulnerable, found, safe, flagged }]) => [
        key,
        { vulnerable, safe, recall: share(found, vulnerable), precision: share(found, found + flagged) },
      ]),
    ),
  );
  expect(rows.length).toBeGreaterThan(0);
});

const share = (part: number, whole: number) => (whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`);
