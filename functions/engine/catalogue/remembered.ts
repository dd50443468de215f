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
    const answer = ask(text);
    if (text.length > lengthMax) return answer;
    if (answers.size >= rememberedMax) answers.clear();
    answers.set(text, answer);
    return answer;
  };
}
