import { extractText, getDocumentProxy, getMeta } from "unpdf";

export interface ReadPdf {
  /** Text of each page without any space: a page places words by coordinates and keeps no spaces between lines. */
  readonly pages: readonly string[];
  readonly text: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly bookmarks: readonly string[];
}

/** What a reader of a PDF gets to see, by another program than the one that made it. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(pdf);
  const { info } = await getMeta(pdf);
  const pages = text.map(squeezed);
  return { pages, text: pages.join(""), info, bookmarks: flat(await pdf.getOutline()) };
}

export const squeezed = (text: string): string => text.replace(/\s+/g, "");

interface Bookmark {
  readonly title: string;
  readonly items: readonly Bookmark[];
}

const flat = (bookmarks: readonly Bookmark[] | null): string[] =>
  (bookmarks ?? []).flatMap(({ title, items }) => [title, ...flat(items)]);
