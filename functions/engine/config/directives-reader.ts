import { type ConfigNode, ConfigTree, depthMax } from "./config-node.ts";

const nginxToken =
  /#[^\n]*|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[;{}]|(?:[^\s;{}"'#\\$]|\\.|\$\{\w*\}|\$|(?<=\S)[#"'])+/g;

/** Reads directives as nginx has them: words up to `;`, or up to the block that they open. */
export function readNginx(text: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const open: ConfigNode[] = [root];
  let words: { text: string; start: number; end: number }[] = [];
  for (const found of text.matchAll(nginxToken)) {
    const [token] = found;
    if (token.startsWith("#")) continue;
    if (token === ";" || token === "{") {
      const [first] = words;
      if (first) {
        const value = words.slice(1).map((word) => word.text.replace(/^(["'])([\s\S]*)\1$/, "$2"));
        const node = tree.add(open.at(-1) as ConfigNode, {
          key: first.text,
          start: first.start,
          end: words.at(-1)?.end ?? first.end,
          value: value.length > 0 ? value.join(" ") : null,
        });
        if (token === "{" && open.length < depthMax) open.push(node);
      }
      words = [];
    } else if (token === "}") {
      if (open.length > 1) open.pop();
      words = [];
    } else words.push({ text: token, start: found.index, end: found.index + token.length });
  }
  return [root];
}

/** Reads directives as Apache's httpd has them: one a line, sections in angle brackets. Keys are lower case. */
export function readApache(text: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const open: ConfigNode[] = [root];
  for (const found of text.matchAll(/^[ \t]*(<\/?)?([A-Za-z]\w*)((?:\\\r?\n|[^\n])*)$/gm)) {
    const [all, bracket, name, rest] = found as unknown as [string, string | undefined, string, string];
    if (bracket === "</") {
      if (open.length > 1) open.pop();
      continue;
    }
    const words = rest.replace(/\\\r?\n/g, " ").trim();
    const value = (bracket ? words.replace(/>\s*$/, "") : words).trim();
    const start = found.index + all.search(/\S/);
    const end = found.index + all.trimEnd().length;
    const node = tree.add(open.at(-1) as ConfigNode, { key: name.toLowerCase(), start, end, value: value || null });
    if (bracket && open.length < depthMax) open.push(node);
  }
  return [root];
}
