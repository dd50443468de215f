import { status } from "@grpc/grpc-js";
import type { Ending } from "../../containers/plain-client.ts";

const goesOn = new Set([status.UNAVAILABLE, status.CANCELLED, status.DEADLINE_EXCEEDED]);

/** True when a call has ended without the server's word on what became of it, as clients tell that try again. */
export const isOutcomeUnknown = ({ code, details }: Ending): boolean =>
  goesOn.has(code) ||
  // How grpc-js tells of a connection that its other side has closed, as the system does for a process that was killed.
  (code === status.INTERNAL && details.includes("Call ended without gRPC status"));
