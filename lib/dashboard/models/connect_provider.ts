import type { Service } from "../../http/service.ts";
import { listModels } from "../../providers/list_models.ts";
import { parseApiKeys } from "../../schemas/api_keys.ts";
import { type ConnectionConfig, DEFAULT_PROTOCOLS } from "../../schemas/connection_config.ts";
import { httpUrlSchema } from "../../schemas/http_url.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import type { ProviderPreset } from "../../schemas/provider_presets.ts";
import { t } from "../texts/translate.ts";
import { translateMessage } from "../texts/service_message.ts";

/** The form of a new connection, as typed; the key is never sent back. */
export interface ConnectValues {
  baseUrl: string;
  name: string;
}

export type ConnectIssues = Partial<
  Record<"apiKey" | "baseUrl" | "name" | "password" | "form", string>
>;

/** The connection that a new provider takes: a free one, if possible the one of its protocol. */
export function freeConnection(
  { providers }: Pick<Service, "providers">,
  { protocol }: Pick<ProviderPreset, "protocol">,
): ProviderId | undefined {
  const free = PROVIDER_IDS.filter((id) => providers.connection(id) === undefined);
  return free.find((id) => DEFAULT_PROTOCOLS[id] === protocol) ?? free[0];
}

/** Parses the form, or returns a message for every invalid field. */
export function parseConnect(
  form: URLSearchParams,
  preset: ProviderPreset,
): { values: ConnectValues } & ({ config: ConnectionConfig } | { issues: ConnectIssues }) {
  const { values, baseUrl, apiKey, issues } = parseConnectionFields(form, preset);
  if (apiKey === "" && preset.keyUrl !== undefined) {
    issues.apiKey ??= t("Paste your {name} key.", { name: preset.name });
  }
  if (baseUrl === undefined || Object.keys(issues).length > 0) return { values, issues };
  const { protocol } = preset;
  return { values, config: { protocol, baseUrl, apiKey, name: values.name } };
}

/** The fields of a connection, with a message for every invalid one; what is empty has its default. */
export function parseConnectionFields(form: URLSearchParams, defaults: ConnectValues): {
  values: ConnectValues;
  /** Absent if it is invalid. */
  baseUrl?: string;
  apiKey: string;
  issues: ConnectIssues;
} {
  const text = (name: string) => (form.get(name) ?? "").trim();
  const values = {
    baseUrl: text("baseUrl") || defaults.baseUrl,
    name: text("name") || defaults.name,
  };
  const apiKey = text("apiKey");
  const url = httpUrlSchema.safeParse(values.baseUrl);
  const issues: ConnectIssues = {
    ...!/^[\x21-\x7e]{0,4096}$/.test(apiKey) && {
      apiKey: t("A key has only visible ASCII characters without spaces."),
    },
    ...parseApiKeys(apiKey) === undefined && {
      apiKey: t("Enter one key, several separated by commas, or a JSON list."),
    },
    ...url.error &&
      {
        baseUrl: t("The address {message}.", {
          message: translateMessage(url.error.issues[0]!.message),
        }),
      },
    ...values.name.length > 64 && { name: t("Use at most 64 characters.") },
  };
  return { values, ...url.success && { baseUrl: url.data }, apiKey, issues };
}

/**
 * Stores a connection whose provider answers its list of models. A server without a list is stored too:
 * its models are typed, and tested when they are added. Returns a message if it does not answer.
 */
export async function connectProvider(
  { connections, runtime, log }: Pick<Service, "connections" | "runtime" | "log">,
  { vendor, config }: { vendor: ProviderId; config: ConnectionConfig },
): Promise<string | undefined> {
  for (const { key: apiKey } of parseApiKeys(config.apiKey) ?? []) {
    const listed = await listModels({ ...config, apiKey }, { runtime });
    if (!("error" in listed) || listed.error.status === 404) continue;
    const { message, words } = listed.error;
    log.warn("a model provider could not be connected", { vendor, ...listed.error });
    return quoteProvider(
      t("Couldn't connect: {message}.", { message: translateMessage(message) }),
      words,
    );
  }
  await connections.set(vendor, config);
}

/** A message with the provider's own words, of which an error body has at most 300 characters. */
export function quoteProvider(message: string, words: string | undefined): string {
  return words
    ? t("{message} The provider says: {words}", { message, words: messageIn(words).slice(0, 300) })
    : message;
}

/** The message inside a JSON error body, or the body. */
function messageIn(body: string): string {
  return /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1]?.replace(/^"|"$/g, "") ?? body;
}
