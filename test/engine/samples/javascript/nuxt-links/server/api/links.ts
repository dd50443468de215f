import { readFile } from "node:fs/promises";

export default defineEventHandler(async (event) => {
  const { url, to } = getQuery(event);
  // vuln: ssrf
  const page = await $fetch(url as string);
  // safe: ssrf
  const own = await $fetch("/api/links", { query: { url } });
  const body = await readBody(event);
  // vuln: path_traversal
  const template = await readFile(`templates/${body.template}`);
  // vuln: path_traversal
  const theme = await readFile(`themes/${getRouterParam(event, "theme")}`);
  // safe: path_traversal
  const year = await readFile(`years/${Number(getRouterParam(event, "year"))}`);
  if (body.leave) {
    // vuln: open_redirect
    return sendRedirect(event, to as string);
  }
  return { page, own, template, theme, year };
});
