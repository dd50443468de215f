import type { ProblemText } from "./problem-text.ts";

/** What can be wrong with uploads, archives, and paths and patterns for what is in them. */
export const archiveProblems = {
  // Uploads
  zip_not_stored: { status: 400, zh: "该项目尚未上传 ZIP 文件", en: "No ZIP file is stored for this project" },
  zip_name_expected: { status: 400, zh: "请上传 .zip 文件", en: "The file name must end in .zip" },
  upload_not_found: {
    status: 404,
    zh: "上传不存在或已过期，请重新上传",
    en: "There is no such upload, or it has expired; upload again",
  },

  // Archives: each names the entry and the reason; the check is in functions/sources/archive
  zip_not_an_archive: {
    status: 422,
    zh: "这不是 ZIP 文件，或者文件不完整",
    en: "This is not a ZIP archive, or it is cut short",
  },
  zip_too_large: {
    status: 422,
    zh: "压缩包大小为 {bytes} 字节，超过上限 {limit} 字节",
    en: "The archive has {bytes} bytes; the limit is {limit}",
  },
  zip_end_misplaced: {
    status: 422,
    zh: "压缩包不完整，或者在结束记录之后还有多余的数据",
    en: "The archive is cut short or has bytes after its end record",
  },
  zip_end_ambiguous: {
    status: 422,
    zh: "压缩包有多个结束记录，或者结束记录互相矛盾，不同工具会读出不同的内容",
    en: "The archive has more than one end record, or they contradict each other; tools would disagree about its content",
  },
  zip_multi_disk: {
    status: 422,
    zh: "不支持分卷压缩包，请上传单个 ZIP 文件",
    en: "The archive is split into several parts; upload a single ZIP file",
  },
  zip_too_many_entries: {
    status: 422,
    zh: "压缩包声明有 {entries} 个条目，上限为 {limit}",
    en: "The archive claims {entries} entries; the limit is {limit}",
  },
  zip_directory_too_large: {
    status: 422,
    zh: "压缩包目录为 {bytes} 字节，上限为 {limit}",
    en: "The archive's directory has {bytes} bytes; the limit is {limit}",
  },
  zip_directory_misplaced: {
    status: 422,
    zh: "压缩包目录不在结束记录所指的位置：文件前后可能附加了数据，或者拼接了两个压缩包",
    en: "The archive's directory is not where its end record says: bytes were added, or two archives were joined",
  },
  zip_directory_broken: {
    status: 422,
    zh: "压缩包目录在第 {at} 字节处损坏，或者条目数量与声明不符",
    en: "The archive's directory is broken at byte {at}, or does not have as many entries as it claims",
  },
  zip_entry_escapes: {
    status: 422,
    zh: "条目“{entry}”的路径指向压缩包之外（包含“..”、绝对路径或盘符）",
    en: "The path of entry “{entry}” leads out of the archive: it has “..”, is absolute or names a drive",
  },
  zip_entry_name: {
    status: 422,
    zh: "条目“{entry}”的名称为空或包含控制字符",
    en: "The name of entry “{entry}” is empty or contains control characters",
  },
  zip_entry_name_too_long: {
    status: 422,
    zh: "条目“{entry}”的名称为 {bytes} 字节，上限为 {limit}",
    en: "The name of entry “{entry}” has {bytes} bytes; the limit is {limit}",
  },
  zip_entry_too_deep: {
    status: 422,
    zh: "条目“{entry}”的目录层级超过上限 {limit}",
    en: "Entry “{entry}” lies more than {limit} folders deep",
  },
  zip_entry_charset: {
    status: 422,
    zh: "条目“{entry}”的名称不是有效的 UTF-8",
    en: "The name of entry “{entry}” is marked as UTF-8 but is not valid UTF-8",
  },
  zip_entry_extra: {
    status: 422,
    zh: "条目“{entry}”的扩展字段损坏、过大或自相矛盾",
    en: "The extra fields of entry “{entry}” are broken, oversized or contradict its header",
  },
  zip_symlink: {
    status: 422,
    zh: "条目“{entry}”是符号链接，只接受普通文件和目录",
    en: "Entry “{entry}” is a symbolic link; only regular files and folders are accepted",
  },
  zip_special_file: {
    status: 422,
    zh: "条目“{entry}”是设备、管道或其他特殊文件，只接受普通文件和目录",
    en: "Entry “{entry}” is a device, pipe or other special file; only regular files and folders are accepted",
  },
  zip_encrypted: {
    status: 422,
    zh: "条目“{entry}”已加密，请上传未设密码的压缩包",
    en: "Entry “{entry}” is encrypted; upload an archive without a password",
  },
  zip_method_unsupported: {
    status: 422,
    zh: "条目“{entry}”使用了不支持的压缩方法 {method}，请使用“存储”或“Deflate”重新打包",
    en: "Entry “{entry}” uses compression method {method}; pack it again with “store” or “deflate”",
  },
  zip_directory_with_content: {
    status: 422,
    zh: "条目“{entry}”是目录却带有内容",
    en: "Entry “{entry}” is a folder but has content",
  },
  zip_duplicate_entry: {
    status: 422,
    zh: "条目“{entry}”出现多次，或者同时是文件和目录",
    en: "Entry “{entry}” occurs more than once, or is a file and a folder at the same time",
  },
  zip_entry_too_large: {
    status: 422,
    zh: "条目“{entry}”解压后为 {bytes} 字节，上限为 {limit}",
    en: "Entry “{entry}” has {bytes} bytes when unpacked; the limit is {limit}",
  },
  zip_total_too_large: {
    status: 422,
    zh: "压缩包解压后共 {bytes} 字节，上限为 {limit}",
    en: "The archive has {bytes} bytes when unpacked; the limit is {limit}",
  },
  zip_bomb_ratio: {
    status: 422,
    zh: "条目“{entry}”的压缩比超过 {limit}，疑似压缩炸弹",
    en: "Entry “{entry}” unpacks to more than {limit} times its size, as a zip bomb does",
  },
  zip_total_ratio: {
    status: 422,
    zh: "压缩包整体压缩比超过 {limit}，疑似压缩炸弹",
    en: "The archive unpacks to more than {limit} times its size, as a zip bomb does",
  },
  zip_header_mismatch: {
    status: 422,
    zh: "条目“{entry}”的本地文件头与目录不一致（{field}）",
    en: "Entry “{entry}”: its local header does not agree with the directory ({field})",
  },
  zip_overlap: {
    status: 422,
    zh: "条目“{entry}”与“{other}”的数据重叠",
    en: "The data of entry “{entry}” overlaps “{other}”",
  },
  zip_extra_bytes: {
    status: 422,
    zh: "压缩包在第 {at} 字节处有 {bytes} 字节不属于任何条目",
    en: "The archive has {bytes} bytes at {at} that belong to no entry",
  },
  zip_size_mismatch: {
    status: 422,
    zh: "条目“{entry}”的实际大小与声明不符",
    en: "Entry “{entry}” does not have the size that it declares",
  },
  zip_crc_mismatch: {
    status: 422,
    zh: "条目“{entry}”的校验和不符，文件已损坏",
    en: "The checksum of entry “{entry}” does not fit its content; the archive is damaged",
  },
  zip_data_broken: {
    status: 422,
    zh: "条目“{entry}”的压缩数据已损坏",
    en: "The compressed data of entry “{entry}” is damaged",
  },

  // Paths and exclusion patterns of users
  path_not_allowed: {
    status: 422,
    zh: "路径“{path}”无效：必须是项目内的相对路径",
    en: "“{path}” is not a relative path inside the project",
  },
  path_selection_too_large: {
    status: 422,
    zh: "选择了 {count} 个文件，其路径总长超过 {limit} 字节；请改用排除模式，或只选择更少的文件",
    en: "The paths of the {count} chosen files have more than {limit} bytes together; leave files out by exclude_patterns, or choose fewer",
  },
  glob_too_many: {
    status: 422,
    zh: "排除模式共 {count} 个，上限为 {limit}",
    en: "There are {count} exclusion patterns; the limit is {limit}",
  },
  glob_too_long: {
    status: 422,
    zh: "排除模式“{pattern}”超过 {limit} 个字符",
    en: "The exclusion pattern “{pattern}” has more than {limit} characters",
  },
  glob_wildcards: {
    status: 422,
    zh: "排除模式“{pattern}”的通配符过多：每段最多 {perSegment} 处“*”，整个模式最多 {globstars} 处“**”",
    en: "The exclusion pattern “{pattern}” has too many wildcards: at most {perSegment} runs of * in a segment and {globstars} of ** in all",
  },
  glob_braces: {
    status: 422,
    zh: "排除模式“{pattern}”的花括号无效：必须成对、不能嵌套、不支持范围，最多 {limit} 个选项",
    en: "The braces of the exclusion pattern “{pattern}” must be paired, without nesting or ranges, and hold at most {limit} alternatives",
  },
  glob_syntax: {
    status: 422,
    zh: "排除模式“{pattern}”使用了不支持的语法：圆括号、|、开头的“!”、字符类名称、“]”或“}”之后的“+”、控制字符或无效的方括号",
    en: "The exclusion pattern “{pattern}” uses syntax that is not supported: parentheses, |, a leading !, named character classes, + after ] or }, control characters or a bad bracket",
  },
  glob_too_expensive: {
    status: 422,
    zh: "排除模式“{pattern}”匹配耗时过长，请简化",
    en: "The exclusion pattern “{pattern}” is too expensive to match; simplify it",
  },
} as const satisfies Record<string, ProblemText>;
