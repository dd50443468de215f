import { commentStyle } from "./review-language.ts";

const quoted =
  /"""[\s\S]*?(?:"""|$(?![\s\S]))|'''[\s\S]*?(?:'''|$(?![\s\S]))|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/
    .source;
const comments = {
  c: String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`,
  hash: String.raw`(?<![$&\w])#[^\n]*`,
  dash: String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`,
  markup: String.raw`<!--[\s\S]*?(?:-->|$(?![\s\S]))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`,
};

/**
 * The text with all comments blanked, nothing moved. Works on tokens, as languages without a grammar are reviewed too; where it is
 * misled, by a quote in a regular expression for example, it takes a comment for code and the quote gate lets one more through.
 */
export function withoutComments(text: string, language: string): string {
  const token = new RegExp(`${quoted}|(?<comment>${comments[commentStyle(language)]})`, "g");
  return text.replace(token, (found, ...rest) => {
    const { comment } = rest.at(-1) as { comment?: string };
    return comment === undefined ? found : comment.replace(/[^\n]/g, " ");
  });
}
