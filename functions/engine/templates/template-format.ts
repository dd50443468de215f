/** The template languages that are read; the names are those of coverage. */
const templateFormats = [
  "jinja",
  "handlebars",
  "ejs",
  "pug",
  "erb",
  "erb-plain",
  "haml",
  "slim",
  "jsp",
  "freemarker",
  "freemarker-html",
  "blade",
  "smarty",
  "latte",
  "razor",
  "aspx",
  "thymeleaf",
  "html",
  "vue",
  "svelte",
] as const;
export type TemplateFormat = (typeof templateFormats)[number];

const byExtension: Readonly<Record<string, TemplateFormat>> = {
  jinja: "jinja",
  jinja2: "jinja",
  j2: "jinja",
  njk: "jinja",
  nunjucks: "jinja",
  twig: "jinja",
  hbs: "handlebars",
  handlebars: "handlebars",
  mustache: "handlebars",
  ejs: "ejs",
  pug: "pug",
  jade: "pug",
  erb: "erb",
  rhtml: "erb",
  haml: "haml",
  slim: "slim",
  jsp: "jsp",
  jspf: "jsp",
  ftl: "freemarker",
  ftlh: "freemarker-html",
  tpl: "smarty",
  latte: "latte",
  cshtml: "razor",
  vbhtml: "razor",
  razor: "razor",
  aspx: "aspx",
  ascx: "aspx",
  master: "aspx",
  tag: "jsp",
  html: "html",
  htm: "html",
  xhtml: "html",
  gohtml: "html",
  tmpl: "html",
  vue: "vue",
  svelte: "svelte",
};

/** The template language of a file by its name; "html" says only that its content tells which, see dialectOf. */
export function templateFormatOf(path: string): TemplateFormat | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name.endsWith(".blade.php")) return "blade";
  if (isPlainErb(path)) return "erb-plain";
  // Other things than pages are made from templates too: configuration, mail in plain text, scripts.
  if (/\.(ya?ml|json|conf|cfg|ini|sh|txt|text|md|sql|service|env|js|java|xml|toml|csv|py|rb)\.\w+$/.test(name))
    return null;
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return name.includes(".") && Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? null) : null;
}

/** Pages of Sinatra, whose names say nothing of HTML as those of Rails do, and in which nothing is escaped. */
const isPlainErb = (path: string): boolean =>
  /(^|\/)views\/([\w-]+\/)*[\w-]+\.erb$/.test(path) && !/(^|\/)app\/views\//.test(path);

/** What is written in a template of Ruby is Ruby. */
export const isOfRuby = (format: TemplateFormat): boolean => /^(erb|erb-plain|haml|slim)$/.test(format);

/** Their filters are functions of PHP, unless they have one of that name themselves. */
export const isOfPhp = (format: TemplateFormat): boolean => /^(blade|smarty|latte)$/.test(format);

export const isFreemarker = (format: TemplateFormat): boolean => format.startsWith("freemarker");

const smartyMark = /\{(?:\$\w|\/?(?:if|foreach|include|section|block|extends|assign)\b|\*)/;

/** A page says by the marks in it what fills it; null for a page that nothing fills, or that is filled in the browser. */
export function dialectOf(format: TemplateFormat, text: string): Exclude<TemplateFormat, "html"> | null {
  if (format === "vue" || format === "svelte") return null;
  // Other engines and plain PHP have files of this ending, too.
  if (format === "smarty") return !text.includes("<?") && smartyMark.test(text) ? format : null;
  if (format !== "html") return format;
  if (/\sth:\w+\s*=|\[\(\$\{/.test(text)) return "thymeleaf";
  if (/\{%[-+]?\s*\w/.test(text)) return "jinja";
  if (/<%[=-]/.test(text)) return "ejs";
  if (/\{\{\{|\{\{[#/>&!^]/.test(text)) return "handlebars";
  // Go writes `{{ .Name }}`, and its html/template escapes for the place; Angular and Vue bind in the browser.
  if (/\{\{-?\s*[.$(]|\s(v-|ng-|\*ng|@click|\[\w+\]=)/.test(text)) return null;
  return /\{\{/.test(text) ? "jinja" : null;
}
