import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { pageRequestParams, undefinedIfNotFound, uuidParam } from "../../http/request_params.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { WEB_SOURCE_BOUNDS } from "../../schemas/limits.ts";
import type { WebSource, WebSourceReport } from "../../schemas/web_source.ts";
import { t } from "../texts/translate.ts";
import { findKnowledgeBase, type FoundKnowledgeBase } from "./find_knowledge_base.ts";

/** The form's texts, as they were entered. */
export interface SourceValues {
  url: string;
  kind: string;
  maxPages: string;
  schedule: string;
}

export type SourceIssues = { [Field in keyof SourceValues | "form"]?: string };

export const NEW_SOURCE: SourceValues = {
  ...{ url: "", kind: "site", schedule: "weekly" },
  maxPages: String(WEB_SOURCE_BOUNDS.defaultPages),
};

export function readSourceForm(form: URLSearchParams): SourceValues {
  const read = (name: keyof SourceValues) => form.get(name)?.trim() ?? "";
  return {
    url: read("url"),
    kind: read("kind"),
    maxPages: read("maxPages"),
    schedule: read("schedule"),
  };
}

export function toSourceBody({ url, kind, ...values }: SourceValues) {
  // People leave out what browsers leave out.
  const address = /^[a-z][a-z0-9+.-]*:/i.test(url) || url === "" ? url : `https://${url}`;
  return { url: address, kind, ...toSourcePatch(values) };
}

export function toSourcePatch({ maxPages, schedule }: Pick<SourceValues, "maxPages" | "schedule">) {
  return { schedule, ...maxPages !== "" && { maxPages: Number(maxPages) } };
}

/** Saves a source; expected errors become messages of the form, others are thrown. */
export async function saveSource(
  save: () => Promise<WebSource>,
): Promise<{ source: WebSource } | { status: number; issues: SourceIssues }> {
  try {
    return { source: await save() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "schema_validation_failed") throw error;
    const issues = (error.details?.issues ?? []) as ValidationIssue[];
    return { status: error.status, issues: Object.assign({}, ...issues.map(toFormIssue)) };
  }
}

function toFormIssue({ path, code }: ValidationIssue): SourceIssues {
  const { pages, sourcesPerBase } = WEB_SOURCE_BOUNDS;
  if (path === "url") {
    return { url: t("Enter an address such as https://shop.example/help, without a password.") };
  }
  if (path === "maxPages") return { maxPages: t("Enter a number from 1 to {pages}.", { pages }) };
  if (code === "too_many") {
    return {
      form: t("A knowledge base has at most {sourcesPerBase} websites.", { sourcesPerBase }),
    };
  }
  return { form: t("Choose from the lists.") };
}

export type FoundSource = FoundKnowledgeBase & {
  source: WebSourceReport;
  of: { tenant: string; base: string; id: string };
};

/** The source with a page of its pages; `undefined` if there is none. */
export function findSource(ctx: Context<State>): Promise<FoundSource | undefined> {
  return undefinedIfNotFound(async () => {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return undefined;
    const of = { ...found.ref, id: uuidParam(ctx.params.sourceId) };
    const page = { ...pageRequestParams(ctx.url), limit: 50 };
    return { ...found, of, source: await ctx.state.service.webSources.report(of, page) };
  });
}
