import { isBuiltin } from "node:module";
import type { OnResolveArgs, Plugin } from "esbuild";

const namespace = "node-builtins";

/**
 * Takes Node's own modules as they are instead of importing them. An import reads every property of such a module to make its names, and
 * with them what Node itself loads at first use: of `node:http` a whole HTTP client and WebSockets, which no function has. That was an
 * eighth of the time until a function answers for the first time.
 */
export const nodeBuiltins: Plugin = {
  name: namespace,
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z_/0-9]+$/ }, ({ path, kind }) => {
      const name = path.startsWith("node:") ? path : `node:${path}`;
      if (!isBuiltin(path) || !isTaken(name, kind)) return undefined;
      return { path: name, namespace, suffix: kind === "dynamic-import" ? "?named" : "", sideEffects: false };
    });
    build.onLoad({ filter: /.*/, namespace }, ({ path, suffix }) => {
      const taken = `process.getBuiltinModule(${JSON.stringify(path)})`;
      if (!suffix) return { contents: `module.exports = ${taken};` };
      return { contents: `const all = ${taken}; export default all; export const { ${names(path)} } = all;` };
    });
  },
};

/** What is imported when it is needed must have names, as only a true module has: worth it for the one that the AWS SDK asks for. */
const isTaken = (name: string, kind: OnResolveArgs["kind"]) => kind !== "dynamic-import" || name === "node:http";

/** Without what is loaded at its first use. */
const names = (path: string) =>
  Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(path)))
    .flatMap(([name, { get }]) => (get ? [] : name))
    .join();
