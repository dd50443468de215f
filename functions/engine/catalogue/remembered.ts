import { apart } from "../ir/interned.ts";

/** Texts that one question keeps its answers for. */
const rememberedMax = 4_000;
/** UTF-16 units of a text that is kept: few names and paths are longer. */
const lengthMax = 160;

/** The same question, answered once for each text: names of what is called come again and again, in all files of a language. */
export function remembered<Answer>(ask: (text: string) => Answer): (text: string) => Answer {
  const answers = new Map<string, Answer>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known;
    if (text.length > lengthMax) return ask(text);
    const own = apart(text);
    const answer = ask(own);
    if (answers.size >= rememberedMax) answers.clear();
    answers.set(own, answer);
    return answer;
  };
}
