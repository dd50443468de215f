const textPattern = /^\{%([\s\S]*)%\}$/;

/** The JSONata in a string of a template, or undefined for a literal string. */
export const expressionIn = (text: string): string | undefined => textPattern.exec(text)?.[1]?.trim();

/** Each expression of a template with the place where it stands, for messages. */
export function* expressionsWithin(template: unknown, location: string): Generator<[text: string, location: string]> {
  if (typeof template === "string") {
    const text = expressionIn(template);
    if (text !== undefined) yield [text, location];
  } else if (Array.isArray(template)) {
    for (const [index, part] of template.entries()) yield* expressionsWithin(part, `${location}[${index}]`);
  } else if (template !== null && typeof template === "object") {
    for (const [key, part] of Object.entries(template)) yield* expressionsWithin(part, `${location}/${key}`);
  }
}

/** The JSONata texts anywhere in a template. */
export const expressionsOf = (template: unknown): string[] =>
  [...expressionsWithin(template, "")].map(([text]) => text);

/** The template with each expression replaced, in the order in which `expressionsWithin` visits them. */
export function fill(template: unknown, next: () => unknown): unknown {
  if (typeof template === "string") return expressionIn(template) === undefined ? template : next();
  if (Array.isArray(template)) return template.map((part) => fill(part, next));
  if (template === null || typeof template !== "object") return template;
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, fill(part, next)]));
}
