import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

const namespace = "zod-of-models";

/**
 * Gives the AI SDK a zod of its own. It imports zod whole, with the texts of fifty languages; sharing one copy would make each of our
 * functions read all of that at its start, though most never ask a model. The texts are left out of both: nobody reads them.
 */
export const zodOfModels: Plugin = {
  name: namespace,
  setup(build) {
    build.onResolve({ filter: /^zod(\/|$)/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === namespace || !importer.includes("/node_modules/@ai-sdk/")) return undefined;
      const found = await build.resolve(path, { resolveDir, kind, pluginData: namespace });
      return { path: found.path, namespace, sideEffects: false, errors: found.errors };
    });
    build.onResolve({ filter: /^\.{1,2}\//, namespace }, ({ path, importer }) => ({
      path: join(dirname(importer), path),
      namespace,
      sideEffects: false,
    }));
    build.onLoad({ filter: /\/locales\/index\.js$/, namespace }, () => ({ contents: "export {}" }));
    build.onLoad({ filter: /.*/, namespace }, async ({ path }) => ({ contents: await readFile(path, "utf8") }));
  },
};
