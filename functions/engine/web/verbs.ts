const verbs: ReadonlySet<unknown> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "DEL", "HEAD", "OPTIONS"]);

/** Whether something is the name of a method of HTTP, in capitals. */
export const isVerb = (word: unknown): boolean => verbs.has(word);
