import type { UserConfig } from "../config/user-config.ts";
import { isSluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import {
  type BudgetRefusal,
  budgetRefusals,
  type ConnectionTest,
  StoredKeyElsewhere,
  testTimeoutMsMax,
  wantedTimeoutMs,
} from "./connection-test.ts";
import { failureText } from "./failure-texts.ts";
import { type ModelAnswer, ModelFailure, type ModelFailureCategory } from "./model.ts";
import { findProvider } from "./providers.ts";

/** What went wrong in a test, for programs and for people. */
export interface Explanation {
  readonly category: ModelFailureCategory | BudgetRefusal;
  readonly message: string;
}

/** Explains why a test failed. @throws what is no failure of a test but one of ours */
export function explained(
  error: unknown,
  test: ConnectionTest,
  config: UserConfig | null,
  language: Language,
): Explanation {
  if (error instanceof StoredKeyElsewhere) return { category: "auth_invalid_key", message: elsewhere[language] };
  if (isSluiceError(error, "secret_unreadable")) return { category: "auth_invalid_key", message: error.text(language) };
  if (isSluiceError(error, "llm_header_malformed", "llm_header_refused"))
    return { category: "bad_request", message: error.text(language) };
  if (isSluiceError(error, ...budgetRefusals))
    return { category: error.code as BudgetRefusal, message: error.text(language) };
  if (!(error instanceof ModelFailure)) throw error;
  const { category } = error;
  const note =
    category === "timeout" ? waitNote(wantedTimeoutMs(test, config), language) : reasonNote(error, test, language);
  return { category, message: failureText(category, language) + note };
}

const elsewhere = {
  zh: "API Key 无效：没有为该地址保存的密钥，请重新输入",
  en: "The API key is invalid: none is stored for this address; enter it again",
};

/** Our own client names the very reason, such as an address that the operator has to allow. */
function reasonNote({ cause, category }: ModelFailure, { provider }: ConnectionTest, language: Language): string {
  if (findProvider(provider)?.wire === "bedrock") {
    if (category === "connection") return onlyDeployed[language];
    if (category === "auth_failed") return notOpened[language];
  }
  if (!isSluiceError(cause)) return "";
  const allowable = isSluiceError(cause, "outbound_not_https", "outbound_port", "outbound_address_refused");
  const colon = language === "zh" ? "：" : ": ";
  return colon + cause.text(language) + (allowable ? allowing[language] : "");
}

const onlyDeployed = {
  zh: "：Amazon Bedrock 仅在部署到 AWS 且所在区域支持时可用",
  en: ": Amazon Bedrock can be asked where this service is deployed to AWS, in a region that has it",
};

const notOpened = {
  zh: "：部署时需由运维以 -c bedrock=on 开放 Amazon Bedrock，并在该账户中启用此模型",
  en: ": the operator opens Amazon Bedrock by deploying with -c bedrock=on, and enables the model in the account",
};

/** People try Ollama on their own machine first. */
const allowing = {
  zh: "（本机或内网模型需由管理员通过 SLUICE_OUTBOUND_ALLOWED_HOSTS 以“主机:端口”加入允许列表）",
  en: " (for a model on this machine or network the operator names its host:port in SLUICE_OUTBOUND_ALLOWED_HOSTS)",
};

/** Models that think can spend all their tokens before the first word. */
export function emptyAnswer({ finish }: ModelAnswer, language: Language): Explanation {
  const said = failureText("empty_response", language);
  return { category: "empty_response", message: finish === "length" ? said + usedUp[language] : said };
}

const usedUp = {
  zh: "：最大 Token 数在回答之前已用尽，请调大",
  en: ": it ran out of tokens before its first word; raise the maximum",
};

/** Says that a test waits for less than the request asked for. @returns "" when it does not */
export function clampNote({ timeout }: Pick<ConnectionTest, "timeout">, language: Language): string {
  const wantedMs = timeout ? wantedTimeoutMs({ timeout }, null) : 0;
  return wantedMs > testTimeoutMsMax ? waitNote(wantedMs, language) : "";
}

function waitNote(wantedMs: number, language: Language): string {
  const seconds = Math.min(wantedMs, testTimeoutMsMax) / 1000;
  if (wantedMs <= testTimeoutMsMax) return language === "zh" ? `（${seconds} 秒）` : ` (${seconds} s)`;
  return language === "zh"
    ? `（测试最多等待 ${seconds} 秒，扫描时为 ${wantedMs / 1000} 秒）`
    : ` (a test waits ${seconds} s at most, a scan ${wantedMs / 1000} s)`;
}
