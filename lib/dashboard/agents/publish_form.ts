import { translateMessage } from "../texts/service_message.ts";
import { msg, t } from "../texts/translate.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { RollbackReason } from "../../schemas/publication.ts";
import type { Publications } from "../../services/publishing/publications.ts";

/** Fields of the forms of the page; the names of the canary's are those of the API's paths. */
export const CANARY_FIELDS = {
  percent: msg("Share of new conversations, percent"),
  "limits.errorPercent": msg("Errors, percent of answers"),
  "limits.downPercent": msg("Rated down, percent of ratings"),
  "limits.costPercent": msg("Cost, percent of published"),
  "limits.minAnswers": msg("Minimum answers before a rollback"),
} as const;
export type CanaryField = keyof typeof CANARY_FIELDS;

export const ROLLBACK_TEXTS: Record<RollbackReason, string> = {
  errors: msg("Too many answers ended with an error."),
  ratings: msg("Too many answers were rated down."),
  cost: msg("Answers cost too much."),
};

/** What is wrong with a form: above it, and by field. */
export interface PublishIssues {
  form?: string;
  fields: Partial<Record<CanaryField, string>>;
}

/** Makes the change that a form of the page asks for. Throws `ApiError`. */
export async function applyPublishForm(
  publications: Publications,
  name: { tenant: string; id: string },
  form: URLSearchParams,
): Promise<void> {
  const ifMatch = [Number(form.get("revision"))];
  const version = Number(form.get("version"));
  switch (form.get("change")) {
    case "canary":
      await publications.setCanary(name, { asked: canaryOf(form, version), ifMatch });
      break;
    case "end_canary":
      await publications.endCanary(name, { ifMatch });
      break;
    case "gate": {
      const testSetId = form.get("gate") ?? "";
      if (testSetId === "") await publications.deleteGate(name, { ifMatch });
      else await publications.setGate(name, { asked: { testSetId }, ifMatch });
      break;
    }
    default: {
      const asked = form.get("mode") === "automatic"
        ? { mode: "automatic" }
        : { mode: "manual", ...version > 0 && { version } };
      await publications.set(name, { asked, ifMatch });
    }
  }
}

function canaryOf(form: URLSearchParams, version: number): unknown {
  const number = (field: CanaryField) => {
    const text = (form.get(field) ?? "").trim().replace(",", ".");
    return text === "" ? undefined : Number(text);
  };
  const limits = {
    ...set("errorPercent", number("limits.errorPercent")),
    ...set("downPercent", number("limits.downPercent")),
    ...set("costPercent", number("limits.costPercent")),
    ...set("minAnswers", number("limits.minAnswers")),
  };
  return { version, percent: number("percent"), limits };
}

function set(name: string, value: number | undefined): Record<string, number> {
  return value === undefined ? {} : { [name]: value };
}

export function publishIssues(error: ApiError): PublishIssues {
  if (error.code === "version_conflict") {
    const form = t("Someone else has published in the meantime. Look again before you publish.");
    return { form, fields: {} };
  }
  const issues = (error.details?.issues ?? []) as ValidationIssue[];
  const isField = (path: string): path is CanaryField => Object.hasOwn(CANARY_FIELDS, path);
  const fields = Object.fromEntries(
    issues.filter(({ path }) => isField(path))
      .map(({ path, message }) => [path, translateMessage(message)]),
  );
  const others = issues.filter(({ path }) => !isField(path));
  if (issues.length > 0 && others.length === 0) return { fields };
  const form = translateMessage(others[0]?.message ?? error.message);
  return { form: form.charAt(0).toUpperCase() + form.slice(1), fields };
}
