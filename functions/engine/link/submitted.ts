import type { LinkRecord } from "../artefact.ts";

/** More would be a file that a program has written. */
const namesMax = 100;

/** Where people type text: fields of forms as HTML has them, and as the helpers of frameworks write them. */
const forms = [
  /<textarea\b[^<>]{0,300}?\sname\s*=\s*["']([^"'<>]{1,80})["']/gi,
  /<input\b(?![^<>]{0,300}?\stype\s*=\s*["']?(?:hidden|number|email|date|datetime|time|month|checkbox|radio|file|password|submit|button|range|color)\b)[^<>]{0,300}?\sname\s*=\s*["']([^"'<>]{1,80})["']/gi,
  /<(?:textarea|input)\b[^<>]{0,300}?\s(?:th:field|asp-for)\s*=\s*["'](?:\*\{)?([\w.]{1,80})/gi,
  /<form:(?:textarea|input)\b[^<>]{0,300}?\spath\s*=\s*["']([\w.]{1,80})/gi,
  /<(?:textarea|input)\b[^<>]{0,300}?\s(?:v-model(?:\.\w+)*|\[\(ngModel\)\]|formControlName)\s*=\s*["']([\w.$]{1,80})["']/gi,
  /<(?:textarea|input)\b[^<>]{0,300}?\sbind:value=\{([\w.$]{1,80})\}/gi,
  /\bset([A-Z]\w{0,80})\(\s*e(?:v|vent)?\.target\.value/g,
  /\b(?:text_area|text_field|textarea|TextAreaFor|TextBoxFor|EditorFor)\b[\s(]*(?:\w+\s*=>\s*\w+\.|:|["'])(\w{1,80})/g,
];

/** What handlers take from a request by name. */
const reads = [
  /\b(?:req|request)\.body\.(\w{1,80})/g,
  /\brequest\.(?:POST|form|data|json|values)(?:\.get)?[[(]\s*["'](\w{1,80})/g,
  /\b(?:cleaned_data|validated_data)[[.](?:get\()?["'](\w{1,80})/g,
  /\bform\.(\w{1,80})\.data\b/g,
  /\$request->(?:input|get|post|string)\(\s*["'](\w{1,80})/g,
  /\$request->(\w{1,80})\b(?!\s*\()/g,
  /\$_POST\[\s*["'](\w{1,80})/g,
  /\bparams(?:\[:\w+\])?\[:(\w{1,80})\]/g,
  /\bgetParameter\(\s*"(\w{1,80})"/g,
];

/** Several at once: what is taken apart, permitted, or listed as the fields of a form. */
const lists = [
  /\{([^{}=]{1,300})\}\s*=\s*(?:await\s+)?(?:req|request|ctx\.request)\.body\b/g,
  /\.permit\(([^()]{1,300})\)/g,
  /\bfields\s*=\s*[[(]([^\])]{1,300})[\])]/g,
];

/** Numbers, dates and names of records: nobody writes HTML into these. */
const plain = /(id|date|time|at|count|price|amount|total|number|quantity|page|status|type|email|phone|slug|password)$/;

/** What makes HTML harmless, by the names of the libraries and functions that do. */
const cleaning =
  /\b(bleach|nh3|dompurify|sanitize-?html|html_?sanitizer|htmlsanitizer|htmlpurifier|purifier|purify|jsoup|antisamy|loofah|ammonia|bluemonday|xss-clean|wp_kses|strip_tags|has_rich_text|PolicyFactory|lxml\.html\.clean)\b|\b(sanitize(?!_?(file|path|name|key|url|sql|query|log|id))|escapeHtml|escape_html)\w*\s*\(|html\.escape\(|\.escape\(\)|(htmlspecialchars|htmlentities|\be)\(\s*\$(_POST|request)/i;

/** What the visitors of an application may fill in by this file, and whether it makes HTML harmless. */
export function submittedIn(text: string): Pick<LinkRecord, "submitted" | "cleansHtml"> {
  const single = [...forms, ...reads].flatMap((form) => [...text.matchAll(form)].map(([, name = ""]) => name));
  const listed = lists.flatMap((list) => [...text.matchAll(list)].flatMap(([, all = ""]) => all.match(/\w+/g) ?? []));
  const names = new Set([...single, ...listed].map(fieldName).filter((name) => name !== "" && !plain.test(name)));
  return {
    ...(names.size > 0 && { submitted: [...names].sort().slice(0, namesMax) }),
    ...(cleaning.test(text) && { cleansHtml: true as const }),
  };
}

/** `post[body]`, `Input.Body`, `getBody` and `body_` are one field to forms, handlers and templates alike. */
export const fieldName = (written: string): string =>
  (written.match(/\w+/g)?.at(-1) ?? "")
    .replace(/^get(?=[A-Z])/, "")
    .replaceAll("_", "")
    .toLowerCase();
