import type { Text, VulnerabilityType } from "../finding.ts";
import { ruleFamily } from "../user-rules/user-pattern.ts";
import type { ReplyIssue } from "./reply-schema.ts";
import type { ReviewRule } from "./review.ts";

/** A kind of problem as findings carry it. */
export interface ProblemClass {
  /** Part of the fingerprint: the engine's name for it where a rule can find it too, so that both find one thing. */
  readonly family: string;
  readonly type: VulnerabilityType;
  /** The first one is meant where a model names none. */
  readonly cwe: readonly number[];
  readonly owasp2021: string | null;
  readonly owasp2025: string | null;
  readonly name: Text;
}

const row = (
  family: string,
  type: VulnerabilityType,
  cwe: readonly number[],
  owasp: readonly [string, string] | null,
  zh: string,
  en: string,
): ProblemClass => ({
  family,
  type,
  cwe,
  owasp2021: owasp?.[0] || null,
  owasp2025: owasp?.[1] || null,
  name: { zh, en },
});

/**
 * What a model can report, the main class of a vulnerability type first. More than the rules' families: much of it only a reader of
 * meaning can see. OWASP categories are those of the published CWE lists.
 */
export const problemClasses: readonly ProblemClass[] = [
  row("sql_injection", "sql_injection", [89, 564], ["A03", "A05"], "SQL 注入", "SQL injection"),
  row("nosql_injection", "nosql_injection", [943], ["A03", "A05"], "NoSQL 注入", "NoSQL injection"),
  // Text that gets from the plane of values to that of programs.
  row("nosql_script", "nosql_injection", [75], ["A03", "A05"], "数据库脚本注入", "Script injection into a database"),
  row("xss", "xss", [79, 80], ["A03", "A05"], "跨站脚本", "Cross-site scripting"),
  row("command_injection", "command_injection", [78, 77], ["A03", "A05"], "命令注入", "Command injection"),
  row(
    "argument_injection",
    "command_injection",
    [88],
    ["A03", "A05"],
    "命令参数注入",
    "Option injected into a command",
  ),
  row("code_injection", "code_injection", [94, 95, 96, 470, 917], ["A03", "A05"], "代码注入", "Code injection"),
  row("ssti", "code_injection", [1336], ["A03", "A05"], "模板注入", "Template injection"),
  row("path_traversal", "path_traversal", [22, 23, 36, 73], ["A01", "A01"], "路径遍历", "Path traversal"),
  row("file_inclusion", "file_inclusion", [98], ["A03", "A05"], "文件包含", "File inclusion"),
  row("ssrf", "ssrf", [918], ["A10", "A01"], "服务端请求伪造", "Server-side request forgery"),
  row("xxe", "xxe", [611, 776], ["A05", "A02"], "XML 外部实体", "XML external entities"),
  row("deserialization", "deserialization", [502], ["A08", "A08"], "不安全的反序列化", "Unsafe deserialisation"),
  row("missing_authentication", "auth_bypass", [306, 287, 288], ["A07", "A07"], "缺少认证", "Missing authentication"),
  row("missing_authorisation", "auth_bypass", [862, 863, 285], ["A01", "A01"], "缺少授权检查", "Missing authorisation"),
  row("idor", "idor", [639], ["A01", "A01"], "越权访问对象", "Access to objects of others"),
  row(
    "data_exposure",
    "sensitive_data_exposure",
    [200, 201, 497, 548],
    ["A01", "A01"],
    "敏感数据泄露",
    "Exposed sensitive data",
  ),
  row(
    "user_enumeration",
    "sensitive_data_exposure",
    [203, 204],
    ["A01", "A01"],
    "回答透露账号是否存在",
    "Answers that tell whether an account exists",
  ),
  row(
    "sensitive_logging",
    "sensitive_data_exposure",
    [532],
    ["A09", "A09"],
    "敏感数据写入日志",
    "Sensitive data in logs",
  ),
  row(
    "data_in_clear",
    "sensitive_data_exposure",
    [311, 312, 319],
    ["A04", "A06"],
    "敏感数据明文存储",
    "Sensitive data in clear",
  ),
  row(
    "verbose_error",
    "sensitive_data_exposure",
    [209],
    ["A04", "A10"],
    "错误信息泄露细节",
    "Errors that tell too much",
  ),
  row("hardcoded_secret", "hardcoded_secret", [798, 259], ["A07", "A07"], "密钥写死在代码中", "Hard-coded secret"),
  row("hardcoded_key", "hardcoded_secret", [321], ["A02", "A04"], "加密密钥写死在代码中", "Hard-coded key"),
  row("weak_cipher", "weak_crypto", [327, 326, 329, 1204], ["A02", "A04"], "弱加密算法", "Weak cipher"),
  row("weak_hash", "weak_crypto", [328], ["A02", "A04"], "弱散列算法", "Weak hash"),
  row("weak_password_hash", "weak_crypto", [916, 759, 760], ["A02", "A04"], "口令散列太弱", "Weak hash of passwords"),
  row("plain_password", "weak_crypto", [256], ["A04", "A06"], "口令明文保存", "Password kept readable"),
  row("weak_random", "weak_crypto", [330, 338, 331], ["A02", "A04"], "不安全的随机数", "Predictable random numbers"),
  row("jwt_unverified", "weak_crypto", [347], ["A02", "A04"], "令牌签名未校验", "Unverified token"),
  row("timed_comparison", "weak_crypto", [208], ["A02", "A04"], "比较耗时泄密", "Comparison that tells by its time"),
  row("tls_verification", "weak_crypto", [295, 297], ["A07", "A07"], "TLS 校验被关闭", "TLS verification off"),
  row("race_condition", "race_condition", [362], ["", "A06"], "竞态条件", "Race condition"),
  row("file_race", "race_condition", [367, 377], null, "文件竞态", "Race on a file"),
  row("business_logic", "business_logic", [841, 840], ["A04", "A06"], "业务逻辑缺陷", "Flaw in business logic"),
  row("memory_corruption", "memory_corruption", [119], null, "内存破坏", "Memory corruption"),
  row("buffer_overflow", "memory_corruption", [787, 120, 121, 122, 125, 129], null, "缓冲区溢出", "Buffer overflow"),
  row("use_after_free", "memory_corruption", [416, 415, 590, 562], null, "释放后使用", "Use after free"),
  row("format_string", "memory_corruption", [134], null, "格式化字符串", "Format string"),
  row("integer_overflow", "memory_corruption", [190, 680], null, "整数溢出", "Integer overflow"),
  row("uninitialised_read", "memory_corruption", [457, 824], null, "读取未初始化的变量", "Read of what was never set"),
  row("null_pointer", "other", [476, 690], null, "空指针引用", "Null pointer followed"),
  row("divide_by_zero", "other", [369], null, "除以零", "Division by zero"),
  row("resource_leak", "other", [401, 772], null, "资源未释放", "Resources that are never given back"),
  row("open_redirect", "other", [601], ["A01", "A01"], "开放重定向", "Open redirect"),
  row("csrf", "other", [352], ["A01", "A01"], "跨站请求伪造", "Cross-site request forgery"),
  row("session_fixation", "other", [384], ["A07", "A07"], "会话固定", "Session fixation"),
  row("clickjacking", "other", [1021], ["A04", "A06"], "点击劫持", "Clickjacking"),
  row("insecure_cookie", "other", [614, 1004, 1275], ["A05", "A02"], "Cookie 属性不安全", "Insecure cookie"),
  row("rate_limit", "other", [307, 799], ["A07", "A07"], "缺少频率限制", "Missing rate limit"),
  row("ldap_injection", "other", [90], ["A03", "A05"], "LDAP 注入", "LDAP injection"),
  row("xpath_injection", "other", [643], ["A03", "A05"], "XPath 注入", "XPath injection"),
  row("header_injection", "other", [113, 93], ["A03", "A05"], "响应头注入", "Header injection"),
  row("log_injection", "other", [117], ["A09", "A09"], "日志注入", "Log injection"),
  row("prototype_pollution", "other", [1321], ["A08", "A08"], "原型污染", "Prototype pollution"),
  row("mass_assignment", "other", [915], ["A08", "A08"], "批量赋值", "Mass assignment"),
  row("variable_overwrite", "other", [621], ["A08", "A08"], "请求可以改写变量", "Request overwrites variables"),
  row("resource_use", "other", [400, 770], null, "资源消耗不受限", "Unbounded use of resources"),
  row("redos", "other", [1333], null, "正则表达式拒绝服务", "Regular expression of exponential time"),
  row("unrestricted_upload", "other", [434], ["A04", "A06"], "上传不受限制", "Unrestricted upload"),
  row("trust_boundary", "other", [501, 565, 807], ["A04", "A06"], "越过信任边界", "Trust boundary crossed"),
  row("debug_mode", "other", [489], ["A05", "A02"], "调试模式开启", "Debug mode on"),
  row("prompt_injection", "other", [1427], null, "写给模型的指令", "Instructions to a model"),
  row("open_access", "other", [284, 644, 668, 1327], ["A01", "A01"], "访问范围过大", "Open to too many"),
  row("open_permissions", "other", [732], ["A01", "A01"], "文件权限过宽", "File permissions too wide"),
  row("excess_privilege", "other", [250, 269, 273], ["A04", "A06"], "权限过高", "More privilege than needed"),
  row("unpinned_dependency", "other", [829], ["A08", "A08"], "依赖未固定或未校验", "Unpinned or unchecked dependency"),
  row("unverified_download", "code_injection", [494], ["A08", "A08"], "下载内容未经校验", "Download without a check"),
  row("missing_logging", "other", [778], ["A09", "A09"], "缺少审计日志", "Missing audit log"),
  row("permissive_cors", "other", [942, 1385], ["A05", "A02"], "跨域策略过宽", "Permissive CORS"),
];

const byCwe = new Map(problemClasses.flatMap((entry) => entry.cwe.map((cwe) => [cwe, entry] as const)));
/** The vulnerability type of the first weakness that has one. */
export const typeOfWeakness = (cwe: readonly number[]): VulnerabilityType =>
  cwe.map((number) => byCwe.get(number)?.type).find((type) => type !== undefined) ?? "other";
const byType = new Map([...problemClasses].reverse().map((entry) => [entry.type, entry] as const));

const qualityNames: Record<string, Text> = {
  security: { zh: "安全问题", en: "Security problem" },
  bug: { zh: "缺陷", en: "Bug" },
  performance: { zh: "性能问题", en: "Performance problem" },
  style: { zh: "风格问题", en: "Style problem" },
  maintainability: { zh: "可维护性问题", en: "Maintainability problem" },
};

/** The families of the engine's rules for these codes: what a rule and a model have both found is one finding. */
const codeFamilies: Readonly<Record<string, string>> = {
  CQ001: "long_function",
  CQ002: "duplicate_code",
  CQ003: "deep_nesting",
  CQ004: "magic_number",
  CQ005: "ignored_error",
  CQ006: "unused_variable",
  CQ007: "unusual_name",
  CQ008: "missing_comment",
  PERF001: "query_in_loop",
  PERF002: "memory_leak",
  PERF003: "inefficient_algorithm",
  PERF004: "needless_allocation",
  PERF005: "blocking_call",
};

/**
 * Decides what a model's issue is. A CWE that belongs to the stated type is more exact than the type alone; a CWE alone decides where
 * the type is "other". What is no known weakness belongs to the owner's rule it breaks, or to its issue type.
 */
export function classOf(
  issue: Pick<ReplyIssue, "type" | "vulnerability_type" | "cwe">,
  rule: ReviewRule | null,
): ProblemClass {
  const named = issue.vulnerability_type;
  const exact = issue.cwe === null ? undefined : byCwe.get(issue.cwe);
  if (issue.type === "security" || named !== "other") {
    if (exact && (named === "other" || exact.type === named)) return exact;
    const main = named === "other" ? undefined : byType.get(named);
    if (main) return main;
  }
  return {
    family: rule ? (codeFamilies[rule.code] ?? ruleFamily(rule.code)) : issue.type,
    type: "other",
    cwe: [],
    owasp2021: null,
    owasp2025: null,
    name: qualityNames[issue.type] as Text,
  };
}
