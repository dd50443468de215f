/** Patterns longer than this are not looked at: nobody reads them, and looking costs more than linear time. */
const lengthMax = 1_000;

/**
 * Whether a backtracking engine may take exponential time: something repeated without bound is repeated without bound again, and nothing
 * in between marks where one round ends. `(a+)+`, `(\w+\s?)*`, `(a|a)*`; `(a+,)+` is fine.
 */
export function isCatastrophic(pattern: string): boolean {
  if (pattern.length > lengthMax) return false;
  const open: number[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "[") i = endOfClass(pattern, i);
    else if (c === "(") open.push(i);
    else if (c === ")") {
      const start = open.pop();
      if (start === undefined) return false;
      const follows = pattern.slice(i + 1);
      if (/^([+*]|\{\d+,\})/.test(follows) && repeatsFreely(pattern.slice(start + 1, i))) return canFail(follows);
    }
  }
  return false;
}

/** Time is lost where the match fails in the end: something has to come after, or the end is asked for. */
const canFail = (follows: string): boolean => follows.replace(/^([+*]|\{\d+,\})\??/, "") !== "";

interface Atom {
  text: string;
  optional: boolean;
  /** It takes as much as it likes, or what is between two lengths: `(a{2,4})+` divides eight letters in many ways, too. */
  varying: boolean;
}

function repeatsFreely(group: string): boolean {
  if (/^\?(=|!|<=|<!)/.test(group)) return false;
  const branches = split(group.replace(/^\?(:|P?<\w+>)/, ""));
  const atoms = branches.map(atomsOf);
  const lonely = atoms.some((branch) => {
    const repeated = branch.filter((atom) => atom.varying);
    return (
      repeated.length > 0 &&
      branch.every((atom) => atom.varying || atom.optional || atom.text === ".") &&
      overlapping(branch)
    );
  });
  const texts = branches.map((branch) => branch.trim());
  return lonely || atoms.some(sharesLetter) || new Set(texts).size < texts.length || ambiguous(texts);
}

/** `([-.\w]*[a-z])*`: one letter that all of a round can take, one of them as often as it likes, is one round or many. */
function sharesLetter(branch: readonly Atom[]): boolean {
  const needed = branch.filter((atom) => !atom.optional).map(({ text }) => lettersOf(text));
  return (
    needed.length > 0 &&
    branch.some(({ text, varying }) => varying && lettersOf(text).some((c) => needed.every((of) => of.includes(c))))
  );
}

const letters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));

/** The letters that an atom takes of which each is one; none for a group. */
function lettersOf(atom: string): readonly string[] {
  if (!/^(\[[\s\S]*\]|\\[\s\S]|[^()[\]|^$])$/.test(atom)) return [];
  try {
    const one = new RegExp(`^${atom}$`);
    return letters.filter((c) => one.test(c));
  } catch {
    return [];
  }
}

/** Two things in a row that can both take the same text, or one that is alone. */
const overlapping = (branch: readonly Atom[]): boolean =>
  branch.filter((atom) => !atom.optional || atom.varying).length <= 1 || branch.some((atom) => atom.text === ".");

/** `(\w|\d)*`, `(.|\n)*` is not: the dot leaves out line ends. */
const ambiguous = (branches: readonly string[]): boolean =>
  branches.some((a) =>
    branches.some(
      (b) =>
        a !== b &&
        ((a === "\\w" && (b === "\\d" || /^[a-zA-Z0-9_]$/.test(b))) ||
          (a === "." && /^(\\[wds]|[a-zA-Z0-9])$/.test(b))),
    ),
  );

function isRange(quantifier: string): boolean {
  const [, least = "0", most = "0"] = /^\{(\d*),(\d+)\}/.exec(quantifier) ?? [];
  return Number(most) > Math.max(1, Number(least));
}

function atomsOf(branch: string): Atom[] {
  const atoms: Atom[] = [];
  for (let i = 0; i < branch.length; ) {
    const from = i;
    const c = branch[i];
    if (c === "\\") i += 2;
    else if (c === "[") i = endOfClass(branch, i) + 1;
    else if (c === "(") i = endOfGroup(branch, i) + 1;
    else i++;
    const text = branch.slice(from, i);
    const [quantifier] = branch.slice(i).match(/^([+*?]|\{\d*(,\d*)?\})\??/) ?? [""];
    i += quantifier.length;
    if (text === "^" || text === "$") continue;
    atoms.push({
      text,
      optional: /^([*?]|\{0?,)/.test(quantifier),
      varying: /^([+*]|\{\d*,\})/.test(quantifier) || isRange(quantifier),
    });
  }
  return atoms;
}

function split(group: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < group.length; i++) {
    const c = group[i];
    if (c === "\\") i++;
    else if (c === "[") i = endOfClass(group, i);
    else if (c === "(") i = endOfGroup(group, i);
    else if (c === "|") {
      parts.push(group.slice(from, i));
      from = i + 1;
    }
  }
  return [...parts, group.slice(from)];
}

function endOfClass(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "]" && i > start + 1) return i;
  }
  return text.length - 1;
}

function endOfGroup(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "[") i = endOfClass(text, i);
    else if (text[i] === "(") depth++;
    else if (text[i] === ")" && --depth === 0) return i;
  }
  return text.length - 1;
}
