import type { DoctorReason } from "../schemas/doctor.ts";
import { isLoopbackHost } from "../schemas/origins.ts";
import { addressOf, type Case, MARKER } from "./case.ts";

/** The script's own address, with the hash of a pinned one. */
export const SCRIPT_PATH = /^\/widget\.v1(?:\.([0-9a-f]{12}))?\.js$/;

const ADDRESSES = ["src", "data-api-base", "data-session-endpoint"];

export function checkTag(known: Case): DoctorReason {
  const { tag, looked, agent, addresses } = known;
  if (tag === undefined) return looked ? "tag_not_found" : "not_read";
  if (!tag.has(MARKER)) return "marker_missing";
  if (scriptPath(known) === undefined) return "script_elsewhere";
  const base = addressOf(known, "data-api-base");
  if (base?.href.replace(/\/+$/, "") !== addresses.baseUrl) return "api_base_differs";
  const agentId = tag.get("data-agent-id")?.trim().toLowerCase();
  return agentId === agent.id ? "fine" : "agent_differs";
}

/** Match of the path, when the tag's `src` is a widget script of this service. */
export function scriptPath(known: Case): RegExpExecArray | undefined {
  const { addresses } = known;
  const url = addressOf(known, "src");
  const bases = [addresses.scriptBase, addresses.baseUrl];
  const base = bases.find((base) => url?.href.startsWith(`${base}/`));
  if (base === undefined || url === undefined) return undefined;
  const path = url.pathname.slice(new URL(base).pathname.replace(/\/$/, "").length);
  return SCRIPT_PATH.exec(path) ?? undefined;
}

/** Browsers block plain http below an https page, but for the machine itself. */
export function checkMixedContent(known: Case): DoctorReason {
  const { tag, origin, looked } = known;
  if (tag === undefined || origin === undefined) return looked ? "no_tag" : "not_read";
  if (!origin.startsWith("https:")) return "fine";
  const blocked = ADDRESSES.map((name) => addressOf(known, name)).some((url) =>
    url?.protocol === "http:" && !isLoopbackHost(url.hostname)
  );
  return blocked ? "mixed_content" : "fine";
}
