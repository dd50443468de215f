/** The part of linebreak that we use; the package comes without types. */
declare module "linebreak" {
  /** Finds where a text may be broken into lines, by the rules of Unicode (UAX 14), Chinese punctuation included. */
  export default class LineBreaker {
    constructor(text: string);
    /** The next place, as an index into the text, and whether a line must end there; null after the last one. */
    nextBreak(): { position: number; required: boolean } | null;
  }
}
