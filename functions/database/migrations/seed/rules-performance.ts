import type { SeededRule } from "./rule-sets.ts";

type Texts = Pick<SeededRule, "name" | "description" | "customPrompt" | "fixSuggestion">;

const rule = (ruleCode: string, severity: SeededRule["severity"], zh: Texts, english: Texts): SeededRule => ({
  ruleCode,
  category: "performance",
  severity,
  referenceUrl: null,
  ...zh,
  english,
});

export const performanceRules: readonly SeededRule[] = [
  rule(
    "PERF001",
    "high",
    {
      name: "N+1 查询",
      description: "对列表中的每一项各执行一次查询",
      customPrompt: "查找循环中的数据库查询和远程调用，包括由延迟加载触发的查询。",
      fixSuggestion: "用一次连接、预加载或按标识批量读取代替。",
    },
    {
      name: "N+1 query",
      description: "One query for each row of a list",
      customPrompt: "Look for database queries and remote calls inside loops, those made by lazy loading included.",
      fixSuggestion: "Read with one join, by eager loading, or in batches by identifier.",
    },
  ),
  rule(
    "PERF002",
    "critical",
    {
      name: "内存泄漏",
      description: "占用的内存只增不减",
      customPrompt: "查找没有上限的缓存和集合、未移除的监听器和定时器、未关闭的连接和流，以及被长期引用的大对象。",
      fixSuggestion: "为缓存设置上限和期限；成对地注册与移除；在所有路径上关闭资源。",
    },
    {
      name: "Memory leak",
      description: "Memory is taken and never given back",
      customPrompt:
        "Look for caches and collections without bounds, listeners and timers that stay, connections and streams that are not closed, and large objects that remain referenced.",
      fixSuggestion: "Bound caches in size and age; remove what is registered; close resources on every path.",
    },
  ),
  rule(
    "PERF003",
    "medium",
    {
      name: "低效算法",
      description: "复杂度可以明显降低的算法",
      customPrompt: "查找可用散列表或排序代替的嵌套循环、循环中的线性查找、重复计算和反复拼接的字符串。",
      fixSuggestion: "选择合适的数据结构；把不变的计算移出循环；缓存中间结果。",
    },
    {
      name: "Inefficient algorithm",
      description: "An algorithm whose complexity can be lowered markedly",
      customPrompt:
        "Look for nested loops that a hash table or sorting could replace, linear searches inside loops, repeated computation and strings built piece by piece.",
      fixSuggestion:
        "Choose a fitting data structure; move what does not change out of the loop; keep intermediate results.",
    },
  ),
  rule(
    "PERF004",
    "medium",
    {
      name: "循环中的多余分配",
      description: "在循环中反复创建可以复用的对象",
      customPrompt: "查找循环中重复创建的正则表达式、格式化器、连接、缓冲区和不变的对象。",
      fixSuggestion: "在循环之外创建一次并复用。",
    },
    {
      name: "Needless allocation in a loop",
      description: "A loop makes objects again and again that could be reused",
      customPrompt:
        "Look for regular expressions, formatters, connections, buffers and unchanging objects that a loop makes each time.",
      fixSuggestion: "Make it once outside the loop and reuse it.",
    },
  ),
  rule(
    "PERF005",
    "medium",
    {
      name: "阻塞调用",
      description: "在不应等待的线程或事件循环中进行同步的耗时操作",
      customPrompt: "查找事件循环、界面线程或异步函数中的同步读写、睡眠、耗时计算和没有超时的等待。",
      fixSuggestion: "改用异步接口；把耗时计算移到工作线程；为等待设置超时。",
    },
    {
      name: "Blocking call",
      description: "Slow synchronous work on a thread or event loop that must not wait",
      customPrompt:
        "Look for synchronous access, sleeps, long computation and waits without a time limit in event loops, interface threads or asynchronous functions.",
      fixSuggestion: "Use asynchronous interfaces; move computation to workers; give every wait a limit.",
    },
  ),
];
