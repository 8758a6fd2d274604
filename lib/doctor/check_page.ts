import type { DoctorReason } from "../schemas/doctor.ts";
import { type DiagnosticContext, resolveTagUrl } from "./diagnostic_context.ts";
import { ContentPolicy } from "./content_policy.ts";

/** Tokens live 15 minutes; a minute of that may be lost to clocks. */
const MAX_CLOCK_SKEW_MS = 60_000;

export function checkOrigin({ origin, originAllowed }: DiagnosticContext): DoctorReason {
  if (origin === undefined) return "origin_malformed";
  return originAllowed ? "fine" : "origin_not_listed";
}

/** Whether the page lets itself load the script and call the service. */
export function checkContentPolicy(known: DiagnosticContext): DoctorReason {
  const { page, metaPolicies, origin, embed, tag } = known;
  if (page === undefined || origin === undefined) return "only_tag";
  const policy = new ContentPolicy([...page.policies, ...metaPolicies], new URL(origin));
  if (policy.sandboxed) return "policy_sandbox";
  const script = {
    url: resolveTagUrl(known, "src") ?? new URL(`${embed.scriptBase}/widget.v1.js`),
    nonce: tag?.get("nonce"),
    integrity: tag?.get("integrity"),
  };
  if (!policy.permitsScript(script)) return "policy_scripts";
  const calls = [new URL(`${embed.baseUrl}/v1/chat/stream`)];
  const endpoint = resolveTagUrl(known, "data-session-endpoint");
  if (endpoint) calls.push(endpoint);
  return calls.every((url) => policy.permitsConnection(url)) ? "fine" : "policy_connections";
}

/** A backend that keeps tokens until they end goes by its own clock. */
export function checkClock({ page }: DiagnosticContext, now: number): DoctorReason {
  if (page?.serverTimeMs === undefined) return "only_tag";
  return Math.abs(page.serverTimeMs - now) > MAX_CLOCK_SKEW_MS ? "clock_wrong" : "fine";
}
