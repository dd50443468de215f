/** How whoever renders a template has set its engine up: whether outputs are escaped that do not say what they want. */
export const escapings = ["escaping", "plain"] as const;
export type Escaping = (typeof escapings)[number];

/** What code hands a template over to; see link/templates.ts. */
export const templateTarget = (escaping: Escaping, name: string): string => `template:${escaping}:${name}`;

/** How templates of Ruby name what they call: a method of any helper. */
const helper = "helper:";
export const helperTarget = (name: string): string => `${helper}${name}`;
export const helperIn = (target: string): string | null =>
  target.startsWith(helper) ? target.slice(helper.length) : null;
