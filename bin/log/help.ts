import type { Language } from "../../functions/platform/language.ts";

/** What --help prints. */
export const help: Readonly<Record<Language, string>> = {
  en: `Looks into the runs that actors and learners have stored, through a running service.

  npm run --silent log -- ls [run]        all runs, or one with its rates and newest parameters
  npm run --silent log -- cat <run>       its items, in order
  npm run --silent log -- verify <run>    reads everything that is kept, and checks offsets and checksums

A run is named by its name or its id. Each line of the output is one JSON object.

  --from OFFSET   cat: begin there instead of at the oldest item that is kept
  --limit COUNT   cat: no more than so many items
  --data          cat: with the bytes of each item, as base64; null for one of more than 3 MiB, which only gRPC delivers
  --url URL       the service (default: http://127.0.0.1:8787)
  --token TOKEN   access or API token (scope reader) for it. SLUICE_TOKEN in the environment is better:
                  other users of this machine can see the arguments of a process
  -h, --help      this text

Exit codes: 0 fine, 1 something is damaged or missing, 2 could not look, 130 interrupted
`,
  zh: `通过正在运行的服务查看 actor 与 learner 保存的运行。

  npm run --silent log -- ls [运行]        所有运行，或某个运行及其速率和最新参数
  npm run --silent log -- cat <运行>       按顺序输出各项
  npm run --silent log -- verify <运行>    读取保留的全部内容，检查偏移量与校验和

运行可用名称或 ID 指定。输出的每一行是一个 JSON 对象。

  --from 偏移量   cat：从该处开始，而不是从保留的最早一项开始
  --limit 数量    cat：最多输出的项数
  --data          cat：附带每项的字节（base64）；超过 3 MiB 的项为 null，只能通过 gRPC 读取
  --url 地址      服务地址（默认 http://127.0.0.1:8787）
  --token 令牌    该服务的访问令牌或 API 令牌（权限 reader）。建议改用环境变量 SLUICE_TOKEN：
                  本机其他用户能看到进程的参数
  -h, --help      显示本说明

退出码：0 正常，1 有损坏或缺失，2 无法查看，130 被中断
`,
};
