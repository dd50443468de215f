/** How a configuration file is written; the names are those of coverage. */
const configFormats = [
  "dockerfile",
  "yaml",
  "json",
  "terraform",
  "properties",
  "dotenv",
  "ini",
  "nginx",
  "apache",
  "xml",
] as const;
export type ConfigFormat = (typeof configFormats)[number];

const byExtension: Readonly<Record<string, ConfigFormat>> = {
  dockerfile: "dockerfile",
  containerfile: "dockerfile",
  yml: "yaml",
  yaml: "yaml",
  json: "json",
  jsonc: "json",
  tf: "terraform",
  hcl: "terraform",
  tfvars: "terraform",
  properties: "properties",
  env: "dotenv",
  ini: "ini",
  conf: "nginx",
  nginx: "nginx",
  vhost: "nginx",
  htaccess: "apache",
  xml: "xml",
  config: "xml",
};

/** The format of a file by its name; `.conf` only says that some server is configured, so the content has to tell which. */
export function configFormatOf(path: string): ConfigFormat | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (/^(dockerfile|containerfile)([.-]|$)/.test(name) && !/\.(md|txt|sh|py|js|ts|go|j2|erb|tmpl)$/.test(name))
    return "dockerfile";
  // An example of an environment file sets nothing.
  if (/^\.env(\.|$)/.test(name)) return /\.(example|sample|template|dist|tpl)$/.test(name) ? null : "dotenv";
  if (/^(httpd|apache2?)(\..*)?\.conf$/.test(name)) return "apache";
  if (/(^|\/)nginx\/(sites-(available|enabled)|conf\.d)\/[^.]+$/i.test(path)) return "nginx";
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return name.includes(".") && Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? null) : null;
}
