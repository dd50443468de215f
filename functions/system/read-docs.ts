import { operation, Reply } from "../platform/operation.ts";

/** Only our own script, no inline code; the viewer styles its shadow roots inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sluice API</title>
    <script type="module" src="docs/viewer.js"></script>
  </head>
  <body>
    <rapi-doc
      spec-url="api/v1/openapi.json"
      render-style="read"
      theme="light"
      load-fonts="false"
      regular-font="system-ui, 'Noto Sans SC', sans-serif"
      mono-font="ui-monospace, monospace"
      primary-color="#0f5c78"
      show-header="false"
      allow-spec-url-load="false"
      allow-spec-file-load="false"
      show-method-in-nav-bar="as-colored-text"
      persist-auth="false"
    ></rapi-doc>
  </body>
</html>
`;

export const readDocs = operation(
  {
    method: "GET",
    path: "/docs",
    root: true,
    summary: "A page to read this API and try it",
    auth: "anyone",
    success: { contentType: "text/html; charset=utf-8" },
    failures: [],
    grants: {},
    memoryMiB: 128,
  },
  async () => new Reply(html, { "Content-Security-Policy": policy, "Cache-Control": "public, max-age=300" }),
);
