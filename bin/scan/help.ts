import type { Language } from "../../functions/platform/language.ts";

/** What --help prints. */
export const help: Readonly<Record<Language, string>> = {
  en: `Audits the source code in a folder or a ZIP file for security problems.

  npm run scan -- <folder or zip> [options]

  --format FORMAT      table (default), json, sarif or markdown
  --out FILE           write the result there instead of standard output
  --exclude GLOB       leave files out; may be given again. A name without "/" counts anywhere ("docs", "*.test.js"),
                       a pattern with "/" from the top of the folder ("src/generated/**")
  --rules PATH         also use rules of your own: a file in Semgrep's YAML or a folder of them; may be given again
  --quality            also look for long, deep, repeated or unused code, ignored errors and slow patterns
  --fail-on SEVERITY   exit with 1 if there is an open issue of this severity or above: critical, high, medium or low
  --url URL            use a running service instead of starting one for the run
  --token TOKEN        access token for that service. SLUICE_TOKEN in the environment is better:
                       other users of this machine can see the arguments of a process
  --lang LANGUAGE      en or zh (default: by LC_ALL, LC_MESSAGES and LANG)
  -h, --help           this text

Paths in the result are relative to the scanned folder. If all files of a ZIP lie in one folder, they are relative to that one.
Dependencies, build output, version control data and minified code are never scanned; symbolic links are not followed.
On a running service the code is kept in the project named after the folder or ZIP file; it is created if you have none.

Standard output carries nothing but the result; npm prints a banner before it unless told to be silent:
  npm run --silent scan -- src --format sarif > result.sarif

Exit codes: 0 scanned, 1 issues as --fail-on says, 2 could not scan or nothing was analysed, 130 interrupted
`,
  zh: `审计文件夹或 ZIP 文件中的源代码，查找安全问题。

  npm run scan -- <文件夹或 ZIP> [选项]

  --format 格式        table（默认）、json、sarif 或 markdown
  --out 文件           将结果写入文件，而不是标准输出
  --exclude 通配符     排除文件，可重复使用。不含“/”的名称在任何位置生效（"docs"、"*.test.js"），
                       含“/”的模式从文件夹顶层匹配（"src/generated/**"）
  --rules 路径         同时使用自己的规则：Semgrep YAML 文件或其文件夹，可重复使用
  --quality            同时检查代码质量与性能：过长、过深、重复、未使用的代码，被忽略的错误，低效写法
  --fail-on 级别       存在该级别或更高级别的未处理问题时以 1 退出：critical、high、medium、low
  --url 地址           使用正在运行的服务，而不是为本次扫描启动服务
  --token 令牌         该服务的访问令牌。建议改用环境变量 SLUICE_TOKEN：本机其他用户能看到进程的参数
  --lang 语言          en 或 zh（默认取决于 LC_ALL、LC_MESSAGES 和 LANG）
  -h, --help           显示本说明

结果中的路径相对于被扫描的文件夹。如果 ZIP 的所有文件都在同一个顶层文件夹中，则相对于该文件夹。
依赖、构建产物、版本控制数据和压缩过的代码不会被扫描；不跟随符号链接。
使用正在运行的服务时，代码保存在以文件夹或 ZIP 文件命名的项目中；如果没有该项目，会自动创建。

标准输出只包含结果；npm 会先输出自己的提示，除非使用静默模式：
  npm run --silent scan -- src --format sarif > result.sarif

退出码：0 扫描完成，1 存在 --fail-on 所指的问题，2 无法扫描或没有分析任何文件，130 被中断
`,
};
