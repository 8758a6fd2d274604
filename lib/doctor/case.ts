import type { Agent } from "../schemas/agent.ts";
import {
  DOCTOR_REASONS,
  type DoctorCheck,
  type DoctorFinding,
  type DoctorReason,
} from "../schemas/doctor.ts";
import type { EmbedAddresses } from "./embed_lines.ts";
import type { FetchedPage } from "./fetch_page.ts";
import { type Attributes, type Element, readTags } from "./read_html.ts";

export const MARKER = "data-service-widget";

/** Everything that is known about one embed. */
export interface Case {
  tenant: string;
  agent: Agent;
  addresses: EmbedAddresses;
  /** As a browser sends it; `undefined` when it is none. */
  origin: string | undefined;
  /** Whether the agent may be embedded there. */
  listed: boolean;
  page: FetchedPage | undefined;
  /** Policies of the page's own `<meta>` elements. */
  metaPolicies: string[];
  /** Attributes of the tag, from what was given or else from the page. */
  tag: Attributes | undefined;
  /** Whether there was anything to find a tag in. */
  looked: boolean;
  /** Where an API key may have been left. */
  text: string;
}

export function caseOf(
  { tag, ...known }:
    & Pick<Case, "tenant" | "agent" | "addresses" | "origin" | "listed" | "page">
    & { tag: string | undefined },
): Case {
  const html = known.page?.html ?? "";
  const elements = readTags(html, new Set(["script", "meta"]));
  const given = tag === undefined ? undefined : readTags(tag, new Set(["script"]));
  return {
    ...known,
    metaPolicies: elements.filter(isPolicy).map(({ attributes }) =>
      attributes.get("content") ?? ""
    ),
    tag: widgetTag(given ?? elements),
    looked: tag !== undefined || known.page !== undefined,
    text: `${tag ?? ""}\n${html}`,
  };
}

/** What one check comes to. */
export function finding(check: DoctorCheck, reason: DoctorReason): DoctorFinding {
  const verdict = reason === "fine" ? "pass" : UNKNOWN.has(reason) ? "unknown" : "fail";
  return { check, verdict, reason, message: DOCTOR_REASONS[reason] };
}

const UNKNOWN: ReadonlySet<DoctorReason> = new Set<DoctorReason>([
  "not_read",
  "only_tag",
  "no_tag",
]);

/** The marked one, or one that forgot its mark. */
function widgetTag(elements: readonly Element[]): Attributes | undefined {
  const scripts = elements.filter(({ name }) => name === "script").map((one) => one.attributes);
  return scripts.find((one) => one.has(MARKER)) ?? scripts.find((one) => one.has("data-agent-id"));
}

function isPolicy({ name, attributes }: Element): boolean {
  const kind = attributes.get("http-equiv")?.trim().toLowerCase();
  return name === "meta" && kind === "content-security-policy";
}

/** An address of the tag as the page resolves it. */
export function addressOf({ tag, origin }: Case, attribute: string): URL | undefined {
  const value = tag?.get(attribute)?.trim();
  if (!value || !URL.canParse(value, origin)) return undefined;
  return new URL(value, origin);
}
