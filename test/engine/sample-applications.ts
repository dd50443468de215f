import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../functions/engine/finding.ts";
import { filesOf } from "./source-files.ts";

/** One folder a language, in it one folder an application. */
const samples = join(import.meta.dirname, "samples");

/** `vuln: <family>` and `safe: <family>` speak about the next line; `todo-vuln:` and `todo-safe:` list known gaps. */
export interface Mark {
  /** `path:line` */
  readonly place: string;
  readonly family: string;
  readonly says: "vuln" | "safe";
  readonly todo: boolean;
}

export interface SampleApplication {
  /** `language/application` */
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  readonly marks: readonly Mark[];
}

/** Our own vulnerable and safe applications, with what is to be found in them. */
export const sampleApplications = (): SampleApplication[] =>
  readdirSync(samples)
    .sort()
    .flatMap((language) =>
      readdirSync(join(samples, language))
        .sort()
        .map((app) => readApplication(`${language}/${app}`)),
    );

function readApplication(name: string): SampleApplication {
  const folder = join(samples, name);
  const files = filesOf(folder);
  return { name, files, marks: files.flatMap(({ path, bytes }) => marksOf(path, bytes.toString("utf8"))) };
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

/** Whether something of the mark's family was found where it points. */
export const isFound = (findings: readonly Finding[], { place, family }: Mark): boolean =>
  findings.some((finding) => finding.family === family && `${finding.path}:${finding.startLine}` === place);
