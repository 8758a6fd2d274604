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

/** Everything that is known about one embed. */
export interface DiagnosticContext {
  tenant: string;
  agent: Agent;
  embed: EmbedConfig;
  /** As a browser sends it; `undefined` when it is none. */
  origin: string | undefined;
  /** Whether the agent may be embedded there. */
  originAllowed: boolean;
  page: FetchedPage | undefined;
  /** Policies of the page's own `<meta>` elements. */
  metaPolicies: string[];
  /** Attributes of the tag, from what was given or else from the page. */
  tag: Attributes | undefined;
  /** Whether there was anything to find a tag in. */
  hasMarkup: boolean;
  /** Where an API key may have been left. */
  text: string;
}

export function createDiagnosticContext(
  { tag, ...known }:
    & Pick<DiagnosticContext, "tenant" | "agent" | "embed" | "origin" | "originAllowed" | "page">
    & { tag: string | undefined },
): DiagnosticContext {
  const html = known.page?.html ?? "";
  const elements = parseStartTags(html, new Set(["script", "meta"]));
  const given = tag === undefined ? undefined : parseStartTags(tag, new Set(["script"]));
  return {
    ...known,
    metaPolicies: elements.filter(isPolicyMeta).map(({ attributes }) =>
      attributes.get("content") ?? ""
    ),
    tag: findWidgetTag(given ?? elements),
    hasMarkup: tag !== undefined || known.page !== undefined,
    text: `${tag ?? ""}\n${html}`,
  };
}

/** What one check comes to. */
export function createFinding(check: DoctorCheck, reason: DoctorReason): DoctorFinding {
  const verdict = reason === "fine" ? "pass" : INCONCLUSIVE.has(reason) ? "unknown" : "fail";
  return { check, verdict, reason, message: DOCTOR_REASONS[reason] };
}

const INCONCLUSIVE: ReadonlySet<DoctorReason> = new Set<DoctorReason>([
  "not_read",
  "only_tag",
  "no_tag",
]);

/** The marked one, or one that forgot its mark. */
function findWidgetTag(elements: readonly StartTag[]): Attributes | undefined {
  const scripts = elements.filter(({ name }) => name === "script").map((one) => one.attributes);
  return scripts.find((one) => one.has(WIDGET_ATTRIBUTE)) ??
    scripts.find((one) => one.has("data-agent-id"));
}

function isPolicyMeta({ name, attributes }: StartTag): boolean {
  const kind = attributes.get("http-equiv")?.trim().toLowerCase();
  return name === "meta" && kind === "content-security-policy";
}

/** An address of the tag as the page resolves it. */
export function resolveTagUrl(
  { tag, origin }: DiagnosticContext,
  attribute: string,
): URL | undefined {
  const value = tag?.get(attribute)?.trim();
  if (!value || !URL.canParse(value, origin)) return undefined;
  return new URL(value, origin);
}
