/** Patterns of servlets as others write them: all below a folder, a suffix, everything, or one path. */
export function asAnt(pattern: string): string {
  if (pattern === "/") return "/**";
  if (pattern.startsWith("*.")) return `/**/${pattern}`;
  return pattern.endsWith("/*") ? `${pattern}*` : pattern;
}
