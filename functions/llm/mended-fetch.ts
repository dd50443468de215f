type Answer = Record<string, unknown>;

/**
 * A `fetch` that fills in what a package insists on and servers that only speak like its provider leave out. Without it one such field would
 * cost the whole answer, which is paid for.
 */
export const mendedFetch =
  (fetch: typeof globalThis.fetch, mend: (answer: Answer) => Answer): typeof globalThis.fetch =>
  async (input, init) => {
    const answer = await fetch(input, init);
    if (!answer.ok) return answer;
    const text = await answer.text();
    return new Response(mended(text, mend), { status: answer.status, headers: answer.headers });
  };

function mended(text: string, mend: (answer: Answer) => Answer): string {
  try {
    return JSON.stringify(mend(JSON.parse(text)));
  } catch {
    // Whatever is wrong with it, the package will say so.
    return text;
  }
}

/** Anthropic: zero tokens stand for a number that is not known. */
export const withUsage = (answer: Answer): Answer =>
  answer.type === "message"
    ? { ...answer, usage: { input_tokens: 0, output_tokens: 0, ...(answer.usage as object | null) } }
    : answer;

/** OpenAI: choices in their order. */
export const withIndexes = (answer: Answer): Answer => ({
  ...answer,
  ...(Array.isArray(answer.choices) && { choices: answer.choices.map((choice, index) => ({ index, ...choice })) }),
});
