import { ServerCredentials } from "@grpc/grpc-js";
import type { Settings } from "./settings.ts";

/**
 * TLS 1.2 or newer, with client certificates where authorities for them are given. Without a certificate it is plaintext; settings allow that on
 * loopback or when it is asked for.
 */
export function credentialsOf(settings: Settings): ServerCredentials {
  const { GRPC_TLS_CERTIFICATE: certificate, GRPC_TLS_KEY: key, GRPC_TLS_CLIENT_CA: clientCa } = settings;
  if (!certificate || !key) return ServerCredentials.createInsecure();
  const pair = { cert_chain: certificate, private_key: key };
  return ServerCredentials.createSsl(clientCa ?? null, [pair], clientCa !== undefined);
}
