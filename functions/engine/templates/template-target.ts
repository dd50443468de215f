/** How whoever renders a template has set its engine up: whether outputs are escaped that do not say what they want. */
export const escapings = ["escaping", "plain"] as const;
export type Escaping = (typeof escapings)[number];

/** What code hands a template over to; see link/templates.ts. */
export const templateTarget = (escaping: Escaping, name: string): string => `template:${escaping}:${name}`;

/** How templates name what they call: in Ruby a method of any helper, elsewhere what the application has made known under that name. */
const helper = "helper:";
export const helperTarget = (name: string): string => `${helper}${name}`;
export const helperIn = (target: string): string | null =>
  target.startsWith(helper) ? target.slice(helper.length) : null;

/** The same of a function whose text the engine does not escape; there is none by this name where it does. */
const shownHelper = "shown-helper:";
export const shownHelperTarget = (name: string): string => `${shownHelper}${name}`;
export const isHelper = (target: string): boolean => target.startsWith(helper) || target.startsWith(shownHelper);
