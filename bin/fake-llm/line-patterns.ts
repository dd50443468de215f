import type { IssueType, Severity, VulnerabilityType } from "../../functions/engine/finding.ts";

type Language = "zh" | "en";

interface PatternText {
  readonly title: string;
  readonly what: string;
  readonly why: string;
  readonly how: string;
}

/** Something that the scripted model notices about a line. */
export interface LinePattern {
  readonly matches: RegExp;
  readonly type: IssueType;
  readonly severity: Exclude<Severity, "info">;
  readonly vulnerability: VulnerabilityType;
  readonly cwe: number | null;
  /** Whether a comment can show the problem: an `eval(` in a comment runs nothing. */
  readonly inComments?: boolean;
  readonly text: Readonly<Record<Language, PatternText>>;
}

/** A handful of simple problems, enough for answers that are true of the code that was sent. Not a rule set: the engine has that. */
export const linePatterns: readonly LinePattern[] = [
  {
    matches: /(?<![.\w])eval\(/,
    type: "security",
    severity: "high",
    vulnerability: "code_injection",
    cwe: 95,
    text: {
      en: {
        title: "Code is evaluated at run time",
        what: "The line hands a value to eval.",
        why: "Whoever controls the value runs code of their own in this process.",
        how: "Parse the value with a parser made for it instead of evaluating it.",
      },
      zh: {
        title: "运行时执行代码",
        what: "该行把一个值交给 eval 执行。",
        why: "能够控制该值的人可以在本进程中运行任意代码。",
        how: "请使用专门的解析器处理该值,不要执行它。",
      },
    },
  },
  {
    matches: /(?<![.\w])exec(?:Sync)?\(|\bos\.(?:system|popen)\(|\bRuntime\.getRuntime\(\)\.exec\(/,
    type: "security",
    severity: "high",
    vulnerability: "command_injection",
    cwe: 78,
    text: {
      en: {
        title: "A command is run through a shell",
        what: "The line builds a command and runs it.",
        why: "A value inside the command can end it and begin another one.",
        how: "Run the program with a list of arguments and without a shell.",
      },
      zh: {
        title: "通过 shell 执行命令",
        what: "该行拼出一条命令并执行。",
        why: "命令中的值可以结束原命令并开始另一条命令。",
        how: "请用参数列表直接运行程序,不要经过 shell。",
      },
    },
  },
  {
    matches: /\.innerHTML\s*\+?=(?!=)/,
    type: "security",
    severity: "high",
    vulnerability: "xss",
    cwe: 79,
    text: {
      en: {
        title: "HTML is written without escaping",
        what: "The line assigns to innerHTML.",
        why: "Markup in the value becomes part of the page, scripts included.",
        how: "Assign to textContent, or clean the markup first.",
      },
      zh: {
        title: "未经转义写入 HTML",
        what: "该行对 innerHTML 赋值。",
        why: "值中的标记会成为页面的一部分,脚本也不例外。",
        how: "请改用 textContent,或先清理标记。",
      },
    },
  },
  {
    matches: /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b.{0,300}?["'`]\s*(?:\+|%|\.format\()/i,
    type: "security",
    severity: "critical",
    vulnerability: "sql_injection",
    cwe: 89,
    text: {
      en: {
        title: "SQL is put together from strings",
        what: "The line joins a value into the text of a query.",
        why: "A quote in the value ends the string and changes the query.",
        how: "Pass the value as a parameter of the query.",
      },
      zh: {
        title: "用字符串拼接 SQL",
        what: "该行把一个值拼进查询语句。",
        why: "值中的引号会结束字符串并改变查询。",
        how: "请把该值作为查询参数传递。",
      },
    },
  },
  {
    matches: /\b(?:password|passwd|secret|api_?key)\b["']?\s*[:=]\s*["'][^"']{4,}["']/i,
    type: "security",
    severity: "high",
    vulnerability: "hardcoded_secret",
    cwe: 798,
    text: {
      en: {
        title: "A secret stands in the code",
        what: "The line assigns a literal to a name that stands for a secret.",
        why: "Everybody who reads the code has the secret, and so has its history.",
        how: "Read it from the environment or a secret store, and replace it.",
      },
      zh: {
        title: "代码中写有密钥",
        what: "该行把字面值赋给表示密钥的名称。",
        why: "凡能读到代码或其历史的人都能得到该密钥。",
        how: "请从环境变量或密钥管理服务读取,并更换该密钥。",
      },
    },
  },
  {
    matches: /\bmd5\b/i,
    type: "security",
    severity: "medium",
    vulnerability: "weak_crypto",
    cwe: 327,
    text: {
      en: {
        title: "MD5 is broken",
        what: "The line uses MD5.",
        why: "Different inputs with the same digest are easy to make.",
        how: "Use SHA-256; for passwords a slow hash such as scrypt.",
      },
      zh: {
        title: "MD5 已被攻破",
        what: "该行使用了 MD5。",
        why: "很容易构造出摘要相同的不同输入。",
        how: "请使用 SHA-256;存储口令请用 scrypt 等慢哈希。",
      },
    },
  },
  {
    matches: /\bpickle\.loads?\(/,
    type: "security",
    severity: "high",
    vulnerability: "deserialization",
    cwe: 502,
    text: {
      en: {
        title: "A pickle is loaded",
        what: "The line makes objects from a pickle.",
        why: "A pickle can name any function to be called while it is loaded.",
        how: "Use JSON, or sign the data and check it before loading.",
      },
      zh: {
        title: "加载 pickle 数据",
        what: "该行用 pickle 还原对象。",
        why: "pickle 数据可以在加载时指定调用任意函数。",
        how: "请使用 JSON,或在加载前验证数据签名。",
      },
    },
  },
  {
    matches: /^\s*except\s*:/,
    type: "bug",
    severity: "medium",
    vulnerability: "other",
    cwe: 396,
    text: {
      en: {
        title: "Every exception is caught",
        what: "The clause names no exception.",
        why: "Faults of the program, and Ctrl-C, vanish with the ones that were meant.",
        how: "Name the exceptions that are expected here.",
      },
      zh: {
        title: "捕获了所有异常",
        what: "该子句没有指明异常类型。",
        why: "程序自身的错误和 Ctrl-C 都会一并被吞掉。",
        how: "请写明此处预期的异常类型。",
      },
    },
  },
  {
    matches: /\b(?:TODO|FIXME)\b/,
    type: "maintainability",
    severity: "low",
    vulnerability: "other",
    cwe: null,
    inComments: true,
    text: {
      en: {
        title: "Work is left to do",
        what: "A note says that something is missing here.",
        why: "Notes in code are forgotten.",
        how: "Do it, or file it where work is planned.",
      },
      zh: {
        title: "尚有未完成的工作",
        what: "一处注记说明这里缺少内容。",
        why: "代码里的注记容易被遗忘。",
        how: "请完成它,或记录到任务管理中。",
      },
    },
  },
];

/** A loop right inside a loop; told by two lines, so it is no pattern of one. */
export const nestedLoops: Omit<LinePattern, "matches"> = {
  type: "performance",
  severity: "medium",
  vulnerability: "other",
  cwe: null,
  text: {
    en: {
      title: "A loop runs inside a loop",
      what: "For each round of the outer loop the inner one runs in full.",
      why: "Twice the data takes four times as long.",
      how: "Index one of the two by what is compared.",
    },
    zh: {
      title: "循环嵌套循环",
      what: "外层循环每执行一次,内层循环都会完整执行。",
      why: "数据量翻倍,耗时变为四倍。",
      how: "请按比较的键为其中一方建立索引。",
    },
  },
};

/** What a line that contains `scripted-issue: <title>` becomes. */
export const scriptedIssue = (title: string): Omit<LinePattern, "matches"> => ({
  type: "bug",
  severity: "high",
  vulnerability: "other",
  cwe: null,
  inComments: true,
  text: {
    en: { title, what: "The line asks for an issue.", why: "A test wants to see one here.", how: "Remove the marker." },
    zh: { title, what: "该行要求产生一个问题。", why: "测试需要在此处看到问题。", how: "请删除该标记。" },
  },
});
