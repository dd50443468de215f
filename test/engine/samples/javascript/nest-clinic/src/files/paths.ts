import * as path from "path";

export function safeJoin(folder: string, name: string): string {
  const root = path.resolve(folder);
  const target = path.resolve(root, name);
  if (target !== root && !target.startsWith(root + path.sep)) {
    throw new Error("outside of the folder");
  }
  return target;
}
