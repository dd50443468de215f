import type { TemplateScope } from "./template-scope.ts";

/** A text among the members of a component, with the attributes before it. */
const member =
  /((?:\[[^\]\n]{1,200}\]\s{0,100}){1,4})(?:public|private|protected|internal)\s+string\??\s+(\w{1,100})\s*\{/g;
const route = /@page\s+"([^"\n]{1,300})"/g;
/** What has a type is no text: `{id:int}`. */
const placeholder = /\{\*{0,2}(\w{1,100})\??\}/g;

/** Binds what the address of a Blazor page fills to the request: `[SupplyParameterFromQuery]`, and `[Parameter]` that its route names. */
export function bindPageParameters(scope: TemplateScope): void {
  const { text } = scope;
  const routes = [...text.matchAll(route)].map(([, path = ""]) => path).join("\n");
  if (routes === "") return;
  const named = new Set([...routes.matchAll(placeholder)].map(([, name = ""]) => name.toLowerCase()));
  for (const { 0: found, 1: attributes = "", 2: name = "", index } of text.matchAll(member)) {
    const isFilled =
      /\bSupplyParameterFromQuery\b/.test(attributes) ||
      (/\bParameter\b/.test(attributes) && named.has(name.toLowerCase()));
    const start = index + found.lastIndexOf(name);
    if (isFilled)
      scope.bind(name, [{ root: "Request", path: ["Query", name], state: "plain", start, end: start + name.length }]);
  }
}
