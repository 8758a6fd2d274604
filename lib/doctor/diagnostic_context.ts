import type { Agent } from "../schemas/agent.ts";
import {
  DOCTOR_REASONS,
  type DoctorCheck,
  type DoctorFinding,
  type DoctorReason,
  type DoctorReport,
} from "../schemas/doctor.ts";
import { mintCommand, scriptTag } from "../schemas/script_tag.ts";
import type { FetchedPage } from "./fetch_page.ts";
import { type Attributes, parseStartTags, type StartTag } from "./parse_start_tags.ts";

export const WIDGET_ATTRIBUTE = "data-service-widget";

/** Where the service and its script are served from, without trailing slashes. */
export interface EmbedConfig {
  baseUrl: string;
  scriptBase: string;
  /** Of the newest script, as is its hash. */
  integrity: string;
  hash12: string;
  /** The file that this script loads from the folder of its own file. */
  panel: { name: string; integrity: string };
  /** The file that the panel loads. */
  extras: { name: string; integrity: string };
}

export interface DiagnosticContext {
  tenant: string;
  agent: Agent;
  embed: EmbedConfig;
  /** In the form that browsers send; `undefined` if it is malformed. */
  origin: string | undefined;
  originAllowed: boolean;
  page: FetchedPage | undefined;
  metaPolicies: string[];
  /** The widget's tag, from the request or else from the page. */
  tag: Attributes | undefined;
  hasMarkup: boolean;
  /** All HTML there is, to search it for API keys. */
  text: string;
}

export function createDiagnosticContext(
  { tag, ...given }:
    & Pick<DiagnosticContext, "tenant" | "agent" | "embed" | "origin" | "originAllowed" | "page">
    & { tag: string | undefined },
): DiagnosticContext {
  const html = given.page?.html ?? "";
  const elements = parseStartTags(html, new Set(["script", "meta"]));
  return {
    ...given,
    metaPolicies: elements.filter(isPolicyMeta)
      .map(({ attributes }) => attributes.get("content") ?? ""),
    tag: findWidgetTag(tag === undefined ? elements : parseStartTags(tag, new Set(["script"]))),
    hasMarkup: tag !== undefined || given.page !== undefined,
    text: `${tag ?? ""}\n${html}`,
  };
}

/** Finds the script with the widget's attribute, or one that lacks only that. */
function findWidgetTag(elements: readonly StartTag[]): Attributes | undefined {
  const scripts = elements.filter(({ name }) => name === "script").map((one) => one.attributes);
  return scripts.find((one) => one.has(WIDGET_ATTRIBUTE)) ??
    scripts.find((one) => one.has("data-agent-id"));
}

function isPolicyMeta({ name, attributes }: StartTag): boolean {
  const kind = attributes.get("http-equiv")?.trim().toLowerCase();
  return name === "meta" && kind === "content-security-policy";
}

export function resolveTagUrl({ tag, origin }: DiagnosticContext, attribute: string) {
  const value = tag?.get(attribute)?.trim();
  return value ? URL.parse(value, origin) ?? undefined : undefined;
}

const INCONCLUSIVE: ReadonlySet<DoctorReason> = new Set(["not_read", "only_tag", "no_tag"]);

export function createFinding(check: DoctorCheck, reason: DoctorReason): DoctorFinding {
  const verdict = reason === "fine" ? "pass" : INCONCLUSIVE.has(reason) ? "unknown" : "fail";
  return { check, verdict, reason, message: DOCTOR_REASONS[reason] };
}

/** Snippets to paste. They hold nothing of the page that was fetched. */
export function embedSnippets(
  { agent, origin, originAllowed, embed }:
    & Pick<DiagnosticContext, "origin" | "originAllowed">
    & { agent: { id: string }; embed: Omit<EmbedConfig, "hash12" | "panel" | "extras"> },
): DoctorReport["lines"] {
  const { baseUrl, scriptBase, integrity } = embed;
  const site = originAllowed ? origin : "https://www.example.com";
  const src = `${scriptBase}/widget.v1.js`;
  return {
    tag: scriptTag({ src, integrity, apiBase: baseUrl, agentId: agent.id }),
    csp: `script-src ${new URL(scriptBase).origin}; connect-src ${new URL(baseUrl).origin}`,
    mint: mintCommand({ baseUrl, agentId: agent.id, origin: site }),
  };
}
