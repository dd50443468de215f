/** What an XML document of S3 is made of: an array repeats its element, undefined leaves it out. */
export type XmlContent = string | number | boolean | undefined | XmlChildren | readonly XmlContent[];
export interface XmlChildren {
  readonly [name: string]: XmlContent;
}

/** An element read from a request. `text` is empty where it has children. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";

/** A document as S3 writes it. Error documents carry no namespace. */
export function toXml(root: string, content: XmlChildren): string {
  const attribute = root === "Error" ? "" : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner(content)}</${root}>`;
}

function inner(content: XmlContent): string {
  if (typeof content !== "object") return escapeText(String(content));
  return Object.entries(content as XmlChildren)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one: XmlContent) => [name, one] as const))
    .map(([name, value]) => (value === undefined ? "" : `<${name}>${inner(value)}</${name}>`))
    .join("");
}

/** Control characters are legal in object keys; like S3 we write them as references, which SDKs read back. */
const escapeText = (text: string) =>
  text.replace(/[&<>"'\x00-\x1f\x7f\ufffe\uffff]/g, (char) => named[char] ?? `&#x${char.charCodeAt(0).toString(16)};`);

const named: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const depthMax = 8;

/**
 * Reads the small documents that S3 accepts: elements and text, no document type, so no entities but XML's own.
 * @returns null when the text is not well-formed
 */
export function parseXml(text: string): XmlElement | null {
  const stack: { name: string; children: XmlElement[]; text: string }[] = [{ name: "", children: [], text: "" }];
  const token =
    /<\?xml[^<>]*\?>|<!--(?:(?!--)[\s\S])*-->|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (!match) return null;
    const [, closed, opened, , empty, characters] = match;
    const top = stack.at(-1)!;
    if (characters !== undefined) {
      const plain = unescapeText(characters);
      if (plain === null) return null;
      top.text += plain;
    } else if (opened !== undefined) {
      const element = { name: opened, children: [], text: "" };
      top.children.push(element);
      if (!empty) stack.push(element);
      if (stack.length > depthMax) return null;
    } else if (closed !== undefined) {
      if (stack.length === 1 || top.name !== closed) return null;
      stack.pop();
    }
  }
  const document = stack[0]!;
  return stack.length === 1 && document.children.length === 1 && document.text.trim() === ""
    ? document.children[0]!
    : null;
}

/** The text of a child element, or undefined when there is none. */
export const textOf = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text;

function unescapeText(text: string): string | null {
  let known = true;
  const plain = text.replace(/&([^;&]*);?/g, (_, reference: string) => {
    const char = entities[reference] ?? numeric(reference);
    known &&= char !== undefined;
    return char ?? "";
  });
  return known ? plain : null;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function numeric(reference: string): string | undefined {
  const parts = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(reference);
  if (!parts) return undefined;
  const code = parts[1] === undefined ? Number(parts[2]) : Number.parseInt(parts[1], 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
