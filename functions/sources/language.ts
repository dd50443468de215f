import { posix } from "node:path";

/** The programming languages that front ends know, by extension. */
const languages: Readonly<Record<string, string>> = {
  ".js": "javascript",
  ".jsx": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".ts": "typescript",
  ".tsx": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".py": "python",
  ".pyw": "python",
  ".java": "java",
  ".go": "go",
  ".rs": "rust",
  ".c": "cpp",
  ".cpp": "cpp",
  ".cc": "cpp",
  ".cxx": "cpp",
  ".h": "cpp",
  ".hh": "cpp",
  ".hpp": "cpp",
  ".hxx": "cpp",
  ".cs": "csharp",
  ".php": "php",
  ".phtml": "php",
  ".inc": "php",
  ".rb": "ruby",
  ".kt": "kotlin",
  ".kts": "kotlin",
  ".swift": "swift",
};

/** Scripts, templates and settings that the engine reads too; front ends show them as text. */
const others: readonly string[] = [
  ".sql .sh .bash .zsh .ksh .rake .gemspec .ru",
  ".html .htm .vue .svelte .ejs .erb .hbs .handlebars .mustache .njk .twig .jinja .jinja2 .j2 .tmpl .gotmpl .gohtml .tpl .liquid",
  ".jsp .jspx .jspf .tag .ftl .ftlh .vm .pug .jade .haml .slim .cshtml .razor .aspx .ascx .volt .latte .mako",
  ".json .jsonc .yml .yaml .toml .xml .properties .ini .conf .cfg .env .config .tf .tfvars .hcl .dockerfile .vhost .nginx",
].flatMap((line) => line.split(" "));

/** Files whose kind is in the name and not in an extension. */
const names =
  /^(dockerfile|containerfile|\.env)([.-]|$)|^(jenkinsfile|rakefile|gemfile|vagrantfile)$|^\.(htaccess|npmrc|yarnrc|pypirc|netrc)$/i;
/** Sites of a web server need no extension. */
const serverSites = /(^|\/)(nginx|apache2|httpd)\/(sites-(available|enabled)|conf\.d|snippets)\/[^/.]+$/i;

/** Lower case, with the dot. */
export const supportedExtensions: readonly string[] = [...Object.keys(languages), ...others];

const supported = new Set(supportedExtensions);

/** Whether a scan reads files of this name at all; `A.JS` counts as `.js`. */
export const isSupported = (path: string): boolean =>
  supported.has(extensionOf(path)) || names.test(nameOf(path)) || serverSites.test(path);

/** The language of a file by its name, "text" for everything without one of its own. */
export function languageOf(path: string): string {
  const extension = extensionOf(path);
  return Object.hasOwn(languages, extension) ? languages[extension]! : "text";
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const extensionOf = (path: string): string => posix.extname(path).toLowerCase();
