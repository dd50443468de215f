import { type ConfigNode, ConfigTree, entryOf, TooLarge } from "./config-node.ts";

/** One instruction, continuation lines and heredocs included. Comments and line ends are blanked in `text`, which keeps its length. */
interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly start: number;
  readonly textStart: number;
}

/** Each stage is looked up among all the others, so their number is bounded. */
const stagesMax = 500;

/**
 * Reads a Dockerfile: `stages`, each with its instructions by name; images and users are followed through ARG and through stages that
 * build on others. `@user` is the user a stage ends with, `@final` marks the stage that becomes the image.
 */
export function readDockerfile(text: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const stages = tree.add(root, { key: "stages", start: 0, end: 0 });
  const defaults = new Map<string, string>();
  let stage: ConfigNode | null = null;
  for (const instruction of instructionsOf(text)) {
    const { name, start, textStart } = instruction;
    const value = instruction.text.trim().replace(/\s+/g, " ");
    const end = textStart + instruction.text.trimEnd().length;
    if (name === "FROM") stage = addStage(tree, stages, { value, start, end }, defaults);
    else if (!stage) {
      const argument = value.match(/^(\w+)=(.*)$/);
      if (name === "ARG" && argument) defaults.set(argument[1] as string, unquoted(argument[2] as string));
    } else addInstruction(tree, stage, instruction, value, end);
  }
  const last = stages.entries.at(-1);
  if (last) tree.add(last, { key: "@final", start: last.start, end: last.end, value: "true" });
  for (const each of stages.entries) addUser(tree, each, stages.entries);
  return [root];
}

function addStage(
  tree: ConfigTree,
  stages: ConfigNode,
  { value, start, end }: { value: string; start: number; end: number },
  defaults: ReadonlyMap<string, string>,
): ConfigNode {
  if (stages.entries.length === stagesMax) throw new TooLarge("too many stages");
  const words = value.split(" ").filter((word) => !word.startsWith("--"));
  const alias = words[1]?.toLowerCase() === "as" ? words[2] : undefined;
  const stage = tree.add(stages, { key: alias ?? String(stages.entries.length), start, end, value: alias ?? null });
  const image = substitute(words[0] ?? "", defaults);
  const from = tree.add(stage, { key: "FROM", start, end, value: image });
  const argument = (words[0] ?? "").includes("$") ? words[0] : undefined;
  const parts = image.match(/^(.*?)(?::([^/:@]+))?(?:@(.+))?$/);
  const add = (key: string, part: string | undefined) => part && tree.add(from, { key, start, end, value: part });
  if (stages.entries.some((other) => other !== stage && other.value === image)) add("stage", image);
  else if (/\$|\{\{/.test(image)) add("unknown", image);
  else {
    add("name", parts?.[1]);
    add("tag", parts?.[2]);
    add("digest", parts?.[3]);
    add("argument", argument);
  }
  return stage;
}

function addInstruction(tree: ConfigTree, stage: ConfigNode, given: Instruction, value: string, end: number): void {
  const { name, text, start, textStart } = given;
  const node = tree.add(stage, { key: name, start, end, value, text, textStart });
  const part = (key: string, word: string) => tree.add(node, { key, start, end, value: word });
  if (name === "ENV" || name === "ARG") for (const [key, word] of assignments(value, name)) part(key, word);
  else if (name === "EXPOSE") for (const word of value.split(" ")) part("port", word);
  else if (name === "COPY" || name === "ADD") {
    const words = value.startsWith("[") ? jsonWords(value) : value.split(" ");
    const plain = words.filter((word) => !word.startsWith("--"));
    for (const word of words.filter((w) => w.startsWith("--"))) part("flag", word);
    for (const word of plain.slice(0, -1)) part("source", unquoted(word));
  }
}

/** The last USER counts; a stage without one has the user of the stage it builds on. */
function addUser(tree: ConfigTree, stage: ConfigNode, stages: readonly ConfigNode[]): void {
  const own = stage.entries.filter((entry) => entry.key === "USER").at(-1);
  const base = entryOf(entryOf(stage, "FROM"), "stage")?.value;
  const inherited = stages.find((other) => other.value === base && other !== stage);
  const user = own ?? (base ? entryOf(inherited, "@user") : undefined);
  if (user) tree.add(stage, { key: "@user", start: user.start, end: user.end, value: user.value });
  // The image below all stages decides where nobody names a user.
  const image = base ? entryOf(inherited, "@image")?.value : entryOf(stage, "FROM")?.value;
  tree.add(stage, { key: "@image", start: stage.start, end: stage.end, value: image ?? "" });
}

function* instructionsOf(text: string): Generator<Instruction> {
  const goesOnWith = /^(?:#[^\n]*\n)*?#\s*escape\s*=\s*`/i.test(text) ? "`" : "\\";
  let at = 0;
  while (at < text.length) {
    const lineEnd = endOfLine(text, at);
    const head = /^[ \t]*([A-Za-z]+)([ \t]|$)/.exec(text.slice(at, lineEnd));
    if (!head) {
      at = lineEnd + 1;
      continue;
    }
    const start = at + head[0].search(/\S/);
    const textStart = Math.min(start + (head[1] as string).length, text.length);
    let end = lineEnd;
    let body = "";
    // Comments and empty lines inside a continued instruction do not end it.
    for (let from = textStart; ; ) {
      const line = text.slice(from, end).replace(/\r$/, " ");
      const comment = from !== textStart && /^[ \t]*(#|$)/.test(line);
      const goesOn = comment || new RegExp(`\\${goesOnWith}[ \\t]*$`).test(line);
      body += comment
        ? " ".repeat(end - from)
        : goesOn
          ? line.replace(new RegExp(`\\${goesOnWith}([ \\t]*)$`), " $1")
          : line;
      if (!goesOn || end >= text.length) break;
      body += " ";
      from = end + 1;
      end = endOfLine(text, from);
    }
    for (const [, , delimiter] of body.matchAll(/<<-?(["']?)([A-Za-z_]\w*)\1/g)) {
      const closing = new RegExp(`^\\t*${delimiter}\\r?$`, "gm");
      closing.lastIndex = end + 1;
      const close = closing.exec(text);
      const stop = close ? close.index + close[0].length : text.length;
      body += text.slice(end, stop).replace(/^[ \t]*#[^\n]*/gm, (line) => " ".repeat(line.length));
      end = stop;
    }
    yield { name: (head[1] as string).toUpperCase(), text: body, start, textStart };
    at = end + 1;
  }
}

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
};

const unquoted = (word: string): string => word.replace(/^(["'])(.*)\1$/s, "$2");

const substitute = (word: string, defaults: ReadonlyMap<string, string>): string =>
  unquoted(word).replace(
    /\$\{(\w+)(?::-([^{}]*))?\}|\$(\w+)/g,
    (all, braced, fallback, bare) => defaults.get(braced ?? bare) ?? fallback ?? all,
  );

function assignments(value: string, name: string): [string, string][] {
  const found = [...value.matchAll(/(?<![\w.-])([\w.-]+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/g)];
  if (found.length > 0) return found.map(([, key, word]) => [key as string, unquoted(word as string)]);
  // `ENV KEY some words` is the old form; `ARG KEY` has no value.
  const old = name === "ENV" ? value.match(/^(\S+) (.+)$/) : null;
  return old ? [[old[1] as string, old[2] as string]] : [];
}

function jsonWords(value: string): string[] {
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) => word as string);
}
