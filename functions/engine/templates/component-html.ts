import type { MayHave } from "../secrets/keyword-search.ts";
import { readsOf } from "./template-expression.ts";
import type { Output } from "./template-scope.ts";

/** Each of the marks has one of these, in lower case. */
export const markWords = ["v-html=", ":innerhtml=", "{@html", "html]=", "dangerouslysetinnerhtml=", "template.html("];

/** Where components of Vue, Svelte, React and Angular, and programs in Go, show HTML as it is, with the expression for it. */
const marks = [
  /(?:\bv-html|(?<=\s|\bv-bind):innerHTML)="([^"\n]{1,300})"/g,
  /\{@html\s([^{}\n]{1,300})\}/g,
  // Angular cleans what is bound so, but for what a pipe has declared to be safe.
  /\[(?:inner|outer)HTML\]="([^"|\n]{1,300})\|\s{0,5}\w{0,30}(?:[sS]afe|[tT]rust|[bB]ypass)\w{0,30}/g,
  /\bdangerouslySetInnerHTML=\{\{\s{0,20}__html:\s{0,20}([^{}\n]{1,300}?)\s{0,20},?\s{0,20}\}\}/g,
  // A type of Go that templates show as it is.
  /\btemplate\.HTML\(\s{0,20}(?:string\()?([a-z]\w{0,80}(?:\.[A-Z]\w{0,80}){1,3})\)?\s{0,20}\)/g,
];

/** What components show as HTML. Their expressions are JavaScript, and no name in them is known. */
export function htmlOfComponents(text: string, mayHave: MayHave): Output[] {
  if (!markWords.some(mayHave)) return [];
  return marks.flatMap((mark) =>
    [...text.matchAll(mark)].map((found) => {
      const [all, expression = ""] = found;
      const start = found.index + all.indexOf(expression);
      const end = start + expression.length;
      return { start, end, raw: true, place: "text", reads: readsOf(text, { start, end }, "ejs", () => undefined) };
    }),
  );
}
