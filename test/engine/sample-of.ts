/** Numbers below 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const repeatsMax = 12;

/** A text that matches a regular expression of the kind used for secrets: no look-around, no back-references. */
export function sampleOf(regex: string, random: () => number): string {
  let at = 0;
  const below = (n: number) => Math.floor(random() * n);
  const pick = (from: string) => from[below(from.length)] as string;

  function alternatives(): string {
    const found = [sequence()];
    while (regex[at] === "|") {
      at++;
      found.push(sequence());
    }
    return found[below(found.length)] as string;
  }
  function sequence(): string {
    let text = "";
    while (at < regex.length && regex[at] !== "|" && regex[at] !== ")") text += repeated();
    return text;
  }
  function repeated(): string {
    const start = at;
    const once = atom();
    const [least, most] = repeat();
    const end = at;
    const times = least + below(most - least + 1);
    if (times === 0) return "";
    let text = once;
    for (let i = 1; i < times; i++) {
      at = start;
      text += atom();
    }
    at = end;
    return text;
  }
  function repeat(): [number, number] {
    const found = /^(?:\{(\d+)(,?)(\d*)\}|[*+?])\??/.exec(regex.slice(at));
    if (!found) return [1, 1];
    at += found[0].length;
    const [whole, least, comma, most] = found;
    if (whole.startsWith("?")) return [0, 1];
    if (least === undefined) return [whole.startsWith("+") ? 1 : 0, repeatsMax];
    if (!comma) return [Number(least), Number(least)];
    return [Number(least), most ? Number(most) : Number(least) + repeatsMax];
  }
  function atom(): string {
    const c = regex[at++] as string;
    if (c === "(") {
      const flags = /^\?[a-z-]*(:|\))/.exec(regex.slice(at));
      if (flags) at += flags[0].length;
      if (flags?.[1] === ")") return "";
      const text = alternatives();
      at++;
      return text;
    }
    if (c === "[") return pick(charactersOf());
    if (c === "\\") return escaped(regex[at++] as string);
    if (c === ".") return pick(alphanumeric);
    return c === "^" || c === "$" ? "" : c;
  }
  function escaped(c: string): string {
    if (c === "b" || c === "z") return "";
    if (c === "x") {
      at += 2;
      return String.fromCharCode(Number.parseInt(regex.slice(at - 2, at), 16));
    }
    const kinds: Record<string, string> = { d: "0123456789", w: `${alphanumeric}_`, s: " ", n: "\n" };
    return pick(kinds[c] ?? c);
  }
  function charactersOf(): string {
    let characters = "";
    for (let first = true; regex[at] !== "]" || first; first = false) {
      if (regex.startsWith("[:alnum:]", at)) {
        characters += alphanumeric;
        at += 9;
        continue;
      }
      const c = regex[at++] as string;
      if (c === "\\") {
        const e = regex[at++] as string;
        characters += e === "d" ? "0123456789" : e === "w" ? `${alphanumeric}_` : e === "s" ? " " : e;
      } else if (regex[at] === "-" && regex[at + 1] !== "]") {
        for (let code = c.charCodeAt(0); code <= regex.charCodeAt(at + 1); code++)
          characters += String.fromCharCode(code);
        at += 2;
      } else characters += c;
    }
    at++;
    return characters;
  }
  return alternatives();
}
