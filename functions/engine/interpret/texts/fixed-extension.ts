import type { Run } from "../run.ts";
import { cleaned, type Value } from "../value.ts";

/** `name + ".pdf"`: whoever chooses the name does not choose what kind of file it is. */
export function beforeExtension(run: Run, parts: readonly Value[]): readonly Value[] {
  const [text, ...others] = parts.at(-1)?.constants ?? [];
  if (typeof text !== "string" || others.length > 0 || !isHarmless(text)) return parts;
  const family = run.catalogue.bitsOf(["unrestricted_upload"]);
  return parts.map((part) => (part.taint.length > 0 ? cleaned(part, family) : part));
}

const isHarmless = (end: string): boolean => {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(end)?.[1];
  return extension !== undefined && !isRun.test(extension);
};

/** What a server runs by its extension, or a browser as a page of the site. */
const isRun =
  /^(php\d?|phtml?|phar|pht|phps|inc|jspx?|jspf|jsw|jsv|aspx?|ashx|asmx|asa|cer|cfml?|cgi|fcgi|pl|py|rb|sh|exe|bat|cmd|com|ps1|dll|so|jar|war|s?html?|xht(ml)?|xml|svgz?|m?js|htaccess|config)$/i;
