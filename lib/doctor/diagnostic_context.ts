import type { Agent } from "../schemas/agent.ts";
import {
  DOCTOR_REASONS,
  type DoctorCheck,
  type DoctorFinding,
  type DoctorReason,
} from "../schemas/doctor.ts";
import type { EmbedConfig } from "./embed_snippets.ts";
import type { FetchedPage } from "./fetch_page.ts";
import { type Attributes, parseStartTags, type StartTag } from "./parse_start_tags.ts";

export const WIDGET_ATTRIBUTE = "data-service-widget";

/** What the checks know about one embed. */
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
  /** Whether there was any HTML to find a tag in. */
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

/** Resolves a URL in the tag as the page would. */
export function resolveTagUrl(
  { tag, origin }: DiagnosticContext,
  attribute: string,
): URL | undefined {
  const value = tag?.get(attribute)?.trim();
  return value ? URL.parse(value, origin) ?? undefined : undefined;
}

const INCONCLUSIVE: ReadonlySet<DoctorReason> = new Set(["not_read", "only_tag", "no_tag"]);

export function createFinding(check: DoctorCheck, reason: DoctorReason): DoctorFinding {
  const verdict = reason === "fine" ? "pass" : INCONCLUSIVE.has(reason) ? "unknown" : "fail";
  return { check, verdict, reason, message: DOCTOR_REASONS[reason] };
}
