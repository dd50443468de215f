import { isOfPhp, isOfRuby, type TemplateFormat } from "./template-format.ts";

/**
 * What filters and functions of template languages do to what they are given, whatever the language: their names agree. Names are
 * asked in lower case and without underscores, so that `html_escape`, `htmlEscape` and `HtmlEscape` are one.
 */
export type Effect = "raw" | "clean" | "encoded" | "json" | "nothing" | "request" | "same";

const words = (names: string): string[] => names.trim().split(/\s+/);

const effects: ReadonlyMap<string, Effect> = new Map(
  Object.entries({
    // Says that the text is HTML already.
    raw: words(
      "safe raw htmlsafe marksafe markup safestring safeseq noescape unescape unescapehtml rawhtml trustashtml dump htmlstring",
    ),
    clean: words(`
      e h escape escapeonce forceescape htmlescape escapehtml escapehtml4 escapexml htmlspecialchars htmlentities encode
      encodeforhtml encodeforhtmlattribute encodeforjavascript forhtml forjavascript forhtmlattribute
      javascriptstringencode escapejs escapejavascript escapejsstring j
      contenttag linkto buttonto mailto tag striptags striphtml sanitize sanitizehtml domsanitize purify bleach clean cleanhtml sanitized htmlencode htmlattributeencode htmlformat nl2br linebreaks linebreaksbr
      urlize simpleformat autolink formatnumber slugify slug parameterize base64 md5 sha256 hash asset`),
    // Leaves no mark of HTML, also where the text was called HTML before.
    encoded: words(
      "encodeuricomponent encodeuri encodeforurl urlencode urlpathencode escapedatastring rawurlencode urlescape",
    ),
    // Text of a script that ends no script: these write `<` as an escape.
    json: words("serialize serializeobject tojson jsonencode jsonscript from toscript escapejson"),
    // Numbers, dates, addresses and texts of the application itself.
    nothing: words(`
      length len count size int toint16 toint32 toint64 toboolean todatetime todecimal parseint parselong valueof intval integer float floatval number numberformat numberformatted round abs ceil floor date datetime time
      strftime timesince timeuntil dateformat countcharacters countwords filesizeformat intcomma wordcount pluralize yesno divisibleby currency money formatdate ago localtime
      urlfor route path url reverse action assetpath assets static csrf csrffield csrftoken csrfinput csrfmetatags csrfmetatag methodfield
      flashmessages getflashedmessages render yield content paginate links isempty exists startswith endswith contains includes indexof
      styles scripts css stylesheetlinktag javascriptincludetag javascriptpacktag imagetag formwith formfor formtag asp astable asul asdiv
      errors renderfield wtf hiddentag media super caller block include partial mix vite viteassets encoreentryscripttags encoreentrylinktags
      lang config env bcrypt nonce pageurl pathto`),
    request: words("request requestinput oldinput old"),
  } satisfies Partial<Record<Effect, string[]>>).flatMap(([effect, names]) =>
    names.map((name): [string, Effect] => [name, effect as Effect]),
  ),
);

/** Elsewhere it escapes as well. */
const breaksLines = /^nl2br$/i;

/** What a filter or function of this name does; its last part counts. */
export function effectOf(name: string, format?: TemplateFormat): Effect {
  const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":")) + 1);
  const plain = last.replace(/[_?!]/g, "").toLowerCase();
  if (format && isOfPhp(format) && breaksLines.test(plain)) return "same";
  const known = effects.get(plain);
  if (known) return known;
  // What makes an address of the application encodes what it puts into it.
  if (/(?:url|urls|uri|path|href)$/.test(plain)) return "nothing";
  // What promises in its name to make text safe is taken at its word, as in code.
  return /^(sanitize|escape|purify|stripTags)/i.test(plain) ? "clean" : "same";
}

/** Words and names that stand for nothing that a template is given. */
export const ownNames: ReadonlySet<string> = new Set(
  words(`
    true false True False none None null nil undefined empty loop forloop csrf_token csrf_input csrf_field csrfToken self super block
    static STATIC_URL MEDIA_URL Math Date Object Array console process __dirname __filename yield`),
);

/**
 * Whether a chain of names reads the request: where the template is given the request, or has it by itself. What is fixed before the
 * request comes, such as the path of a route or the user's name, is not input that anybody chooses.
 */
export function readsRequest(format: TemplateFormat, root: string, path: readonly string[]): boolean {
  const [first = ""] = path;
  if (root === "request()") return true;
  // What Symfony gives every template of Twig.
  if (format === "jinja" && root === "app" && first === "request") return inputs.test(path[1] ?? "");
  // The code of pages of Java is followed as code.
  if (root === "request" || root === "req") return format !== "jsp" && inputs.test(first);
  if (isOfRuby(format)) return (root === "params" || root === "cookies") && path.length > 0;
  if (format === "jsp" || format === "thymeleaf") return /^(param|paramValues|header|headerValues|cookie)$/.test(root);
  if (format === "razor" || format === "aspx") {
    const asked = root === "Request" ? first : root === "Context" && first === "Request" ? (path[1] ?? "") : null;
    return asked !== null && !ownOfPage.test(asked);
  }
  if (format === "smarty") return root === "smarty" && /^(get|post|request|cookies)$/.test(first);
  if (format !== "blade") return false;
  return (
    (/^_(GET|POST|REQUEST|COOKIE)$/.test(root) && path.length > 0) ||
    (root === "Request" && /^(input|get|query|all|post|cookie)$/.test(first))
  );
}

/** What ASP.NET says of the request that is the page's own, or a number. */
const ownOfPage =
  /^((AppRelative)?(CurrentExecution)?FilePath|ApplicationPath|Physical\w+|PathBase|UserHostAddress|Is\w+|HttpMethod|Method|Scheme|ContentLength|TotalBytes|Browser)$/;

const inputs =
  /^(args|form|values|cookies|GET|POST|COOKIES|REQUEST|query|query_params|query_string|body|params|input|get|post|headers|getParameter|getParameterValues|getHeader|getQueryString|all|request)$/;
