import type { SeededRule } from "./rule-sets.ts";

type Texts = Pick<SeededRule, "name" | "description" | "customPrompt" | "fixSuggestion">;

const rule = (
  ruleCode: string,
  severity: SeededRule["severity"],
  page: string,
  zh: Texts,
  english: Texts,
): SeededRule => ({
  ruleCode,
  category: "security",
  severity,
  referenceUrl: `https://owasp.org/Top10/${page}/`,
  ...zh,
  english,
});

/** The ten categories of 2021, each with the page that OWASP has on it. */
export const owaspTopTen: readonly SeededRule[] = [
  rule(
    "A01",
    "critical",
    "A01_2021-Broken_Access_Control",
    {
      name: "访问控制失效",
      description: "用户可以读取或修改不属于自己的数据，或使用超出其权限的功能",
      customPrompt:
        "检查每个按标识读取或修改数据的入口：是否核对了数据的归属和调用者的角色，是否可以改变参数访问他人的数据。",
      fixSuggestion: "默认拒绝；在服务端的统一位置核对归属和角色；对不存在和无权访问给出相同的回答。",
    },
    {
      name: "Broken access control",
      description: "Users can read or change what is not theirs, or use functions beyond their role",
      customPrompt:
        "Look at every entry that reads or changes data by an identifier: is ownership checked, is the caller's role, can a changed parameter reach somebody else's data?",
      fixSuggestion:
        "Deny by default; check ownership and role in one place on the server; answer missing and foreign objects alike.",
    },
  ),
  rule(
    "A02",
    "critical",
    "A02_2021-Cryptographic_Failures",
    {
      name: "加密机制失效",
      description: "敏感数据以明文或弱加密方式存储、传输",
      customPrompt: "查找 MD5、SHA-1、DES、ECB 模式、固定的密钥或初始向量、可预测的随机数、关闭的证书校验和明文传输。",
      fixSuggestion:
        "使用带认证的加密（如 AES-GCM）、密码专用的散列（如 scrypt、Argon2）和系统的安全随机数；密钥放入密钥管理服务。",
    },
    {
      name: "Cryptographic failures",
      description: "Sensitive data is stored or sent in clear text or under weak cryptography",
      customPrompt:
        "Look for MD5, SHA-1, DES, ECB mode, fixed keys or initialisation vectors, predictable random numbers, disabled certificate checks and clear-text transport.",
      fixSuggestion:
        "Use authenticated encryption such as AES-GCM, password hashes such as scrypt or Argon2 and the system's secure random numbers; keep keys in a key service.",
    },
  ),
  rule(
    "A03",
    "critical",
    "A03_2021-Injection",
    {
      name: "注入",
      description: "不可信的输入成为查询、命令、代码或页面的一部分",
      customPrompt:
        "从外部输入开始跟踪：是否不经参数化、转义或白名单就进入 SQL、NoSQL、命令、代码求值、LDAP、XPath、模板或 HTML。",
      fixSuggestion: "使用参数化查询和不经过 shell 的参数数组；按输出位置转义；用白名单限制可选值。",
    },
    {
      name: "Injection",
      description: "Untrusted input becomes part of a query, a command, code or a page",
      customPrompt:
        "Follow outside input: does it reach SQL, NoSQL, commands, evaluated code, LDAP, XPath, templates or HTML without parameters, escaping or an allow list?",
      fixSuggestion:
        "Use parameterised queries and argument arrays without a shell; escape for the place of output; restrict choices by an allow list.",
    },
  ),
  rule(
    "A04",
    "high",
    "A04_2021-Insecure_Design",
    {
      name: "不安全的设计",
      description: "缺少应有的安全措施，即使实现没有错误也无法抵御攻击",
      customPrompt:
        "查找没有次数限制的登录、验证码和重置流程，只在客户端进行的检查，以及可以跳过步骤或重复提交的业务流程。",
      fixSuggestion: "为敏感流程设置次数和时间限制；在服务端校验状态和顺序；为关键操作建立威胁模型。",
    },
    {
      name: "Insecure design",
      description: "A safeguard is missing, so that even a faultless implementation cannot withstand an attack",
      customPrompt:
        "Look for sign-in, code and reset flows without limits, checks that only the client makes, and business flows in which steps can be skipped or repeated.",
      fixSuggestion:
        "Limit sensitive flows in number and time; check state and order on the server; model the threats to what matters.",
    },
  ),
  rule(
    "A05",
    "high",
    "A05_2021-Security_Misconfiguration",
    {
      name: "安全配置错误",
      description: "默认口令、调试模式、过宽的跨域或权限设置等不安全的配置",
      customPrompt:
        "查找开启的调试模式、默认或示例账户、任意来源的跨域、缺少安全属性的 Cookie、暴露的堆栈信息和启用外部实体的 XML 解析器。",
      fixSuggestion: "生产环境关闭调试和示例；逐项列出允许的来源和权限；为 Cookie 设置 Secure、HttpOnly 和 SameSite。",
    },
    {
      name: "Security misconfiguration",
      description: "Default passwords, debug modes, wide cross-origin rules or rights, and other unsafe settings",
      customPrompt:
        "Look for debug modes, default or sample accounts, cross-origin rules for any origin, cookies without their flags, exposed stack traces and XML parsers that resolve external entities.",
      fixSuggestion:
        "Turn debugging and samples off in production; list allowed origins and rights one by one; set Secure, HttpOnly and SameSite on cookies.",
    },
  ),
  rule(
    "A06",
    "high",
    "A06_2021-Vulnerable_and_Outdated_Components",
    {
      name: "易受攻击和过时的组件",
      description: "依赖的组件有已知漏洞、不再维护或版本不固定",
      customPrompt:
        "查看依赖清单和脚本引用：有无已知漏洞的版本、已停止维护的组件、未固定的版本和来自外部地址且没有完整性校验的脚本。",
      fixSuggestion: "升级到没有已知漏洞的版本；用锁文件固定版本；移除不用的依赖；为外部脚本加上完整性校验。",
    },
    {
      name: "Vulnerable and outdated components",
      description: "A dependency has known holes, is no longer maintained, or its version is not pinned",
      customPrompt:
        "Look at dependency lists and script references: versions with known holes, abandoned components, versions that are not pinned, scripts from elsewhere without an integrity check.",
      fixSuggestion:
        "Move to versions without known holes; pin them by a lockfile; remove what is unused; give foreign scripts an integrity check.",
    },
  ),
  rule(
    "A07",
    "critical",
    "A07_2021-Identification_and_Authentication_Failures",
    {
      name: "身份识别和认证失效",
      description: "攻击者可以冒充其他用户",
      customPrompt: "检查口令的存储和比较、会话标识的生成与失效、令牌的签名校验、找回密码的流程和对暴力尝试的防护。",
      fixSuggestion: "使用成熟的认证库；校验令牌的算法、签名和有效期；登录后更换会话标识；限制失败次数。",
    },
    {
      name: "Identification and authentication failures",
      description: "An attacker can pass for another user",
      customPrompt:
        "Look at how passwords are stored and compared, how session identifiers are made and ended, how tokens are verified, how passwords are reset and what stops guessing.",
      fixSuggestion:
        "Use a proven library; verify algorithm, signature and expiry of tokens; renew the session after signing in; limit failures.",
    },
  ),
  rule(
    "A08",
    "critical",
    "A08_2021-Software_and_Data_Integrity_Failures",
    {
      name: "软件和数据完整性失效",
      description: "未经验证就信任代码、更新或序列化的数据",
      customPrompt: "查找对不可信数据的反序列化、没有签名校验的更新和插件，以及构建流程中下载后直接执行的脚本。",
      fixSuggestion: "用只含数据的格式（如 JSON）并按模式校验；验证签名和散列；固定构建步骤使用的版本。",
    },
    {
      name: "Software and data integrity failures",
      description: "Code, updates or serialised data are trusted without verification",
      customPrompt:
        "Look for deserialisation of untrusted data, updates and plug-ins without signatures, and build steps that run what they download.",
      fixSuggestion:
        "Use data-only formats such as JSON and validate them; verify signatures and hashes; pin what builds use.",
    },
  ),
  rule(
    "A09",
    "medium",
    "A09_2021-Security_Logging_and_Monitoring_Failures",
    {
      name: "安全日志和监控失效",
      description: "攻击不会被记录或发现，或者日志本身泄露或可被伪造",
      customPrompt:
        "检查登录失败、权限拒绝和重要变更是否留下记录；日志中有无口令、令牌和个人数据；用户输入能否伪造日志行。",
      fixSuggestion: "记录安全事件的主体、时间和结果；过滤敏感字段；对写入日志的输入编码；对异常告警。",
    },
    {
      name: "Security logging and monitoring failures",
      description: "Attacks leave no trace or are not noticed, or the log itself leaks or can be forged",
      customPrompt:
        "Are failed sign-ins, refusals and important changes recorded? Does the log hold passwords, tokens or personal data? Can user input forge a line?",
      fixSuggestion:
        "Record who, when and with what outcome; filter sensitive fields; encode input that is logged; alert on what is unusual.",
    },
  ),
  rule(
    "A10",
    "high",
    "A10_2021-Server-Side_Request_Forgery_%28SSRF%29",
    {
      name: "服务端请求伪造",
      description: "攻击者可以让服务器访问其指定的地址，包括内部网络",
      customPrompt:
        "查找地址来自用户输入的请求：是否限制协议、主机和端口，是否检查解析后的地址，重定向之后是否再次检查。",
      fixSuggestion: "用白名单限制目标；解析后检查地址并连接同一地址；拒绝内网和元数据地址；不自动跟随重定向。",
    },
    {
      name: "Server-side request forgery",
      description: "An attacker can make the server call addresses of their choice, the internal network included",
      customPrompt:
        "Look for requests to addresses from user input: are scheme, host and port restricted, is the resolved address checked, and again after redirects?",
      fixSuggestion:
        "Allow-list destinations; check the resolved address and connect to that one; refuse internal and metadata addresses; do not follow redirects by default.",
    },
  ),
];
