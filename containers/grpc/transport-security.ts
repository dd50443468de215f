import type { SecureServerOptions } from "node:http2";
import type { Settings } from "./settings.ts";

/** What a server of TLS needs. */
export type TlsOptions = Pick<
  SecureServerOptions,
  "cert" | "key" | "ca" | "requestCert" | "rejectUnauthorized" | "minVersion"
>;

/**
 * TLS 1.2 or newer, with client certificates where authorities for them are given.
 * @returns undefined without a certificate: plaintext, which settings allow on loopback or when it is asked for
 */
export function tlsOf(settings: Settings): TlsOptions | undefined {
  const { GRPC_TLS_CERTIFICATE: cert, GRPC_TLS_KEY: key, GRPC_TLS_CLIENT_CA: ca } = settings;
  if (!cert || !key) return undefined;
  const asks = ca !== undefined;
  return { cert, key, minVersion: "TLSv1.2", requestCert: asks, rejectUnauthorized: asks, ...(asks && { ca }) };
}
