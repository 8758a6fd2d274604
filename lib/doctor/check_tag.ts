import type { DoctorReason } from "../schemas/doctor.ts";
import { isLoopbackHost } from "../schemas/origins.ts";
import { type DiagnosticContext, resolveTagUrl, WIDGET_ATTRIBUTE } from "./diagnostic_context.ts";
import type { ScriptReleaseStore } from "../store/script_release_store.ts";
import { API_KEY_PATTERN } from "../store/credentials/api_key_format.ts";
import type { SessionStore } from "../store/credentials/session_store.ts";

/** The script's own address, with the hash of a pinned one. */
export const SCRIPT_PATH = /^\/widget\.v1(?:\.([0-9a-f]{12}))?\.js$/;

const URL_ATTRIBUTES = ["src", "data-api-base", "data-session-endpoint"];

export function checkTag(known: DiagnosticContext): DoctorReason {
  const { tag, hasMarkup, agent, embed } = known;
  if (tag === undefined) return hasMarkup ? "tag_not_found" : "not_read";
  if (!tag.has(WIDGET_ATTRIBUTE)) return "marker_missing";
  if (matchScriptPath(known) === undefined) return "script_elsewhere";
  const base = resolveTagUrl(known, "data-api-base");
  if (base?.href.replace(/\/+$/, "") !== embed.baseUrl) return "api_base_differs";
  const agentId = tag.get("data-agent-id")?.trim().toLowerCase();
  return agentId === agent.id ? "fine" : "agent_differs";
}

/** Match of the path, when the tag's `src` is a widget script of this service. */
export function matchScriptPath(known: DiagnosticContext): RegExpExecArray | undefined {
  const { embed } = known;
  const url = resolveTagUrl(known, "src");
  const bases = [embed.scriptBase, embed.baseUrl];
  const base = bases.find((base) => url?.href.startsWith(`${base}/`));
  if (base === undefined || url === undefined) return undefined;
  const path = url.pathname.slice(new URL(base).pathname.replace(/\/$/, "").length);
  return SCRIPT_PATH.exec(path) ?? undefined;
}

/** Browsers block plain http below an https page, but for the machine itself. */
export function checkMixedContent(known: DiagnosticContext): DoctorReason {
  const { tag, origin, hasMarkup } = known;
  if (tag === undefined || origin === undefined) return hasMarkup ? "no_tag" : "not_read";
  if (!origin.startsWith("https:")) return "fine";
  const blocked = URL_ATTRIBUTES.map((name) => resolveTagUrl(known, name)).some((url) =>
    url?.protocol === "http:" && !isLoopbackHost(url.hostname)
  );
  return blocked ? "mixed_content" : "fine";
}

/** Whether the browser will run the script that the tag names. */
export async function checkIntegrity(
  known: DiagnosticContext,
  releases: Pick<ScriptReleaseStore, "find">,
): Promise<DoctorReason> {
  const { tag, hasMarkup, embed } = known;
  const path = matchScriptPath(known);
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

/** Whether the token in the tag would be taken. It says nothing about another tenant's token. */
export async function checkToken(
  { tag, hasMarkup, text, tenant, agent, origin }: DiagnosticContext,
  sessions: Pick<SessionStore, "find">,
): Promise<DoctorReason> {
  if (API_KEY_PATTERN.test(text)) return "api_key_in_page";
  if (tag === undefined) return hasMarkup ? "no_tag" : "not_read";
  const token = tag.get("data-session-token")?.trim() ?? "";
  if (token === "") return tag.get("data-session-endpoint") ? "fine" : "token_missing";
  const { session, live } = await sessions.find(token) ?? {};
  if (session === undefined || session.tenant !== tenant) return "token_unknown";
  if (session.agentId !== agent.id) return "token_other_agent";
  if (session.origin !== origin) return "token_other_origin";
  if (!live) return "token_expired";
  return session.messages >= session.messageCap ? "token_used_up" : "fine";
}
