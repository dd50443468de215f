import type { LinkRecord } from "../artefact.ts";
import type { MayHave } from "../secrets/keyword-search.ts";

/** More would be a file that a program has written. */
const namesMax = 100;

/** A form of writing, and words of which it has one, in lower case: most files have none of them, and looking for words is faster. */
interface Form {
  readonly words: readonly string[];
  readonly form: RegExp;
}

/** Where people type text: fields of forms as HTML has them, and as the helpers of frameworks write them. */
const forms: Form[] = [
  { words: ["<textarea"], form: /<textarea\b[^<>]{0,300}?\sname\s*=\s*["']([^"'<>]{1,80})["']/gi },
  {
    words: ["<input"],
    form: /<input\b(?![^<>]{0,300}?\stype\s*=\s*["']?(?:hidden|number|email|date|datetime|time|month|checkbox|radio|file|password|submit|button|range|color)\b)[^<>]{0,300}?\sname\s*=\s*["']([^"'<>]{1,80})["']/gi,
  },
  {
    words: ["<textarea", "<input"],
    form: /<(?:textarea|input)\b[^<>]{0,300}?\s(?:th:field|asp-for)\s*=\s*["'](?:\*\{)?([\w.]{1,80})/gi,
  },
  { words: ["<form:"], form: /<form:(?:textarea|input)\b[^<>]{0,300}?\spath\s*=\s*["']([\w.]{1,80})/gi },
  {
    words: ["<textarea", "<input"],
    form: /<(?:textarea|input)\b[^<>]{0,300}?\s(?:v-model(?:\.\w+)*|\[\(ngModel\)\]|formControlName)\s*=\s*["']([\w.$]{1,80})["']/gi,
  },
  { words: ["<textarea", "<input"], form: /<(?:textarea|input)\b[^<>]{0,300}?\sbind:value=\{([\w.$]{1,80})\}/gi },
  { words: [".target.value"], form: /\bset([A-Z]\w{0,80})\(\s*e(?:v|vent)?\.target\.value/g },
  { words: [".target.value"], form: /\b(\w{1,80})\s*:\s*e(?:v|vent)?\.target\.value/g },
  {
    words: ["stringfield(", "textareafield(", "forms.charfield("],
    // Whatever has a form has a name.
    form: /^[ \t]+(?!name\s)(\w{1,80})\s*=\s*(?:\w{1,40}\.)?(?:StringField|TextAreaField|(?<=forms\.)CharField)\(/gm,
  },
  {
    words: ["text_area", "text_field", "textarea", "textboxfor", "editorfor"],
    form: /\b(?:text_area|text_field|textarea|TextAreaFor|TextBoxFor|EditorFor)\b[\s(]*(?:\w+\s*=>\s*\w+\.|:|["'])(\w{1,80})/g,
  },
];

/** What handlers take from a request by name. */
const reads: Form[] = [
  { words: [".body."], form: /\b(?:req|request)\.body\.(\w{1,80})/g },
  { words: ["request."], form: /\brequest\.(?:POST|form|data|json|values)(?:\.get)?[[(]\s*["'](\w{1,80})/g },
  // The body as a whole, first.
  {
    words: ["= request.get_json(", "= request.json", "= await request.json(", "= await request.post("],
    form: /\b(?:data|body|payload|content)(?:\.get\(|\[)\s*["'](\w{1,80})/g,
  },
  { words: ["= req.body;", "= request.body;"], form: /\b(?:body|data|payload)\.(\w{1,80})/g },
  { words: ["cleaned_data", "validated_data"], form: /\b(?:cleaned_data|validated_data)[[.](?:get\()?["'](\w{1,80})/g },
  { words: ["form."], form: /\bform\.(\w{1,80})\.data\b/g },
  { words: ["$request->"], form: /\$request->(?:input|get|post|string)\(\s*["'](\w{1,80})/g },
  { words: ["$request->"], form: /\$request->(\w{1,80})\b(?!\s*\()/g },
  { words: ["$_post["], form: /\$_POST\[\s*["'](\w{1,80})/g },
  { words: ["params[:"], form: /\bparams(?:\[:\w+\])?\[:(\w{1,80})\]/g },
  {
    words: ["postform.get(", "formvalue(", "postform("],
    form: /\.(?:PostForm\.Get|(?:Post)?FormValue|(?:Default|Get)?PostForm)\(\s*"(\w{1,80})"/g,
  },
  // Fields of Go that a form or the body of a request is bound to.
  { words: ['form:"'], form: /\bform:"(\w{1,80})/g },
  { words: ['binding:"', 'validate:"'], form: /\bjson:"(\w{1,80})[^`\n]{0,100}\b(?:binding|validate):"/g },
  { words: ["getparameter("], form: /\bgetParameter\(\s*"(\w{1,80})"/g },
];

/** Several at once: what is taken apart, permitted, or listed as the fields of a form. */
const lists: Form[] = [
  { words: [".body"], form: /\{([^{}=]{1,300})\}\s*=\s*(?:await\s+)?(?:req|request|ctx\.request)\.body\b/g },
  // What an action of ASP.NET is handed.
  { words: ["[httppost"], form: /\[HttpPost\b[^;]{1,300}?\s\w+\(([^(){};]{1,300})\)\s*\{/g },
  { words: [".permit("], form: /\.permit\(([^()]{1,300})\)/g },
  { words: ["fields"], form: /\bfields\s*=\s*[[(]([^\])]{1,300})[\])]/g },
];

/** Numbers, dates and names of records: nobody writes HTML into these. */
const plain = /(id|date|time|at|count|price|amount|total|number|quantity|page|status|type|email|phone|slug|password)$/;

/** Each of the names has one of these, in lower case. */
const cleaningWords = [
  "bleach",
  "nh3",
  "purif",
  "sanitiz",
  "jsoup",
  "antisamy",
  "loofah",
  "ammonia",
  "bluemonday",
  "xss-clean",
  "wp_kses",
  "strip_tags",
  "has_rich_text",
  "policyfactory",
  "lxml",
  "escape",
  "$_post",
  "$request",
];

/** What makes HTML harmless, by the names of the libraries and functions that do. */
const cleaning =
  /\b(bleach|nh3|dompurify|sanitize-?html|html_?sanitizer|htmlsanitizer|htmlpurifier|purifier|purify|jsoup|antisamy|loofah|ammonia|bluemonday|xss-clean|wp_kses|strip_tags|has_rich_text|PolicyFactory|lxml\.html\.clean)\b|\b(sanitize(?!_?(file|path|name|key|url|sql|query|log|id))|escapeHtml|escape_html)\w*\s*\(|html\.escape\(|\.escape\(\)|(htmlspecialchars|htmlentities|\be)\(\s*\$(_POST|request)/gi;
/** Lines that name a library, and do nothing with it. */
const naming =
  /^\s*(import|from|use|using|require|require_once|include|gem|const\s[\w\s{},]+=\s*require|\/\/|#|\*|\/\*)/;
const cleaningsMax = 60;
const wordsMax = 20;
const lineMax = 300;

const escapingWords = ["escape_html", "setescapehtml", "default_modifiers", "setdefaultmodifiers"];

/** `$smarty->escape_html = true`, `$smarty->setDefaultModifiers(["escape"])`. */
const escaping =
  /->(escape_html\s*=\s*(true|1)|setEscapeHtml\(\s*(true|1)|(set_?)?default_?modifiers\b[^;]{0,60}\bescape)/i;

/** What is asked for when a file is looked at. */
export const submittedWords: readonly string[] = [
  ...escapingWords,
  ...[...forms, ...reads, ...lists].flatMap(({ words }) => words),
  ...cleaningWords,
];

/** What the visitors of an application may fill in by this file, and whether it makes HTML harmless, or has it made so. */
export function submittedIn(
  text: string,
  mayHave: MayHave,
): Pick<LinkRecord, "submitted" | "cleansHtml" | "escapesOutput"> {
  const found = (all: readonly Form[]) =>
    all.flatMap(({ words, form }) =>
      words.some(mayHave) ? Array.from(text.matchAll(form), ([, matched = ""]) => matched) : [],
    );
  const single = found([...forms, ...reads]);
  const listed = found(lists).flatMap((matched) => matched.match(/\w+/g) ?? []);
  const names = new Set([...single, ...listed].map(fieldName).filter((name) => name !== "" && !plain.test(name)));
  return {
    ...(names.size > 0 && { submitted: [...names].sort().slice(0, namesMax) }),
    ...(cleaningWords.some(mayHave) && cleaningsIn(text)),
    ...(escapingWords.some(mayHave) && escaping.test(text) && { escapesOutput: true as const }),
  };
}

/** Where HTML is made harmless: what stands in that line, and around it. */
function cleaningsIn(text: string): Pick<LinkRecord, "cleansHtml"> {
  const found = new Map<number, { line: string[]; near: string[] }>();
  for (const { index } of text.matchAll(cleaning)) {
    if (found.size >= cleaningsMax) break;
    const start = text.lastIndexOf("\n", index) + 1;
    const line = lineAt(text, start);
    if (found.has(start) || naming.test(line)) continue;
    const before = start === 0 ? "" : lineAt(text, text.lastIndexOf("\n", start - 2) + 1);
    const after = lineAt(text, start + line.length + 1);
    found.set(start, { line: wordsOf(line), near: wordsOf(`${before}\n${after}`) });
  }
  return found.size > 0 ? { cleansHtml: [...found.values()] } : {};
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, Math.min(end < 0 ? text.length : end, start + lineMax));
}

const wordsOf = (text: string): string[] =>
  [...new Set(Array.from(text.matchAll(/[A-Za-z_]\w+/g), ([word]) => fieldName(word)))].slice(0, wordsMax);

/** `post[body]`, `Input.Body`, `getBody` and `body_` are one field to forms, handlers and templates alike. */
export const fieldName = (written: string): string =>
  (written.match(/\w+/g)?.at(-1) ?? "")
    .replace(/^get(?=[A-Z])/, "")
    .replaceAll("_", "")
    .toLowerCase();
