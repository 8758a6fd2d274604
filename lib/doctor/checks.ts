import { isLoopbackHost } from "../schemas/origins.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { DoctorCheck, DoctorReason } from "../schemas/doctor.ts";
import { API_KEY_PATTERN } from "../store/credentials/api_key_format.ts";
import type { SessionStore } from "../store/credentials/session_store.ts";
import type { ScriptReleaseStore } from "../store/script_release_store.ts";
import { ContentPolicy } from "./content_policy.ts";
import {
  type DiagnosticContext,
  type EmbedConfig,
  resolveTagUrl,
  WIDGET_ATTRIBUTE,
} from "./diagnostic_context.ts";

/** Path of the script on its host, with the hash of a pinned release. */
const SCRIPT_PATH = /^\/widget\.v1(?:\.([0-9a-f]{12}))?\.js$/;
const URL_ATTRIBUTES = ["src", "data-api-base", "data-session-endpoint"];
/** Session tokens live 15 minutes; a skew of one minute is tolerable. */
const MAX_CLOCK_SKEW_MS = 60_000;

export interface CheckDeps {
  releases: Pick<ScriptReleaseStore, "find">;
  sessions: Pick<SessionStore, "find">;
  runtime: Pick<Runtime, "now">;
}

type Check = (context: DiagnosticContext, deps: CheckDeps) => DoctorReason | Promise<DoctorReason>;

export const CHECKS: Record<DoctorCheck, Check> = {
  origin: checkOrigin,
  tag: checkTag,
  mixed_content: checkMixedContent,
  csp: checkContentPolicy,
  integrity: checkIntegrity,
  token: checkToken,
  clock: checkClock,
};

function checkOrigin({ origin, originAllowed }: DiagnosticContext): DoctorReason {
  if (origin === undefined) return "origin_malformed";
  return originAllowed ? "fine" : "origin_not_listed";
}

function checkTag(context: DiagnosticContext): DoctorReason {
  const { tag, hasMarkup, agent, embed } = context;
  if (tag === undefined) return hasMarkup ? "tag_not_found" : "not_read";
  if (!tag.has(WIDGET_ATTRIBUTE)) return "marker_missing";
  if (matchScriptPath(context) === undefined) return "script_elsewhere";
  const base = resolveTagUrl(context, "data-api-base");
  if (base?.href.replace(/\/+$/, "") !== embed.baseUrl) return "api_base_differs";
  const agentId = tag.get("data-agent-id")?.trim().toLowerCase();
  return agentId === agent.id ? "fine" : "agent_differs";
}

/** Matches the path of the tag's `src` if it is a widget script of this service. */
function matchScriptPath(context: DiagnosticContext): RegExpExecArray | undefined {
  const url = resolveTagUrl(context, "src");
  const base = [context.embed.scriptBase, context.embed.baseUrl]
    .find((base) => url?.href.startsWith(`${base}/`));
  if (base === undefined || url === undefined) return undefined;
  const path = url.pathname.slice(new URL(base).pathname.replace(/\/$/, "").length);
  return SCRIPT_PATH.exec(path) ?? undefined;
}

/** Browsers block plain http on an https page, except for loopback hosts. */
function checkMixedContent(context: DiagnosticContext): DoctorReason {
  const { tag, origin, hasMarkup } = context;
  if (tag === undefined || origin === undefined) return hasMarkup ? "no_tag" : "not_read";
  if (!origin.startsWith("https:")) return "fine";
  const blocked = URL_ATTRIBUTES.map((name) => resolveTagUrl(context, name)).some((url) =>
    url?.protocol === "http:" && !isLoopbackHost(url.hostname)
  );
  return blocked ? "mixed_content" : "fine";
}

function checkContentPolicy(context: DiagnosticContext): DoctorReason {
  const { page, metaPolicies, origin, embed, tag } = context;
  if (page === undefined || origin === undefined) return "only_tag";
  const policy = new ContentPolicy([...page.policies, ...metaPolicies], new URL(origin));
  if (policy.sandboxed) return "policy_sandbox";
  const url = resolveTagUrl(context, "src") ?? new URL(`${embed.scriptBase}/widget.v1.js`);
  const nonce = tag?.get("nonce");
  const allowsScript = policy.permitsScript({ url, nonce, integrity: tag?.get("integrity") });
  if (!allowsScript) return "policy_scripts";
  const pinned = matchScriptPath(context)?.[1];
  // Another release has other files, or none.
  if (pinned === undefined || pinned === embed.hash12) {
    const permits = ({ name, integrity }: EmbedConfig["panel"]) =>
      policy.permitsScript({ url: new URL(name, url), nonce, integrity, inserted: true });
    if (!permits(embed.panel)) return "policy_panel";
    if (!permits(embed.extras)) return "policy_extras";
  }
  const calls = [new URL(`${embed.baseUrl}/v1/chat/stream`)];
  const endpoint = resolveTagUrl(context, "data-session-endpoint");
  if (endpoint) calls.push(endpoint);
  return calls.every((url) => policy.permitsConnection(url)) ? "fine" : "policy_connections";
}

async function checkIntegrity(
  context: DiagnosticContext,
  { releases }: CheckDeps,
): Promise<DoctorReason> {
  const { tag, hasMarkup, embed } = context;
  const path = matchScriptPath(context);
  if (tag === undefined || path === undefined) return hasMarkup ? "no_tag" : "not_read";
  const given = tag.get("integrity")?.trim() ?? "";
  if (given === "") return "integrity_missing";
  if (tag.get("crossorigin") === undefined) return "crossorigin_missing";
  const hash = path[1];
  const release = hash === undefined ? undefined : await releases.find("widget", hash);
  if (hash !== undefined && release === undefined) return "release_gone";
  const integrity = release?.integrity ?? embed.integrity;
  return given.split(/\s+/).includes(integrity) ? "fine" : "integrity_stale";
}

/** Another tenant's token is reported as unknown. */
async function checkToken(
  { tag, hasMarkup, text, tenant, agent, origin }: DiagnosticContext,
  { sessions }: CheckDeps,
): Promise<DoctorReason> {
  if (API_KEY_PATTERN.test(text)) return "api_key_in_page";
  if (tag === undefined) return hasMarkup ? "no_tag" : "not_read";
  const token = tag.get("data-session-token")?.trim() ?? "";
  if (token === "") return tag.get("data-session-endpoint") ? "fine" : "token_missing";
  const { session, live } = await sessions.find(token) ?? {};
  if (session === undefined || session.tenant !== tenant) return "token_unknown";
  if (session.agentId !== agent.id) return "token_other_agent";
  if (session.native) return "token_native_app";
  if (session.origin !== origin) return "token_other_origin";
  if (!live) return "token_expired";
  if (session.binding && (tag.get("data-bind") ?? "off").trim() === "off") return "token_bound";
  return session.messages >= session.messageCap ? "token_used_up" : "fine";
}

/** A site that caches tokens judges their expiry by its own clock. */
function checkClock({ page }: DiagnosticContext, { runtime }: CheckDeps): DoctorReason {
  if (page?.serverTimeMs === undefined) return "only_tag";
  return Math.abs(page.serverTimeMs - runtime.now()) > MAX_CLOCK_SKEW_MS ? "clock_wrong" : "fine";
}
