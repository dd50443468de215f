import type { SeededRule } from "./rule-sets.ts";

type Texts = Pick<SeededRule, "name" | "description" | "customPrompt" | "fixSuggestion">;

const rule = (
  ruleCode: string,
  category: SeededRule["category"],
  severity: SeededRule["severity"],
  zh: Texts,
  english: Texts,
): SeededRule => ({ ruleCode, category, severity, referenceUrl: null, ...zh, english });

export const qualityRules: readonly SeededRule[] = [
  rule(
    "CQ001",
    "maintainability",
    "medium",
    {
      name: "函数过长",
      description: "函数超过 50 行",
      customPrompt: "报告超过 50 行的函数，并指出其中可以独立成函数的部分。",
      fixSuggestion: "按职责拆分为若干短小、命名清楚的函数。",
    },
    {
      name: "Long function",
      description: "A function has more than 50 lines",
      customPrompt: "Report functions of more than 50 lines and name the parts that could stand alone.",
      fixSuggestion: "Split it by responsibility into short functions with clear names.",
    },
  ),
  rule(
    "CQ002",
    "maintainability",
    "medium",
    {
      name: "重复代码",
      description: "相同或几乎相同的代码出现多次",
      customPrompt: "报告相同或只有名称、常量不同的代码段，并列出所有位置。",
      fixSuggestion: "提取为一个函数或数据表，在各处使用。",
    },
    {
      name: "Duplicate code",
      description: "The same or nearly the same code stands in several places",
      customPrompt: "Report passages that are equal but for names and constants, with all their places.",
      fixSuggestion: "Extract one function or table and use it everywhere.",
    },
  ),
  rule(
    "CQ003",
    "maintainability",
    "low",
    {
      name: "嵌套过深",
      description: "嵌套超过 4 层",
      customPrompt: "报告条件和循环嵌套超过 4 层的代码。",
      fixSuggestion: "提前返回、提取函数或合并条件。",
    },
    {
      name: "Deep nesting",
      description: "Nesting goes deeper than 4 levels",
      customPrompt: "Report conditions and loops nested deeper than 4 levels.",
      fixSuggestion: "Return early, extract functions or merge conditions.",
    },
  ),
  rule(
    "CQ004",
    "style",
    "low",
    {
      name: "魔法数字",
      description: "含义不明的数字常量",
      customPrompt: "报告含义不能从上下文看出的数字，0、1 和显而易见的单位换算除外。",
      fixSuggestion: "改为有名称、注明单位的常量。",
    },
    {
      name: "Magic number",
      description: "A number whose meaning is not stated",
      customPrompt:
        "Report numbers whose meaning the context does not show; 0, 1 and obvious conversions of units are none.",
      fixSuggestion: "Make it a constant with a name and a unit.",
    },
  ),
  rule(
    "CQ005",
    "bug",
    "high",
    {
      name: "缺少错误处理",
      description: "可能失败的操作没有处理错误，或者错误被静默忽略",
      customPrompt: "查找未处理的异常和返回值、空的捕获块、未等待的异步调用，以及出错时未释放的资源。",
      fixSuggestion: "处理或向上传递每个错误；只捕获能够处理的错误；用 finally 或同类语法释放资源。",
    },
    {
      name: "Missing error handling",
      description: "An operation that can fail is not handled, or its error is silently dropped",
      customPrompt:
        "Look for unhandled exceptions and results, empty catch blocks, asynchronous calls that nobody awaits, and resources that an error leaves open.",
      fixSuggestion:
        "Handle each error or pass it on; catch only what can be handled; release resources in finally or its like.",
    },
  ),
  rule(
    "CQ006",
    "style",
    "low",
    {
      name: "未使用的变量",
      description: "声明后从未使用的变量、参数或导入",
      customPrompt: "报告从未使用的变量、参数和导入；接口规定的参数除外。",
      fixSuggestion: "删除；确需保留的参数按惯例标明。",
    },
    {
      name: "Unused variable",
      description: "A variable, parameter or import that is never used",
      customPrompt:
        "Report variables, parameters and imports that are never used, but for parameters that an interface demands.",
      fixSuggestion: "Remove it; mark a parameter that must stay as is usual in the language.",
    },
  ),
  rule(
    "CQ007",
    "style",
    "low",
    {
      name: "命名不规范",
      description: "名称不能说明用途，或不符合语言惯例",
      customPrompt: "报告无意义、误导或不符合该语言大小写惯例的名称。",
      fixSuggestion: "用能说明用途的名称，并与项目其余部分一致。",
    },
    {
      name: "Poor naming",
      description: "A name does not tell its purpose or departs from the language's conventions",
      customPrompt: "Report names that say nothing, mislead, or break the language's conventions of case.",
      fixSuggestion: "Choose a name that tells the purpose and fits the rest of the project.",
    },
  ),
  rule(
    "CQ008",
    "maintainability",
    "low",
    {
      name: "缺少注释",
      description: "复杂的逻辑或对外的接口没有说明",
      customPrompt: "报告没有说明用途的对外接口，以及看不出原因的复杂逻辑；不要求为显而易见的代码加注释。",
      fixSuggestion: "说明原因、限制和前提，而不是重复代码。",
    },
    {
      name: "Missing comments",
      description: "Intricate logic or a public interface is not explained",
      customPrompt:
        "Report public interfaces without a stated purpose and intricate logic without a reason; obvious code needs no comment.",
      fixSuggestion: "Say why, with limits and preconditions, and do not repeat the code.",
    },
  ),
];
